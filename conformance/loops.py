"""Closed loops in closed states: every MJCF with <equality>, with MuJoCo's M and rows of equalities as the reference and, for
connect and weld, with the rows of Pinocchio; every SDF, with Pinocchio. W with the loops held is computed from M, C and A here."""

import contextlib
import json
import re
import sys
from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin

import judge
import mjcf
import sdf
import urdf

PACKAGE = "loops"
# Packages of which only the files are installed, beside those of the other comparisons.
FILES = ("dm_robotics", "myosuite", "robosuite")
QUANTITIES = {"mass_matrix": "M", "loop_rows": "Cᵀ C", "held_delassus": "W with loops held"}
# Random states that are closed from near the home configuration, and how far they are from it.
STATES = 4
AWAY = 0.05
# Conditions of which less than this is left, over the largest, are not independent: carom's own bound.
RANK = 1e-6
# States nearer to a dead point than this are not compared: W loses as many digits.
MARGIN = 1e-4
# M, C of both, and W with loops, over their largest entries.
TOLERANCE = 1e-9
# Numbers of reference/loops/grippers.json and reference/sdf/cassie.json: angles in rad, others over their largest entry.
STATED = 1e-12
STRIDES = 10
CONNECT, WELD, JOINT = (
    int(kind) for kind in (mujoco.mjtEq.mjEQ_CONNECT, mujoco.mjtEq.mjEQ_WELD, mujoco.mjtEq.mjEQ_JOINT)
)
KINDS = {CONNECT: "connect", WELD: "weld", JOINT: "joint"}
OTHERS = {int(mujoco.mjtEq.mjEQ_TENDON): "tendon", int(mujoco.mjtEq.mjEQ_FLEX): "flex"}
# Rows of a loop in space and in a plane.
ROWS = {"connect": (3, 2), "weld": (6, 3), "joint": (1, 1)}
REFERENCE = Path(__file__).resolve().parent.parent / "reference"


def files():
    """Name and path of every MJCF that has, or includes, equalities; of two versions of a package the one of the engines."""
    beside = Path(sys.prefix).parent / "files"
    found = {}
    for package, top in [(name, mjcf.root(name)) for name in mjcf.PACKAGES] + [(name, beside / name) for name in FILES]:
        for path in sorted(top.rglob("*.xml")):
            # Equalities may stand in a file that this one includes.
            text = path.read_text(encoding="utf-8", errors="replace")
            if "<equality" in text or "<include" in text:
                found.setdefault(f"{package}/{path.relative_to(top).as_posix()}", path)
    return found.items()


def others():
    """Packages of which only the files are installed, with their versions."""
    lines = (Path(__file__).parent / "files.txt").read_text(encoding="utf-8").splitlines()
    return [line.replace("==", " ") for line in lines if line and not line.startswith("#")]


def run(engine, pattern):
    """The outcomes of MJCF files, then of SDF files."""
    outcomes = [compare(engine, name, path) for name, path in files() if pattern in f"{PACKAGE}/{name}"]
    for short, path in sdf.files():
        name = f"{urdf.PACKAGE}/{short}"
        if pattern in f"{PACKAGE}/{name}":
            outcomes.append(compare_sdf(engine, name, path))
    return [outcome for outcome in outcomes if outcome is not None]


def reference(name):
    return json.loads((REFERENCE / name).read_text(encoding="utf-8"))


def new_outcome(name):
    outcome = judge.Outcome(PACKAGE, name)
    outcome.kinds, outcome.left_out, outcome.compared, outcome.states = [], [], 0, STATES
    outcome.peers, outcome.trimmed, outcome.stated = "", False, None
    # What loops are left open by, and how much larger W is without them.
    outcome.gap, outcome.gain = 0.0, 1.0
    return outcome


def compiled(path):
    """MuJoCo's model, and whether an attribute had to be taken out that MuJoCo 4 does not know and earlier versions did."""
    try:
        return mujoco.MjModel.from_xml_path(str(path)), False
    except ValueError as error:
        if "unrecognized attribute: 'group'" not in str(error):
            return None, False
    text = re.sub(r'(<default class="[^"]*") group="\d+"', r"\1", path.read_text(encoding="utf-8"))
    # Inertias are stated: shapes are not needed, and their files are elsewhere.
    text = re.sub(r"<(geom|mesh) [^>]*/>", "", text)
    with contextlib.suppress(ValueError):
        return mujoco.MjModel.from_xml_string(text), True
    return None, True


