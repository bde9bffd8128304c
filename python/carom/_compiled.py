"""The text of a compiled model of MuJoCo, from its own arrays.

An `MjModel` has no text: `mj_saveLastXML` writes that of the model loaded last, which may be another one, and a program may
have changed the arrays since. The text written here is read as an MJCF file, and the result is compared with `mj_fullM`.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _carom
from ._carom import Robot
from ._errors import CaromError

# Configurations in which the mass matrices are compared, home included.
_CONFIGURATIONS = 8
# The difference that counts as rounding, relative to the geometric mean of the two inertias that an entry couples.
_ROUNDING = 1e-9


def load(model: Any, *, mimics: str = "follow") -> Robot:
    """The robot of a compiled model, whose mass matrix is that of `mj_fullM`."""
    text = xml(model)
    robot = _carom.load(text, floating_base=False, mimics=mimics, folder=None)
    _verify(robot, model)
    return robot


def _numbers(values: Any) -> str:
    return " ".join(repr(float(value)) for value in np.ravel(values))


def _unsupported(message: str) -> CaromError:
    return CaromError(f"source: {message}", "unsupported", "source")


class _Names:
    """The names of objects; those without one get that of the loader, which the text refers to."""

    def __init__(self, model: Any) -> None:
        import mujoco

        self.model = model
        self.find: Callable[[Any, Any, int], str | None] = mujoco.mj_id2name
        kinds = mujoco.mjtObj
        self.bodies = self._all(kinds.mjOBJ_BODY, model.nbody, lambda k: f"body_{k}")
        first = model.body_jntadr
        self.joints = self._all(
            kinds.mjOBJ_JOINT, model.njnt, lambda k: f"{self.bodies[model.jnt_bodyid[k]]}_joint_{k - first[model.jnt_bodyid[k]]}"
        )
        self.sites = self._all(kinds.mjOBJ_SITE, model.nsite, lambda k: f"site_{k}")
        self.geoms = self._all(kinds.mjOBJ_GEOM, model.ngeom, lambda k: f"geom_{k}")

    def _all(self, kind: Any, count: int, own: Callable[[int], str]) -> list[str]:
        given = [self.find(self.model, kind, k) for k in range(count)]
        used = {name for name in given if name}
        names = []
        for k, name in enumerate(given):
            chosen = name or own(k)
            while not name and chosen in used:
                chosen += "_"
            used.add(chosen)
            names.append(chosen)
        return names

    def given(self, kind: Any, k: int) -> str | None:
        """The name that the model has."""
        return self.find(self.model, kind, k) or None


def xml(model: Any) -> str:
    """The model as MJCF: what moves, what touches, closed loops, actuators and keyframes."""
    import mujoco

    if getattr(model, "nflex", 0):
        raise _unsupported("the model has flexes, and only rigid bodies can move")
    if np.any(getattr(model, "tendon_armature", np.zeros(0))):
        raise _unsupported("the model has a tendon with an armature, which changes the mass matrix")
    names = _Names(model)
    title = bytes(model.names).split(b"\0", 1)[0].decode() or "model"
    root = ElementTree.Element("mujoco", model=title)
    ElementTree.SubElement(root, "compiler", angle="radian", autolimits="false", inertiafromgeom="false")
    option = ElementTree.SubElement(root, "option", gravity=_numbers(model.opt.gravity))
    for medium in ("density", "viscosity", "wind"):
        option.set(medium, _numbers(getattr(model.opt, medium)))
    if model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY:
        ElementTree.SubElement(option, "flag", gravity="disable")
    paired = {int(geom) for geom in (*model.pair_geom1, *model.pair_geom2)}
    _meshes(model, _touching(model, paired), ElementTree.SubElement(root, "asset"))
    _bodies(model, names, paired, ElementTree.SubElement(root, "worldbody"))
    _contacts(model, names, ElementTree.SubElement(root, "contact"))
    _equalities(model, names, ElementTree.SubElement(root, "equality"))
    _actuators(model, names, ElementTree.SubElement(root, "actuator"))
    tendons = ElementTree.SubElement(root, "tendon")
    for _ in range(model.ntendon):
        # Not modelled, as of a file, with the same warning.
        ElementTree.SubElement(tendons, "spatial")
    keys = ElementTree.SubElement(root, "keyframe")
    for k in range(model.nkey):
        key = ElementTree.SubElement(keys, "key", qpos=_numbers(model.key_qpos[k]), qvel=_numbers(model.key_qvel[k]))
        if model.nu:
            key.set("ctrl", _numbers(model.key_ctrl[k]))
        if name := names.given(mujoco.mjtObj.mjOBJ_KEY, k):
            key.set("name", name)
    return ElementTree.tostring(root, encoding="unicode")


def _touching(model: Any, paired: set[int]) -> list[int]:
    """The geoms that can touch: all others are pictures, since inertias are those of the bodies."""
    return [k for k in range(model.ngeom) if model.geom_contype[k] or model.geom_conaffinity[k] or k in paired]


def _meshes(model: Any, geoms: Iterable[int], assets: ElementTree.Element) -> None:
    import mujoco

    kind = mujoco.mjtGeom.mjGEOM_MESH
    for mesh in sorted({int(model.geom_dataid[k]) for k in geoms if model.geom_type[k] == kind}):
        vertices = model.mesh_vert[model.mesh_vertadr[mesh] :][: model.mesh_vertnum[mesh]]
        faces = model.mesh_face[model.mesh_faceadr[mesh] :][: model.mesh_facenum[mesh]]
        # Nine digits are those of a float32.
        vertex = " ".join(f"{number:.9g}" for number in vertices.ravel().tolist())
        face = " ".join(map(str, faces.ravel().tolist()))
        ElementTree.SubElement(assets, "mesh", name=f"mesh_{mesh}", vertex=vertex, face=face)


def _bodies(model: Any, names: _Names, paired: set[int], world: ElementTree.Element) -> None:
    import mujoco

    elements = [world]
    touching: dict[int, list[int]] = {}
    for geom in _touching(model, paired):
        touching.setdefault(int(model.geom_bodyid[geom]), []).append(geom)
    sites: dict[int, list[int]] = {}
    for site in range(model.nsite):
        sites.setdefault(int(model.site_bodyid[site]), []).append(site)
    for k in range(model.nbody):
        if k > 0:
            joints = range(model.body_jntadr[k], model.body_jntadr[k] + model.body_jntnum[k])
            is_free = any(model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_FREE for joint in joints)
            # The coordinates of a free body are its pose.
            home = model.qpos0[model.jnt_qposadr[joints[0]] :][:7] if is_free else (*model.body_pos[k], *model.body_quat[k])
            body = ElementTree.SubElement(
                elements[model.body_parentid[k]], "body", name=names.bodies[k], pos=_numbers(home[:3]), quat=_numbers(home[3:])
            )
            if model.body_mocapid[k] >= 0:
                body.set("mocap", "true")
            if model.body_gravcomp[k]:
                body.set("gravcomp", _numbers(model.body_gravcomp[k]))
            elements.append(body)
            ElementTree.SubElement(
                body,
                "inertial",
                mass=_numbers(model.body_mass[k]),
                pos=_numbers(model.body_ipos[k]),
                quat=_numbers(model.body_iquat[k]),
                diaginertia=_numbers(model.body_inertia[k]),
            )
            for joint in joints:
                _joint(model, names, joint, body)
        for geom in touching.get(k, ()):
            _geom(model, names, geom, geom in paired, elements[k])
        for site in sites.get(k, ()):
            ElementTree.SubElement(
                elements[k], "site", name=names.sites[site], pos=_numbers(model.site_pos[site]), quat=_numbers(model.site_quat[site])
            )


def _one(values: NDArray[Any], what: str) -> float:
    """A number that all velocities of a joint share."""
    if np.any(values != values[0]):
        raise _unsupported(f"{what} = {values.tolist()} differs between the velocities of one joint")
    return float(values[0])


def _polynomial(model: Any, name: str, index: int, linear: float) -> str:
    """A coefficient and those of higher order, in versions of MuJoCo that have them."""
    higher = getattr(model, f"{name}poly", None)
    return _numbers([linear] if higher is None else [linear, *np.ravel(higher[index])])


def _joint(model: Any, names: _Names, joint: int, body: ElementTree.Element) -> None:
    kinds = ("free", "ball", "slide", "hinge")
    kind = kinds[model.jnt_type[joint]]
    q, first = model.jnt_qposadr[joint], model.jnt_dofadr[joint]
    velocities = slice(first, first + (6, 3, 1, 1)[model.jnt_type[joint]])
    armature = _one(model.dof_armature[velocities], f"dof_armature of the joint {names.joints[joint]!r}")
    damping = _one(model.dof_damping[velocities], f"dof_damping of the joint {names.joints[joint]!r}")
    friction = _one(model.dof_frictionloss[velocities], f"dof_frictionloss of the joint {names.joints[joint]!r}")
    element = ElementTree.SubElement(
        body,
        "joint",
        name=names.joints[joint],
        type=kind,
        armature=_numbers(armature),
        damping=_polynomial(model, "dof_damping", first, damping),
        frictionloss=_numbers(friction),
        stiffness=_polynomial(model, "jnt_stiffness", joint, model.jnt_stiffness[joint]),
    )
    if kind != "free":
        element.set("pos", _numbers(model.jnt_pos[joint]))
    if kind in ("slide", "hinge"):
        element.set("axis", _numbers(model.jnt_axis[joint]))
        element.set("ref", _numbers(model.qpos0[q]))
        element.set("springref", _numbers(model.qpos_spring[q]))
    if model.jnt_limited[joint]:
        element.set("limited", "true")
        element.set("range", _numbers(model.jnt_range[joint]))


def _geom(model: Any, names: _Names, geom: int, is_paired: bool, body: ElementTree.Element) -> None:
    import mujoco

    kinds = mujoco.mjtGeom
    words = {
        kinds.mjGEOM_PLANE: "plane",
        kinds.mjGEOM_HFIELD: "hfield",
        kinds.mjGEOM_SPHERE: "sphere",
        kinds.mjGEOM_CAPSULE: "capsule",
        kinds.mjGEOM_ELLIPSOID: "ellipsoid",
        kinds.mjGEOM_CYLINDER: "cylinder",
        kinds.mjGEOM_BOX: "box",
        kinds.mjGEOM_MESH: "mesh",
    }
    kind = words.get(kinds(int(model.geom_type[geom])))
    if kind is None:
        raise _unsupported(f"the geom {names.geoms[geom]!r} has the type {kinds(int(model.geom_type[geom])).name}")
    element = ElementTree.SubElement(
        body,
        "geom",
        type=kind,
        pos=_numbers(model.geom_pos[geom]),
        quat=_numbers(model.geom_quat[geom]),
        size=_numbers(model.geom_size[geom]),
        friction=_numbers(model.geom_friction[geom]),
        condim=str(model.geom_condim[geom]),
        priority=str(model.geom_priority[geom]),
        contype=str(model.geom_contype[geom]),
        conaffinity=str(model.geom_conaffinity[geom]),
    )
    if kind == "mesh":
        element.set("mesh", f"mesh_{model.geom_dataid[geom]}")
    if is_paired or names.given(mujoco.mjtObj.mjOBJ_GEOM, geom):
        element.set("name", names.geoms[geom])


def _contacts(model: Any, names: _Names, section: ElementTree.Element) -> None:
    for k in range(model.npair):
        ElementTree.SubElement(
            section,
            "pair",
            geom1=names.geoms[model.pair_geom1[k]],
            geom2=names.geoms[model.pair_geom2[k]],
            condim=str(model.pair_dim[k]),
            friction=_numbers(model.pair_friction[k]),
        )
    for k in range(model.nexclude):
        signature = int(model.exclude_signature[k])
        ElementTree.SubElement(
            section, "exclude", body1=names.bodies[signature >> 16], body2=names.bodies[signature & 0xFFFF]
        )


def _equalities(model: Any, names: _Names, section: ElementTree.Element) -> None:
    import mujoco

    kinds = mujoco.mjtEq
    for k in range(model.neq):
        kind, data = kinds(int(model.eq_type[k])), model.eq_data[k]
        ends = [int(model.eq_obj1id[k]), int(model.eq_obj2id[k])]
        element = ElementTree.SubElement(section, kind.name.removeprefix("mjEQ_").lower())
        element.set("active", "true" if model.eq_active0[k] else "false")
        if name := names.given(mujoco.mjtObj.mjOBJ_EQUALITY, k):
            element.set("name", name)
        if kind in (kinds.mjEQ_CONNECT, kinds.mjEQ_WELD):
            has_sites = model.eq_objtype[k] == mujoco.mjtObj.mjOBJ_SITE
            word, known = ("site", names.sites) if has_sites else ("body", names.bodies)
            element.set(f"{word}1", known[ends[0]])
            element.set(f"{word}2", known[ends[1]])
            if has_sites:
                continue
            element.set("anchor", _numbers(data[:3]))
            if kind == kinds.mjEQ_WELD:
                element.set("relpose", _numbers(data[3:10]))
        elif kind == kinds.mjEQ_JOINT:
            element.set("joint1", names.joints[ends[0]])
            if ends[1] >= 0:
                element.set("joint2", names.joints[ends[1]])
            element.set("polycoef", _numbers(data[:5]))


def _actuators(model: Any, names: _Names, section: ElementTree.Element) -> None:
    import mujoco

    gains, biases, dynamics = mujoco.mjtGain, mujoco.mjtBias, mujoco.mjtDyn
    targets = mujoco.mjtTrn
    for k in range(model.nu):
        element = ElementTree.SubElement(
            section,
            "general",
            gear=_numbers(model.actuator_gear[k]),
            gaintype=gains(int(model.actuator_gaintype[k])).name.removeprefix("mjGAIN_").lower(),
            biastype=biases(int(model.actuator_biastype[k])).name.removeprefix("mjBIAS_").lower(),
            dyntype=dynamics(int(model.actuator_dyntype[k])).name.removeprefix("mjDYN_").lower(),
            gainprm=_numbers(model.actuator_gainprm[k][:3]),
            biasprm=_numbers(model.actuator_biasprm[k][:3]),
        )
        if name := names.given(mujoco.mjtObj.mjOBJ_ACTUATOR, k):
            element.set("name", name)
        # In versions of MuJoCo that have it.
        if armature := float(getattr(model, "actuator_armature", np.zeros(model.nu))[k]):
            element.set("armature", _numbers(armature))
        for bound, limited in (("ctrlrange", "ctrllimited"), ("forcerange", "forcelimited")):
            if getattr(model, f"actuator_{limited}")[k]:
                element.set(limited, "true")
                element.set(bound, _numbers(getattr(model, f"actuator_{bound}")[k]))
        target = targets(int(model.actuator_trntype[k]))
        if target == targets.mjTRN_JOINT:
            element.set("joint", names.joints[model.actuator_trnid[k][0]])
        else:
            # Not modelled, as of a file.
            word = target.name.removeprefix("mjTRN_").lower()
            element.set({"slidercrank": "cranksite"}.get(word, word), "other")


def _verify(robot: Robot, model: Any) -> None:
    """Holds the mass matrix of what was read against MuJoCo's own."""
    import mujoco

    from .mujoco import mass_matrix

    if (robot.nq, robot.nv) != (model.nq, model.nv):
        message = f"nq = {robot.nq} and nv = {robot.nv} were read, and the model has {model.nq} and {model.nv}"
        raise CaromError(f"source: {message}", "model", "source")
    data = mujoco.MjData(model)
    random = np.random.default_rng(0)
    for k in range(_CONFIGURATIONS):
        if k > 0:
            velocity = random.normal(size=model.nv)
            mujoco.mj_integratePos(model, data.qpos, velocity, 1.0)
        mujoco.mj_fwdPosition(model, data)
        theirs = mass_matrix(model, data)
        own = robot.mass_matrix(robot.from_mujoco(data.qpos, np.zeros(model.nv))[0])
        # Velocities of MuJoCo to those of carom: linear parts of free joints have other axes.
        units = np.eye(model.nv)
        change = robot.from_mujoco(np.broadcast_to(data.qpos, (model.nv, model.nq)), units)[1] if model.nv else units
        own = change @ own @ change.T
        scale = np.sqrt(np.outer(np.diag(theirs), np.diag(theirs)))
        worst = np.unravel_index(np.argmax(np.abs(own - theirs) - _ROUNDING * scale), own.shape) if model.nv else None
        if worst is not None and not abs(own[worst] - theirs[worst]) <= _ROUNDING * scale[worst]:
            message = (
                f"the mass matrix that was read differs from mj_fullM: {own[worst]} and not {theirs[worst]} between the velocities "
                f"{robot.velocity_names[worst[0]]!r} and {robot.velocity_names[worst[1]]!r}"
            )
            raise CaromError(f"source: {message}", "model", "source")
