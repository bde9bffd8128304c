"""Figures with matplotlib, in axes of the caller, in the style of the command's SVGs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._modes import MODES

if TYPE_CHECKING:
    from ._carom import Map
    from ._run import Run
    from ._sweep import Sweep

# Fill, colour of the pattern, pattern, and the name in the key.
_REGIONS: dict[str, tuple[str, str, str | None, str]] = {
    "slip": ("#fffbee", "#fffbee", None, "slip"),
    "stick": ("#c9dff1", "#c9dff1", None, "stick"),
    "reversal": ("#d6ebcb", "#2f6b3c", "..", "reversal"),
    "creation": ("#f3ba93", "#a64400", "////", "stick that creates energy"),
    "several": ("#dccfe8", "#5b3a7d", "xxxx", "several answers"),
}
# Name in the key, colour, width, and dashes in points.
_CURVES: dict[str, tuple[str, str, float, tuple[float, ...]]] = {
    "critical_friction": (r"$\mu_{cr}$, exact", "#000000", 1.7, ()),
    "printed.critical_friction": (r"$\mu_{cr}$ as printed", "#000000", 1.1, (5, 3)),
    "critical_reversal": (r"$\mu_{rev}$", "#1f6b45", 1.5, (8, 2, 1.6, 2)),
    "restitution_limit.state": ("$e$*, this state", "#b03a00", 1.5, (11, 2)),
    "restitution_limit.configuration": ("$e$*, every state", "#b03a00", 1.2, (1.4, 2.2)),
    "friction_limit": (r"$\mu$*", "#005a9c", 1.2, (3, 1.6, 1, 1.6, 1, 1.6)),
}
_LABELS = {
    "restitution": "coefficient of restitution $e$",
    "friction": r"coefficient of friction $\mu_s$",
    "velocity_ratio": "tangential over normal velocity $v_t/|v_n|$",
    "velocity_ratio_1": "$v_{t1}/|v_n|$",
    "velocity_ratio_2": "$v_{t2}/|v_n|$",
}
_ENERGIES = {"kinetic_energy": "ΔK in % of K⁻", "contact_energy": "ΔK in % of K_c"}
_CONTOUR = "#505050"
# Of the energies of a run.
_WORK: dict[str, tuple[tuple[str, ...], str, float, tuple[float, ...]]] = {
    "work of impacts": (("impacts",), "#b03a00", 1.2, (8, 2, 1.6, 2)),
    "work of friction": (("friction",), "#c06a00", 1.2, (1.6, 1.8)),
    "work of damping": (("damping",), "#1f6b45", 1.0, (4, 1.5)),
    "work of torques": (("torques",), "#5b3a7d", 1.0, (3, 1.2, 1, 1.2)),
    "settling and projection": (("settling", "projection"), "#404040", 0.7, (1, 1)),
    "windows": (("windows",), "#404040", 0.7, (6, 1)),
    "rattle": (("rattle",), "#404040", 0.7, (3, 1)),
    "sequences": (("sequences",), "#404040", 0.7, (2, 2)),
}
# Scales from light to dark, and from zero outwards for losses and gains.
_SEQUENTIAL = ("#fffbee", "#dce9ec", "#adcfe3", "#78abd0", "#4283b6", "#1d5c91", "#0a3763")
_LOSSES = ("#fafaf7", "#c9dff1", "#86b4d8", "#3b7fb5", "#0a3f73")
_GAINS = ("#fafaf7", "#f8d9c0", "#eea873", "#cc6a1d", "#8a3300")
_WORDS = {"stick": "#c9dff1", "true": "#c9dff1", "slip": "#fffbee", "reversal": "#d6ebcb", "false": "#f3ba93", "separating": "#f2f2f2", "flight": "#f2f2f2"}
_OTHER_WORDS = ("#c9dff1", "#f3ba93", "#d6ebcb", "#dccfe8", "#ffe9a8", "#9fc3c3", "#e8b4c4", "#b9b9b9", "#6f97c4", "#a67c52", "#86b07a", "#8d75ad")
# Points need darker colours than areas.
_POINTS = ("#000000", "#b03a00", "#005a9c", "#1f6b45", "#5b3a7d", "#8a6d00", "#7a7a7a", "#008080", "#c23b7a", "#6b8e23", "#4b4bff", "#d28f00")
_NOTHING = "#e4e4e4"


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(layout="constrained")[1]


def _line(colour: str, width: float, dash: tuple[float, ...]) -> dict[str, Any]:
    """The keywords of a line; matplotlib measures dashes in line widths."""
    return {"color": colour, "linewidth": width, "linestyle": (0, tuple(part / width for part in dash)) if dash else "-"}


def _key(ax: Any, handles: list[Any] | None = None) -> None:
    """The key, below the plot."""
    columns = 2 if handles is None or len(handles) > 1 else 1
    options: dict[str, Any] = {} if handles is None else {"handles": handles}
    ax.legend(**options, fontsize="small", loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=columns, frameon=False)


def plot_map(map: Map, ax: Any = None) -> Any:
    """The regions, exact curves, changes of energy and the problem's own point of a map; returns the axes."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    ax = _axes(ax)
    handles: list[Any] = []
    regions = map.regions
    for kind, (fill, edge, hatch, name) in _REGIONS.items():
        style: dict[str, Any] = {"facecolor": fill, "edgecolor": edge, "hatch": hatch, "linewidth": 0}
        for polygon in regions.get(kind, []):
            ax.fill(polygon[:, 0], polygon[:, 1], **style)
        if regions.get(kind):
            handles.append(Patch(**(style | {"linewidth": 0.5}), label=name))
    for name, pieces in map.curves.items():
        label, colour, width, dash = _CURVES.get(name, (name, "#000000", 1.0, ()))
        for k, piece in enumerate(pieces):
            # The exact curve is on top.
            order = 3.0 if name == "critical_friction" else 2.5
            (line,) = ax.plot(piece[:, 0], piece[:, 1], **_line(colour, width, dash), zorder=order, label=label)
            if k == 0:
                handles.append(line)
    if _contours(map, ax):
        unit = _ENERGIES.get(map.energy_unit, "ΔK")
        handles.append(Line2D([], [], color=_CONTOUR, linewidth=0.5, label=unit))
    left, right, bottom, top = map.extent
    x, y = map.point
    if left <= x <= right and bottom <= y <= top:
        marker: dict[str, Any] = {"marker": "o", "color": "black", "markersize": 8, "markeredgecolor": "white", "linestyle": "none"}
        handles.extend(ax.plot([x], [y], **marker, zorder=4, label="this impact"))
        ax.plot([x], [y], marker="o", color="white", markersize=2.6, linestyle="none", zorder=4.1)
    ax.set_xlim(left, right)
    ax.set_ylim(bottom, top)
    ax.set_xlabel(_LABELS.get(map.quantities[0], map.quantities[0]))
    ax.set_ylabel(_LABELS.get(map.quantities[1], map.quantities[1]))
    ax.set_title(map.title, fontsize="medium", loc="left")
    _key(ax, handles)
    return ax


