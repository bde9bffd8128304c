"""Impacts with a true coefficient of restitution in a loop of MuJoCo.

MuJoCo's contacts are springs and dampers: a coefficient of restitution cannot be given. `restitution` replaces
`mujoco.mj_step`: it finds the instant at which something strikes, lets carom compute what the impact does from MuJoCo's own mass
matrix and Jacobian, sets the velocity, and goes on. All else, contacts at rest included, is MuJoCo's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from . import _carom
from ._errors import CaromError

Array = NDArray[np.float64]

LEAST_SPEED = 1e-2
"""Approaches slower than this, m/s, are left to MuJoCo."""

_MOST_IMPACTS = 8
_PENETRATION = 1e-3
_TRIES = 10


@dataclass(frozen=True)
class Impact:
    """An impact in a step of MuJoCo.

    t: time, s. geoms: pairs of geoms that touched. outcome: an Outcome or a SimultaneousOutcome.
    normal_before, normal_after: normal velocities of these contacts, m/s, from MuJoCo's Jacobian.
    """

    t: float
    geoms: list[tuple[int, int]]
    outcome: Any
    normal_before: Array
    normal_after: Array


@dataclass(frozen=True)
class _Touch:
    geoms: tuple[int, int]
    dist: float
    dimension: int
    friction: float
    jacobian: Array


def mass_matrix(model: mujoco.MjModel, data: mujoco.MjData) -> Array:
    """M of the present configuration, [nv, nv], from `mj_fullM`, for `carom.impact(mass_matrix=...)`."""
    mass = np.zeros((model.nv, model.nv))
    try:
        mujoco.mj_fullM(model, data, mass)
    except TypeError:
        mujoco.mj_fullM(model, mass, data.qM)
    return mass


def contact_jacobian(model: mujoco.MjModel, data: mujoco.MjData, contact: Any) -> Array:
    """A of a contact of `data.contact`, [d, nv], normal row first, for MuJoCo's own velocities; d is 1 or 3."""
    sides = []
    for geom in (contact.geom1, contact.geom2):
        jacobian = np.zeros((3, model.nv))
        mujoco.mj_jac(model, data, jacobian, None, contact.pos, model.geom_bodyid[geom])
        sides.append(jacobian)
    rows: Array = np.asarray(contact.frame, dtype=np.float64).reshape(3, 3) @ (sides[1] - sides[0])
    return rows[:1] if contact.dim == 1 else rows


def _touches(model: mujoco.MjModel, data: mujoco.MjData) -> list[_Touch]:
    """The contacts that touch in the present state."""
    touches = []
    for contact in data.contact:
        if contact.dist <= 0.0 and contact.geom1 >= 0 and contact.geom2 >= 0:
            jacobian = contact_jacobian(model, data, contact)
            geoms = (int(contact.geom1), int(contact.geom2))
            friction = float(contact.friction[0])
            touches.append(_Touch(geoms, float(contact.dist), len(jacobian), friction, jacobian))
    return touches


def _state(model: mujoco.MjModel, data: mujoco.MjData) -> Array:
    kind = int(mujoco.mjtState.mjSTATE_INTEGRATION)
    state = np.empty(mujoco.mj_stateSize(model, kind))
    mujoco.mj_getState(model, data, state, kind)
    return state


def _restore(model: mujoco.MjModel, data: mujoco.MjData, state: Array) -> None:
    mujoco.mj_setState(model, data, state, int(mujoco.mjtState.mjSTATE_INTEGRATION))


def _step(model: mujoco.MjModel, data: mujoco.MjData, time: float) -> None:
    """A step of a given length, and the contacts at its end."""
    own = model.opt.timestep
    try:
        model.opt.timestep = time
        mujoco.mj_step(model, data)
    finally:
        model.opt.timestep = own
    mujoco.mj_fwdPosition(model, data)


def restitution(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    restitution: float,
    *,
    friction: float | None = None,
    guard: str = "slip",
    least_speed: float = LEAST_SPEED,
) -> list[Impact]:
    """Advances by `model.opt.timestep` as `mujoco.mj_step` does, with impacts by carom. Returns the impacts of this step.

    restitution: e of all contacts, in [0, 1]. friction: mu of all contacts; that of MuJoCo's contacts by default.
    guard: what carom does with a stick that creates energy.
    least_speed: slower approaches, m/s, are left to MuJoCo; so are a step's impacts beyond the eighth.

    All contacts that touch at the instant take part. Equality constraints and limits of joints do not. The time of an impact is
    found to a thousandth of the step. The integrator must be one that evaluates contacts at the start of a step alone: with RK4
    MuJoCo's own contacts would act inside the step before the impact is found.
    """
    if model.opt.integrator == mujoco.mjtIntegrator.mjINT_RK4:
        message = "model.opt.integrator = RK4 evaluates contacts inside a step: use Euler, implicit or implicitfast"
        raise CaromError(message, "unsupported", "model.opt.integrator")
    if not least_speed > 0.0:
        raise CaromError(f"least_speed = {least_speed} must be positive", "out_of_range", "least_speed")
    impacts: list[Impact] = []
    left = float(model.opt.timestep)
    whole = left
    while len(impacts) < _MOST_IMPACTS and left > 0.0:
        start = _state(model, data)
        _step(model, data, left)
        back = _time_since(_touches(model, data), data.qvel, least_speed)
        if back is None:
            return impacts
        # The step without a collision, and a little more: then the contact is one of MuJoCo's, too.
        part = max(left - back, 0.0) + _PENETRATION * whole
        for _ in range(_TRIES):
            part = min(part, left)
            _restore(model, data, start)
            _step(model, data, part)
            touches = _touches(model, data)
            if _time_since(touches, data.qvel, least_speed) is not None:
                break
            part += 0.1 * back
        else:
            return impacts
        impacts.append(_strike(model, data, touches, restitution, friction, guard))
        left -= part
    if left > 0.0:
        _step(model, data, left)
    return impacts


def _time_since(touches: list[_Touch], velocity: Array, least_speed: float) -> float | None:
    """How long ago the first of the contacts that approach touched; None if none of them does."""
    times = []
    for touch in touches:
        normal = float(touch.jacobian[0] @ velocity)
        if normal < -least_speed:
            times.append(touch.dist / normal)
    return max(times, default=None)


def _strike(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    touches: list[_Touch],
    restitution: float,
    friction: float | None,
    guard: str,
) -> Impact:
    jacobian = np.concatenate([touch.jacobian for touch in touches])
    normals = np.array([touch.jacobian[0] for touch in touches])
    before = np.array(data.qvel)
    contacts = []
    for touch in touches:
        contact: dict[str, Any] = {"dimension": touch.dimension}
        if touch.dimension > 1:
            contact["friction"] = touch.friction if friction is None else friction
        contacts.append(contact)
    outcome = _carom.impact(
        mass_matrix=mass_matrix(model, data),
        contact_jacobian=jacobian,
        velocity=before,
        restitution=restitution,
        contacts=contacts,
        guard=guard,
    )
    data.qvel[:] = outcome.velocity
    geoms = [touch.geoms for touch in touches]
    return Impact(float(data.time), geoms, outcome, normals @ before, normals @ np.asarray(outcome.velocity))


__all__ = ["LEAST_SPEED", "Impact", "contact_jacobian", "mass_matrix", "restitution"]
