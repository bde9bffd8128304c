"""What notebooks show."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from ._errors import CaromError

if TYPE_CHECKING:
    from ._carom import Comparison, Outcome
    from ._run import Run

_PRE = '<pre style="line-height: 1.25; overflow-x: auto; margin: 0">'
_MAP_CELLS = 100
_PLAYER_HEIGHT = 720


def text(value: object) -> str:
    """The command's text."""
    return f"{_PRE}{html.escape(repr(value))}</pre>"


def _beside(left: str, right: str) -> str:
    style = "display: flex; flex-wrap: wrap; gap: 1.5em; align-items: flex-start"
    figure = f'<div style="flex: 1 1 26em; max-width: 46em">{right}</div>'
    return f'<div style="{style}"><div style="flex: 0 1 auto; max-width: 100%">{left}</div>{figure}</div>'


def outcome(value: Outcome) -> str:
    """The text and the map; the text alone where there is no map, as without friction."""
    try:
        figure = value.problem.map(resolution=_MAP_CELLS).to_svg()
    except CaromError:
        return text(value)
    return _beside(text(value), figure)


def comparison(value: Comparison) -> str:
    """The table and the impulses of all laws."""
    try:
        figure = value.to_svg()
    except CaromError:
        return text(value)
    return text(value) + f'<div style="max-width: 46em">{figure}</div>'


def run(value: Run) -> str:
    """The page that plays the run, and the summary below."""
    page = html.escape(value.to_html(), quote=True)
    frame = f'<iframe srcdoc="{page}" style="width: 100%; height: {_PLAYER_HEIGHT}px; border: 0"></iframe>'
    return frame + text(value)
