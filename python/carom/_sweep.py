"""Sweeps: many samples of a scene, on the local cores or on a cluster."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _carom, _cluster, _html, _plot
from ._carom import Problem, Robot
from ._errors import CaromError

# The most values, rows times columns, in memory: 400 MB of numbers.
_MOST_CELLS = 50_000_000


class Sweep:
    """The table of a sweep: one row per sample, in the order of the samples. Columns of files are read when they are used."""

    def __init__(
        self,
        plan: _carom.SweepPlan,
        path: Path | None,
        columns: dict[str, NDArray[Any]] | None,
        written: int | None = None,
    ) -> None:
        self._plan = plan
        self._path = path
        self._columns = columns
        self._written = written

    @property
    def title(self) -> str:
        """The name of the scene or file."""
        return self._plan.title

    @property
    def path(self) -> Path | None:
        """The file or the folder; None for a sweep in memory."""
        return self._path

    @property
    def rows(self) -> int:
        """The number of samples."""
        return self._plan.rows

    @property
    def written(self) -> int | None:
        """The number of rows computed by this call, without parts of a folder that existed before."""
        return self._written

    @property
    def names(self) -> list[str]:
        """The names of the columns: sample, the varied keys, the random keys, the requested columns, error."""
        return self._plan.names

    @property
    def digest(self) -> str:
        """The SHA-256 of the plan with the files of the robot: equal digests have equal rows."""
        return self._plan.digest

    def columns(self, names: Sequence[str] | None = None) -> dict[str, NDArray[Any]]:
        """Columns as arrays [rows], all or some: int64, float64 (NaN if missing), bool, or objects (None if
        missing). `pyarrow.table(sweep.columns())` makes a table of them."""
        if self._columns is None:
            assert self._path is not None
            return self._plan.read(self._path, None if names is None else list(names))
        for name in names or ():
            if name not in self._columns:
                known = ", ".join(self._columns)
                raise CaromError(f"{name!r} is not a column of this sweep; the columns are {known}", "unknown_name", "columns")
        return {name: self._columns[name] for name in (self._columns if names is None else names)}

    def __getitem__(self, name: str) -> NDArray[Any]:
        """A column."""
        return self.columns([name])[name]

    @property
    def errors(self) -> dict[int, str]:
        """The samples that have no answer, and why."""
        return {k: text for k, text in enumerate(self["error"].tolist()) if text is not None}

    def to_pandas(self) -> Any:
        """The table as a `pandas.DataFrame`."""
        import pandas

        return pandas.DataFrame(self.columns())

    def plot(self, x: str, y: str, color: str | None = None, ax: Any = None) -> Any:
        """Draws the column `color` over two others, or points without it, into matplotlib axes, and returns these."""
        return _plot.plot_sweep(self, x, y, color, ax)

    def __len__(self) -> int:
        return self.rows

    def __repr__(self) -> str:
        place = "in memory" if self._path is None else f"in {self._path}"
        lines = [f"{self._plan.title}: {self.rows} samples {place}", "  " + ", ".join(self.names)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return _html.text(self)


def _values(given: Any) -> Any:
    """Values of a key: text in the form of the command, or a list; ("normal", 0, 1) is normal(0, 1)."""
    if isinstance(given, tuple) and given and isinstance(given[0], str) and given[0] in _DISTRIBUTIONS:
        import json

        return f"{given[0]}({', '.join(json.dumps(operand) for operand in given[1:])})"
    return given


_DISTRIBUTIONS = ("uniform", "normal", "lognormal", "choice")


def _count(value: Any, field: str) -> int:
    """A natural number."""
    try:
        count = operator.index(value)
    except TypeError as error:
        raise CaromError(f"{field} = {value!r} must be an integer", "wrong_type", field) from error
    if not 0 <= count < 2**64:
        raise CaromError(f"{field} = {count} is outside [0, 2^64)", "out_of_range", field)
    return count


def _mapping(value: Any, field: str, example: str) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        message = f"{field}: a {type(value).__name__} is not a dictionary of keys and values, such as {example}"
        raise CaromError(message, "wrong_type", field)
    return {key: _values(entry) for key, entry in value.items()}


def _columns(value: Any) -> list[str] | None:
    if value is None:
        return None
    names = [value] if isinstance(value, str) else list(value)
    for name in names:
        if not isinstance(name, str):
            raise CaromError(f"columns has {name!r}, and columns are names such as 'energy.change'", "wrong_type", "columns")
    return names


def sweep(
    scene: str | os.PathLike[str] | dict[str, Any] | Problem,
    vary: Mapping[str, str | ArrayLike | Sequence[Any]] | None = None,
    random: Mapping[str, str | tuple[Any, ...]] | None = None,
    *,
    samples: int = 1,
    seed: int = 0,
    columns: str | Sequence[str] | None = None,
    simulate: bool = False,
    output: str | os.PathLike[str] | None = None,
    format: str | None = None,
    part_rows: int | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    client: Any = None,
    worker_timeout: float | None = 60.0,
    restitution: float | dict[str, Any] | None = None,
    friction: float | dict[str, Any] | None = None,
    guard: str | None = None,
    law: str | None = None,
    set: dict[str, Any] | None = None,
) -> Sweep:
    """Varies keys of a scene: one row per sample, the rows of `carom sweep` to the last bit.

    scene: the name of a built-in scene, a file, a dictionary, or a `Problem`, such as `robot.problem(...)`.
    vary: keys and their values: "0:1:200" for 200 numbers with both ends, or a list or an array of values. Several keys make a
        grid, whose last key varies fastest.
    random: keys and their distributions: "normal(0, 1)" or ("normal", 0, 1), of uniform, normal, lognormal and choice.
    samples: the number of samples at each point of the grid. seed: of the random values, which depend only on it, on the key
        and on the number of the sample.
    columns: paths of the outcome's record, a list or text with commas; those of the command by default.
    simulate: whether a sample is a whole simulation, not an impact.
    output: a file, .parquet or .csv, which appears when it is complete; or a folder of parts, where the same call continues after
        an interruption. Without it the columns are kept in memory.
    format: parquet (default) or csv, of a folder's parts. part_rows: rows of a part.
    threads: all cores by default; no bit depends on it.
    progress: called with the rows computed and the rows to be computed, some times per second.
    client: a `distributed.Client` of Dask. Its workers write the parts into the folder `output`, which they must share with this
        process, as they must share robot files; each part is computed on one thread, and a lost worker loses only its present part.
        worker_timeout: how long, s, the cluster may be without any worker before the sweep gives up; None waits for ever.
    restitution, friction, guard, law, set: changes of the scene, as of `carom.problem`.

    Returns a `Sweep`. A sample that has no answer is a row with its error. Ctrl-C ends a sweep; finished parts of a folder remain.
    Raises CaromError for wrong input, for files that cannot be written (kind `file`), and for a cluster that fails (`cluster`).
    """
    if isinstance(scene, Robot):
        raise CaromError("scene: a Robot is not a scene; give robot.problem(contact=..., surface=..., ...)", "wrong_type", "scene")
    plan = _carom.sweep_plan(
        scene,
        simulate=simulate,
        vary=_mapping(vary, "vary", "{'restitution': '0:1:200'}"),
        random=_mapping(random, "random", "{'state.velocity.elbow': 'normal(0, 1)'}"),
        samples=_count(samples, "samples"),
        seed=_count(seed, "seed"),
        columns=_columns(columns),
        restitution=restitution,
        friction=friction,
        guard=guard,
        law=law,
        set=set,
    )
    threads = None if threads is None else _count(threads, "threads")
    part_rows = None if part_rows is None else _count(part_rows, "part_rows")
    if output is None:
        return _in_memory(plan, client, format, threads, part_rows, progress)
    path = Path(output)
    if not path.is_dir() and path.suffix:
        return _file(plan, path, client, format, threads, part_rows, progress)
    form = format or "parquet"
    if client is not None:
        rows = part_rows or plan.part_rows
        written = _cluster.fill(client, plan, path, form, rows, threads, progress, worker_timeout)
    else:
        written = plan.write_folder(path, form, threads=threads, part_rows=part_rows, progress=progress)[0]
    return Sweep(plan, path, None, written)


def _in_memory(
    plan: _carom.SweepPlan,
    client: Any,
    format: str | None,
    threads: int | None,
    part_rows: int | None,
    progress: Callable[[int, int], object] | None,
) -> Sweep:
    if client is not None:
        raise CaromError("output is missing: with a client give a folder that its workers share", "missing", "output")
    if format is not None:
        raise CaromError("format is given without output: columns in memory have none", "missing", "output")
    cells = plan.rows * len(plan.names)
    if cells > _MOST_CELLS:
        message = (
            f"{plan.rows} rows of {len(plan.names)} columns are {cells} values, and at most {_MOST_CELLS} are kept in memory: "
            "give output, a folder or a file"
        )
        raise CaromError(message, "out_of_range", "output")
    workers = threads or os.cpu_count() or 1
    chunk = part_rows or max(1, min(plan.part_rows, -(-plan.rows // (4 * workers))))
    return Sweep(plan, None, plan.collect(threads=threads, part_rows=chunk, progress=progress), plan.rows)


def _file(
    plan: _carom.SweepPlan,
    path: Path,
    client: Any,
    format: str | None,
    threads: int | None,
    part_rows: int | None,
    progress: Callable[[int, int], object] | None,
) -> Sweep:
    ending = path.suffix[1:].lower()
    if ending not in ("parquet", "csv"):
        message = f"output = {os.fspath(path)!r} ends in neither .parquet nor .csv; a folder has no ending"
        raise CaromError(message, "unknown_name", "output")
    if format not in (None, ending):
        raise CaromError(f"format = {format!r} and output = {os.fspath(path)!r} do not agree", "conflict", "format")
    if client is not None:
        message = f"output = {os.fspath(path)!r} is one file: with a client give a folder that its workers share"
        raise CaromError(message, "unsupported", "output")
    written = plan.write_file(path, ending, threads=threads, part_rows=part_rows, progress=progress)
    return Sweep(plan, path, None, written[0])


def grid(
    x: NDArray[Any], y: NDArray[Any], column: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]] | None:
    """The values of two keys and the column over them, [y, x], if each pair occurs once; None otherwise."""
    if x.dtype == object or y.dtype == object:
        return None
    horizontal, i = np.unique(x, return_inverse=True)
    vertical, j = np.unique(y, return_inverse=True)
    place = j * len(horizontal) + i
    if len(place) != len(horizontal) * len(vertical) or len(np.unique(place)) != len(place):
        return None
    values = np.full(len(place), np.nan)
    values[place] = column
    return horizontal, vertical, values.reshape(len(vertical), len(horizontal))