def compare(engine, name, path):
    """The outcome of a file; None if MuJoCo does not compile it, or it has no equalities."""
    model, is_trimmed = compiled(path)
    if model is None or not any(model.eq_active0):
        return None
    outcome = new_outcome(name)
    outcome.trimmed = is_trimmed
    active = [k for k in range(model.neq) if model.eq_active0[k]]
    description = described(engine, outcome, path)
    if description is None:
        return outcome
    held = [k for k in active if int(model.eq_type[k]) in KINDS and not is_carried(model, k)]
    leave_out(outcome, description, model, [k for k in active if k not in held])
    outcome.kinds = sorted({KINDS[int(model.eq_type[k])] for k in held})
    if not held:
        outcome.status = "told"
        return outcome
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_FRICTIONLOSS
    # All rows are needed, in dense storage.
    model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    random = judge.generator(f"{PACKAGE}/{name}")
    peer = Pinocchio.of(path, model, held)
    outcome.peers = "MuJoCo" if peer is None else "MuJoCo, Pinocchio"
    bodies = moving_bodies(model, held)
    for k in range(STATES):
        body = bodies[k % len(bodies)]
        contact = {"place": description["links"][body], "point": [0.01, -0.02, 0.03], "normal": list(judge.NORMALS[1])}
        state = near_home(model, random)
        answer = engine.ask(file=str(path), states=[state], contact=contact, loops=True)
        if "states" not in answer:
            outcome.wrong(str(answer))
            return outcome
        ours = answer["states"][0]
        if "open" in ours or ours["margin"] < MARGIN:
            continue
        outcome.compared += 1
        outcome.gap = max(outcome.gap, ours["gap"])
        compare_state(outcome, mjcf.Probe(model, body, contact), model, held, answer["loops"], ours, peer)
    if outcome.compared == 0:
        outcome.wrong("no state could be closed")
    compare_stated(engine, outcome, name, path, model, held)
    return outcome


def described(engine, outcome, path):
    """carom's description of a file; None if it refuses it, for a reason without the folders of this machine."""
    description = engine.ask(file=str(path))
    if "refused" not in description:
        return description
    message = re.sub(re.escape(str(path.parent)) + r"[^ ]*/", "", description["refused"]["message"])
    outcome.refuse(f"{description['refused']['kind']}: {message}")
    return None


def leave_out(outcome, description, model, equalities):
    """Equalities that carom does not model: each must be named by a warning."""
    warnings = [warning["message"] for warning in description["warnings"] if warning["kind"] == "not_modelled"]
    for k in equalities:
        kind = OTHERS.get(int(model.eq_type[k]), f"{KINDS.get(int(model.eq_type[k]), 'other')} to a mocap body")
        if kind not in outcome.left_out:
            outcome.left_out.append(kind)
        if not any(warning.startswith(f"equality {kind.split()[0]}") for warning in warnings):
            outcome.wrong(f"no warning names the equality {kind}")


def ends(model, k):
    """The bodies that an equality joins."""
    one, two = model.eq_obj1id[k], model.eq_obj2id[k]
    if int(model.eq_type[k]) == JOINT:
        return [model.jnt_bodyid[joint] for joint in (one, two) if joint >= 0]
    if model.eq_objtype[k] == mujoco.mjtObj.mjOBJ_SITE:
        return [model.site_bodyid[site] for site in (one, two)]
    return [one, two]


def is_carried(model, k):
    """Whether an equality holds a body that a program moves."""
    return any(model.body_mocapid[body] >= 0 for body in ends(model, k))


def moving_bodies(model, equalities):
    found = dict.fromkeys(int(body) for k in equalities for body in ends(model, k))
    return [body for body in found if model.body_dofnum[model.body_weldid[body]] > 0]


def near_home(model, random):
    q, step = model.qpos0.copy(), AWAY * random.normal(size=model.nv)
    mujoco.mj_integratePos(model, q, step, 1.0)
    return {"q": q.tolist(), "v": random.normal(size=model.nv).tolist()}


