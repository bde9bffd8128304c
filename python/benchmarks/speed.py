"""Times of the Python package: one call, a sweep, and a batch of a million beside Rust's own. `cargo xtask bench python`."""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import carom

COUNT = 1_000_000


def microseconds(call, calls):
    """Of a call: the least of nine rounds, in time of the process."""
    least = np.inf
    for _ in range(9):
        begun = time.process_time()
        for _ in range(calls):
            call()
        least = min(least, time.process_time() - begun)
    return least / calls * 1e6


def one_call(random):
    w, v = np.diag([2.0, 1.0, 1.0]), np.array([-1.0, 0.3, 0.0])
    root, a = random.normal(size=(6, 6)), random.normal(size=(3, 6))
    m, u = root @ root.T + np.eye(6), random.normal(size=6)
    print(f"impact, W of 3 x 3: {microseconds(lambda: carom.impact(delassus=w, contact_velocity=v, restitution=0.5, friction=0.5), 2000):.2f} us")
    print(
        "impact, (M, A, v) with n = 6: "
        f"{microseconds(lambda: carom.impact(mass_matrix=m, contact_jacobian=a, velocity=u, restitution=0.5, friction=0.5), 2000):.2f} us"
    )
    for name, contact, floating in (("arm", "tool_tip", False), ("quadruped", "front_left_foot", True)):
        robot = carom.load(name, floating_base=floating)
        q = carom.problem("arm").configuration if name == "arm" else robot.home
        v, normal = random.normal(size=robot.nv), np.array([0.6, 0.0, 0.8])
        print(
            f"Robot.impact, {name} with nv = {robot.nv}: "
            f"{microseconds(lambda: robot.impact(q, v, contact, normal, restitution=0.5, friction=0.5), 2000):.2f} us"
        )
        states = np.tile(q, (100_000, 1)), np.tile(v, (100_000, 1))
        batch = microseconds(lambda: robot.impact_batch(*states, contact, normal, restitution=0.5, friction=0.5, threads=1), 1)
        print(f"Robot.impact_batch, {name}, one thread: {batch / 100_000:.2f} us an impact")
    print(f"W @ v of numpy, for comparison: {microseconds(lambda: w @ u[:3], 5000):.2f} us")


def sweep():
    """A million impacts of the arm to Parquet. Memory is that of the process with all that was done before, the interpreter included."""
    least = np.inf
    with tempfile.TemporaryDirectory() as folder:
        for k in range(3):
            begun = time.process_time()
            plan = {"vary": {"friction": "0:1:100"}, "random": {"state.velocity.elbow": ("normal", 0, 1)}, "samples": COUNT // 100}
            table = carom.sweep("arm", **plan, output=Path(folder) / f"{k}.parquet", threads=2)
            least = min(least, time.process_time() - begun)
        size = (Path(folder) / "0.parquet").stat().st_size
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"sweep of {table.rows} impacts of the arm, {len(table.names)} columns, {size / 1e6:.0f} MB: {least:.2f} s of two threads, {table.rows / least:.0f} a CPU second, at most {peak:.0f} MB")


def million(random, rate):
    root = random.normal(size=(COUNT, 3, 4))
    w = root @ root.transpose(0, 2, 1)
    arrays = {
        "delassus": (w + w.transpose(0, 2, 1)) / 2,
        "velocity": random.normal(size=(COUNT, 3)) * [-1, 1, 1],
        "restitution": random.random(COUNT),
        "friction": random.random(COUNT),
    }
    arrays["velocity"][:, 0] = -np.abs(arrays["velocity"][:, 0])
    w, v, e, mu = arrays.values()
    with tempfile.TemporaryDirectory() as folder:
        for name, array in arrays.items():
            array.tofile(Path(folder) / name)
        ratios = []
        for _ in range(3):
            python = microseconds(
                lambda: carom.impact_batch(delassus=w, contact_velocity=v, restitution=e, friction=mu, threads=1), 1
            )
            rust = float(subprocess.run([rate, folder], capture_output=True, text=True, check=True).stdout)
            ratios.append(rust / (python / COUNT * 1e3))
            print(f"impact_batch of a million, one thread: {python / COUNT * 1e3:.1f} ns an impact; Rust {rust:.1f} ns")
    print(f"rate of Rust's: {100 * np.median(ratios):.0f} %")


if __name__ == "__main__":
    generator = np.random.default_rng(1)
    # First, for its memory.
    sweep()
    one_call(generator)
    if len(sys.argv) > 1:
        million(generator, sys.argv[1])
