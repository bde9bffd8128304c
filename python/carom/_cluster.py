"""A sweep on a cluster, by Dask: each task is one part of a folder.

A part is written beside its place, synced and renamed, by whichever worker computes it: a part that exists is finished, and one that
is computed twice, since its worker seemed lost, has the same bytes.
"""

from __future__ import annotations

import contextlib
import functools
import math
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import _carom
from ._errors import CaromError

# Seconds between two checks of the cluster.
_PATIENCE = 0.5
# Tasks under way per thread of the cluster: enough to keep every thread busy, few enough for the scheduler.
_AHEAD = 3
# Seconds after which a part that a worker wrote is visible here: network file systems cache the contents of folders.
_VISIBLE = 60.0


@functools.lru_cache(maxsize=8)
def _plan(document: str, folder: str, title: str) -> _carom.SweepPlan:
    """A plan, read once by each worker."""
    return _carom.sweep_plan_of(document, folder, title)


def part(stated: tuple[str, str, str], digest: str, folder: str, format: str, rows: int, shard: tuple[int, int]) -> str:
    """Writes one part on a worker, unless it exists. Returns the error; empty if there is none."""
    try:
        plan = _plan(*stated)
        if plan.digest != digest:
            message = (
                f"the plan's SHA-256 is {plan.digest} on a worker and {digest} here: the files of the robot differ, or the versions of carom"
            )
            raise CaromError(message, "cluster", "client")
        plan.write_folder(folder, format, shard=shard, threads=1, part_rows=rows)
    except CaromError as error:
        return str(error)
    return ""


def _wrong(message: str, kind: str = "cluster") -> CaromError:
    return CaromError(message, kind, "client")


def _check(client: Any) -> None:
    for name in ("submit", "scheduler_info", "status", "cancel"):
        if not hasattr(client, name):
            raise _wrong(f"client: a {type(client).__name__} is not a distributed.Client of Dask", "wrong_type")
    if client.asynchronous:
        raise _wrong("client is asynchronous: give one made without asynchronous=True", "unsupported")
    _check_running(client)


def _check_running(client: Any) -> None:
    if client.status != "running":
        raise _wrong(f"the client is {client.status}, and not connected to its scheduler")


def _threads(client: Any) -> int:
    """The threads of all workers."""
    try:
        # By default a description has a few workers only.
        info = client.scheduler_info(n_workers=-1)
    except TypeError:
        info = client.scheduler_info()
    return sum(int(worker.get("nthreads", 1)) for worker in info.get("workers", {}).values())


