"""Robots: their impacts are those of scenes, and nothing leaks."""

from __future__ import annotations

import gc
import resource
import sys

import numpy as np
import pytest

import carom
from conftest import ROOT

FOOT = {"link": "front_left_foot", "point": [0.0, 0.0, -0.02]}


@pytest.fixture(scope="module")
def quadruped() -> carom.Robot:
    return carom.load("quadruped", floating_base=True)


def state(robot, random):
    q = robot.home + 0.3 * random.normal(size=robot.nq)
    if robot.nq != robot.nv:
        q[3:7] = random.normal(size=4)
        q[3:7] /= np.linalg.norm(q[3:7])
    return q, random.normal(size=robot.nv)


def test_a_robot_tells_what_it_is(quadruped):
    assert (quadruped.nq, quadruped.nv) == (19, 18)
    assert len(quadruped.joint_names) == 13 and "front_left_knee" in quadruped.joint_names
    assert "front_left_foot" in quadruped.link_names
    assert quadruped.mass > 1 and quadruped.home.shape == (19,)
    assert len(quadruped.velocity_names) == 18
    assert "nq = 19, nv = 18" in repr(quadruped)
    file = ROOT / "crates/carom-scene/models/arm.urdf"
    for source in (file, str(file), file.read_text()):
        arm = carom.load(source)
        assert arm.nv == 6 and np.array_equal(arm.mass_matrix(arm.home), carom.load("arm").mass_matrix(arm.home))


def test_an_impact_is_that_of_the_scene(random):
    for name in ("arm", "foot", "humanoid"):
        problem = carom.problem(name)
        document = problem.to_dict()
        robot = carom.load(document["model"]["builtin"], floating_base=document.get("base", {}).get("floating", False))
        contact, surface = document.get("contact", document.get("contacts")), document["surface"]
        outcome = robot.impact(
            problem.configuration,
            problem.velocity,
            contact,
            surface=surface,
            strike=document.get("strike"),
            restitution=document["restitution"],
            friction=document["friction"],
        )
        reference = carom.impact(name)
        assert outcome.to_dict() == reference.to_dict(), name
        world = outcome.impulse_world
        assert np.linalg.norm(world) == pytest.approx(np.linalg.norm(outcome.impulse), rel=1e-12)


def test_the_velocity_changes_by_the_impulse(quadruped, random):
    """M (v+ - v-) = A^T i, with W and v_c of the same contact, and K+ - K- as the outcome says."""
    for _ in range(50):
        q, v = state(quadruped, random)
        normal = random.normal(size=3)
        outcome = quadruped.impact(q, v, "rear_left_foot", normal, restitution=0.4, friction=0.5)
        contact = quadruped.contact(q, v, "rear_left_foot", normal)
        after = contact.velocity + contact.delassus @ outcome.impulse
        assert after == pytest.approx(outcome.contact_velocity.after, abs=1e-9)
        energies = [quadruped.kinetic_energy(q, speed) for speed in (v, outcome.velocity)]
        assert energies[1] - energies[0] == pytest.approx(outcome.energy.change, abs=1e-9 * energies[0])
        again = carom.impact(delassus=contact.delassus, contact_velocity=contact.velocity, restitution=0.4, friction=0.5)
        assert again.mode == outcome.mode
        assert again.impulse == pytest.approx(outcome.impulse, abs=1e-9 * np.abs(outcome.impulse).max())


def test_every_row_of_a_batch_is_the_impact_by_itself(quadruped, random):
    states = [state(quadruped, random) for _ in range(2500)]
    q, v = np.array([q for q, _ in states]), np.array([v for _, v in states])
    mu = random.random(len(q))
    q[3, 3:7] = 0.0
    batch = quadruped.impact_batch(q, v, FOOT, [0.1, 0.0, 1.0], restitution=0.3, friction=mu, guard="slip")
    assert [error.row for error in batch.errors] == [3]
    assert batch.velocity.shape == (2500, 18) and batch.impulse_world.shape == (2500, 3)
    for k in range(0, 2500, 7):
        if k == 3:
            continue
        outcome = quadruped.impact(q[k], v[k], FOOT, [0.1, 0.0, 1.0], restitution=0.3, friction=mu[k], guard="slip")
        assert batch.mode[k] == outcome.mode
        assert batch.velocity[k].tolist() == outcome.velocity.tolist()
        assert batch.impulse_world[k].tolist() == outcome.impulse_world.tolist()
    # One state with many coefficients.
    over = quadruped.impact_batch(q[0], v[0], FOOT, restitution=np.linspace(0, 1, 5), friction=0.4, threads=1)
    assert len(over) == 5 and over.contact_velocity[-1, 0] >= 0


