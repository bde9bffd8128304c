"""Robots from files, text and other packages."""

from __future__ import annotations

import os
from typing import Any

from . import _carom
from ._carom import Robot
from ._errors import CaromError


def load(
    source: str | os.PathLike[str] | Any,
    *,
    floating_base: bool = False,
    mimics: str = "follow",
    folder: str | os.PathLike[str] | None = None,
) -> Robot:
    """A robot.

    source: the path of a URDF, MJCF or SDF file, the name of a built-in model (`carom.models()`), the text of a file, an object with
        a method `to_xml` such as `mujoco.MjSpec`, or a compiled `mujoco.MjModel`, whose arrays are read; its mass matrix is
        then compared with that of `mj_fullM`.
    floating_base: lets the root link of a URDF move freely. An MJCF or SDF file states this itself.
    mimics: `follow`, or `free`, which lets joints that mimic others move by themselves.
    folder: where meshes and included files of a text are.

    Raises CaromError with kind `file` or `model` if it cannot be read.
    """
    if not isinstance(source, (str, os.PathLike)) and hasattr(source, "to_xml"):
        source = source.to_xml()
    elif type(source).__name__ == "MjModel":
        if floating_base or folder is not None:
            field = "floating_base" if floating_base else "folder"
            raise CaromError(f"{field} is given with an MjModel, which is complete in itself: leave {field} out", "conflict", field)
        from . import _compiled

        return _compiled.load(source, mimics=mimics)
    return _carom.load(source, floating_base=floating_base, mimics=mimics, folder=folder)
