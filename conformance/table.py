"""Outcomes as a Markdown page: sorted, without times or paths, the same on every run."""

import math
from collections import Counter
from importlib.metadata import version

import drops
import flights
import impacts
import judge

DISTRIBUTIONS = ["pin", "example-robot-data", "mujoco", "gymnasium"]
DISTRIBUTIONS += ["gymnasium-robotics", "dm_control", "robosuite", "numpy"]
QUANTITIES = {
    "home": "home configuration",
    "mass_matrix": "M",
    "bias": "h",
    "kinetic_energy": "kinetic energy",
    "potential_energy": "potential energy",
    "rotation": "orientations of all links",
    "translation": "positions of all links",
    "frame_rotation": "orientations of sites",
    "frame_translation": "positions of sites",
    "jacobian": "A",
    "contact_velocity": "A v",
    "single_velocity": "A v, one contact alone",
    "drift": "(dA/dt) v",
    "delassus": "W = A M⁻¹ Aᵀ",
    "single_delassus": "W, one contact alone",
    "forward_dynamics": "M⁻¹ (τ - h)",
}
INTRODUCTION = f"""\
# Conformance

carom is compared with Pinocchio on every URDF of example-robot-data, with a fixed and with a floating base, mimic
joints following and free, and with MuJoCo on every MJCF of the packages below. Files that the reference itself does
not load, most of them fragments that others include, are counted and left out. Each model is put into
{judge.STATES * len(judge.NORMALS)} random states (seed {judge.SEED}) with a random point of a leaf link in contact, half of them with a
level and half with a slanted surface. The references are brought into carom's conventions first: order of joints,
order of quaternions, axes of velocities, and mimics by projection (M becomes Gᵀ M G where v = G v'). W and
M⁻¹ (τ - h) are solved from the reference's M, A and h; where its M is singular carom must say so. A difference is the
largest over all entries, divided by the largest entry of the reference; where h is nothing but roundings, below
{judge.NOISE:.0e} of max |M| · max |v|², by that instead. It must not exceed {judge.TOLERANCE:.0e}, or for W and
M⁻¹ (τ - h) {judge.ROUNDINGS} ε κ where that is more: κ is the condition number of M scaled to a unit diagonal, ε = 2.2e-16. A
file is *matched* where every quantity of every state agrees, *refused* where carom says why it does not load it,
and *wrong* otherwise. All URDF files and 90 % of the MJCF files must match, and none may be wrong.

The page is made by `cargo xtask conformance`.
"""


def below(difference):
    """A power of ten that a difference does not reach."""
    if difference == 0.0:
        return "equal"
    if not math.isfinite(difference):
        return "not finite"
    return f"below 1e{math.floor(math.log10(difference)) + 1:+03d}"


def page(results, flown, dropped, families, siconos, failures):
    parts = [INTRODUCTION, versions(siconos)]
    if results:
        parts += [totals(results), differences(results), remarks(results)]
        parts += [reasons(results, "refused", "Refused"), reasons(results, "WRONG", "Wrong")]
    if flown:
        parts.append(in_flight(flown))
    if dropped:
        parts.append(on_the_floor(dropped))
    if families:
        parts.append(simultaneous(families))
    if failures:
        parts.append("## Missed\n\n" + "".join(f"- {failure}\n" for failure in failures))
    return "\n".join(part for part in parts if part)


def grid(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(str(cell) for cell in line) + " |\n" for line in lines)


def versions(siconos):
    found = [f"{name} {version(name)}" for name in DISTRIBUTIONS] + ([f"siconos {siconos}"] if siconos else [])
    return "Versions: " + ", ".join(found) + ".\n"


def totals(results):
    rows = [total(package, *results[package]) for package in results]
    head = ["package", "files", "with joints", "matched", "refused", "wrong", "not loaded by the reference"]
    return "## Files\n\n" + grid(head, rows)


def total(package, outcomes, skipped):
    statuses = [outcome.status for outcome in outcomes]
    counts = [statuses.count(status) for status in ("matched", "refused", "WRONG")]
    moving = sum(outcome.moving for outcome in outcomes)
    return [package, len(outcomes), moving, *counts, skipped]