def compare_state(outcome, probe, model, held, loops, ours, peer):
    theirs = probe.terms({"q": ours["q"], "v": ours["v"]})
    rows = equality_rows(model, probe, held, ours["q"])
    mass, our_rows = theirs["mass_matrix"], np.array(ours["loop_rows"])
    record(outcome, "mass_matrix", np.array(ours["mass_matrix"]), mass)
    if len(loops) != len(held):
        outcome.wrong(f"{len(loops)} loops, not {len(held)}")
        return
    start = 0
    for k, loop in zip(held, loops):
        mine = our_rows[start : start + ROWS[loop["kind"]][ours["is_planar"]]]
        start += len(mine)
        # Axes differ: rows are compared by their Gram matrix, which turns leave alone.
        for own, other in zip(parts(mine, loop["kind"], ours["is_planar"]), parts(rows[k], loop["kind"], False)):
            record(outcome, "loop_rows", own.T @ own, other.T @ other)
        if peer is not None and loop["kind"] != "joint":
            turn = probe.turn(ours["q"])
            other = peer.rows(ours["q"], k) @ turn.T
            record(outcome, "loop_rows", mine.T @ mine, other.T @ other)
    compare_held(outcome, mass, np.vstack([rows[k] for k in held]), theirs["jacobian"], ours)


def equality_rows(model, probe, held, q):
    """MuJoCo's rows of each equality, in the engine's velocities; those of the rotation of a weld in rad."""
    data, turn = probe.data, probe.turn(q)
    mujoco.mj_makeConstraint(model, data)
    is_equality = data.efc_type[: data.nefc] == int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)
    rows = data.efc_J.reshape(-1, model.nv)[: data.nefc][is_equality] @ turn.T
    of = data.efc_id[: data.nefc][is_equality]
    found = {k: rows[of == k].copy() for k in held}
    for k in held:
        if int(model.eq_type[k]) == WELD:
            # MuJoCo holds half the rotation vector, times a scale.
            found[k][3:] *= 2.0 / model.eq_data[k, 10]
    return found


def parts(rows, kind, is_planar):
    """Rows of lengths and of angles, which have no common axes."""
    if kind != "weld":
        return [rows]
    lengths = 2 if is_planar else 3
    return [rows[:lengths], rows[lengths:]]


def compare_held(outcome, mass, rows, jacobian, ours):
    alone = jacobian @ np.linalg.solve(mass, jacobian.T)
    delassus = held_delassus(mass, rows, jacobian)
    if np.max(np.abs(delassus)) > 1e-9 * np.max(np.abs(alone)):
        record(outcome, "held_delassus", np.array(ours["delassus"]), delassus)
        outcome.gain = max(outcome.gain, np.max(np.abs(alone)) / np.max(np.abs(delassus)))
    else:
        # The loops hold the point: W consists of rounding.
        record(outcome, "held_delassus", np.array(ours["delassus"]) + alone, delassus + alone)
    whitened = np.linalg.solve(np.linalg.cholesky(mass), rows.T)
    values = np.linalg.svd(whitened, compute_uv=False)
    rank = int(np.sum(values > RANK * values[0]))
    if rank != ours["rank"]:
        outcome.wrong(f"rank {ours['rank']}, not {rank}")


def held_delassus(mass, rows, jacobian):
    """W of a contact with the loops held: by an orthonormal basis of the whitened rows."""
    root = np.linalg.cholesky(mass)
    basis, values, _ = np.linalg.svd(np.linalg.solve(root, rows.T), full_matrices=False)
    basis = basis[:, values > RANK * values[0]]
    free = np.linalg.solve(root, jacobian.T)
    free = free - basis @ (basis.T @ free)
    free = free - basis @ (basis.T @ free)
    return free.T @ free


def record(outcome, quantity, ours, reference):
    if ours.shape != reference.shape:
        outcome.wrong(f"{quantity}: shape {ours.shape}, not {reference.shape}")
        return
    difference = judge.relative(ours, reference)
    outcome.differences[quantity] = max(outcome.differences.get(quantity, 0.0), difference)
    if not difference <= TOLERANCE:
        outcome.wrong(f"{quantity}: differs by {difference:.1e}")