def _contours(map: Map, ax: Any) -> bool:
    """Lines of equal energy change within each mode, since it may jump between modes. Returns whether there are any."""
    found = False
    for code in range(1, len(MODES)):
        values = np.ma.masked_where(map.mode_code != code, map.energy_change)
        if values.count() < 4 or np.ptp(values.compressed()) <= 1e-9:
            continue
        lines = ax.contour(map.x, map.y, values, levels=6, colors=_CONTOUR, linewidths=0.5, linestyles="solid", zorder=2)
        ax.clabel(lines, fontsize="x-small", fmt="%+.4g")
        found = True
    return found


def plot_run(run: Run, ax: Any = None) -> Any:
    """The energies of a run over time, and the work done since the start; returns the axes."""
    ax = _axes(ax)
    energy = run.energy
    least = energy.potential.min() if len(run) else 0.0
    total = energy.kinetic + energy.potential - least
    ax.plot(run.t, energy.kinetic, **_line("#005a9c", 1.1, ()), label="kinetic")
    ax.plot(run.t, energy.potential - least, **_line("#707070", 1.0, (5, 2)), label="potential, from its minimum")
    ax.plot(run.t, total, **_line("#000000", 1.5, ()), label="total")
    largest = max(np.abs(total).max(initial=0.0), np.abs(energy.kinetic).max(initial=0.0))
    for name, (parts, colour, width, dash) in _WORK.items():
        work = np.sum([getattr(energy, part) for part in parts], axis=0)
        if np.abs(work).max(initial=0.0) > 1e-6 * largest:
            ax.plot(run.t, work, **_line(colour, width, dash), label=name)
    ax.set_xlabel("time, s")
    ax.set_ylabel("energy, J")
    ax.set_title(run.title, fontsize="medium", loc="left")
    _key(ax)
    return ax


