"""MJCF: every file of the installed packages that MuJoCo compiles, with MuJoCo as the reference."""

import importlib.util
from pathlib import Path

import mujoco
import numpy as np

import judge

PACKAGES = ("mujoco", "gymnasium", "gymnasium_robotics", "dm_control", "robosuite")
FREE, BALL, SLIDE, HINGE = (
    int(kind)
    for kind in (
        mujoco.mjtJoint.mjJNT_FREE,
        mujoco.mjtJoint.mjJNT_BALL,
        mujoco.mjtJoint.mjJNT_SLIDE,
        mujoco.mjtJoint.mjJNT_HINGE,
    )
)
KINDS = {FREE: ("floating",), BALL: ("ball",), SLIDE: ("prismatic",), HINGE: ("revolute", "continuous")}


def root(package):
    """The folder of a package; it is not imported, because some imports are slow."""
    spec = importlib.util.find_spec(package)
    if spec is None:
        raise SystemExit(f"{package} is not installed")
    return Path(spec.submodule_search_locations[0])


def files(package):
    top = root(package)
    return sorted((path.relative_to(top).as_posix(), path) for path in top.rglob("*.xml"))


def compiled(path):
    """MuJoCo's model; None for fragments and other files that it does not compile."""
    try:
        model = mujoco.MjModel.from_xml_path(str(path))
    except Exception:
        return None
    # Neither affects M or h, and random states would have many contacts.
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    return model


def run(engine, package, name, path):
    """A file's outcome; None if MuJoCo does not compile it."""
    model = compiled(path)
    if model is None:
        return None
    outcome = judge.Outcome(package, name, moving=model.nv > 0)
    options = {"file": str(path)}
    description = engine.ask(**options)
    if "refused" in description:
        reason = f"{description['refused']['kind']}: {description['refused']['message']}"
        outcome.refuse(reason.replace(str(root(package)), package))
        return outcome
    if agree(outcome, model, description):
        compare_states(engine, outcome, model, options, description, judge.generator(f"{package}/{name}"))
    return outcome


def agree(outcome, model, description):
    """Sizes, joints in the same order, bodies in the same order, and the home configuration."""
    joints = [joint for joint in description["joints"] if joint["kind"] != "fixed"]
    theirs = [(KINDS[int(kind)], q, v) for kind, q, v in zip(model.jnt_type, model.jnt_qposadr, model.jnt_dofadr)]
    if (description["nq"], description["nv"]) != (model.nq, model.nv):
        outcome.wrong(f"nq, nv = {description['nq']}, {description['nv']}, not {model.nq}, {model.nv}")
    elif len(joints) != model.njnt or any(
        joint["kind"] not in kinds or (joint["q"], joint["v"]) != (q, v) for joint, (kinds, q, v) in zip(joints, theirs)
    ):
        outcome.wrong("the joints are not the same, or not in the same order")
    elif len(description["links"]) != model.nbody:
        outcome.wrong(f"{len(description['links'])} links, not {model.nbody}")
    elif list(model.body_parentid[1:]) != description["parents"][1:]:
        outcome.wrong("the links do not hang on the same parents")
    else:
        judge.compare_one(outcome, "home", "home", description["home"], model.qpos0)
        return True
    return False


def compare_states(engine, outcome, model, options, description, random):
    ends = judge.leaves(description)
    for k, normal in enumerate(judge.NORMALS):
        body = ends[k % len(ends)]
        place = description["links"][body]
        contact = {"place": place, "point": random.uniform(-0.3, 0.3, 3).tolist(), "normal": list(normal)}
        states = [random_state(model, random) for _ in range(judge.STATES)]
        answer = engine.ask(**options, states=states, contact=contact)
        if "states" not in answer:
            outcome.wrong(str(answer))
            return
        probe = Probe(model, body, contact)
        for state, ours in zip(states, answer["states"]):
            reference = judge.with_inverse(probe.terms(state), np.array(state["tau"]))
            reference |= probe.frames(description)
            judge.compare(outcome, "state", ours | judge.placements(ours), reference, np.array(state["v"]))


