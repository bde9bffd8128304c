"""URDF: every file of example-robot-data, with Pinocchio as the reference."""

import sys
from pathlib import Path

import numpy as np
import pinocchio as pin

import judge

PACKAGE = "example-robot-data"


def root():
    """The folder of the package's robots."""
    for entry in sys.path:
        for parent in Path(entry).parents:
            robots = parent / "share" / "example-robot-data" / "robots"
            if robots.is_dir():
                return robots
    raise SystemExit("example-robot-data is not installed")


def files():
    top = root()
    return sorted((path.relative_to(top).as_posix(), path) for path in top.rglob("*.urdf"))


def run(engine, name, path):
    """A file's outcome; None if Pinocchio does not load it."""
    try:
        pin.buildModelFromUrdf(str(path))
    except Exception:
        return None
    outcome = judge.Outcome(PACKAGE, name)
    random = judge.generator(name)
    for floating in (False, True):
        for free in (False, True):
            options = {"file": str(path), "floating_base": floating, "free_mimics": free}
            description = engine.ask(**options)
            if "refused" in description:
                outcome.refuse(f"{description['refused']['kind']}: {description['refused']['message']}")
                continue
            followers = any(joint["mimic"] for joint in description["joints"])
            label = ("floating" if floating else "fixed") + (", mimics free" if free else "")
            compare_variant(engine, outcome, label, options, description, random)
            if not followers:
                # Without mimics the second option equals the first.
                break
    return outcome


def compare_variant(engine, outcome, label, options, description, random):
    model = pinocchio_model(options, description)
    try:
        coupling = Coupling(model, description)
    except ValueError as fault:
        outcome.wrong(f"{label}: {fault}")
        return
    places = [description["links"][i] for i in judge.leaves(description)]
    places = [place for place in places if model.existBodyName(place)]
    for k, normal in enumerate(judge.NORMALS):
        place = places[k % len(places)]
        contact = {"place": place, "point": random.uniform(-0.3, 0.3, 3).tolist(), "normal": list(normal)}
        states = [random_state(description, random) for _ in range(judge.STATES)]
        answer = engine.ask(**options, states=states, contact=contact)
        if "states" not in answer:
            outcome.wrong(f"{label}: {answer}")
            return
        probe = Probe(model, contact)
        for state, ours in zip(states, answer["states"]):
            reference = judge.with_inverse(probe.terms(coupling, state), np.array(state["tau"]))
            reference |= probe.placements(description["links"])
            judge.compare(outcome, label, ours | judge.placements(ours), reference, np.array(state["v"]))


def pinocchio_model(options, description):
    """All joints independent; the free joint has the same name in both engines."""
    if not options["floating_base"]:
        return pin.buildModelFromUrdf(options["file"])
    base = next(joint["name"] for joint in description["joints"] if joint["kind"] == "floating")
    return pin.buildModelFromUrdf(options["file"], pin.JointModelFreeFlyer(), base)


def random_state(description, random):
    q = np.zeros(description["nq"])
    for joint in description["joints"]:
        if joint["mimic"]:
            continue
        at = joint["q"]
        match joint["kind"]:
            case "fixed":
                pass
            case "prismatic":
                q[at] = random.uniform(-0.5, 0.5)
            case "floating":
                q[at : at + 3] = random.normal(size=3)
                q[at + 3 : at + 7] = judge.unit_quaternion(random)
            case "ball":
                q[at : at + 4] = judge.unit_quaternion(random)
            case _:
                q[at : at + joint["nq"]] = random.uniform(-np.pi, np.pi, joint["nq"])
    v, tau = random.normal(size=description["nv"]), 10 * random.normal(size=description["nv"])
    return {"q": q.tolist(), "v": v.tolist(), "tau": tau.tolist()}