def _scale(values: Any) -> tuple[Any, Any]:
    """The colour scale of numbers: if they have both signs, zero is white, and the signs differ in hue."""
    from matplotlib import colors

    finite = values[np.isfinite(values)]
    low, high = (finite.min(), finite.max()) if finite.size else (0.0, 1.0)
    if not low < 0.0 < high:
        return colors.LinearSegmentedColormap.from_list("carom", _SEQUENTIAL, N=48).with_extremes(bad=_NOTHING), None
    size = max(high, -low)
    # The square root shows small changes beside large ones.
    norm = colors.FuncNorm((lambda x: np.sign(x) * np.sqrt(np.abs(x)), lambda x: np.sign(x) * np.square(x)), vmin=-size, vmax=size)
    both = (*_LOSSES[:0:-1], *_GAINS)
    return colors.LinearSegmentedColormap.from_list("carom", both, N=96).with_extremes(bad=_NOTHING), norm


def _bar(ax: Any, shown: Any, values: Any, name: str) -> None:
    """The bar of a scale, over the range of the values."""
    bar = ax.figure.colorbar(shown, ax=ax, label=name)
    finite = values[np.isfinite(values)]
    if finite.size and finite.min() < finite.max():
        bar.ax.set_ylim(finite.min(), finite.max())


def plot_sweep(sweep: Sweep, x: str, y: str, color: str | None = None, ax: Any = None) -> Any:
    """A column of a sweep over two others: cells of a grid where each pair occurs once, points otherwise; returns the axes."""
    from matplotlib import colors
    from matplotlib.patches import Patch

    from ._sweep import grid

    ax = _axes(ax)
    table = sweep.columns([x, y] if color is None else [x, y, color])
    if color is None:
        ax.scatter(table[x], table[y], c="#005a9c", s=4, marker="s", linewidths=0)
    elif table[color].dtype == object or table[color].dtype == bool:
        column = ["" if word is None else str(word).lower() if isinstance(word, (bool, np.bool_)) else str(word) for word in table[color]]
        words = sorted(set(column) - {""})
        codes = np.array([words.index(word) if word else -1 for word in column], dtype=float)
        cells = grid(table[x], table[y], np.where(codes < 0, np.nan, codes))
        if cells is not None:
            area = [_WORDS.get(word, _OTHER_WORDS[k % len(_OTHER_WORDS)]) for k, word in enumerate(words)]
            palette = colors.ListedColormap(area or [_NOTHING]).with_extremes(bad=_NOTHING)
            ax.pcolormesh(*cells, cmap=palette, vmin=-0.5, vmax=max(len(words), 1) - 0.5, shading="nearest")
            _key(ax, [Patch(facecolor=fill, edgecolor="black", linewidth=0.5, label=word) for fill, word in zip(area, words, strict=True)])
        else:
            for k, word in enumerate(words):
                rows = codes == k
                ax.scatter(table[x][rows], table[y][rows], color=_POINTS[k % len(_POINTS)], s=4, marker="s", linewidths=0, label=word)
            _key(ax)
    else:
        palette, norm = _scale(table[color])
        cells = grid(table[x], table[y], table[color])
        if cells is not None:
            shown = ax.pcolormesh(*cells, cmap=palette, norm=norm, shading="nearest")
        else:
            # Light colours cannot be seen on white.
            ax.set_facecolor("#d2d2d2")
            shown = ax.scatter(table[x], table[y], c=table[color], s=4, marker="s", linewidths=0, cmap=palette, norm=norm)
        _bar(ax, shown, table[color], color)
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    ax.set_title(sweep.title, fontsize="medium", loc="left")
    return ax