class Pinocchio:
    """Pinocchio's rows of connect; of weld where it reads the file. It does not read joint."""

    def __init__(self, model, constraints, theirs, held):
        self.model, self.constraints = model, constraints
        # Of each joint of MuJoCo: where its coordinate and velocity are in Pinocchio.
        self.joints = [model.getJointId(theirs.joint(j).name) for j in range(theirs.njnt)]
        self.theirs, self.order = theirs, [k for k in held if int(theirs.eq_type[k]) != JOINT]

    @classmethod
    def of(cls, path, theirs, held):
        """None where Pinocchio does not read the file, where its joints are not hinges and slides of the same names, and where
        joints are away from the origin of their body: there it takes the anchor of an equality from the joint (4.1.0)."""
        wanted = [k for k in held if int(theirs.eq_type[k]) == CONNECT]
        if not wanted or np.any(theirs.jnt_pos) or any(int(theirs.eq_type[k]) == WELD for k in held):
            return None
        try:
            model, constraints = pin.buildModelAndLegacyConstraintsFromMJCF(str(path))
        except Exception:
            return None
        names = [theirs.joint(j).name for j in range(theirs.njnt)]
        if not all(model.existJointName(name) for name in names) or model.nv != theirs.nv or theirs.nq != theirs.nv:
            return None
        return cls(model, constraints, theirs, held)

    def rows(self, q, k):
        """C of one equality, in MuJoCo's velocities."""
        own = pin.neutral(self.model)
        columns = [self.model.idx_vs[joint] for joint in self.joints]
        own[[self.model.idx_qs[joint] for joint in self.joints]] = q
        all_rows = sdf.rows(self.model, self.constraints, own, np.zeros(self.model.nv))[:, columns]
        wanted = self.pair(k)
        for place, constraint in enumerate(self.constraints):
            # Its order is not that of the file.
            if {constraint.joint1_id, constraint.joint2_id} == wanted:
                return all_rows[3 * place : 3 * place + 3]
        return np.full((3, len(columns)), np.nan)

    def pair(self, k):
        bodies = [self.theirs.body(body).name for body in ends(self.theirs, k)]
        return {self.model.frames[self.model.getFrameId(name)].parentJoint for name in bodies}


def compare_stated(engine, outcome, name, path, model, held):
    """States of which the reference states joints: where the others are, and W."""
    case = reference("loops/grippers.json")["files"].get(name)
    if case is None:
        return
    names = [model.joint(j).name for j in range(model.njnt)]
    contact = {"place": case["body"], "point": case["offset"], "normal": [0.0, 0.0, 1.0]}
    ours = {"q": model.qpos0.tolist()}
    # On the branch of home: the joints come to their angles in steps.
    for part in np.linspace(0.0, 1.0, STRIDES + 1)[1:]:
        q = [part * case["joints"][joint] if joint in case["held"] else own for joint, own in zip(names, ours["q"])]
        options = {"states": [{"q": q, "v": [0.0] * model.nv}], "contact": contact, "loops": True, "held": case["held"]}
        ours = engine.ask(file=str(path), **options)["states"][0]
        if "open" in ours:
            outcome.wrong(f"the stated state does not close: {ours['open']}")
            return
    away = max(abs(own - case["joints"][joint]) for joint, own in zip(names, ours["q"]))
    if not away <= STATED:
        outcome.wrong(f"joints of the stated state are off by {away:.1e}")
    probe = mjcf.Probe(model, model.body(case["body"]).id, contact)
    theirs = probe.terms({"q": ours["q"], "v": ours["v"]})
    alone = theirs["jacobian"] @ np.linalg.solve(theirs["mass_matrix"], theirs["jacobian"].T)
    for what, own, wanted in (
        ("W", np.array(ours["delassus"]), np.array(case["W_loops"])),
        ("W of the tree", alone, np.array(case["W_tree"])),
    ):
        difference = judge.relative(own, wanted)
        outcome.stated = max(outcome.stated or 0.0, difference)
        if not difference <= STATED:
            outcome.wrong(f"{what} of the stated state differs by {difference:.1e}")