def differences(results):
    groups = {"Pinocchio": ["example-robot-data"], "MuJoCo": [name for name in results if name != "example-robot-data"]}
    columns = {name: largest(results, packages) for name, packages in groups.items()}
    rows = [
        [text] + [below(column[name]) if name in column else "" for column in columns.values()]
        for name, text in QUANTITIES.items()
    ]
    return "## Largest differences\n\n" + grid(["quantity", *columns], rows)


def largest(results, packages):
    found = {}
    for outcome in all_outcomes({name: results[name] for name in packages if name in results}):
        for name, difference in outcome.differences.items():
            found[name] = max(found.get(name, 0.0), difference)
    return found


def remarks(results):
    """What the tables do not show."""
    text = ""
    singular = [f"`{outcome.package}/{outcome.file}`" for outcome in all_outcomes(results) if outcome.singular]
    if singular:
        text += "M is singular in both engines, so nothing that needs its inverse is compared: "
        text += ", ".join(singular) + ".\n"
    widened = [outcome for outcome in all_outcomes(results) if outcome.widened > 1.0]
    if widened:
        factors = (f"`{o.package}/{o.file}` ({math.ceil(o.widened)} times)" for o in widened)
        text += f"The tolerance of W and M⁻¹ (τ - h) is wider, by at most the factor given: {', '.join(factors)}.\n"
    return text


def reasons(results, status, title):
    found = [outcome for outcome in all_outcomes(results) if outcome.status == status]
    if not found:
        return ""
    lines = [f"- `{outcome.package}/{outcome.file}`: {'; '.join(outcome.reasons[:4])}\n" for outcome in found]
    return f"## {title}\n\n" + "".join(lines)


FLIGHTS = f"""\
## Flights

Every MJCF file with joints that MuJoCo compiles, and those of `crates/carom-scene/models/`, flies from a random state (seed {judge.SEED}): no
contacts, limits or motors, only gravity, springs and dampers. carom runs its simulator as it is by default. MuJoCo runs its
own Runge-Kutta of order {flights.ORDER} with steps of {flights.LEVELS} lengths, each half of the one before; the longest is {flights.LONGEST_STEP:g} s, or {flights.RESOLUTION:g} of the
shortest time in which damping, springs or accelerations do something. Richardson's extrapolation takes three orders of
error away, and the last correction tells what is left: states later than where that exceeds {flights.CERTAIN:.0e} are not compared. A
flight lasts {flights.INTERVALS * flights.INTERVAL:g} s, or {flights.INTERVALS * flights.MOST_STEPS} of the longest steps where that is less, and is compared at {flights.INTERVALS} equal intervals. Differences of
q and v are over the largest entry so far, those of energies over the largest energy. They must not exceed {flights.TOLERANCE:.0e},
whether carom's steps end at the times compared or not.

"""
FLOWN = {
    "q": "q",
    "v": "v",
    "inside": "q and v inside a step",
    "kinetic": "kinetic energy",
    "potential": "potential energy, springs included, since the start",
    "damping": "work of damping, against MuJoCo's loss of energy",
    "book": "carom's energy book: what it does not explain",
}


def in_flight(flown):
    return FLIGHTS + flight_counts(flown) + "\n" + flight_differences(flown) + "\n" + flight_remarks(flown)


def flight_counts(flown):
    compared = [of for of in flown if of.status != "skipped"]
    kinds = {
        "all": compared,
        "with a joint that turns freely in space": [of for of in compared if of.turns],
        "with damping": [of for of in compared if of.damped],
        "with springs": [of for of in compared if of.sprung],
    }
    head = ["models", "flown", "matched", "shortest flight, s", "median, s", "longest, s"]
    return grid(head, [flight_row(name, of) for name, of in kinds.items()])


