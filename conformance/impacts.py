"""Simultaneous impacts: random problems, with Siconos' Coulomb solvers as the reference.

Once it is known which contacts stick, the law is a standard Coulomb problem y = q + W i, 0 <= i_n ⊥ y_n >= 0,
i_t ∈ -μ i_n Sgn(y_t), with q_n = (1+e) v_n and, for a contact that sticks, q_t = (1+e_t) v_t and μ_s, for one that does
not, q_t = 2 v_t and μ_d. Siconos measures the engine's impulses and solves the same problem itself.
"""

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

import judge

PACKAGE = "siconos"
# Largest error of the engine's impulses that Siconos may find, over |q|.
ERROR = 1e-8
# Siconos has solved a problem if its own error is at most this.
SOLVED = 1e-10
# Two answers are the same if their impulses differ by at most this fraction of the largest.
SAME = 1e-8
# The fraction of the problems in which other contacts may stick: the engine decides it on a W with a slightly larger diagonal.
OTHERS = 0.01
# A contact that may stick and slides faster than this fraction of the largest speed does not stick.
SLIDING = 1e-8


@dataclass
class Problem:
    """Contacts that strike together: W, v and the coefficients."""

    dimensions: list
    delassus: np.ndarray
    velocity: np.ndarray
    # Columns e, e_t, μ_s, μ_d.
    coefficients: np.ndarray

    def asked(self):
        """The problem in the form of the engine."""
        fields = ("restitution", "tangential", "static", "dynamic")
        return {
            "dimensions": self.dimensions,
            "delassus": self.delassus.ravel().tolist(),
            "contact_velocity": self.velocity.tolist(),
            "contacts": [dict(zip(fields, map(float, row))) for row in self.coefficients],
        }

    def coulomb(self, sticks):
        """The Coulomb problem of contacts that stick or not, in the form of Siconos."""
        offset, friction = self.velocity.copy(), []
        for rows, stick, (e, e_t, mu_s, mu_d) in zip(self.rows(), sticks, self.coefficients):
            offset[rows[0]] *= 1 + e
            offset[rows[1:]] *= 1 + e_t if stick else 2
            friction.append(float(mu_s if stick else mu_d))
        return {
            "dimensions": self.dimensions,
            "delassus": self.delassus.tolist(),
            "offset": offset.tolist(),
            "friction": friction,
        }

    def rows(self):
        ends = np.cumsum(self.dimensions)
        return [np.arange(end - count, end) for end, count in zip(ends, self.dimensions)]


@dataclass
class Family:
    """The results for problems of one kind."""

    name: str
    # Whether the answer is unique once it is known which contacts stick.
    is_unique: bool
    problems: int = 0
    contacts: int = 0
    # Number of contacts by mode.
    modes: Counter = field(default_factory=Counter)
    refused: int = 0
    # Siconos' error of the engine's impulses.
    error: float = 0.0
    solved: int = 0
    same: int = 0
    # Largest difference of those that are the same, over the largest impulse.
    difference: float = 0.0
    # Problems in which other contacts stick than with Siconos; counted if the answer is unique.
    others: int = 0
    wrong: list = field(default_factory=list)


def chosen(pattern):
    """The families that a pattern selects: a pattern that only selects files must not need Siconos."""
    if pattern and PACKAGE not in pattern:
        return []
    return [entry for entry in FAMILIES if pattern in f"{PACKAGE}/{entry[0]}"]


def run(engine, peer, pattern):
    """The families that a pattern selects."""
    check_conventions(peer)
    return [compare(engine, peer, *entry) for entry in chosen(pattern)]


def check_conventions(peer):
    """One contact whose answer is known: checks that Siconos' conventions are those above, and that it detects a wrong impulse."""
    for coupling, friction in ((0.0, 0.5), (0.25, 0.25), (-0.5, 0.125)):
        # Slides forwards: i_t = -μ i_n and 0 = q_n + (W_nn - μ W_nt) i_n.
        normal = 1.5 / (2 - friction * coupling)
        known = np.array([normal, -friction * normal])
        problem = {"dimensions": [2], "delassus": [[2, coupling], [coupling, 1]], "offset": [-1.5, 4], "friction": [friction]}
        answer = peer.ask(**problem, impulse=known.tolist())
        off = peer.ask(**problem, impulse=(known * (1 + 1e-6)).tolist())
        if not (answer["error"] < 1e-14 and np.allclose(answer["impulse"], known, 1e-12, 0) and off["error"] > 1e-7):
            raise SystemExit(f"Siconos answers a contact of known answer by {answer}, and {off} where it is off")


