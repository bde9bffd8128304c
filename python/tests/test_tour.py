"""The programs of the book's first page run, on the robot of the page; its commands are run by the tests of the command."""

from __future__ import annotations

import contextlib
import io

import numpy as np
import pytest

import carom
from conftest import ROOT


def blocks(page, language):
    return [rest.split("```")[0] for rest in page.split(f"```{language}\n")[1:]]


def test_the_tour_runs(tmp_path, monkeypatch):
    page = (ROOT / "book/src/tour.md").read_text()
    (tmp_path / "hopper.urdf").write_text(blocks(page, "xml")[0])
    monkeypatch.chdir(tmp_path)
    programs = blocks(page, "python")
    assert len(programs) == 2
    names: dict = {}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        for program in programs:
            exec(program, names)
    assert (tmp_path / "map-of-python.svg").exists()
    # The impact by itself is that of the run.
    first, outcome = names["first"], names["outcome"]
    assert outcome.impulse == pytest.approx(first.events[0].impulse, rel=1e-8, abs=1e-12)
    assert outcome.mode == "stick" and " leg " in printed.getvalue()
    assert names["table"].rows == 4


def test_the_program_about_python_runs(tmp_path, monkeypatch):
    """On the built-in quadruped, which stands for the robot that the page names; so does the readme's."""
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    pages = [(ROOT / name).read_text() for name in ("book/src/python.md", "README.md")]
    programs = [next(block for block in blocks(page, "python") if "FL_foot" in block) for page in pages]
    own = carom.load("quadruped", floating_base=True)
    text = (ROOT / "crates/carom-scene/models/quadruped.urdf").read_text().replace("front_left_foot", "FL_foot")
    for name in ("go2.urdf", "robot.urdf"):
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(1)
    q, v = own.home, np.zeros(own.nv)
    q[2] += 0.6
    root = random.normal(size=(20, 3, 4))
    names = {
        "W": np.diag([2.0, 1.0, 1.0]),
        "vc": [-1.0, 0.3, 0.0],
        "M": np.diag([1.0, 2.0, 3.0]),
        "A": np.eye(3),
        "v": v,
        "q": q,
        "q_N": np.tile(q, (20, 1)),
        "v_N": random.normal(size=(20, own.nv)),
        "mu_N": random.random(20),
        "W_N33": root @ root.transpose(0, 2, 1),
        "v_N3": random.normal(size=(20, 3)),
        "e_N": random.random(20),
        "ax": plt.subplots()[1],
        "controller": lambda t, q, v: np.zeros(own.nv),
    }
    for program in programs:
        # A shorter run, and the velocity of matrices is another one than that of the robot.
        program = program.replace("until=2.0", "until=0.05").replace("velocity=v,", "velocity=vc,").replace(", run.impact(0)", "")
        exec(program, names)
    assert (tmp_path / "run.html").exists() and names["batch"].errors == [] and len(names["batch"]) == 20
    plt.close("all")


def test_the_programs_about_sweeps_run(tmp_path, monkeypatch):
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    page = (ROOT / "book/src/sweeps.md").read_text()
    program = next(block for block in blocks(page, "python") if "carom.sweep(\"kane\"" in block)
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    exec(program, names)
    assert len(names["table"]) == 10_000 and (tmp_path / "sweep/_manifest.json").exists()
    plt.close("all")