class Coupling:
    """From the engine's coordinates to Pinocchio's: a different order, different angles, and mimics without their own.

    v_pinocchio = G v. All is constant, so M_r = Gᵀ M G, h_r = Gᵀ h and A_r = A G.
    """

    def __init__(self, model, description):
        self.model = model
        self.joints = {joint["name"]: joint for joint in description["joints"] if joint["kind"] != "fixed"}
        if set(self.joints) != set(model.names[1:]):
            raise ValueError(f"the moving joints differ: {sorted(set(self.joints) ^ set(model.names[1:]))}")
        self.matrix = np.zeros((model.nv, description["nv"]))
        for name, joint in self.joints.items():
            at, count = self.columns(name, joint)
            multiplier, _ = self.follow(joint)
            start = joint["v"]
            self.matrix[at : at + count, start : start + count] += multiplier * np.eye(count)

    def columns(self, name, joint):
        place = self.model.getJointId(name)
        count = self.model.nvs[place]
        if count != joint["nv"] or joint["kind"] == "planar":
            raise ValueError(f"joint {name} is {joint['kind']} and has {count} velocities in Pinocchio")
        return self.model.idx_vs[place], count

    def follow(self, joint):
        """Multiplier and offset of a joint with respect to the one that it ultimately follows."""
        multiplier, offset = 1.0, 0.0
        while joint["mimic"]:
            offset += multiplier * joint["mimic"]["offset"]
            multiplier *= joint["mimic"]["multiplier"]
            joint = self.joints[joint["mimic"]["leader"]]
        return multiplier, offset

    def configuration(self, q):
        full = np.zeros(self.model.nq)
        for name, joint in self.joints.items():
            place = self.model.getJointId(name)
            at, count = self.model.idx_qs[place], self.model.nqs[place]
            own = np.array(q[joint["q"] : joint["q"] + joint["nq"]])
            full[at : at + count] = self.coordinates(joint, own, count)
        return full

    def coordinates(self, joint, own, count):
        if joint["kind"] == "floating":
            return np.concatenate([own[:3], own[4:], own[3:4]])
        if joint["kind"] == "ball":
            return np.concatenate([own[1:], own[:1]])
        multiplier, offset = self.follow(joint)
        value = multiplier * own[0] + offset
        # Pinocchio represents an unlimited angle as a point on the circle.
        return [np.cos(value), np.sin(value)] if count == 2 else [value]


class Probe:
    """Pinocchio's terms for a point of a link."""

    def __init__(self, model, contact):
        self.model = model.copy()
        link = model.getFrameId(contact["place"], pin.FrameType.BODY)
        body = model.frames[link]
        placement = body.placement * pin.SE3(np.eye(3), np.array(contact["point"]))
        point = pin.Frame("conformance point", body.parentJoint, link, placement, pin.FrameType.OP_FRAME)
        self.point = self.model.addFrame(point)
        self.data = self.model.createData()
        self.rows = judge.basis(contact["normal"])

    def terms(self, coupling, state):
        model, data, g = self.model, self.data, coupling.matrix
        q, v = coupling.configuration(state["q"]), g @ np.array(state["v"])
        mass = np.triu(pin.crba(model, data, q))
        mass = mass + np.triu(mass, 1).T
        bias = pin.nonLinearEffects(model, data, q, v).copy()
        axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        jacobian = pin.computeFrameJacobian(model, data, q, self.point, axes)[:3]
        # At zero joint accelerations; gravity is not part of the kinematics.
        pin.forwardKinematics(model, data, q, v, np.zeros(model.nv))
        pin.updateFramePlacements(model, data)
        drift = pin.getFrameClassicalAcceleration(model, data, self.point, axes).linear
        velocity = pin.getFrameVelocity(model, data, self.point, axes).linear
        return {
            "mass_matrix": g.T @ mass @ g,
            "bias": g.T @ bias,
            "kinetic_energy": pin.computeKineticEnergy(model, data, q, v),
            "potential_energy": pin.computePotentialEnergy(model, data, q),
            "jacobian": self.rows @ jacobian @ g,
            "contact_velocity": self.rows @ velocity,
            "drift": self.rows @ drift,
        }

    def placements(self, links):
        """Placements of all links in the state of the last terms; the engine's world may not be a link of the file."""
        found = [self.model.getFrameId(name, pin.FrameType.BODY) for name in links]
        places = [self.data.oMf[i] if i < self.model.nframes else pin.SE3.Identity() for i in found]
        return {
            "rotation": np.array([place.rotation for place in places]),
            "translation": np.array([place.translation for place in places]),
        }
