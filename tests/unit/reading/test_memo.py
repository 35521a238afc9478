"""What was found in a context holds for all contexts that answer the same to what was asked."""

from __future__ import annotations

from kgscore.engine import Scorer
from kgscore.reading.discourse import Discourse
from kgscore.reading.memo import Memo, RecordedAccess
from kgscore.reading.readers import DEFAULT, reader_of

_HERE = (("kidney", "left"),)


def test_only_what_was_asked_decides() -> None:
    known: Memo[str] = Memo()
    asked = RecordedAccess(Discourse(last_sites=_HERE, limb_side="left"))
    assert asked.last_sites == _HERE
    known.put(asked, "in the left kidney")
    assert asked.names() == ("last_sites",)
    assert known.get(Discourse(last_sites=_HERE, limb_side="right")) == "in the left kidney"
    assert known.get(Discourse(last_sites=(("kidney", "right"),), limb_side="left")) is None


def test_where_nothing_was_asked_it_holds_everywhere() -> None:
    known: Memo[str] = Memo()
    known.put(RecordedAccess(Discourse()), "everywhere")
    assert known.get(Discourse(last_sites=_HERE)) == "everywhere"


def test_a_sentence_that_comes_again_elsewhere_is_read_as_if_it_were_new(scorer: Scorer) -> None:
    reports = [
        "The left kidney is small. There is a cyst.",
        "The liver is enlarged. There is a cyst. No other lesion.",
        "LEFT HIP: There is a joint effusion. There is a cyst.",
        "There is a cyst. The right knee is normal. There is a joint effusion.",
        "Right knee: There is a joint effusion.\nLeft knee: There is a joint effusion.",
    ]
    reader = reader_of(DEFAULT, scorer.index, scorer.lexicon)
    for report in [*reports, *reversed(reports)]:
        fresh = reader_of(DEFAULT, scorer.index, scorer.lexicon, remembered=0)
        assert reader.read(report).findings == fresh.read(report).findings