def compare(engine, peer, name, make, contacts, cases, is_unique):
    family, random = Family(name, is_unique), judge.generator(f"{PACKAGE}/{name}")
    for count in contacts:
        for _ in range(cases):
            problem = make(random, count)
            family.problems += 1
            family.contacts += count
            compare_one(engine, peer, family, problem)
    if family.is_unique and family.refused:
        family.wrong.append(f"no answer to {family.refused} problems that have one")
    if family.others > OTHERS * family.problems:
        family.wrong.append(f"other contacts stick in {family.others} problems")
    return family


def compare_one(engine, peer, family, problem):
    ours = engine.ask(**problem.asked())
    if "refused" in ours and ours["refused"]["kind"] == "not_converged":
        family.refused += 1
        return
    label = f"problem {family.problems}"
    if "impulse" not in ours:
        family.wrong.append(f"{label}: {ours}")
        return
    impulse, sticks = np.array(ours["impulse"]), [mode == "stick" for mode in ours["modes"]]
    family.modes.update(ours["modes"])
    theirs = peer.ask(**problem.coulomb(sticks), impulse=impulse.tolist())
    if theirs["error"] is None or ours["sequence"] != 1:
        family.wrong.append(f"{label}: {theirs} for {ours}")
        return
    family.error = max(family.error, theirs["error"])
    if not theirs["error"] <= ERROR:
        family.wrong.append(f"{label}: Siconos finds an error of {theirs['error']:.0e} in the impulses")
    if theirs["solver"] is None or not theirs["impulse_error"] <= SOLVED:
        return
    family.solved += 1
    difference = judge.relative(impulse, np.array(theirs["impulse"]))
    if difference <= SAME:
        family.same += 1
        family.difference = max(family.difference, difference)
    elif family.is_unique:
        family.wrong.append(f"{label}: the impulses differ by {difference:.0e}")
    if family.is_unique and sticks != descent(peer, problem):
        family.others += 1


def descent(peer, problem):
    """Which contacts stick, by Siconos: initially all may, and then the one that slides fastest may not."""
    may, speed = [True] * len(problem.dimensions), np.max(np.abs(problem.velocity))
    while True:
        coulomb = problem.coulomb(may)
        answer = peer.ask(**coulomb)
        if answer["impulse"] is None:
            return None
        impulse = np.array(answer["impulse"])
        sliding = np.array(coulomb["offset"]) + problem.delassus @ impulse
        speeds = [np.linalg.norm(sliding[rows[1:]]) if may[k] else 0.0 for k, rows in enumerate(problem.rows())]
        fastest = int(np.argmax(speeds))
        if speeds[fastest] <= SLIDING * speed:
            # A contact without an impulse does not stick.
            return [may[k] and bool(impulse[rows[0]] > 0) for k, rows in enumerate(problem.rows())]
        may[fastest] = False


def coefficients(random, count, friction=1.5):
    """Every third contact rebounds tangentially too, and every second has a higher static friction."""
    e, mu = random.uniform(0, 1, count), random.uniform(0, friction, count)
    e_t = np.where(random.uniform(size=count) < 1 / 3, random.uniform(0, 1, count), 0.0)
    above = np.where(random.uniform(size=count) < 1 / 2, random.uniform(1, 1.5, count), 1.0)
    return np.column_stack([e, e_t, mu * above, mu])


def approaching(random, velocity, dimensions):
    """All contacts approach, but one in eight is at rest; the first is not."""
    starts = np.cumsum(dimensions) - dimensions
    velocity[starts] = -np.abs(velocity[starts])
    velocity[starts[1:][random.uniform(size=len(starts) - 1) < 1 / 8]] = 0.0
    return velocity


