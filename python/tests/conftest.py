"""What all tests share: random problems with a seed that is printed, and the command beside the package."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def random(request) -> np.random.Generator:
    seed = int(os.environ.get("CAROM_SEED", "20200817"))
    print(f"CAROM_SEED={seed}")
    return np.random.default_rng(seed)


@pytest.fixture(scope="session", autouse=True)
def interrupts() -> None:
    """Control-C is heard although a shell that started the tests in the background has it ignored."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def control_c_after(seconds: float) -> Callable[[], None]:
    """Control-C some time after the function that is returned was called: a busy machine may take longer than that to start a thread, and
    what is to be interrupted has not begun then."""
    begins = threading.Event()

    def send():
        begins.wait()
        time.sleep(seconds)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=send, daemon=True).start()
    return begins.set


@pytest.fixture(scope="session")
def command() -> Path:
    """The command `carom` of this build: the one named by CAROM_COMMAND, otherwise the one built last."""
    if stated := os.environ.get("CAROM_COMMAND"):
        return Path(stated)
    built = [path for path in (ROOT / "target/release/carom", ROOT / "target/debug/carom") if path.exists()]
    if built:
        return max(built, key=lambda path: path.stat().st_mtime)
    if os.environ.get("CI") == "true":
        pytest.fail("the command carom is not built: cargo build -p carom-cli")
    pytest.skip("the command carom is not built: cargo build -p carom-cli")


def needs(package: str):
    """A package that is compared with: in the conformance environment a test with it must run, elsewhere it may be skipped."""
    if importlib.util.find_spec(package) is None:
        if os.environ.get("CAROM_ENGINES") == "1":
            raise ModuleNotFoundError(package)
        pytest.skip(f"{package} is not installed", allow_module_level=True)


def batch(command: Path, problems: list[dict]) -> list[dict]:
    """The records of `carom batch`."""
    lines = "".join(json.dumps(problem) + "\n" for problem in problems)
    done = subprocess.run([command, "batch", "-"], input=lines, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def random_delassus(random: np.random.Generator, dimension: int) -> np.ndarray:
    root = random.normal(size=(dimension, dimension + int(random.integers(0, 3))))
    return root @ root.T * 10.0 ** random.uniform(-3, 3)


def random_problem(random: np.random.Generator) -> dict:
    """A problem in one of both forms, of any dimension, law and guard, some of them wrong."""
    dimension = int(random.integers(1, 4))
    problem: dict = {}
    if random.random() < 0.5:
        problem["delassus"] = random_delassus(random, dimension)
        problem["contact_velocity"] = random.normal(size=dimension)
    else:
        n = dimension + int(random.integers(0, 5))
        problem["mass_matrix"] = random_delassus(random, n) + 1e-3 * np.eye(n)
        problem["contact_jacobian"] = random.normal(size=(dimension, n))
        problem["velocity"] = random.normal(size=n)
    problem["restitution"] = random.choice([0.0, 0.5, 1.0, float(random.random())])
    if random.random() < 0.2:
        problem["restitution"] = {"normal": float(random.random()), "tangential": float(random.uniform(-1, 1))}
    problem["friction"] = float(random.random())
    if random.random() < 0.3:
        mu = float(random.random())
        problem["friction"] = {"static": mu, "dynamic": mu * float(random.random())}
    if random.random() < 0.3:
        problem["guard"] = str(random.choice(["report", "limit", "slip"]))
    if random.random() < 0.2:
        problem["law"] = str(random.choice(["newton", "moreau", "poisson", "stronge", "aghili-printed"]))
        problem.pop("guard", None)
    if random.random() < 0.02:
        problem["friction"] = -0.1
    if random.random() < 0.02:
        problem["restitution"] = 1.5
    return problem


def plain(value):
    """Arrays as lists, for JSON."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    return value.item() if isinstance(value, np.generic) else value
