"""Comparison of numbers, and the outcome of a file."""

import zlib
from dataclasses import dataclass, field

import numpy as np

# Largest difference over the largest entry of the reference.
TOLERANCE = 1e-10
# Quantities that need the inverse of M lose as many digits as its condition number has, with any algorithm: this many
# rounding errors, times the condition number of M scaled to a unit diagonal, are allowed if that exceeds the tolerance.
ROUNDINGS = 16
# A reference this far below the natural size of its quantity consists of rounding errors, and is not a scale.
NOISE = 1e-14
# M is singular, and the engine must report that, if its smallest eigenvalue is not above this.
SINGULAR = 1e-13
NEEDS_INVERSE = ("delassus", "single_delassus", "forward_dynamics")
# Computed together with W, so it is not available for a singular M either.
NEEDS_REGULAR = (*NEEDS_INVERSE, "single_velocity")
SEED = 20240229
STATES = 3
# A level floor, and a slanted wall.
NORMALS = ((0.0, 0.0, 1.0), (0.48, -0.6, 0.64))


@dataclass
class Outcome:
    """The result for a file."""

    package: str
    file: str
    moving: bool = True
    status: str = "matched"
    reasons: list = field(default_factory=list)
    # Quantity to the largest relative difference.
    differences: dict = field(default_factory=dict)
    # Largest factor by which the tolerance of quantities that need the inverse of M was widened.
    widened: float = 1.0
    # States whose M is singular in both engines.
    singular: int = 0

    def refuse(self, reason):
        if self.status != "WRONG":
            self.status = "refused"
        self.note(reason)

    def wrong(self, reason):
        self.status = "WRONG"
        self.note(reason)

    def note(self, reason):
        if reason not in self.reasons:
            self.reasons.append(reason)


def generator(name):
    """Random numbers of a file, the same whichever other files are compared."""
    return np.random.default_rng([SEED, zlib.crc32(name.encode())])


def basis(normal):
    """Rows n, t1, t2: t1 is the axis least aligned with n (ties: x, y, z), projected; t2 = n × t1."""
    n = np.array(normal) / np.linalg.norm(normal)
    t1 = np.eye(3)[np.argmin(np.abs(n))]
    t1 = t1 - n * (n @ t1)
    t1 /= np.linalg.norm(t1)
    return np.array([n, t1, np.cross(n, t1)])


def relative(ours, reference, natural=0.0):
    """Largest difference over the largest entry of the reference, or over its natural size if that is noise."""
    if reference.size == 0:
        return 0.0
    scale = np.max(np.abs(reference))
    if scale <= NOISE * natural:
        scale = natural
    difference = np.max(np.abs(ours - reference))
    # A NaN must not count as a small number.
    return float(difference / scale if scale > 0 else difference) if np.isfinite(difference) else np.inf


def natural_sizes(reference, velocity):
    """Natural size of h: forces that cancel, as about a vertical hinge, leave their rounding errors."""
    mass = np.max(np.abs(reference["mass_matrix"]), initial=0.0)
    return {"bias": mass * np.max(np.abs(velocity), initial=0.0) ** 2}


def scaled_eigenvalues(mass):
    """Smallest and largest eigenvalue of M scaled to a unit diagonal, which removes units and light links."""
    diagonal = np.diag(mass)
    if np.min(diagonal, initial=1.0) <= 0:
        return 0.0, 1.0
    scale = 1 / np.sqrt(diagonal)
    values = np.linalg.eigvalsh(mass * np.outer(scale, scale))
    return np.min(values, initial=1.0), np.max(values, initial=1.0)


def with_inverse(reference, tau):
    """Adds the quantities derived from M, h and A: W twice, for the engine's two methods, and the acceleration under tau."""
    mass, jacobian = reference["mass_matrix"], reference["jacobian"]
    right = np.column_stack([jacobian.T, tau - reference["bias"]])
    try:
        solved = np.linalg.solve(mass, right)
    except np.linalg.LinAlgError:
        solved = np.full_like(right, np.nan)
    reference["delassus"] = reference["single_delassus"] = jacobian @ solved[:, :3]
    reference["forward_dynamics"] = solved[:, 3]
    reference["single_velocity"] = reference["contact_velocity"]
    return reference


def compare(outcome, label, ours, reference, velocity):
    """Every quantity of one state."""
    smallest, largest = scaled_eigenvalues(reference["mass_matrix"])
    is_singular = "singular" in ours
    outcome.singular += is_singular
    if is_singular != (smallest <= SINGULAR):
        claim = "singular" if is_singular else "regular"
        outcome.wrong(f"{label}: M is called {claim}, its smallest scaled eigenvalue is {smallest:.0e}")
    widened = 1.0
    if not is_singular:
        widened = max(1.0, ROUNDINGS * np.finfo(float).eps * largest / max(smallest, SINGULAR) / TOLERANCE)
        outcome.widened = max(outcome.widened, widened)
    natural = natural_sizes(reference, velocity)
    for name, expected in reference.items():
        if not (is_singular and name in NEEDS_REGULAR):
            allowed = TOLERANCE * (widened if name in NEEDS_INVERSE else 1.0)
            compare_one(outcome, label, name, ours.get(name), expected, natural.get(name, 0.0), allowed)


def compare_one(outcome, label, name, ours, expected, natural=0.0, allowed=TOLERANCE):
    expected = np.asarray(expected, dtype=float)
    ours = np.asarray(ours, dtype=float)
    if ours.size != expected.size:
        outcome.wrong(f"{label}: {name} has {ours.size} numbers, the reference {expected.size}")
        return
    difference = relative(ours.reshape(expected.shape), expected, natural)
    outcome.differences[name] = max(outcome.differences.get(name, 0.0), difference)
    if not difference <= allowed:
        outcome.wrong(f"{label}: {name} differs by {difference:.0e}, allowed {allowed:.0e}")


def placements(ours):
    """Placements of all links and frames, as arrays."""
    return {
        "rotation": [link["rotation"] for link in ours["links"]],
        "translation": [link["translation"] for link in ours["links"]],
        "frame_rotation": [frame["rotation"] for frame in ours["frames"]],
        "frame_translation": [frame["translation"] for frame in ours["frames"]],
    }


def leaves(description):
    """Leaf links, the one farthest from the world first."""
    parents = description["parents"]
    depth = [0] * len(parents)
    for i, parent in enumerate(parents):
        depth[i] = 0 if parent is None else depth[parent] + 1
    ends = set(range(len(parents))) - set(parents)
    return sorted(ends, key=lambda i: (-depth[i], i))


def unit_quaternion(random):
    q = random.normal(size=4)
    return q / np.linalg.norm(q)
