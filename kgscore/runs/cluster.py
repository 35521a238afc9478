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
    """Give a client of a cluster: `local` starts one of `jobs` processes, else it is a scheduler's address or file. The processes
    of a local one talk over TLS with a certificate made for it: whoever reaches a scheduler without one can run code here.

    Raises:
        MissingExtraError: Dask or what makes certificates is not installed.
        RunError: nobody answers there.
    """
    try:
        import dask
        from distributed import Client, LocalCluster, Security

        security = Security.temporary() if cluster == LOCAL else None
    except ImportError as error:
        needed = "cryptography" if "cryptography" in str(error) else "dask"
        raise MissingExtraError(f"--engine dask needs {needed}; install it with: pip install 'kgscore[dask]'") from None
    with ExitStack() as stack:
        if cluster == LOCAL:
            if sys.platform == "linux":  # who takes the place of a lost worker is the copy of a process that has loaded Dask
                stack.enter_context(dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}))
            # TLS does not cover pages about the cluster: there are none.
            stack.enter_context(dask.config.set({f"distributed.{one}.http.routes": [] for one in ("scheduler", "worker")}))
            own = LocalCluster(
                n_workers=jobs, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0", security=security,
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


def results(client: Client, tasks: Iterable[Task[T]]) -> Iterator[T]:
    """Yield what the tasks return, as they end. The task of a lost worker goes to another one.

    Raises:
        KgscoreError: a task raised it.
        RunError: a task's workers were lost again and again, or the cluster was.
    """
    from distributed import CancelledError, KilledWorker, as_completed

    stream, waiting = iter(tasks), as_completed()
    running: dict[Any, tuple[Task[T], int]] = {}

    def submit(task: Task[T], losses: int = 0) -> None:
        key = f"{task.name}-{id(running)}-{losses}"  # a key of its own: what another run left on the scheduler is not it
        future = client.submit(task.function, *task.arguments, key=key, retries=2, pure=False)
        running[future] = task, losses
        waiting.add(future)

    for task in islice(stream, WINDOW):
        submit(task)
    try:
        for future in waiting:
            task, losses = running.pop(future)
            error = future.exception() if future.status == "error" else None
            if isinstance(error, KilledWorker):  # which of the tasks there is to blame, Dask cannot know
                if losses >= _LOSSES:
                    raise RunError(
                        f"{task.name}: its workers are lost before it begins; check the workers' memory and installation"
                    )
                submit(task, losses + 1)
                continue
            if error is not None and not isinstance(error, (KgscoreError, OSError)):
                # Its message may quote a report, so that only its kind is told.
                raise RunError(
                    f"{task.name}: failed on the cluster ({type(error).__name__}); scheduler and workers need the same kgscore"
                    " and Dask as here (their logs say more)"
                )
            found = future.result()
            for further in islice(stream, 1):
                submit(further)
            yield found
    except (CancelledError, OSError) as error:
        raise RunError(f"the cluster was lost ({type(error).__name__}); run the same command again to go on") from None
    finally:
        if running:
            client.cancel(list(running))
