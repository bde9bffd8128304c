"""Frictional impacts in multibody systems.

    >>> import carom
    >>> outcome = carom.impact("kane")
    >>> outcome.mode, outcome.admissible
    ('stick', False)

Units are SI. Contact vectors have the normal component first, then the tangents. Names are those of carom's documents and of
its JSON records.

| function | what it does |
|---|---|
| `impact`, `impact_batch` | the impact of a contact, or of a million of them |
| `load` | a robot from URDF, MJCF, SDF, text, an `MjSpec` or `MjModel`, or built in; `Robot.impact`, `Robot.impact_batch` |
| `problem` | a problem or scene from a file, a dictionary, or the gallery |
| `map`, `compare` | the law's answers over coefficients or states; all laws on one impact |
| `simulate` | event-driven simulation, with a controller in Python |
| `sweep` | keys of a scene varied over grids and distributions: a table, on the local cores or on a cluster |
| `gallery`, `models` | the built-in scenes and robots |
"""

from __future__ import annotations

from ._carom import (
    Batch,
    Comparison,
    Contact,
    ContactOutcome,
    ContactVelocity,
    Energy,
    Friction,
    Guard,
    Map,
    Outcome,
    Printed,
    Problem,
    Restitution,
    RestitutionLimit,
    Robot,
    SimultaneousOutcome,
    Violation,
    __version__,
    compare,
    gallery,
    impact,
    impact_batch,
    map,
    models,
    problem,
)
from ._errors import CaromError
from ._load import load
from ._modes import MODES
from ._run import ContactHistory, EnergyHistory, Event, Impact, Run, State, simulate
from ._sweep import Sweep, sweep

__all__ = [
    "MODES",
    "Batch",
    "CaromError",
    "Comparison",
    "Contact",
    "ContactHistory",
    "ContactOutcome",
    "ContactVelocity",
    "Energy",
    "EnergyHistory",
    "Event",
    "Friction",
    "Guard",
    "Impact",
    "Map",
    "Outcome",
    "Printed",
    "Problem",
    "Restitution",
    "RestitutionLimit",
    "Robot",
    "Run",
    "SimultaneousOutcome",
    "State",
    "Sweep",
    "Violation",
    "__version__",
    "compare",
    "gallery",
    "impact",
    "impact_batch",
    "load",
    "map",
    "models",
    "problem",
    "simulate",
    "sweep",
]