def compare_sdf(engine, name, path):
    """Cassie, and what else there is as SDF, with Pinocchio."""
    outcome = new_outcome(name)
    description = described(engine, outcome, path)
    if description is None:
        return outcome
    compare_home(engine, outcome, path, description)
    base = next((joint["name"] for joint in description["joints"] if joint["kind"] == "floating"), None)
    robot = sdf.Robot(path, base)
    outcome.kinds = sorted({sdf.LOOPS.get(joint.kind, joint.kind) for joint in robot.loops})
    try:
        coupling, constraints = urdf.Coupling(robot.model, description), robot.constraints()
    except ValueError as fault:
        outcome.wrong(str(fault))
        return outcome
    random, outcome.peers = judge.generator(f"{PACKAGE}/{name}"), "Pinocchio"
    links = [joint.child for joint in robot.loops] + [joint.parent for joint in robot.loops]
    for k in range(len(links)):
        contact = {"place": links[k], "point": [0.01, -0.02, 0.03], "normal": list(judge.NORMALS[1])}
        state = near(description, random)
        answer = engine.ask(file=str(path), states=[state], contact=contact, loops=True)
        if "states" not in answer:
            outcome.wrong(str(answer))
            return outcome
        ours = answer["states"][0]
        if "open" in ours or ours["margin"] < MARGIN:
            continue
        outcome.compared += 1
        outcome.gap = max(outcome.gap, ours["gap"])
        theirs = urdf.Probe(robot.model, contact).terms(coupling, ours)
        q = coupling.configuration(ours["q"])
        rows = sdf.rows(robot.model, constraints, q, coupling.matrix @ np.array(ours["v"])) @ coupling.matrix
        record(outcome, "mass_matrix", np.array(ours["mass_matrix"]), theirs["mass_matrix"])
        compare_parts(outcome, np.array(ours["loop_rows"]), answer["loops"], robot.parts(rows))
        held = np.vstack([part for parts in robot.parts(rows).values() for part in parts])
        compare_held(outcome, theirs["mass_matrix"], held, theirs["jacobian"], ours)
    outcome.states = len(links)
    if outcome.compared == 0:
        outcome.wrong("no state could be closed")
    return outcome


def compare_home(engine, outcome, path, description):
    """What Drake finds in a file whose loops were cut: masses, places and M at home."""
    case = reference("sdf/cassie.json").get(path.stem)
    if case is None:
        return
    state = {"q": description["home"], "v": [0.0] * description["nv"]}
    ours = engine.ask(file=str(path), states=[state])["states"][0]
    mass = np.array(ours["mass_matrix"])
    places = dict(zip(description["links"], ours["links"]))
    moments = [
        own["mass"] * (np.array(places[link]["rotation"]) @ own["center"] + places[link]["translation"])
        for link, own in zip(description["links"], description["inertias"])
    ]
    total = sum(own["mass"] for own in description["inertias"])
    # Joints have another order there.
    pairs = {
        "mass": (total, case["total_mass"]),
        "nv": (description["nv"], case["nv_tree"]),
        "trace of M": (np.trace(mass), case["M_trace"]),
        "log det of M": (np.linalg.slogdet(mass)[1], case["M_logdet"]),
        "diagonal of M": (np.sort(np.diag(mass)), np.sort(case["M_diag"])),
        "centre of mass": (sum(moments) / total, case["com_world"]),
    }
    pairs |= {link: (places[link]["translation"], place) for link, place in case["link_origins"].items()}
    for what, (own, wanted) in pairs.items():
        difference = judge.relative(np.atleast_1d(own), np.atleast_1d(wanted))
        outcome.stated = max(outcome.stated or 0.0, difference)
        if not difference <= STATED:
            outcome.wrong(f"{what} differs by {difference:.1e}")


def compare_parts(outcome, our_rows, loops, theirs):
    """C of each loop, in space."""
    if sorted(loop["name"] for loop in loops) != sorted(theirs):
        outcome.wrong(f"the loops are {', '.join(loop['name'] for loop in loops)}, not {', '.join(theirs)}")
        return
    start = 0
    for loop in loops:
        for other in theirs[loop["name"]]:
            own = our_rows[start : start + len(other)]
            start += len(other)
            record(outcome, "loop_rows", own.T @ own, other.T @ other)


def near(description, random):
    """A state near home, its base anywhere."""
    q = np.array(description["home"])
    for joint in description["joints"]:
        at = joint["q"]
        if joint["kind"] == "floating":
            q[at : at + 3] = random.normal(size=3)
            q[at + 3 : at + 7] = judge.unit_quaternion(random)
        elif joint["nq"] == 1:
            q[at] += AWAY * random.normal()
    return {"q": q.tolist(), "v": random.normal(size=description["nv"]).tolist()}
