"""Flights: robots without contacts and motors, with MuJoCo's own integrator as the reference.

MuJoCo uses the Runge-Kutta method of order 4. Halved steps and Richardson extrapolation remove the leading errors, and the
last correction estimates the remainder.
"""

from dataclasses import dataclass, field
from pathlib import Path

import mujoco
import numpy as np

import judge
import mjcf

PACKAGE = "flight"
MODELS = Path(__file__).resolve().parent.parent / "crates/carom-scene/models"
# Largest difference of states, at the ends of steps and inside them, and of energies.
TOLERANCE = 1e-8
# Bound on the error of MuJoCo's extrapolation; states after it is exceeded are not compared.
CERTAIN = 1e-9
# Number of equal intervals at whose ends states are compared.
INTERVALS = 5
# MuJoCo's longest step, and the number of step lengths, each half of the one before.
LONGEST_STEP, LEVELS = 4e-3, 4
# Length of an interval, s, and largest number of the longest steps in it.
INTERVAL, MOST_STEPS = 0.1, 200
# A shorter flight is not informative.
SHORTEST = 1e-3
# The longest step over the shortest time scale of the model.
RESOLUTION = 0.1
# The order of MuJoCo's steps; it is measured where the differences are well above rounding.
ORDER, OBSERVABLE = 4, 1e-11
# Forces in flight that carom reports as not modelled.
FORCES = ("plugin", "stiffness of a ball", "beyond its linear part", "springdamper", "springyield", "flex")


@dataclass
class Flight:
    """The result for a model."""

    name: str
    status: str = "matched"
    reason: str = ""
    # The time until which it is compared.
    duration: float = 0.0
    # Order of MuJoCo's steps, if it can be measured.
    order: float | None = None
    # Whether there is a ball or free joint, damping or springs.
    turns: bool = False
    damped: bool = False
    sprung: bool = False
    # Remaining error of MuJoCo, over the largest entry.
    uncertainty: float = 0.0
    differences: dict = field(default_factory=dict)

    def skip(self, reason):
        self.status, self.reason = "skipped", reason
        return self

    def wrong(self, reason):
        self.status, self.reason = "WRONG", self.reason or reason
        return self


def run(engine, pattern):
    """Every MJCF file with joints that the pattern selects."""
    entries = [("models", path.name, path) for path in sorted(MODELS.glob("*.xml"))]
    entries += [(package, name, path) for package in mjcf.PACKAGES for name, path in mjcf.files(package)]
    flights = []
    for package, name, path in entries:
        label = f"{package}/{name}"
        if pattern in f"{PACKAGE}/{label}":
            model = mjcf.compiled(path)
            if model is not None and model.nv > 0:
                flights.append(fly(engine, label, path, model))
    return flights


def fly(engine, name, path, model):
    flight = Flight(name)
    description = engine.ask(file=str(path))
    reason = left_out(model, description)
    if reason:
        return flight.skip(reason)
    free_of_all_else(model)
    random = judge.generator(f"{PACKAGE}/{name}")
    state = mjcf.random_state(model, random)
    reference = Reference(model, state)
    flight.turns = bool(np.any((model.jnt_type == mjcf.FREE) | (model.jnt_type == mjcf.BALL)))
    flight.damped, flight.sprung = bool(np.any(model.dof_damping)), bool(np.any(model.jnt_stiffness))
    step = reference.longest_step()
    count = min(MOST_STEPS, int(np.ceil(INTERVAL / step)))
    interval = min(INTERVAL, count * step)
    if INTERVALS * interval < SHORTEST:
        return flight.skip("too stiff to fly for a millisecond")
    states, uncertainties, flight.order = reference.fly(interval, count)
    question = {"q": state["q"], "v": state["v"], "interval": interval, "count": INTERVALS}
    answer = engine.ask(file=str(path), flight=question)
    if any(len(answer.get(kind, [])) != len(states) for kind in ("stopped", "passing")):
        return flight.wrong(f"not {len(states)} states: {str(answer)[:200]}")
    compare(flight, reference, answer, states, uncertainties, interval)
    if flight.duration == 0.0:
        return flight.skip("MuJoCo's steps do not agree with each other")
    return flight


def left_out(model, description):
    """Why a model is not flown: forces that carom does not model."""
    if "refused" in description:
        return "carom refuses the file"
    if np.any(model.dof_frictionloss):
        return "dry friction in joints"
    pulling = (model.tendon_stiffness, model.tendon_damping, model.tendon_frictionloss, model.tendon_armature)
    if any(np.any(of) for of in pulling):
        return "tendons that pull"
    if any(force in warning["message"] for warning in description["warnings"] for force in FORCES):
        return "forces that carom does not model"
    return None


def free_of_all_else(model):
    """Only gravity, springs and dampers, no sensors, and Runge-Kutta steps."""
    for flag in ("CONTACT", "CONSTRAINT", "EQUALITY", "LIMIT", "FRICTIONLOSS", "ACTUATION", "SENSOR"):
        model.opt.disableflags |= getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}")
    model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    model.opt.density = model.opt.viscosity = 0.0
    model.body_gravcomp[:] = 0.0


