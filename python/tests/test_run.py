"""Simulations: those of the command, controllers in Python, and signals."""

from __future__ import annotations

import json
import subprocess
import threading
import time

import numpy as np
import pytest

import carom
from conftest import control_c_after

BALL = """<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/>
<body name="ball" pos="0 0 1"><freejoint name="free"/><geom name="skin" type="sphere" size="0.1" mass="1"/></body>
</worldbody></mujoco>"""
CART = """<mujoco><worldbody><body name="cart"><joint name="x" type="slide" axis="1 0 0"/>
<geom name="box" type="sphere" size="0.1" mass="2"/></body></worldbody></mujoco>"""
NOTHING = {"contacts": [{"link": "cart"}], "surface": {"point": [0, 0, -9], "normal": [0, 0, 1]}, "friction": 0.0}


def test_runs_are_those_of_the_command(command, tmp_path):
    for name, until in (("ball", 1.0), ("block", 0.5), ("quadruped", 0.2)):
        run = carom.simulate(name, until=until)
        file = tmp_path / f"{name}.json"
        subprocess.run([command, "simulate", name, "--until", str(until), "-o", file], capture_output=True, check=True)
        run.save(tmp_path / "own.json")
        of_command = json.loads(file.read_text())
        of_python = json.loads((tmp_path / "own.json").read_text())
        # Only the words of the options differ.
        assert of_command["header"]["provenance"].pop("options") == [f"--until {until}"]
        assert of_python["header"]["provenance"].pop("options") == [f"until={until}"]
        assert of_python == of_command, name
        assert run.ending == "complete" and run.t[-1] == until
        assert run.q.shape == (len(run), len(run.summary["header"]["coordinates"]))


def test_a_run_as_arrays():
    run = carom.simulate("ball", until=2.0)
    first = run.impact(0)
    assert first.before.v[2] < 0 < first.after.v[2]
    contact = next(iter(run.contacts.values()))
    assert contact.force.shape == (len(run), 3) and contact.gap.shape == (len(run),)
    assert contact.mode[0] == "flight"
    total = run.energy.kinetic + run.energy.potential
    assert total[-1] - total[0] == pytest.approx(run.energy.impacts[-1], abs=1e-6 * abs(total[0]))
    state = run.state(1.0)
    assert state.t == pytest.approx(1.0) and state.q.shape == (run.q.shape[1],)
    with pytest.raises(carom.CaromError) as error:
        run.state(3.0)
    assert error.value.field == "t"
    assert {event.kind for event in run.events} >= {"impact"}
    assert len(run.columns()["time"]) == len(run)
    assert repr(run).startswith("ball")


def test_a_robot_from_text_bounces():
    robot = carom.load(BALL)
    assert robot.has_surface
    run = carom.simulate(robot, until=1.0, restitution=0.8, friction=0.3, interval=1e-3)
    heights = run.q[:, 2]
    first = run.impact(0)
    assert first.t == pytest.approx(np.sqrt(2 * 0.9 / 9.81), rel=1e-9)
    assert first.after.v[2] / -first.before.v[2] == pytest.approx(0.8, rel=1e-9)
    after = heights[run.t > first.t].max() - 0.1
    assert after == pytest.approx(0.64 * 0.9, rel=1e-4)


def test_a_controller_is_called_at_its_rate_and_its_forces_are_held():
    robot, calls = carom.load(CART), []

    def controller(t, q, v):
        calls.append((t, q.copy(), v.copy()))
        return [3.0 if t < 0.5 else -1.0]

    run = carom.simulate(robot, until=1.0, torque=controller, rate=100, restitution=0.0, **NOTHING)
    assert [t for t, _, _ in calls] == [k / 100 for k in range(100)]
    # x'' = 3/2 for half a second, then -1/2.
    assert run.v[-1, 0] == pytest.approx(1.5 * 0.5 - 0.5 * 0.5, rel=1e-12)
    assert run.q[-1, 0] == pytest.approx(1.5 / 8 + 0.75 / 2 - 0.5 / 8, rel=1e-12)
    assert run.energy.torques[-1] == pytest.approx(run.energy.kinetic[-1], rel=1e-9)


def test_an_exception_of_a_controller_is_raised_as_it_is():
    class Broken(Exception):
        pass

    fault = Broken("motor on fire")

    def controller(t, q, v):
        if t > 0.25:
            raise fault
        return np.zeros(1)

    with pytest.raises(Broken) as error:
        carom.simulate(carom.load(CART), until=1.0, torque=controller, rate=50, **NOTHING)
    assert error.value is fault


@pytest.mark.parametrize(
    ("returned", "kind"), [([1.0, 2.0], "shape"), ([np.nan], "not_finite"), ("x", "wrong_type"), (None, "wrong_type"), (1.0, "shape")]
)
def test_wrong_forces_are_errors(returned, kind):
    with pytest.raises(carom.CaromError) as error:
        carom.simulate(carom.load(CART), until=1.0, torque=lambda t, q, v: returned, rate=50, **NOTHING)
    assert (error.value.kind, error.value.field) == (kind, "torque")


