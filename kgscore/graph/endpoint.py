"""SPARQL 1.1 endpoints by URL: queries, updates, and loading of a run's graph.

A server that cannot be reached, refuses the request, or answers in an unknown format raises QueryError.
"""

from __future__ import annotations

import ipaddress
import urllib.error
import urllib.request
from base64 import b64encode
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from itertools import groupby, islice
from typing import IO, Any
from urllib.parse import unquote, urlsplit, urlunsplit

import pyoxigraph
from pyoxigraph import BlankNode, NamedNode, Quad, QueryResultsFormat, RdfFormat

from kgscore.errors import QueryError
from kgscore.graph.vocabulary import BASE, PREFIXES

BATCH = 5000
_GENID = BASE + ".well-known/genid/"
_JSON, _TRIPLES = "application/sparql-results+json", "application/n-triples"
_PROLOGUE = "".join(f"PREFIX {prefix}: <{iri}>\n" for prefix, iri in PREFIXES.items())
_ACCEPT = f"{_JSON}, {_TRIPLES};q=0.9"


def is_endpoint(source: object) -> bool:
    """Return whether a source is the URL of an endpoint, not a folder.

    >>> is_endpoint("http://127.0.0.1:7878/query"), is_endpoint("run")
    (True, False)
    """
    return isinstance(source, str) and source.lower().startswith(("http://", "https://"))


@contextmanager
def ask(url: str, text: str, seconds: float) -> Iterator[Any]:
    """Yield the results of a query (as in pyoxigraph: solutions, a boolean or triples), streamed during iteration."""
    with _send(url, _PROLOGUE + text, "application/sparql-query", _ACCEPT, seconds) as reply:
        kind = reply.headers.get_content_type()
        try:
            if kind == _TRIPLES:
                yield (quad.triple for quad in pyoxigraph.parse(reply, format=RdfFormat.N_TRIPLES))
            elif kind == _JSON:
                yield pyoxigraph.parse_query_results(reply, format=QueryResultsFormat.JSON)
            else:
                raise QueryError(f"{_public_url(url)}: answers in {kind}; give the URL of a SPARQL 1.1 query endpoint")
        except (SyntaxError, ValueError) as error:
            raise QueryError(f"{_public_url(url)}: cannot parse its answer ({type(error).__name__})") from None


def update(url: str, text: str, seconds: float) -> None:
    """Send an update to the URL of an update endpoint."""
    with _send(url, _PROLOGUE + text, "application/sparql-update", "*/*", seconds) as reply:
        reply.read()


def load(quads: Iterable[Quad], url: str, seconds: float) -> int:
    """Insert quads through an update endpoint, in batches, and return their number. Loading them twice changes nothing: blank
    nodes become IRIs derived from their content (RDF 1.1, 3.5)."""
    stream, count = iter(quads), 0
    while batch := list(islice(stream, BATCH)):
        update(url, _insertion(batch), seconds)
        count += len(batch)
    return count


def _insertion(batch: list[Quad]) -> str:
    parts = []
    for graph, quads in groupby(batch, key=lambda quad: quad.graph_name):
        triples = "".join(f"{_term_text(q.subject)} {q.predicate} {_term_text(q.object)} .\n" for q in quads)
        parts.append(f"GRAPH {graph} {{\n{triples}}}\n" if isinstance(graph, NamedNode) else triples)
    return f"INSERT DATA {{\n{''.join(parts)}}}"


def _term_text(term: Any) -> str:
    if isinstance(term, BlankNode):
        return f"<{_GENID}{sha256(term.value.encode()).hexdigest()[:32]}>"
    return str(term)


@contextmanager
def _send(url: str, text: str, kind: str, accept: str, seconds: float) -> Iterator[Any]:
    parts = urlsplit(url)
    place = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
    headers = {"Content-Type": f"{kind}; charset=utf-8", "Accept": accept}
    if parts.username:
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        headers["Authorization"] = f"Basic {b64encode(pair.encode()).decode()}"
    # Proxies are bypassed for this machine.
    handlers = [urllib.request.ProxyHandler({})] if _is_local(parts.hostname or "") else []
    request = urllib.request.Request(place, text.encode("utf-8"), headers)
    try:
        with urllib.request.build_opener(*handlers).open(request, timeout=seconds) as reply:
            yield reply
    except urllib.error.HTTPError as error:
        raise QueryError(f"{_public_url(url)}: refused ({error.code} {_first_line(error)})") from None
    except TimeoutError:
        raise QueryError(f"{_public_url(url)}: took longer than {seconds:g} s; narrow the query, or raise --timeout") from None
    except (OSError, ValueError) as error:
        why = getattr(error, "reason", None) or error
        raise QueryError(f"{_public_url(url)}: cannot be queried ({why}); check the URL and that the server runs") from None


def _is_local(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _public_url(url: str) -> str:
    """Return the URL without any password or query in it."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _first_line(error: IO[bytes]) -> str:
    said = error.read(400).decode("utf-8", "replace").strip()
    return said.splitlines()[0] if said else "no reason given"
