"""A Dask cluster: found by its address or started here, and tasks that outlive their workers."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from kgscore.errors import KgscoreError, MissingExtraError, RunError

if TYPE_CHECKING:
    from distributed import Client

LOCAL = "local"
WINDOW = 2_000  # tasks that the scheduler knows at a time
_LOSSES = 5  # of a task's workers, as Dask counts them: it blames all tasks that waited on a lost worker
_SECONDS = 15

T = TypeVar("T")


@contextmanager
def cluster_client(cluster: str, jobs: int) -> Iterator[Client]:
    """Give a client of a cluster: `local` starts one of `jobs` processes, else it is a scheduler's address or file.

    Raises:
        MissingExtraError: Dask is not installed.
        RunError: nobody answers there.
    """
    try:
        import dask
        from distributed import Client, LocalCluster
    except ImportError:
        raise MissingExtraError("--engine dask needs dask; install it with: pip install 'kgscore[dask]'") from None
    with ExitStack() as stack:
        if cluster == LOCAL:
            if sys.platform == "linux":  # who takes the place of a lost worker is the copy of a process that has loaded Dask
                stack.enter_context(dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}))
            # Any port for the pages of the scheduler: a second cluster on this machine is no reason for a warning.
            own = LocalCluster(
                n_workers=jobs, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0",
                silence_logs=logging.CRITICAL,
            )  # fmt: skip
            yield stack.enter_context(Client(stack.enter_context(own)))
            return
        try:
            where: dict[str, Any] = {"scheduler_file": cluster} if Path(cluster).is_file() else {"address": cluster}
            client = stack.enter_context(Client(**where, timeout=_SECONDS))
        except (OSError, ValueError, TypeError) as error:
            said = (str(error).splitlines() or [type(error).__name__])[0]
            raise RunError(f"{cluster}: no Dask scheduler answers ({said}); check the address") from None
        yield client


@dataclass(frozen=True, slots=True)
class Task(Generic[T]):
    """A call by a name that people know it by."""

    name: str
    function: Callable[..., T]
    arguments: tuple[Any, ...]


def results(client: Client, tasks: Iterable[Task[T]], window: int = WINDOW) -> Iterator[T]:
    """Yield what the tasks return, as they end. The task of a lost worker goes to another one.

    Raises:
        KgscoreError: a task raised it.
        RunError: a task's workers were lost again and again, or the cluster was.
    """
    from distributed import CancelledError, as_completed

    stream, running = iter(tasks), _Running(client)
    waiting = as_completed()
    for task in islice(stream, window):
        waiting.add(running.submit(task))
    try:
        for future in waiting:
            again = running.again(future)
            if again is not None:
                waiting.add(again)
                continue
            found = running.result(future)
            for task in islice(stream, 1):
                waiting.add(running.submit(task))
            yield found
    except (CancelledError, OSError) as error:
        raise RunError(f"the cluster was lost ({type(error).__name__}); run the same command again to go on") from None
    finally:
        running.cancel()


class _Running:
    """The tasks that the scheduler knows, by the key of their futures."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._tasks: dict[str, tuple[Task[Any], int, Any]] = {}

    def submit(self, task: Task[Any], losses: int = 0) -> Any:
        key = f"{task.name}-{id(self)}-{losses}"  # a key of its own: what another run left on the scheduler is not it
        future = self._client.submit(task.function, *task.arguments, key=key, retries=2, pure=False)
        self._tasks[key] = task, losses, future
        return future

    def again(self, future: Any) -> Any:
        """Return the task's next future if Dask gave it up for its lost workers; which of the tasks there is to blame, it cannot
        know."""
        from distributed import KilledWorker

        if future.status != "error" or not isinstance(future.exception(), KilledWorker):
            return None
        task, losses, _ = self._tasks.pop(future.key)
        if losses >= _LOSSES:
            raise RunError(f"{task.name}: its workers are lost before it begins; check the workers' memory and installation")
        return self.submit(task, losses + 1)

    def result(self, future: Any) -> Any:
        task, _, _ = self._tasks.pop(future.key)
        error = future.exception() if future.status == "error" else None
        if error is not None and not isinstance(error, (KgscoreError, OSError)):
            # Its message may quote a report, so that only its kind is told.
            raise RunError(
                f"{task.name}: failed on the cluster ({type(error).__name__}); scheduler and workers need the same kgscore and"
                " Dask as here (their logs say more)"
            )
        return future.result()

    def cancel(self) -> None:
        if self._tasks:
            self._client.cancel([future for _, _, future in self._tasks.values()])
