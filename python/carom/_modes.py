"""Modes of contacts in arrays, and batches as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ._carom import Batch

MODES = ("separating", "stick", "slip", "reversal")
"""The names of the codes of modes: `mode_code` is an index into these, and 255 where there is no answer."""

_NAMES = np.array([*MODES, ""])


def names(codes: NDArray[np.uint8]) -> NDArray[np.str_]:
    """The names of codes; an empty text where there is no answer."""
    return _NAMES[np.minimum(codes, len(MODES))]


def columns(batch: Batch) -> dict[str, NDArray[Any]]:
    """The columns of a batch, for tables: `pyarrow.table(columns)`, `pandas.DataFrame(columns)`."""
    table: dict[str, NDArray[Any]] = {"mode": batch.mode, "energy_change": batch.energy_change}
    for name, rows in (
        ("impulse", batch.impulse),
        ("contact_velocity", batch.contact_velocity),
        ("velocity", batch.velocity),
        ("impulse_world", batch.impulse_world),
    ):
        if rows is not None:
            table |= {f"{name}[{k}]": rows[:, k] for k in range(rows.shape[1])}
    return table


def frame(batch: Batch) -> Any:
    """The columns of a batch as a `pandas.DataFrame`."""
    import pandas

    return pandas.DataFrame(columns(batch))
