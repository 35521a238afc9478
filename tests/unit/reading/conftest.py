"""Tests of the reader by construct are gold: they are counted against the floor of `wrong.txt`, which lists those that fail.

`--runxfail` makes each of them fail by itself. `make wrong` writes the list anew: look through the difference.
"""

from __future__ import annotations

from collections.abc import Generator

import pytest

GOLD = ("test_clauses.py", "test_constructs_")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Report a construct that is read wrong as an expected failure, and count it."""
    report = yield
    if call.when == "call" and item.path.name.startswith(GOLD) and not item.config.getoption("runxfail"):
        name = [item.nodeid.split("tests/unit/reading/", 1)[-1]]
        wrong = call.excinfo is not None and call.excinfo.errisinstance(AssertionError)
        if wrong:
            report.outcome, report.wasxfail = "skipped", "read wrong, which is counted"
        if wrong or report.passed:
            report.user_properties.append(("gold", ("unit/reading", [] if wrong else name, name if wrong else [])))
    return report