def compare(flight, reference, answer, states, uncertainties, interval):
    energies = np.array([reference.energies(state) for state in states])
    energies[:, 0] -= energies[0, 0]
    scale = np.max(np.sum(np.abs(energies), axis=1))
    expected = np.array([np.concatenate([q, reference.in_link_axes(q, v)]) for q, v in states])
    stopped, passing = (
        measure(np.array([own["q"] + own["v"] for own in answer[kind]]), expected, reference.model.nq)
        for kind in ("stopped", "passing")
    )
    start = answer["stopped"][0]["energy"]["potential"]
    for k, uncertainty in enumerate(uncertainties):
        if not uncertainty <= CERTAIN:
            # Later states are no better.
            return
        flight.duration = k * interval
        flight.uncertainty = max(flight.uncertainty, uncertainty)
        own, energy = answer["stopped"][k], answer["stopped"][k]["energy"]
        times = np.array([own["time"], energy["time"], answer["passing"][k]["time"]])
        potential, kinetic = energies[k]
        lost = np.sum(energies[k]) - np.sum(energies[0])
        found = {
            "time": np.max(np.abs(times - k * interval)) / interval,
            "q": stopped[k, 0],
            "v": stopped[k, 1],
            "inside": np.max(passing[k]),
            "kinetic": abs(energy["kinetic"] - kinetic) / scale,
            "potential": abs(energy["potential"] - start - potential) / scale,
            "damping": abs(energy["damping"] - lost) / scale,
            "book": abs(energy["residual"]) / scale,
        }
        for name, difference in found.items():
            flight.differences[name] = max(flight.differences.get(name, 0.0), difference)
            if not difference <= TOLERANCE:
                flight.wrong(f"{name} differs by {difference:.0e} at {k * interval:.2g} s")


def measure(ours, reference, nq):
    """Differences of q and of v, as columns, over the largest entry of either so far, because both may decay."""
    difference = np.abs(ours - reference)
    parts = [(difference[:, part], np.abs(reference[:, part])) for part in (slice(0, nq), slice(nq, None))]
    return np.column_stack([np.max(d, axis=1) / np.maximum.accumulate(np.max(r, axis=1)) for d, r in parts])


class Reference:
    """MuJoCo's flight from a state."""

    def __init__(self, model, state):
        self.model, self.data = model, mujoco.MjData(model)
        self.probe = mjcf.Probe(model, 0, {"point": [0.0] * 3, "normal": [0.0, 0.0, 1.0]})
        q = np.array(state["q"])
        self.start = (q, self.probe.turn(q).T @ np.array(state["v"]))

    def longest_step(self):
        """A fraction of the shortest time scale of damping, springs or accelerations, at the start."""
        model, data = self.model, self.data
        data.qpos[:], data.qvel[:] = self.start
        mujoco.mj_forward(model, data)
        mass = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, mass)
        stiffness = np.zeros(model.nv)
        stiffness[model.jnt_dofadr] = model.jnt_stiffness
        rates = np.linalg.solve(mass, np.column_stack([np.diag(model.dof_damping), np.diag(stiffness)]))
        damping, spring = (np.max(np.abs(np.linalg.eigvals(of))) for of in np.hsplit(rates, 2))
        fastest = max(damping, np.sqrt(spring), np.sqrt(np.max(np.abs(data.qacc))))
        return float(min(LONGEST_STEP, RESOLUTION / fastest)) if fastest > 0 else LONGEST_STEP

    def fly(self, interval, count):
        """States at the ends of intervals, the uncertainty of each, and the order of the steps.

        The longest steps are `count` an interval.
        """
        levels = [self.steps(interval, count << level) for level in range(LEVELS)]
        table, finest = levels, [levels[-1]]
        for power in range(ORDER, ORDER + LEVELS - 1):
            # Removes the error of this order.
            table = [fine + (fine - coarse) / (2.0**power - 1) for coarse, fine in zip(table, table[1:])]
            finest.append(table[-1])
        best, nq = finest[-1], self.model.nq
        changes = [np.max(measure(fine, coarse, nq), axis=1)[1] for coarse, fine in zip(levels, levels[1:])]
        order = float(np.log2(changes[0] / changes[1])) if changes[1] > OBSERVABLE else None
        states = [self.normalized(row[:nq], row[nq:]) for row in best]
        return states, np.max(measure(best, finest[-2], nq), axis=1), order

    def steps(self, interval, count):
        """The states as rows, with `count` steps per interval."""
        model, data = self.model, self.data
        mujoco.mj_resetData(model, data)
        data.qpos[:], data.qvel[:] = self.start
        model.opt.timestep = interval / count
        rows = [np.concatenate([data.qpos, data.qvel])]
        for _ in range(INTERVALS):
            mujoco.mj_step(model, data, count)
            rows.append(np.concatenate([data.qpos, data.qvel]))
        return np.array(rows)

    def normalized(self, q, v):
        q = q.copy()
        mujoco.mj_normalizeQuat(self.model, q)
        return q, v

    def in_link_axes(self, q, v):
        return self.probe.turn(q) @ v

    def energies(self, state):
        """Potential and kinetic."""
        self.data.qpos[:], self.data.qvel[:] = state
        mujoco.mj_forward(self.model, self.data)
        return self.data.energy.copy()
