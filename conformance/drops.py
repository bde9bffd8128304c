"""Drops: every robot of example-robot-data falls onto a floor, with contacts at the origins of its leaf links.

There is no reference: a run has to end within a number of evaluations, or report the joint that makes it stiff.
"""

from dataclasses import dataclass

import urdf

PACKAGE = "drop"
# Roll, pitch and yaw of the base.
ATTITUDES = ((0.0, 0.0, 0.0), (0.1, 0.2, 0.0))
# The height of the lowest contact, m, and the simulated time, s.
HEIGHT, UNTIL = 0.1, 0.3
# Evaluations within which a run must end, unless the stiffest joint alone needs more.
EVALUATIONS = 200_000
# Bound on the residual of the energy book, over the largest energy.
RESIDUAL = 1e-8


@dataclass
class Drop:
    """The result for a robot in one attitude."""

    name: str
    attitude: tuple
    answer: dict
    # ended, stiff, singular, refused or WRONG
    status: str
    reason: str = ""


def run(engine, pattern):
    """Every robot that the pattern selects, in every attitude."""
    wanted = [(name, path) for name, path in urdf.files() if pattern in f"{PACKAGE}/{name}"]
    return [drop(engine, name, path, attitude) for name, path in wanted for attitude in ATTITUDES]


def drop(engine, name, path, attitude):
    question = {"rpy": list(attitude), "height": HEIGHT, "until": UNTIL, "evaluations": EVALUATIONS}
    answer = engine.ask(file=str(path), floating_base=True, drop=question)
    if "refused" in answer:
        return Drop(name, attitude, answer, "refused", answer["refused"]["message"])
    if "singular" in answer:
        return Drop(name, attitude, answer, "singular", answer["singular"])
    if "ended" not in answer:
        return Drop(name, attitude, answer, "WRONG", str(answer)[:200])
    if not answer["residual"] <= RESIDUAL:
        return Drop(name, attitude, answer, "WRONG", f"a residual of {answer['residual']:.1e}")
    if answer["ended"]:
        return Drop(name, attitude, answer, "ended")
    stiffest = answer["stiffest"]
    if stiffest and stiffest["evaluations"] > EVALUATIONS:
        reason = f"joint {stiffest['joint']} acts within {1 / stiffest['rate']:.0e} s"
        return Drop(name, attitude, answer, "stiff", reason)
    return Drop(name, attitude, answer, "WRONG", answer["reason"])
