"""Closed loops: every MJCF with <connect>, <weld> or <joint> in <equality>, in closed states, with MuJoCo's M and rows of
equalities as the reference."""

import importlib.util

import mujoco
import numpy as np

import judge
import mjcf

PACKAGE = "loops"
# Packages with linkages that are compared where they are installed: their dependencies exclude those of the others.
OPTIONAL = ("dm_robotics.moma",)
QUANTITIES = {"mass_matrix": "M", "loop_rows": "Cᵀ C", "held_delassus": "W with loops held"}
# Random states that are closed from near the home configuration, and how far they are from it.
STATES = 4
AWAY = 0.05
# Conditions of which less than this is left, over the largest, are not independent: carom's own bound.
RANK = 1e-6
# States nearer to a dead point than this are not compared: W loses as many digits.
MARGIN = 1e-4
# C of both, and W with loops, over their largest entries.
TOLERANCE = 1e-9
KINDS = {
    int(mujoco.mjtEq.mjEQ_CONNECT): "connect",
    int(mujoco.mjtEq.mjEQ_WELD): "weld",
    int(mujoco.mjtEq.mjEQ_JOINT): "joint",
}


def files():
    installed = [package for package in OPTIONAL if is_installed(package)]
    for package in (*mjcf.PACKAGES, *installed):
        for name, path in mjcf.files(package):
            # Equalities may stand in a file that this one includes.
            text = path.read_text(encoding="utf-8", errors="replace")
            if "<equality" in text or "<include" in text:
                yield package, name, path


def is_installed(package):
    try:
        return importlib.util.find_spec(package) is not None
    except ModuleNotFoundError:
        return False


def run(engine, pattern):
    outcomes = []
    for package, name, path in files():
        if pattern in f"{PACKAGE}/{package}/{name}":
            outcome = compare(engine, package, name, path)
            if outcome is not None:
                outcomes.append(outcome)
    return outcomes


def compare(engine, package, name, path):
    """The outcome of a file; None if MuJoCo does not compile it, or it has no loops that carom reads."""
    try:
        model = mujoco.MjModel.from_xml_path(str(path))
    except Exception:
        return None
    active = [k for k in range(model.neq) if model.eq_active0[k]]
    kinds = [KINDS.get(int(model.eq_type[k])) for k in active]
    if not kinds or not all(kinds):
        # Tendons are told as not modelled.
        return None
    if any(is_carried(model, k) for k in active):
        return None
    outcome = judge.Outcome(PACKAGE, f"{package}/{name}")
    outcome.kinds, outcome.compared, outcome.open = sorted(set(kinds)), 0, 0
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_FRICTIONLOSS
    # All rows are needed, in dense storage.
    model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    description = engine.ask(file=str(path))
    if "refused" in description:
        outcome.refuse(f"{description['refused']['kind']}: {description['refused']['message']}")
        return outcome
    random = judge.generator(f"{PACKAGE}/{package}/{name}")
    body = judge.leaves(description)[0]
    normal = judge.NORMALS[1]
    contact = {"place": description["links"][body], "point": [0.01, -0.02, 0.03], "normal": list(normal)}
    states = [near_home(model, random) for _ in range(STATES)]
    answer = engine.ask(file=str(path), states=states, contact=contact, loops=True)
    if "states" not in answer:
        outcome.wrong(str(answer))
        return outcome
    probe = mjcf.Probe(model, body, contact)
    for ours in answer["states"]:
        if "open" in ours or ours["margin"] < MARGIN:
            outcome.open += 1
            continue
        outcome.compared += 1
        compare_state(outcome, probe, model, active, ours)
    if outcome.compared == 0:
        outcome.wrong("no state could be closed")
    return outcome


def is_carried(model, k):
    """Whether an equality holds a body that a program moves."""
    if int(model.eq_type[k]) == int(mujoco.mjtEq.mjEQ_JOINT):
        return False
    bodies = [model.eq_obj1id[k], model.eq_obj2id[k]]
    if model.eq_objtype[k] == mujoco.mjtObj.mjOBJ_SITE:
        bodies = [model.site_bodyid[site] for site in bodies]
    return any(model.body_mocapid[body] >= 0 for body in bodies)


def near_home(model, random):
    q, step = model.qpos0.copy(), AWAY * random.normal(size=model.nv)
    mujoco.mj_integratePos(model, q, step, 1.0)
    return {"q": q.tolist(), "v": random.normal(size=model.nv).tolist()}


def compare_state(outcome, probe, model, active, ours):
    state = {"q": ours["q"], "v": ours["v"]}
    theirs = probe.terms(state)
    data, turn = probe.data, probe.turn(state["q"])
    mujoco.mj_makeConstraint(model, data)
    is_equality = data.efc_type[: data.nefc] == int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)
    rows = data.efc_J.reshape(-1, model.nv)[: data.nefc][is_equality] @ turn.T
    of = data.efc_id[: data.nefc][is_equality]
    mass = theirs["mass_matrix"]
    record(outcome, "mass_matrix", np.array(ours["mass_matrix"]), mass)
    our_rows = np.array(ours["loop_rows"])
    start = 0
    for k in active:
        own = rows[of == k]
        mine = our_rows[start : start + planar_or_not(own, our_rows, start)]
        start += len(mine)
        if int(model.eq_type[k]) != int(mujoco.mjtEq.mjEQ_WELD):
            # Axes differ: rows are compared by their Gram matrix, which turns leave alone.
            record(outcome, "loop_rows", mine.T @ mine, own.T @ own)
    delassus = held(mass, rows, theirs["jacobian"])
    record(outcome, "held_delassus", np.array(ours["delassus"]), delassus)
    whitened = np.linalg.solve(np.linalg.cholesky(mass), rows.T)
    values = np.linalg.svd(whitened, compute_uv=False)
    rank = int(np.sum(values > RANK * values[0]))
    if rank != ours["rank"]:
        outcome.wrong(f"rank {ours['rank']}, not {rank}")


def planar_or_not(own, all_rows, start):
    """How many rows of ours belong to an equality: two of three in a planar model, whose third row is zero."""
    if len(own) == 3 and np.max(np.abs(own)) > 0:
        small = np.linalg.matrix_rank(own, tol=1e-12 * np.max(np.abs(own))) < 3
        if small and len(all_rows) % 3 != 0:
            return 2
    return len(own)


def held(mass, rows, jacobian):
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
