"""Figures with matplotlib, in axes of the caller."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ._carom import Map
    from ._run import Run

_REGIONS = {"stick": "#cfe3f5", "slip": "#fbe3c4", "reversal": "#e6d7ef", "creation": "#f2b8b5"}
_CURVES = {
    "critical_friction": ("μ_cr", "#1f4e79", "-"),
    "printed.critical_friction": ("μ_cr as printed", "#1f4e79", ":"),
    "critical_reversal": ("μ_rev", "#6a3d9a", "-"),
    "restitution_limit.state": ("e*(v)", "#b2182b", "-"),
    "restitution_limit.configuration": ("e*", "#b2182b", "--"),
    "friction_limit": ("μ*", "#7f7f7f", "--"),
}
_LABELS = {
    "restitution": "restitution e",
    "friction": "friction μ",
    "velocity_ratio": "v_t / |v_n|",
    "velocity_ratio_1": "v_t1 / |v_n|",
    "velocity_ratio_2": "v_t2 / |v_n|",
}


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(layout="constrained")[1]


def plot_map(map: Map, ax: Any = None) -> Any:
    """The regions, exact curves and the problem's own point of a map; returns the axes."""
    from matplotlib.patches import Patch

    ax = _axes(ax)
    handles = []
    regions = map.regions
    for kind, colour in _REGIONS.items():
        polygons = regions.get(kind, [])
        for polygon in polygons:
            ax.fill(polygon[:, 0], polygon[:, 1], color=colour, linewidth=0)
        if polygons:
            label = "stick creates energy" if kind == "creation" else kind
            handles.append(Patch(color=colour, label=label))
    for name, pieces in map.curves.items():
        label, colour, style = _CURVES.get(name, (name, "black", "-"))
        for k, piece in enumerate(pieces):
            (line,) = ax.plot(piece[:, 0], piece[:, 1], style, color=colour, linewidth=1.4, label=label)
            if k == 0:
                handles.append(line)
    left, right, bottom, top = map.extent
    x, y = map.point
    if left <= x <= right and bottom <= y <= top:
        handles.extend(ax.plot([x], [y], "o", color="black", markersize=6, label="this problem"))
    ax.set_xlim(left, right)
    ax.set_ylim(bottom, top)
    ax.set_xlabel(_LABELS.get(map.quantities[0], map.quantities[0]))
    ax.set_ylabel(_LABELS.get(map.quantities[1], map.quantities[1]))
    ax.set_title(map.title, fontsize="medium")
    ax.legend(handles=handles, fontsize="small", loc="best")
    return ax


def plot_run(run: Run, ax: Any = None) -> Any:
    """The energies of a run over time, with its impacts; returns the axes."""
    ax = _axes(ax)
    energy = run.energy
    total = energy.kinetic + energy.potential
    ax.plot(run.t, energy.kinetic, label="kinetic", color="#1f77b4")
    ax.plot(run.t, energy.potential - energy.potential.min(), label="potential", color="#2ca02c")
    ax.plot(run.t, total - energy.potential.min(), label="total", color="black", linewidth=1.0)
    times = np.array([event.t for event in run.events if event.kind == "impact"])
    if times.size:
        ax.plot(times, np.zeros_like(times), "|", color="#b2182b", label="impacts", markersize=9)
    ax.set_xlabel("time, s")
    ax.set_ylabel("energy, J")
    ax.set_title(run.title, fontsize="medium")
    ax.legend(fontsize="small", loc="best")
    return ax