def random_contacts(dimension):
    """W = J Jᵀ with random J: contacts coupled as strongly to each other as to themselves."""

    def make(random, count):
        rows = dimension * count
        jacobian = random.normal(size=(rows, rows + 2)) / np.sqrt(rows + 2)
        velocity = approaching(random, random.normal(size=rows), [dimension] * count)
        return Problem([dimension] * count, jacobian @ jacobian.T, velocity, coefficients(random, count))

    return make


def dominant_contacts(dimension):
    """Contacts coupled weakly, so that the answer is unique once it is known which contacts stick.

    In impulses scaled by the diagonal W = I + C, where no row of |C| sums to more than 0.2, and μ <= 0.9 becomes at most
    1.8. Then i_n = max(0, -q_n - C i) and i_t = the projection of -q_t - C i on the disk of radius μ i_n are a
    contraction, by 0.2 √2 + 1.8 · 0.2 at most.
    """

    def make(random, count):
        rows = dimension * count
        coupling = random.uniform(-1, 1, (rows, rows))
        coupling = (coupling + coupling.T) * (1 - np.eye(rows))
        coupling *= 0.2 / max(np.max(np.sum(np.abs(coupling), axis=1)), 1e-300)
        normal, tangential = np.sqrt(random.uniform(0.5, 2, (2, count)))
        sizes = np.column_stack([normal, *[tangential] * (dimension - 1)]).ravel()
        velocity = approaching(random, random.normal(size=rows), [dimension] * count)
        delassus = (np.eye(rows) + coupling) * np.outer(sizes, sizes)
        return Problem([dimension] * count, delassus, velocity, coefficients(random, count, friction=0.6))

    return make


def planar_box(random, count):
    """Corners of a planar box on a floor, and a third against a wall: W has rank 3."""
    half, inertia = random.uniform(0.2, 1.5, 2), random.uniform(0.2, 1)
    floor, wall = np.eye(2)[::-1], np.array([[-1.0, 0.0], [0.0, 1.0]])
    places = [(half * [-1, -1], floor), (half * [1, -1], floor), (half * [1, 1], wall)][:count]
    jacobian = np.vstack([basis @ np.array([[1, 0, -r[1]], [0, 1, r[0]]]) for r, basis in places])
    inverse = np.diag([1, 1, 1 / inertia])
    return body(random, jacobian, inverse, [2] * count)


def spatial_box(random, count):
    """Corners of a box, the first four on a floor and the others against a wall: W has rank 6."""
    half = random.uniform(0.2, 1.5, 3)
    floor, wall = np.eye(3)[[2, 0, 1]], np.array([[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    corners = [(x, y, -1) for x in (-1, 1) for y in (-1, 1)] + [(1, -1, 1), (1, 1, 1)]
    places = [(half * corner, floor if corner[2] < 0 else wall) for corner in corners[:count]]
    cross = lambda r: np.array([[0, r[2], -r[1]], [-r[2], 0, r[0]], [r[1], -r[0], 0]])
    jacobian = np.vstack([basis @ np.hstack([np.eye(3), cross(r)]) for r, basis in places])
    squares = half**2
    inverse = np.diag([1, 1, 1, *(3 / (np.sum(squares) - squares))])
    return body(random, jacobian, inverse, [3] * count)


def body(random, jacobian, inverse, dimensions):
    """A body all of whose contacts approach."""
    starts = np.cumsum(dimensions) - dimensions
    while True:
        velocity = jacobian @ random.normal(size=jacobian.shape[1])
        if np.all(velocity[starts] < 0):
            return Problem(dimensions, jacobian @ inverse @ jacobian.T, velocity, coefficients(random, len(dimensions)))


# Name, problems, numbers of contacts, how many problems of each, and whether the answer is unique.
FAMILIES = [
    ("planar, weakly coupled", dominant_contacts(2), range(1, 9), 100, True),
    ("spatial, weakly coupled", dominant_contacts(3), range(1, 9), 100, True),
    ("planar, strongly coupled", random_contacts(2), range(1, 9), 200, False),
    ("spatial, strongly coupled", random_contacts(3), range(1, 9), 200, False),
    ("planar box, W singular", planar_box, (2, 3), 400, False),
    ("spatial box, W singular", spatial_box, (3, 4, 6), 300, False),
]