def test_several_feet_strike_together(quadruped):
    q, v = quadruped.home, np.zeros(18)
    v[2] = -1.0
    feet = ["front_left_foot", "front_right_foot", "rear_left_foot", "rear_right_foot"]
    outcome = quadruped.impact(q, v, feet, restitution=0.0, friction=0.8)
    assert isinstance(outcome, carom.SimultaneousOutcome)
    assert [contact.name for contact in outcome.contacts] == feet
    assert all(contact.contact_velocity.after[0] >= -1e-9 for contact in outcome.contacts)


@pytest.mark.parametrize(
    ("change", "kind", "field"),
    [
        ({"q": np.zeros(5)}, "shape", "state.configuration"),
        ({"q": np.zeros((2, 19))}, "shape", "q"),
        ({"v": np.full(18, np.nan)}, "not_finite", "state.velocity[0]"),
        ({"q": np.zeros(19)}, "out_of_range", "state.configuration"),
        ({"contact": "front_left_fot"}, "unknown_name", "contact"),
        ({"contact": {"link": "front_left_foot", "colour": 1}}, "unknown_key", "contact.colour"),
        ({"contact": 3}, None, None),
        ({"normal": [0, 0]}, "shape", "normal"),
        ({"normal": [0, 0, 0]}, None, "surface.normal"),
        ({"friction": None}, "missing", "friction"),
        ({"friction": -1}, "out_of_range", "friction"),
        ({"surface": {"normal": [0, 0, 1]}}, "conflict", "surface"),
    ],
)
def test_wrong_impacts_are_errors(quadruped, change, kind, field):
    arguments = {
        "q": quadruped.home,
        "v": np.ones(18),
        "contact": "front_left_foot",
        "normal": [0, 0, 1],
        "restitution": 0.5,
        "friction": 0.5,
    }
    with pytest.raises(carom.CaromError) as error:
        quadruped.impact(**(arguments | change))
    assert kind is None or error.value.kind == kind, (error.value.kind, error.value)
    assert field is None or error.value.field == field, (error.value.field, error.value)


def test_files_that_cannot_be_read_are_errors(tmp_path):
    with pytest.raises(carom.CaromError) as error:
        carom.load(tmp_path / "no.urdf")
    assert error.value.kind == "file"
    broken = tmp_path / "broken.urdf"
    broken.write_text("<robot><link")
    with pytest.raises(carom.CaromError) as error:
        carom.load(broken)
    assert error.value.kind == "model" and "broken.urdf" in str(error.value)
    with pytest.raises(carom.CaromError) as error:
        carom.load("quadrupet")
    assert "quadruped" in str(error.value)
    with pytest.raises(carom.CaromError):
        carom.load(17)


def test_ten_thousand_impacts_neither_crash_nor_leak(quadruped, random):
    """A class that Python aligns badly crashes after some hundred calls."""
    q, v = state(quadruped, random)
    w, u = np.diag([2.0, 1.0, 1.0]), np.array([-1.0, 0.3, 0.0])

    def work(count):
        for _ in range(count):
            outcome = quadruped.impact(q, v, "front_left_foot", restitution=0.3, friction=0.5)
            carom.impact(delassus=w, contact_velocity=u, restitution=0.5, friction=0.5)
            assert outcome.impulse_world is not None
        # The slow methods, less often: text, records, errors.
        for _ in range(count // 100):
            outcome.to_dict(), repr(outcome)
            with pytest.raises(carom.CaromError):
                carom.impact(delassus=w, contact_velocity=u, restitution=2.0, friction=0.5)
        gc.collect()

    work(2000)
    before, blocks = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, sys.getallocatedblocks()
    work(10_000)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    # 10,000 outcomes are megabytes each of 1 kB: what is lost would be seen.
    assert grown < 4096, f"{grown} kB"
    assert sys.getallocatedblocks() - blocks < 1000
