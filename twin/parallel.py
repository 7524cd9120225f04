"""Independent jobs in worker processes: answers as they come, and no worker left behind."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import resource_tracker
from multiprocessing.context import SpawnContext
from typing import Any, TypeVar

from .errors import Problem, RunError

Job = TypeVar("Job")
Answer = TypeVar("Answer")


def cores() -> int:
    """Processor cores that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def carried_out(
    work: Callable[[Job], Answer], jobs: Sequence[Job], workers: int
) -> Iterator[Answer]:
    """The answers `work(job)`, as they are ready; by order of the jobs with one worker.

    `work` must be a function that another process can import. When the caller stops early (an
    error, Ctrl-C, a generator that is closed), no waiting job begins and running ones are ended.
    RunError when a worker dies.
    """
    if workers <= 1 or len(jobs) <= 1:
        yield from map(work, jobs)
        return
    context = _Context()
    pool = ProcessPoolExecutor(
        min(workers, len(jobs)), mp_context=context, initializer=_end_with_parent
    )
    try:
        with _deaf_to_interrupts():
            waiting = [pool.submit(work, job) for job in jobs]
        for future in as_completed(waiting):
            yield future.result()
    except BrokenProcessPool:
        remedy = "take fewer --workers if memory ran out, and try again"
        raise RunError(Problem("a worker process", "gone before its answer", remedy)) from None
    except BaseException:
        for process in context.started:
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


class _Context(SpawnContext):
    """Processes that begin anew, and a list of them, so that they can be ended."""

    def __init__(self) -> None:
        super().__init__()
        self.started: list[Any] = []

    def Process(self, *args: Any, **kwargs: Any) -> Any:  # noqa: N802 - as in the library
        process = super().Process(*args, **kwargs)
        self.started.append(process)
        return process


@contextlib.contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Processes that begin here never see Ctrl-C; here it waits until the end of the block."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # it would unblock the signal when it begins
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_with_parent() -> None:
    """A worker whose parent was killed ends too."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_outlive, args=(parent,), daemon=True).start()


def _outlive(parent: Any) -> None:
    parent.join()
    os._exit(1)