def random_state(model, random):
    """q of MuJoCo, which is also the engine's; v in the engine's axes."""
    q = np.zeros(model.nq)
    for kind, at in zip(model.jnt_type, model.jnt_qposadr):
        if kind == FREE:
            q[at : at + 3] = random.normal(size=3)
            q[at + 3 : at + 7] = judge.unit_quaternion(random)
        elif kind == BALL:
            q[at : at + 4] = judge.unit_quaternion(random)
        elif kind == SLIDE:
            q[at] = random.uniform(-0.5, 0.5)
        else:
            q[at] = random.uniform(-np.pi, np.pi)
    v, tau = random.normal(size=model.nv), 10 * random.normal(size=model.nv)
    return {"q": q.tolist(), "v": v.tolist(), "tau": tau.tolist()}


class Probe:
    """MuJoCo's terms for a point of a body, in the engine's velocities.

    MuJoCo has the linear velocity of a free joint in the world's axes, the engine in the link's: v = T v', with
    T' = T⁻¹. Then M = T M' Tᵀ and A = A' Tᵀ. Since T turns with the link, v̇ = T v̇' + c with c = Ṫ v', so that
    h = T h' - M c, and the drift is that of MuJoCo less A c.
    """

    def __init__(self, model, body, contact):
        self.model, self.data = model, mujoco.MjData(model)
        self.body, self.point = body, np.array(contact["point"])
        self.rows = judge.basis(contact["normal"])

    def terms(self, state):
        model, data = self.model, self.data
        turn = self.turn(state["q"])
        velocity = np.array(state["v"])
        data.qpos[:] = state["q"]
        data.qvel[:] = turn.T @ velocity
        mujoco.mj_fwdPosition(model, data)
        mujoco.mj_fwdVelocity(model, data)
        mujoco.mj_energyVel(model, data)
        mass = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, mass)
        mass = turn @ mass @ turn.T
        jacobian, rate = self.jacobians()
        jacobian, drift = self.rows @ jacobian @ turn.T, self.rows @ rate @ data.qvel
        shift = self.shift(velocity)
        return {
            "mass_matrix": mass,
            "bias": turn @ data.qfrc_bias - mass @ shift,
            "kinetic_energy": data.energy[1],
            "potential_energy": self.potential_energy(),
            "jacobian": jacobian,
            "contact_velocity": jacobian @ velocity,
            "drift": drift - jacobian @ shift,
            "rotation": data.xmat.reshape(-1, 3, 3).copy(),
            "translation": data.xpos.copy(),
        }

    def free_joints(self):
        free = self.model.jnt_type == FREE
        return zip(self.model.jnt_qposadr[free], self.model.jnt_dofadr[free])

    def turn(self, q):
        """T."""
        turn = np.eye(self.model.nv)
        for at, start in self.free_joints():
            rotation = np.zeros(9)
            mujoco.mju_quat2Mat(rotation, np.array(q[at + 3 : at + 7]))
            turn[start : start + 3, start : start + 3] = rotation.reshape(3, 3).T
        return turn

    def shift(self, velocity):
        """c: -ω × v for each free joint, both in the link's axes."""
        shift = np.zeros(self.model.nv)
        for _, start in self.free_joints():
            shift[start : start + 3] = -np.cross(velocity[start + 3 : start + 6], velocity[start : start + 3])
        return shift

    def jacobians(self):
        """A' of the point, and its rate."""
        model, data = self.model, self.data
        point = data.xpos[self.body] + data.xmat[self.body].reshape(3, 3) @ self.point
        jacobian, rate = np.zeros((3, model.nv)), np.zeros((3, model.nv))
        mujoco.mj_jac(model, data, jacobian, None, point, self.body)
        mujoco.mj_jacDot(model, data, rate, None, point, self.body)
        return jacobian, rate

    def potential_energy(self):
        """Only of gravity and of moving bodies: MuJoCo's own includes springs and fixed bodies."""
        moving = self.model.body_dofnum[self.model.body_weldid] > 0
        weights = self.model.body_mass[moving, None] * self.model.opt.gravity
        if self.model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY:
            weights = 0 * weights
        return -np.sum(weights * self.data.xipos[moving])

    def frames(self, description):
        """Placements of the sites that the engine has as frames; a site missing in MuJoCo matches nothing."""
        rotations = np.full((len(description["frames"]), 3, 3), np.nan)
        translations = np.full((len(description["frames"]), 3), np.nan)
        for i, frame in enumerate(description["frames"]):
            site = mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_SITE, frame["name"])
            if site >= 0:
                rotations[i], translations[i] = self.data.site_xmat[site].reshape(3, 3), self.data.site_xpos[site]
        return {"frame_rotation": rotations, "frame_translation": translations}
