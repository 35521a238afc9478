"""Who may ask what."""

from __future__ import annotations

import pytest

from kgscore.serve.settings import Limits, Settings

TOKEN = "a-token-of-enough-letters"


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "evil.example:8642", "[::2]"])
def test_a_request_under_another_name_is_refused(client, host: str) -> None:
    answer = client.get("/api/runs", headers={"host": host})
    assert answer.status_code == 421
    assert "clash" not in answer.text


@pytest.mark.parametrize("host", ["127.0.0.1:8642", "localhost:1", "LOCALHOST", "[::1]:8642"])
def test_loopback_names_are_known(client, host: str) -> None:
    assert client.get("/api/runs", headers={"host": host}).status_code == 200


def test_further_names_are_allowed_by_settings(make) -> None:
    assert make(base="http://scores.example", names=("scores.example",)).get("/api/runs").status_code == 200


def test_requests_from_other_sites_are_refused(client) -> None:
    pair = {"reference": "Left pneumothorax.", "candidate": "No pneumothorax."}
    for origin in ("http://evil.example", "null", "http://127.0.0.1:1"):
        assert client.post("/api/score", json=pair, headers={"origin": origin}).status_code == 403


def test_without_the_token_nothing_is_shown(make) -> None:
    client = make(token=TOKEN)
    for path in ("/", "/api/runs", "/static/kit.js", "/api/openapi.json", f"/api/runs?token={TOKEN}x"):
        assert client.get(path).status_code == 401, path
    for headers in ({"authorization": f"Bearer {TOKEN[:-1]}"}, {"authorization": f"Basic {TOKEN}"}, {"cookie": "kgscore_token="}):
        assert client.get("/api/runs", headers=headers).status_code == 401


def test_the_token_is_taken_from_header_or_address_and_leaves_the_address(make) -> None:
    client = make(token=TOKEN)
    assert client.get("/api/runs", headers={"authorization": f"Bearer {TOKEN}"}).status_code == 200
    answer = client.get(f"/?token={TOKEN}")
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert client.get("/", headers={"cookie": cookie.partition(";")[0]}).status_code == 200
    assert client.get(f"http://127.0.0.1:8642//evil.example/x?token={TOKEN}").headers["location"] == "/evil.example/x"


def test_a_body_over_the_limit_is_refused_however_it_is_sent(make) -> None:
    client = make(limits=Limits(body=1000))
    long = {"reference": "x" * 2000, "candidate": "y"}
    assert client.post("/api/score", json=long).status_code == 413
    assert client.post("/api/score", content=(b"x" * 100 for _ in range(20))).status_code == 413


def test_every_answer_forbids_what_pages_do_not_need(client) -> None:
    for path in ("/", "/api/runs", "/static/kit.js", "/nothing"):
        headers = client.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"


def test_no_method_changes_anything(client) -> None:
    for method in ("put", "delete", "patch"):
        assert client.request(method.upper(), "/api/runs/one-1").status_code == 405


def test_listening_everywhere_adds_no_name() -> None:
    assert Settings((), host="0.0.0.0").known_hosts == Settings(()).known_hosts
