"""Siconos as a program: one Coulomb problem per line as JSON, one answer per line. Runs under Debian's own interpreter.

y = q + W i, 0 <= i_n ⊥ y_n >= 0 and i_t ∈ -μ i_n Sgn(y_t) at every contact. A request has `dimensions` (2 or 3 for each
contact), `delassus`, `offset` (q), `friction` (one μ a contact), and may have an `impulse`. The answer has the `error` of
that impulse, which is Siconos' own measure over |q|, and the best `impulse` that Siconos' solvers find, with its
`impulse_error` and the `solver`. A planar contact is measured as a spatial one whose second tangent nothing couples to.
"""

import json
import os
import sys

import numpy as np
import siconos.numerics as numerics

# Requested accuracy, and largest number of iterations.
TOLERANCE = 1e-13
ITERATIONS = 20_000
# An answer this good ends the search among the solvers.
SOLVED = 1e-11
PLANAR = {"Lemke": numerics.SICONOS_FRICTION_2D_LEMKE}
SPATIAL = {
    "Gauss-Seidel": numerics.SICONOS_FRICTION_3D_NSGS,
    "Newton, Alart-Curnier": numerics.SICONOS_FRICTION_3D_NSN_AC,
}


def main():
    # Siconos' solvers print on both streams: only answers are sent to the other side, and only our own errors to the terminal.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    sys.stderr = os.fdopen(os.dup(2), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    numerics.numerics_set_verbose(0)
    for line in sys.stdin:
        request = json.loads(line)
        answers.write(json.dumps(answer(request)) + "\n")
        answers.flush()


def answer(request):
    problem = Problem(request)
    given = request.get("impulse")
    best = problem.solve()
    return {"error": None if given is None else problem.error(problem.embedded(given)), **best}


class Problem:
    def __init__(self, request):
        self.dimensions = request["dimensions"]
        self.friction = np.array(request["friction"], dtype=float)
        matrix, offset = np.array(request["delassus"], dtype=float), np.array(request["offset"], dtype=float)
        self.matrix, self.offset = matrix, offset
        # Rows of the problem among those of spatial contacts.
        starts = range(0, 3 * len(self.dimensions), 3)
        self.rows = np.concatenate([np.arange(k, k + d) for k, d in zip(starts, self.dimensions)])
        # An added tangent has the size of the others, so that conditioning is not affected.
        self.spatial_matrix = np.trace(matrix) / len(offset) * np.eye(3 * len(self.dimensions))
        self.spatial_matrix[np.ix_(self.rows, self.rows)] = matrix
        self.spatial_offset = self.embedded(offset)
        self.size = np.linalg.norm(offset)

    def embedded(self, vector):
        full = np.zeros(3 * len(self.dimensions))
        full[self.rows] = vector
        return full

    def spatial(self):
        return numerics.FrictionContactProblem(
            3, len(self.dimensions), self.spatial_matrix, self.spatial_offset, self.friction
        )

    def error(self, impulse):
        """Siconos' own error of impulses in the rows of spatial contacts, over |q|."""
        options = numerics.SolverOptions(numerics.SICONOS_FRICTION_3D_NSGS)
        velocity = np.zeros_like(impulse)
        _, error = numerics.fc3d_compute_error(self.spatial(), impulse.copy(), velocity, TOLERANCE, options, self.size)
        return error if np.isfinite(error) else None

    def solve(self):
        """The answer of the first solver that is exact, or otherwise the best of all."""
        best = {"impulse": None, "impulse_error": None, "solver": None}
        for name, impulse in self.attempts():
            error = self.error(impulse) if np.all(np.isfinite(impulse)) else None
            if error is not None and (best["solver"] is None or error < best["impulse_error"]):
                best = {"impulse": impulse[self.rows].tolist(), "impulse_error": error, "solver": name}
            if error is not None and error <= SOLVED:
                break
        return best

    def attempts(self):
        if all(dimension == 2 for dimension in self.dimensions):
            for name, solver in PLANAR.items():
                problem = numerics.FrictionContactProblem(
                    2, len(self.dimensions), self.matrix, self.offset, self.friction
                )
                yield name, self.embedded(run(numerics.fc2d_driver, problem, solver, len(self.offset)))
        for name, solver in SPATIAL.items():
            yield name, run(numerics.fc3d_driver, self.spatial(), solver, len(self.spatial_offset))


def run(driver, problem, solver, rows):
    options = numerics.SolverOptions(solver)
    options.dparam[numerics.SICONOS_DPARAM_TOL] = TOLERANCE
    options.iparam[numerics.SICONOS_IPARAM_MAX_ITER] = ITERATIONS
    impulse, velocity = np.zeros(rows), np.zeros(rows)
    driver(problem, impulse, velocity, options)
    return impulse


if __name__ == "__main__":
    main()
