"""Simulations."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _carom, _files, _html, _plot
from ._carom import Problem, Robot
from ._errors import CaromError

Array = NDArray[np.float64]


class State(NamedTuple):
    """A state of a run: time, s, configuration and velocity."""

    t: float
    q: Array
    v: Array


@dataclass(frozen=True)
class Event:
    """An event of one contact. Impulse, N s: normal and two tangents; energy_change, J."""

    t: float
    kind: str
    contact: str | None
    impact: str | None
    mode: str | None
    impulse: Array
    energy_change: float
    settled: float | None


@dataclass(frozen=True)
class Impact:
    """An impact of a run: the events of all contacts that took part, and the state before and after."""

    t: float
    events: list[Event]
    before: State
    after: State


@dataclass(frozen=True)
class ContactHistory:
    """A contact over time, one row per sample: mode, gap [N], m, position [N, 3], m, in world axes; force [N, d], N, normal
    first; world_force [N, 3], N."""

    name: str
    mode: NDArray[np.str_]
    gap: Array
    position: Array
    force: Array
    world_force: Array


@dataclass(frozen=True)
class EnergyHistory:
    """The energy book over time, J, one number per sample: energies, and the work done since the start by each cause."""

    kinetic: Array
    potential: Array
    impacts: Array
    friction: Array
    damping: Array
    dry_friction: Array
    torques: Array
    settling: Array
    projection: Array
    windows: Array
    rattle: Array
    sequences: Array
    residual: Array


class Run:
    """A simulation that was run: samples, events and the energy book."""

    def __init__(self, record: _carom.RunRecord) -> None:
        self._record = record

    @property
    def title(self) -> str:
        """The scene, and its title."""
        return self._record.title

    @cached_property
    def t(self) -> Array:
        """Times of the samples, s, [N]. At an event there are two samples, before and after it."""
        return self._record.t

    @cached_property
    def q(self) -> Array:
        """Configurations, [N, nq]."""
        return self._record.q

    @cached_property
    def v(self) -> Array:
        """Velocities, [N, nv]."""
        return self._record.v

    @cached_property
    def energy(self) -> EnergyHistory:
        """The energy book, J."""
        columns = self._record.columns()
        return EnergyHistory(**{name: columns[f"energy.{name}"] for name in EnergyHistory.__dataclass_fields__})

    @cached_property
    def contacts(self) -> dict[str, ContactHistory]:
        """The contacts by name; joint limits come last."""
        histories = {}
        for k, name in enumerate(self._record.contact_names):
            mode, gap, position, force, world = self._record.contact(k)
            histories[name] = ContactHistory(name, np.array(mode), gap, position, force, world)
        return histories

    @cached_property
    def events(self) -> list[Event]:
        """The events in order of time."""
        columns = self._record.event_columns()
        impulse = np.stack([columns[f"impulse.{axis}"] for axis in ("normal", "tangent1", "tangent2")], axis=1)
        return [
            Event(
                t=float(columns["time"][k]),
                kind=columns["kind"][k],
                contact=columns["contact"][k],
                impact=columns["impact"][k],
                mode=columns["mode"][k],
                impulse=impulse[k],
                energy_change=float(columns["energy_change"][k]),
                settled=None if np.isnan(columns["settled"][k]) else float(columns["settled"][k]),
            )
            for k in range(len(columns["time"]))
        ]

    @cached_property
    def summary(self) -> dict[str, Any]:
        """Header and summary, with the names of the JSON record."""
        return self._record.summary()

    @property
    def ending(self) -> str:
        """complete, interrupted, out_of_time or failed."""
        return str(self.summary["summary"]["ending"])

    def state(self, t: float) -> State:
        """The last sample at or before a time; at an event the one after it. The sample has its own time."""
        index = int(np.searchsorted(self.t, t, side="right")) - 1
        if not 0 <= index or not t <= self.t[-1]:
            raise CaromError(f"t = {t} is outside the run, which is from {self.t[0]} to {self.t[-1]} s", "out_of_range", "t")
        return State(float(self.t[index]), self.q[index], self.v[index])

    @cached_property
    def impacts(self) -> list[Impact]:
        """The impacts, each with the state before and after."""
        impacts = []
        times: dict[float, list[Event]] = {}
        for event in self.events:
            if event.kind == "impact":
                times.setdefault(event.t, []).append(event)
        for t, events in times.items():
            first = int(np.searchsorted(self.t, t, side="left"))
            last = int(np.searchsorted(self.t, t, side="right")) - 1
            states = [State(t, self.q[k], self.v[k]) for k in (first, last)]
            impacts.append(Impact(t, events, states[0], states[1]))
        return impacts

    def impact(self, k: int) -> Impact:
        """The k-th impact, from 0."""
        return self.impacts[k]

    def columns(self) -> dict[str, Any]:
        """The samples as columns, those of the command's files: `pyarrow.table(run.columns())`."""
        return dict(self._record.columns())

    def to_pandas(self) -> Any:
        """The samples as a `pandas.DataFrame`."""
        import pandas

        return pandas.DataFrame(self._record.columns())

    def events_to_pandas(self) -> Any:
        """The events as a `pandas.DataFrame`."""
        import pandas

        return pandas.DataFrame(self._record.event_columns())

    def to_html(self) -> str:
        """The page that plays the run, complete in itself."""
        return self._record.to_html()

    def to_svg(self) -> str:
        """The figure of the run."""
        return self._record.to_svg()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the run: .json, .csv (events and header beside it in .events.csv and .header.json), .parquet (events in
        .events.parquet), .html (the player) or .svg."""
        record = self._record
        _files.save(
            path,
            {
                ".json": record.to_json,
                ".csv": record.to_csv,
                ".parquet": record.to_parquet,
                ".html": record.to_html,
                ".svg": record.to_svg,
            },
        )
        ending = Path(path).suffix.lower()
        if ending == ".csv":
            _files.write(Path(path).with_suffix(".events.csv"), record.events_to_csv())
            _files.write(Path(path).with_suffix(".header.json"), record.header_to_json())
        elif ending == ".parquet":
            _files.write(Path(path).with_suffix(".events.parquet"), record.events_to_parquet())

    def plot(self, ax: Any = None) -> Any:
        """Draws the energies over time into matplotlib axes, and returns these."""
        return _plot.plot_run(self, ax)

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        return self._record.text()

    def _repr_html_(self) -> str:
        return _html.run(self)


Controller = Callable[[float, Array, Array], ArrayLike]


def simulate(
    scene: str | os.PathLike[str] | dict[str, Any] | Problem | Robot,
    q: ArrayLike | None = None,
    v: ArrayLike | None = None,
    *,
    until: float | None = None,
    interval: float | None = None,
    tolerance: float | None = None,
    max_events: int | None = None,
    max_time: float | None = None,
    torque: Controller | None = None,
    rate: float | None = None,
    restitution: float | dict[str, Any] | None = None,
    friction: float | dict[str, Any] | None = None,
    guard: str | None = None,
    law: str | None = None,
    contacts: Sequence[str | dict[str, Any]] | None = None,
    surface: dict[str, Any] | None = None,
    set: dict[str, Any] | None = None,
) -> Run:
    """Runs a simulation to its end time.

    scene: the name of a built-in simulation, a file, a dictionary, a `Problem`, or a `Robot`. For a robot, all collision shapes
        are contacts unless `contacts` says otherwise, the surface is that of its file or z = 0, restitution is 0 and friction
        that of its file or 0.5 unless given, as by the command.
    q, v: the initial state, [nq] and [nv]; the scene's, or the robot's home at rest, by default.
    until: end time, s. interval: time between samples, s. tolerance: relative, of the integration.
    max_events, max_time: bounds on events and on wall-clock time, s.
    torque, rate: a controller, called at the times k/rate, s, with (t, q, v); it returns the generalized forces [nv], N or N m,
        that are held until the next call (zero-order hold). An exception in it ends the run and is raised as it is.
    law: the law of impacts, aghili by default. A law other than aghili and chord answers one contact: where coupled contacts strike
        together, the run ends with an error.
    restitution, friction, guard, set: changes of the scene, as of `carom.problem`.

    Raises CaromError for wrong input, and with kind `simulation` if the run cannot go on; its attribute `run` has the run up to
    there.
    """
    if isinstance(scene, Robot):
        scene = _scene_of(scene, q, v, restitution, friction, guard, law, contacts, surface)
        restitution = friction = guard = law = q = v = None
    elif contacts is not None or surface is not None:
        field = "contacts" if contacts is not None else "surface"
        raise CaromError(f"{field} is only for robots: a scene has its own", "conflict", field)
    problem = _carom.problem(
        scene, simulation=True, restitution=restitution, friction=friction, guard=guard, law=law, set=set
    )
    record = _carom.simulate(
        problem,
        q,
        v,
        until=until,
        interval=interval,
        tolerance=tolerance,
        max_events=max_events,
        max_time=max_time,
        torque=torque,
        rate=rate,
    )
    run = Run(record)
    if record.failure is not None:
        error = CaromError(record.failure, "simulation")
        error.run = run
        raise error
    return run


def _scene_of(
    robot: Robot,
    q: ArrayLike | None,
    v: ArrayLike | None,
    restitution: float | dict[str, Any] | None,
    friction: float | dict[str, Any] | None,
    guard: str | None,
    law: str | None,
    contacts: Sequence[str | dict[str, Any]] | None,
    surface: dict[str, Any] | None,
) -> Problem:
    """A scene of a robot, with what the command assumes of robot files."""
    state = {name: value for name, value in (("configuration", q), ("velocity", v)) if value is not None}
    keys: dict[str, Any] = {"restitution": 0.0 if restitution is None else restitution}
    keys.update({name: value for name, value in (("guard", guard), ("law", law)) if value is not None})
    if state:
        keys["state"] = state
    if contacts is None:
        keys["contacts"] = [{"link": "all", "shape": "all"}]
    else:
        keys["contacts"] = list(contacts)
    if surface is not None:
        keys["surface"] = surface
    elif not robot.has_surface:
        keys["surface"] = {"normal": [0.0, 0.0, 1.0]}
    if friction is not None:
        keys["friction"] = friction
    elif not robot.has_surface:
        keys["friction"] = 0.5
    return robot.problem(**keys)
