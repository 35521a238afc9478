"""Asking: what a server may do, and what becomes of it."""

from __future__ import annotations

import json
import logging
import stat
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kgscore.errors import InputError
from kgscore.language.answers import AnswerError, parse_answer
from kgscore.language.client import Client
from kgscore.language.endpoint import Endpoint
from kgscore.language.prompts import EXTRACTION, load_prompt, user_message

from .conftest import Reply, Served, found

PROMPT = load_prompt(EXTRACTION)
TEXT = "A secret finding of Mrs Example in the left lower lobe."
ASKED = user_message(TEXT)
ITEM = {"quote": "secret finding", "finding": "opacity", "presence": "present"}


def ask(served: Served, **options: object) -> object:
    return Client(served.endpoint(**options)).ask(PROMPT, ASKED)


def test_an_answer_is_asked_for_with_the_schema_and_kept_for_its_owner_alone(served: Served, tmp_path: Path) -> None:
    served.replies = [found(ITEM)]
    client = Client(served.endpoint(prices=(1e4, 1e5)))
    assert client.ask(PROMPT, ASKED) == {"findings": [ITEM]} == client.ask(PROMPT, ASKED)
    (question,) = served.asked
    assert question["path"] == "/v1/chat/completions"
    assert question["model"] == "small"
    assert question["temperature"] == 0
    assert question["response_format"]["json_schema"]["schema"] == PROMPT.schema
    assert [one["role"] for one in question["messages"]] == ["system", "user"]
    tally = client.tally
    assert (tally.calls, tally.cached, tally.tokens_in, tally.tokens_out, tally.cost) == (1, 1, 100, 10, 2.0)
    (kept,) = [path for path in (tmp_path / "cache" / "kgscore" / "language").rglob("*") if path.is_file()]
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700
    assert Client(Endpoint(served.url, "other")).known(PROMPT, ASKED) is False


def test_the_same_question_from_many_threads_is_one_call(served: Served) -> None:
    go = threading.Event()
    served.replies = [Reply(json.dumps({"findings": []}), until=go)]
    client = Client(served.endpoint())
    with ThreadPoolExecutor(4) as pool:
        answers = [pool.submit(client.ask, PROMPT, ASKED) for _ in range(4)]
        go.set()
        assert [one.result() for one in answers] == [{"findings": []}] * 4
    assert len(served.asked) == 1


@pytest.mark.parametrize(
    "text",
    ["I see an opacity.", '{"findings": [{"quote": "secret"}]}', '{"findings": [', '{"findings": [{"finding": 3}]}', "[]", ""],
)
def test_a_malformed_answer_is_repaired_once(served: Served, text: str) -> None:
    served.replies = [Reply(text), found(ITEM)]
    assert ask(served) == {"findings": [ITEM]}
    again = served.asked[1]["messages"]
    assert [one["role"] for one in again] == ["system", "user", "assistant", "user"]
    assert again[2]["content"] == text
    assert "cannot be used" in again[3]["content"]


def test_an_answer_that_stays_malformed_is_none_and_is_not_kept(served: Served) -> None:
    served.replies = [Reply(f"no JSON, but {TEXT}")]
    client = Client(served.endpoint())
    with pytest.raises(AnswerError, match=r"^the answer is not a JSON object$"):
        client.ask(PROMPT, ASKED)
    assert (len(served.asked), client.tally.failed, client.known(PROMPT, ASKED)) == (2, 1, False)


def test_what_stands_around_an_answer_and_empty_fields_are_passed_over() -> None:
    said = f'<think>{{"a": 1}} hm</think>Here:\n```json\n{json.dumps({"findings": [{**ITEM, "side": None, "place": ""}]})}\n```'
    assert parse_answer(said, PROMPT.schema) == {"findings": [ITEM]}


