"""Whatever is asked, the API answers in JSON, with an error of one line where it cannot, and never with an internal error."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgscore.serve.settings import Limits

WORDS = st.one_of(
    st.text(st.characters(), max_size=20),
    st.sampled_from(["", "one-1", "three-1", "pneumothorax", "0", "-1", "1e9", "..", "%00", "\x1b[31m", "\ud800", "9" * 30]),
)
PLACES = WORDS.filter(lambda text: text.strip("./"))  # these would lead out of the API
NUMBERS = st.one_of(st.integers(), st.floats(), st.sampled_from([0, 1, -1, 2**31, 2**63, 2**200]))
QUERIES = st.sampled_from(
    ["SELECT 1", "SELECT 'infinity'::DATE", "FROM cases", "ASK {}", "SELECT * { ?s ?p ?o }", "SELECT", ";", "SELECT 1;;SELECT 2"]
)
JSON = st.recursive(st.none() | st.booleans() | NUMBERS | WORDS, lambda inner: st.lists(inner, max_size=3), max_leaves=5)


def body(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Return bodies that mostly fit a schema: fields of the right type, of any type, missing, and too many."""
    of_type = {
        "string": WORDS | QUERIES, "integer": NUMBERS, "array": st.lists(WORDS, max_size=3),
        "object": st.dictionaries(WORDS, WORDS, max_size=2),
    }  # fmt: skip
    known = {name: of_type.get(one.get("type"), JSON) for name, one in schema["properties"].items()}
    known |= {"query": QUERIES | WORDS} if "query" in known else {}
    required = {name: known[name] for name in schema.get("required", ())}
    optional = {name: one | JSON for name, one in known.items() if name not in required} | {"\ud800": JSON}
    return st.one_of(st.fixed_dictionaries(required, optional=optional), st.fixed_dictionaries({}, optional=known), JSON)


@pytest.fixture(scope="module")
def asked(make):
    """A client, and every operation with its path, parameters and the schema of its body."""
    client = make(limits=Limits(query_seconds=0.3, score_seconds=5, waiting=2))
    described = client.get("/api/openapi.json").json()
    schemas = described["components"]["schemas"]
    found = []
    for path, methods in described["paths"].items():
        for method, about in methods.items():
            named = about.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {}).get("$ref", "")
            found.append((path, method, about.get("parameters", []), schemas.get(named.rpartition("/")[2])))
    assert len(found) > 15
    return client, found


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True)
@given(data=st.data())
def test_no_request_is_an_internal_error(asked, data: st.DataObject) -> None:
    client, operations = asked
    path, method, parameters, schema = data.draw(st.sampled_from(operations))
    there = {"run": st.just("one-1"), "concept": st.just("pneumothorax"), "a": st.just("one-1"), "b": st.just("two-1")}
    values = {
        one["name"]: data.draw(there.get(one["name"], PLACES) | (PLACES if one["in"] == "path" else WORDS | NUMBERS.map(str)))
        for one in parameters
    }
    for one in parameters:
        if one["in"] == "path":
            path = path.replace(f"{{{one['name']}}}", quote(values.pop(one["name"]), safe="", errors="replace"))
    query = "&".join(f"{name}={quote(value, safe='', errors='replace')}" for name, value in values.items())
    content = None if schema is None else json.dumps(data.draw(body(schema)))
    answer = client.request(method, f"{path}?{query}", content=content, headers={"content-type": "application/json"})
    assert answer.status_code < 500 or answer.status_code == 503, (path, query, content, answer.text)
    told = answer.json()
    if answer.status_code >= 400:
        assert "\n" not in told["error"]




@pytest.mark.parametrize(
    ("path", "given"),
    [
        ("score", {"reference": "Left\ud800 effusion.", "candidate": "Left effusion.\udc80"}),
        ("score", {"reference": "a", "candidate": "b", "profile": "\ud800"}),
        ("score", {"reference": "a", "candidate": "b", "metrics": ["\ud800"]}),
        ("runs/\x9b1m/sql", {"query": "SELECT 1"}),
        ("runs/one-1/sql", {"query": "SELECT 'infinity'::DATE, '-infinity'::TIMESTAMP, [DATE 'infinity']"}),
        ("runs/one-1/sql", {"query": "SELECT '\ud800'"}),
        ("runs/one-1/query", {"query": "ASK { ?s ?p '\ud800' }"}),
        ("runs/one-1/query", {"query": "ASK { }", "parameters": {"\ud800": "\ud800"}}),
    ],
)
def test_odd_values_are_answered_in_a_line_without_control_characters(client, path: str, given: dict[str, Any]) -> None:
    answer = client.post(f"/api/{quote(path)}", content=json.dumps(given), headers={"content-type": "application/json"})
    assert answer.status_code < 500, answer.text
    assert not set(answer.text) & set("\x1b\x9b\n")
    assert answer.json()
