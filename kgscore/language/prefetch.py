"""Reads many records before they are scored, with as many concurrent calls as the endpoint allows."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

from kgscore.io.records import BadRecord, Record
from kgscore.language.answers import AnswerError

_WAITING = 4  # queued records for each concurrent call


def prefetch_texts(
    records: Iterable[Record | BadRecord], read: Callable[[str], object], at_once: int
) -> Iterator[Record | BadRecord]:
    """Yield the records in order, each when all its texts have been read; a record without a usable answer becomes a bad record
    with the reason. Texts are read concurrently.

    Raises:
        InputError: the server cannot be reached.
    """
    pool = ThreadPoolExecutor(at_once, thread_name_prefix="kgscore-language")
    waiting: deque[tuple[Record | BadRecord, list[Future[object]]]] = deque()
    begun: dict[str, Future[object]] = {}  # of the waiting records: a shared text is read once
    try:
        for record in records:
            texts = record.fields.values() if isinstance(record, Record) else ()
            for text in texts:
                if text.strip() and text not in begun:
                    begun[text] = pool.submit(read, text)
            waiting.append((record, [begun[text] for text in texts if text in begun]))
            if len(waiting) > _WAITING * at_once:
                yield _finish(*waiting.popleft())
                going = {id(future) for _, futures in waiting for future in futures}
                begun = {text: future for text, future in begun.items() if id(future) in going}
        while waiting:
            yield _finish(*waiting.popleft())
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _finish(record: Record | BadRecord, futures: list[Future[object]]) -> Record | BadRecord:
    try:
        for future in futures:
            future.result()
    except AnswerError as error:
        return BadRecord(record.where, record.id, str(error), record.extra)
    return record
