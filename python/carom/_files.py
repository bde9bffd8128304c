"""Files that appear when they are complete."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ._errors import CaromError

if TYPE_CHECKING:
    from ._carom import Map


def write(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Writes a temporary file beside the path, then renames it."""
    path = Path(path)
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise CaromError(f"{path} cannot be written: {error}", "file", "path") from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)
        os.replace(name, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise CaromError(f"{path} cannot be written: {error}", "file", "path") from error


def save(path: str | os.PathLike[str], writers: dict[str, Callable[[], str | bytes]]) -> None:
    """Writes a file in the format of its ending."""
    ending = Path(path).suffix.lower()
    if ending not in writers:
        known = ", ".join(sorted(writers))
        raise CaromError(f"path = {os.fspath(path)!r} does not end in one of {known}", "unknown_name", "path")
    write(path, writers[ending]())


def save_map(map: Map, path: str | os.PathLike[str]) -> None:
    """Writes a map as .svg, .json or .csv."""
    save(path, {".svg": map.to_svg, ".json": map.to_json, ".csv": map.to_csv})