@pytest.mark.parametrize(
    "first", [{"status": 429, "headers": {"Retry-After": "0.01"}}, {"status": 500}, {"status": 503}, {"cut": True}]
)
def test_an_error_that_may_pass_is_tried_again(served: Served, first: dict[str, object]) -> None:
    served.replies = [Reply(TEXT, **{"headers": {"retry-after-ms": "1"}, **first}), found(ITEM)]  # type: ignore[arg-type]
    assert ask(served, retries=1) == {"findings": [ITEM]}
    assert len(served.asked) == 2


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (Reply(status=500, body={"error": {"message": "out of memory"}}), "HTTP 500: out of memory"),
        (Reply(status=404, body={"error": {"message": "no model 'small'"}}), "HTTP 404: no model 'small'"),
        (Reply(status=429, body={"detail": "quota used up"}), "HTTP 429: quota used up"),
        (Reply(status=500, body={"error": {"message": f"cannot tokenize {TEXT}"}}), "quotes the report and is not shown"),
        (Reply(status=400, body={"error": {"message": "context too long"}}), "HTTP 400: context too long"),
        (Reply(None, refusal="I cannot help with that"), "declined"),
        (Reply('{"findings": [', finish="length"), "truncated at the maximum length"),
        (Reply("", finish="content_filter"), "declined"),
        (Reply(body={"choices": []}), "no message"),
        (Reply(body=b"<html>a proxy</html>"), "cannot be read|no message"),
        (Reply("", cut=True), "connection broke|cannot be read"),
    ],
)
def test_a_failure_has_the_servers_reason_and_never_the_report(served: Served, reply: Reply, said: str) -> None:
    served.replies = [reply]
    with pytest.raises(AnswerError, match=said) as raised:
        ask(served)
    assert "secret" not in str(raised.value)
    assert "Example" not in str(raised.value)


def test_a_server_that_does_not_answer_in_time_is_a_failure(served: Served) -> None:
    done = threading.Event()
    served.replies = [Reply("", until=done)]
    with pytest.raises(AnswerError, match=r"no answer in 0\.05 s"):
        ask(served, timeout=0.05)
    done.set()


def test_what_a_server_does_not_know_is_left_out_from_then_on(served: Served) -> None:
    unknown = Reply(status=400, body={"error": {"message": "unsupported parameter: 'seed'"}})
    schemaless = Reply(status=422, body={"detail": "response_format is not supported"})
    served.replies = [unknown, schemaless, found(ITEM)]
    client = Client(served.endpoint())
    assert client.ask(PROMPT, ASKED) == {"findings": [ITEM]}
    client.ask(PROMPT, user_message("Another."))
    assert ["seed" in one for one in served.asked] == [True, False, False, False]
    assert ["response_format" in one for one in served.asked] == [True, True, False, False]
    assert client.tally.calls == 2


def test_bounds_end_the_calls_and_not_the_cache(served: Served) -> None:
    served.replies = [found(ITEM)]
    for bound, said in ({"max_calls": 1}, "1 calls"), ({"max_tokens": 100}, "100 tokens"):
        client = Client(served.endpoint(**bound))
        client.ask(PROMPT, user_message(said))
        with pytest.raises(AnswerError, match=f"the limit of {said} is reached"):
            client.ask(PROMPT, ASKED)
        assert client.ask(PROMPT, user_message(said)) == {"findings": [ITEM]}
    assert len(served.asked) == 2


def test_no_server_and_no_key_end_the_command(served: Served) -> None:
    with pytest.raises(InputError, match="no server at"):
        Client(Endpoint("http://127.0.0.1:9", "m", retries=0)).ask(PROMPT, ASKED)
    served.replies = [Reply(status=401, body={"error": {"message": "bad key"}})]
    with pytest.raises(InputError, match="set OPENAI_API_KEY"):
        ask(served)


@pytest.mark.parametrize("url", ["http://10.0.0.1/v1", "https://llm.example/v1", "http://127.0.0.1.example/v1", "http://0.0.0.0/v1"])
def test_reports_stay_on_this_machine_unless_allowed(url: str) -> None:
    with pytest.raises(InputError, match="allow-remote"):
        Endpoint(url, "m")
    assert Endpoint(url, "m", allow_remote=True).local is False


@pytest.mark.parametrize("url", ["http://localhost:1/v1", "http://127.3.2.1/v1", "http://[::1]:8/v1"])
def test_addresses_of_this_machine_are_local(url: str) -> None:
    assert Endpoint(url, "m").local


@pytest.mark.parametrize("bad", [{"base_url": "ftp://localhost"}, {"base_url": "localhost"}, {"model": ""}, {"timeout": 0.0}])
def test_an_endpoint_that_cannot_be_is_an_error(bad: dict[str, object]) -> None:
    with pytest.raises(InputError):
        Endpoint(**{"base_url": "http://localhost/v1", "model": "m", **bad})  # type: ignore[arg-type]


def test_no_redirection_and_no_proxy_takes_a_report_elsewhere(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    served.replies = [Reply(status=307, headers={"Location": f"{served.url}/elsewhere"}, body={})]
    with pytest.raises(AnswerError, match="HTTP 307"):
        ask(served)
    assert len(served.asked) == 1


def test_logs_hold_neither_key_nor_report(
    served: Served, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-private")
    served.replies = [Reply(status=500), found(ITEM)]
    ask(served, retries=1)
    assert served.asked[0]["headers"]["authorization"] == "Bearer sk-very-private"
    assert "private" not in caplog.text
    assert "secret" not in caplog.text
