"""The HTML that notebooks show."""

from __future__ import annotations

import base64
import html
from typing import TYPE_CHECKING

from ._errors import CaromError

if TYPE_CHECKING:
    from ._carom import Comparison, Map, Outcome
    from ._run import Run

_PRE = '<pre style="line-height: 1.25; overflow-x: auto; margin: 0">'
_MAP_CELLS = 100
_PLAYER_HEIGHT = 720


def text(value: object) -> str:
    """The command's text."""
    return f"{_PRE}{html.escape(repr(value))}</pre>"


def _figure(svg: str, title: str) -> str:
    """A figure as an image: inline, its names, such as those of clip paths, would collide with those of other figures."""
    data = base64.b64encode(svg.encode()).decode()
    return f'<img src="data:image/svg+xml;base64,{data}" alt="{html.escape(title)}" style="width: 100%; max-width: 46em">'


def _beside(left: str, right: str) -> str:
    style = "display: flex; flex-wrap: wrap; gap: 1.5em; align-items: flex-start"
    parts = f'<div style="flex: 1 1 34em; min-width: 0">{left}</div><div style="flex: 1 1 26em; max-width: 46em">{right}</div>'
    return f'<div style="{style}">{parts}</div>'


def outcome(value: Outcome) -> str:
    """The text and the map; only the text if there is no map, as without friction."""
    try:
        figure = map(value.problem.map(resolution=_MAP_CELLS))
    except CaromError:
        return text(value)
    return _beside(text(value), figure)


def map(value: Map) -> str:
    """The figure of a map."""
    return _figure(value.to_svg(), value.title)


def comparison(value: Comparison) -> str:
    """The table and the impulses of all laws."""
    try:
        figure = value.to_svg()
    except CaromError:
        return text(value)
    return text(value) + _figure(figure, value.title)


def run(value: Run) -> str:
    """The page that plays the run, and the summary below."""
    page = html.escape(value.to_html(), quote=True)
    frame = f'<iframe srcdoc="{page}" style="width: 100%; height: {_PLAYER_HEIGHT}px; border: 0"></iframe>'
    return frame + text(value)