def flight_row(name, flown):
    times = sorted(of.duration for of in flown)
    chosen = [f"{time:.2g}" for time in (times[0], times[len(times) // 2], times[-1])] if times else [""] * 3
    return [name, len(flown), sum(of.status == "matched" for of in flown), *chosen]


def flight_differences(flown):
    rows = []
    for name, text in FLOWN.items():
        found = [of.differences[name] for of in flown if name in of.differences and of.status != "skipped"]
        if found:
            rows.append([text, below(sorted(found)[len(found) // 2]), below(max(found))])
    return grid(["quantity", "median difference", "largest difference"], rows)


def flight_remarks(flown):
    compared = [of for of in flown if of.status != "skipped"]
    text = ""
    orders = [of.order for of in compared if of.order is not None]
    if orders:
        text += f"The order of MuJoCo's steps, where it shows above roundings ({len(orders)} models), is "
        text += f"{min(orders):.1f} to {max(orders):.1f}. "
    if compared:
        text += f"What is left of MuJoCo's error is {below(max(of.uncertainty for of in compared))}.\n"
    skipped = Counter(of.reason for of in flown if of.status == "skipped")
    if skipped:
        text += "Not flown: " + ", ".join(f"{count} ({reason})" for reason, count in sorted(skipped.items())) + ".\n"
    return text


DROPS = f"""\
## Drops

Every robot of example-robot-data, its base floating, falls from its home configuration onto a level floor {drops.HEIGHT:g} m below its lowest
contact, upright and turned by roll 0.1 and pitch 0.2, and is followed for {drops.UNTIL:g} s. Contacts are the origins of the links that carry no
others, e = 0.2 and μ = 0.6. Every robot with a regular M must end within {drops.EVALUATIONS:,} evaluations, with an energy book that leaves less than
{drops.RESIDUAL:.0e} unexplained, or else the run names a joint whose damper alone needs more.

"""


def on_the_floor(dropped):
    head = ["robot", "attitude", "contacts", "outcome", "evaluations", "windows", "residual", "reason"]
    return DROPS + grid(head, [drop_row(of) for of in dropped])


def drop_row(of):
    answer = of.answer
    told = "residual" in answer
    residual = below(answer["residual"]) if told else ""
    counts = [answer.get(name, "") for name in ("contacts", "evaluations", "windows")]
    attitude = "upright" if not any(of.attitude) else "turned"
    return [of.name, attitude, counts[0], of.status, counts[1], counts[2], residual, of.reason]


IMPACTS = f"""\
## Simultaneous impacts

Once it is known which contacts stick, the law of several contacts is a standard Coulomb problem
y = q + W i, 0 ≤ i_n ⊥ y_n ≥ 0, i_t ∈ -μ i_n Sgn(y_t): q_n = (1+e) v_n, and q_t = (1+e_t) v_t with μ_s for a contact that
sticks, q_t = 2 v_t with μ_d for one that does not. Siconos (Debian's python3-siconos) takes this problem for the contacts
that stick in carom's answer. Its own error function, fc3d_compute_error over |q|, must find no more than {impacts.ERROR:.0e} in
carom's impulses, in every problem. Its own solvers (Lemke's for planar contacts, Gauss-Seidel, Newton's with Alart and
Curnier's function; from zero, to {impacts.SOLVED:.0e}) then solve the problem too. Impulses are *the same* where they differ by no more
than {impacts.SAME:.0e} of the largest.

Weakly coupled contacts have but one answer: there carom must have one, and the same as Siconos. The contacts that stick
are found by Siconos too, starting with all and letting the fastest slide. carom decides that on a W whose diagonal is
larger by a thousandth, so close to the edge of a cone other contacts may stick, in {100 * impacts.OTHERS:.0f} % of the problems at most. Elsewhere
there may be several answers, with a singular W above all: *another answer* is one that both find no fault with.
Contacts number 1 to 8, on boxes 2 to 6, seed {judge.SEED}; where W is regular, one in eight is at rest before the impact.

"""


def simultaneous(families):
    head = ["family", "problems", "contacts that stick, slip, reverse, get no impulse", "no answer by carom"]
    head += ["error of carom's impulses by Siconos", "solved by Siconos", "same impulses", "another answer"]
    head += ["largest difference where same", "other contacts stick"]
    return IMPACTS + grid(head, [family_row(family) for family in families])


def family_row(family):
    modes = ", ".join(str(family.modes[mode]) for mode in ("stick", "slip", "reversal", "separating"))
    row = [family.name, family.problems, modes, family.refused, below(family.error), family.solved, family.same]
    others = family.others if family.is_unique else ""
    return row + [family.solved - family.same, below(family.difference), others]


def all_outcomes(results):
    return [outcome for outcomes, _ in results.values() for outcome in outcomes]