@pytest.mark.parametrize(
    ("arguments", "kind", "field"),
    [
        ({"until": -1.0}, "out_of_range", "until"),
        ({"until": float("nan")}, "out_of_range", "until"),
        ({"interval": 0.0}, "out_of_range", "interval"),
        ({"interval": 1e-9}, "out_of_range", "interval"),
        ({"tolerance": 1.0}, "out_of_range", "tolerance"),
        ({"rate": 100}, "missing", "torque"),
        ({"torque": lambda t, q, v: 0}, "missing", "rate"),
        ({"torque": lambda t, q, v: 0, "rate": 0.0}, "out_of_range", "rate"),
        ({"q": np.zeros(3)}, "shape", "state.configuration"),
        ({"contacts": []}, "conflict", "contacts"),
        ({"friction": -1.0}, "out_of_range", "friction"),
    ],
)
def test_wrong_runs_are_errors(arguments, kind, field):
    with pytest.raises(carom.CaromError) as error:
        carom.simulate("ball", **arguments)
    assert (error.value.kind, error.value.field) == (kind, field), error.value


def test_a_run_that_cannot_go_on_has_what_there_is():
    with pytest.raises(carom.CaromError) as error:
        carom.simulate("ball", until=5.0, max_events=3)
    assert error.value.kind == "simulation" and "events" in str(error.value)
    assert error.value.run.ending == "failed" and len(error.value.run.events) >= 3


def test_the_law_of_a_run():
    own, chord = carom.simulate("rod", until=1.0), carom.simulate("rod", until=1.0, law="chord")
    assert chord.events[0] is not None and not np.allclose(own.q[-1], chord.q[-1])
    same = carom.simulate("rod", until=1.0, set={"law": "chord"})
    assert np.array_equal(chord.q, same.q)
    with pytest.raises(carom.CaromError) as error:
        carom.simulate("rod", law="chord", guard="slip")
    assert (error.value.kind, error.value.field) == ("unsupported", "guard")
    with pytest.raises(carom.CaromError) as error:
        carom.simulate("cube", law="moreau")
    assert "moreau" in str(error.value) and "chord" in str(error.value)
    assert error.value.run.ending == "failed"


@pytest.mark.parametrize("controlled", [False, True])
def test_ctrl_c_ends_a_run(controlled):
    begin = control_c_after(0.3)
    arguments = {"torque": lambda t, q, v: np.zeros(18), "rate": 1000} if controlled else {}
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        begin()
        carom.simulate("quadruped", until=1000.0, interval=0.01, **arguments)
    assert time.monotonic() - begun < 30


def test_other_threads_run_meanwhile():
    """The interpreter is free while a run goes on: another thread counts on."""
    count, done = 0, threading.Event()

    def counting():
        nonlocal count
        while not done.is_set():
            count += 1
            time.sleep(0.001)

    thread = threading.Thread(target=counting)
    thread.start()
    carom.simulate("quadruped", until=0.3)
    seen = count
    done.set()
    thread.join()
    assert seen > 3


def rerun(command, file):
    return subprocess.run([command, "rerun", file], capture_output=True, text=True, check=False)


def test_runs_of_python_are_repeated_by_the_command(command, tmp_path):
    (tmp_path / "ball.xml").write_text(BALL)
    robot = carom.load(tmp_path / "ball.xml")
    q = robot.home + np.array([0, 0, 0.25, 0, 0, 0, 0])
    thrown = carom.simulate(robot, q, [0.5, 0, 0, 0, 3, 0], restitution=0.6, friction=0.3, until=1.0, interval=0.01)
    built_in = carom.simulate("quadruped", until=0.3, set={"friction": 0.4})
    for run in (thrown, built_in):
        for ending in ("json", "csv", "parquet"):
            file = tmp_path / f"run.{ending}"
            run.save(file)
            done = rerun(command, file)
            assert done.returncode == 0 and "equal to the bit" in done.stdout, (ending, done)
    provenance = thrown.summary["header"]["provenance"]
    assert provenance["carom"] == carom.__version__ and provenance["robot"]["files"][0]["path"].endswith("ball.xml")
    assert provenance["coefficients"][0]["restitution"]["normal"] == 0.6


def test_runs_that_cannot_be_repeated_say_why(command, tmp_path):
    (tmp_path / "ball.xml").write_text(BALL)
    robot = carom.load(tmp_path / "ball.xml")
    controlled = carom.simulate(robot, until=0.6, restitution=0.5, torque=lambda t, q, v: np.zeros(6), rate=50)
    from_text = carom.simulate(carom.load(BALL), until=0.1)
    for run, why in ((controlled, "a controller in Python gave its forces"), (from_text, "given as text")):
        run.save(tmp_path / "run.json")
        done = rerun(command, tmp_path / "run.json")
        assert done.returncode == 2 and "cannot be repeated from its file" in done.stderr and why in done.stderr, done
    # The impacts of a controlled run can still be studied.
    controlled.save(tmp_path / "run.json")
    done = subprocess.run([command, "impact", "--event", f"{tmp_path / 'run.json'}:0"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