def fill(
    client: Any,
    plan: _carom.SweepPlan,
    folder: Path,
    format: str,
    rows: int,
    threads: int | None,
    progress: Callable[[int, int], object] | None,
    worker_timeout: float | None,
) -> int:
    """Lets a cluster write the missing parts. Returns the number of rows written."""
    if threads is not None:
        raise CaromError("threads is given with client: each worker of the cluster has its own", "conflict", "threads")
    if worker_timeout is not None and not (worker_timeout > 0 and math.isfinite(worker_timeout)):
        message = f"worker_timeout = {worker_timeout} must be positive and finite, or None to wait for ever"
        raise CaromError(message, "out_of_range", "worker_timeout")
    _check(client)
    portable = plan.portable()
    if portable is None:
        message = "the robot was given as text, which workers do not have: write it to a file that they share"
        raise CaromError(message, "unsupported", "scene")
    # This process claims the folder: it writes the manifest first, and reports the folder of another sweep at once.
    plan.missing_parts(folder, format, part_rows=rows)
    count = -(-plan.rows // rows)
    # Workers have other current folders.
    folder = folder.resolve()
    own = (portable[0], os.fspath(portable[1]), plan.title)
    filler = _Filler(client, own, plan, folder, format, rows, count, worker_timeout)
    return filler.run(progress)


class _Filler:
    """The remaining parts, and those under way."""

    def __init__(
        self,
        client: Any,
        stated: tuple[str, str, str],
        plan: _carom.SweepPlan,
        folder: Path,
        format: str,
        rows: int,
        count: int,
        worker_timeout: float | None,
    ) -> None:
        self.client = client
        self.stated = stated
        self.plan = plan
        self.folder = folder
        self.format = format
        self.rows = rows
        self.count = count
        self.worker_timeout = worker_timeout
        self.missing = plan.missing_parts(folder, format, part_rows=rows)
        self.left = iter(self.missing)
        self.under_way: dict[Any, int] = {}
        self.written = 0
        self.seen = time.monotonic()

    def run(self, progress: Callable[[int, int], object] | None) -> int:
        import distributed

        # Only some functions of Dask have types.
        wait: Any = distributed.wait

        wanted = sum(min(self.rows, self.plan.rows - k * self.rows) for k in self.missing)
        try:
            while self._submit():
                with contextlib.suppress(TimeoutError):
                    wait(list(self.under_way), timeout=_PATIENCE, return_when="FIRST_COMPLETED")
                self._take()
                if progress is not None:
                    progress(self.written, wanted)
                self._look()
        except (OSError, RuntimeError) as error:
            # The client was closed meanwhile, or the scheduler is gone.
            if isinstance(error, CaromError):
                raise
            raise _wrong(f"the cluster cannot be reached any more: {error}") from error
        finally:
            futures, self.under_way = list(self.under_way), {}
            with contextlib.suppress(Exception):
                self.client.cancel(futures, force=True)
        self._check_files()
        return self.written

    def _submit(self) -> bool:
        """Keeps the cluster busy. Returns whether anything is under way."""
        _check_running(self.client)
        threads = _threads(self.client)
        if threads > 0:
            self.seen = time.monotonic()
        while len(self.under_way) < _AHEAD * max(threads, 1):
            k = next(self.left, None)
            if k is None:
                break
            future = self.client.submit(
                part,
                self.stated,
                self.plan.digest,
                os.fspath(self.folder),
                self.format,
                self.rows,
                (k, self.count),
                pure=False,
                key=f"carom-{self.plan.digest[:12]}-{os.urandom(4).hex()}-{k}",
            )
            self.under_way[future] = k
        return bool(self.under_way)

    def _take(self) -> None:
        """Collects finished tasks and releases them: a task that is not released is computed again when its worker is lost."""
        for future in [future for future in self.under_way if future.status in ("finished", "error", "cancelled")]:
            k = self.under_way[future]
            if future.status == "finished":
                try:
                    why = future.result(timeout=_PATIENCE)
                except TimeoutError:
                    # Its worker was lost with the answer: the scheduler asks another one, which finds the part.
                    continue
                del self.under_way[future]
                future.release()
                if why:
                    raise CaromError(f"part {k} of {self.count}, on a worker: {why}", "cluster", "client")
                self.written += min(self.rows, self.plan.rows - k * self.rows)
            elif future.status == "cancelled":
                raise _wrong(f"part {k} of {self.count} was cancelled: the scheduler dropped it, or the client was closed")
            else:
                error = future.exception()
                message = f"part {k} of {self.count} failed on the cluster: {type(error).__name__}: {error}"
                raise _wrong(message) from error

    def _look(self) -> None:
        """Gives up when the cluster has been without workers for too long."""
        if self.worker_timeout is not None and time.monotonic() - self.seen > self.worker_timeout:
            raise _wrong(
                f"the cluster has had no worker for {self.worker_timeout} s (worker_timeout); {self.written} rows were written, and the "
                f"same call continues with the others"
            )

    def _check_files(self) -> None:
        """Checks that every part is visible here, too."""
        begun = time.monotonic()
        while missing := self.plan.missing_parts(self.folder, self.format, part_rows=self.rows):
            if time.monotonic() - begun > min(_VISIBLE, self.worker_timeout or _VISIBLE):
                raise CaromError(
                    f"{len(missing)} parts were written by workers, and are not in {self.folder} here: the folder must be on a file "
                    "system that all workers share",
                    "cluster",
                    "output",
                )
            time.sleep(_PATIENCE)
