"""Arrays of impacts: every row is the impact by itself, whatever the threads, shapes and dtypes."""

from __future__ import annotations

import time

import numpy as np
import pytest

import carom
from conftest import control_c_after, random_delassus


def problems(random, count, dimension=3):
    w = np.array([random_delassus(random, dimension) for _ in range(count)])
    v = random.normal(size=(count, dimension)) - np.eye(dimension)[0]
    return w, v, random.random(count), random.random(count)


@pytest.mark.parametrize("dimension", [1, 2, 3])
@pytest.mark.parametrize("law", ["aghili", "poisson"])
def test_every_row_is_the_impact_by_itself(random, dimension, law):
    w, v, e, mu = problems(random, 3000, dimension)
    v[17] = np.nan
    batch = carom.impact_batch(delassus=w, contact_velocity=v, restitution=e, friction=mu, law=law)
    assert len(batch) == 3000 and batch.impulse.shape == (3000, dimension)
    bad = {error.row: error for error in batch.errors}
    assert 17 in bad and bad[17].kind == "not_finite"
    for k in range(3000):
        if k in bad:
            assert batch.mode[k] == "" and batch.mode_code[k] == 255 and np.isnan(batch.energy_change[k])
            continue
        outcome = carom.impact(delassus=w[k], contact_velocity=v[k], restitution=e[k], friction=mu[k], law=law)
        assert batch.mode[k] == outcome.mode == carom.MODES[batch.mode_code[k]]
        assert batch.impulse[k].tolist() == outcome.impulse.tolist()
        assert batch.contact_velocity[k].tolist() == outcome.contact_velocity.after.tolist()
        assert batch.energy_change[k] == outcome.energy.change


def test_threads_change_no_bit(random):
    w, v, e, mu = problems(random, 20_000)
    one, two, all = (
        carom.impact_batch(delassus=w, contact_velocity=v, restitution=e, friction=mu, guard="slip", threads=threads)
        for threads in (1, 2, None)
    )
    for other in (two, all):
        assert np.array_equal(one.impulse.view(np.uint64), other.impulse.view(np.uint64))
        assert np.array_equal(one.mode_code, other.mode_code)


def test_shapes_broadcast_and_dtypes_convert(random):
    w, v, e, mu = problems(random, 50)
    whole = carom.impact_batch(delassus=w, contact_velocity=v, restitution=0.5, friction=0.3)
    fortran = carom.impact_batch(
        delassus=np.asfortranarray(w), contact_velocity=np.asfortranarray(v), restitution=np.full(50, 0.5), friction=[0.3] * 50
    )
    lists = carom.impact_batch(
        delassus=w.tolist(), contact_velocity=np.repeat(v, 2, axis=0)[::2], restitution={"normal": 0.5}, friction={"static": 0.3, "dynamic": np.full(50, 0.3)}
    )
    for other in (fortran, lists):
        assert np.array_equal(whole.impulse, other.impulse)
    # One matrix for all velocities, and one velocity for all coefficients.
    shared = carom.impact_batch(delassus=w[0], contact_velocity=v, restitution=0.5, friction=0.3)
    repeated = carom.impact_batch(delassus=np.broadcast_to(w[0], (50, 3, 3)), contact_velocity=v, restitution=0.5, friction=0.3)
    assert np.array_equal(shared.impulse, repeated.impulse)
    over = carom.impact_batch(delassus=w[0], contact_velocity=v[0], restitution=e, friction=mu)
    assert len(over) == 50
    assert over.impulse[7].tolist() == carom.impact(delassus=w[0], contact_velocity=v[0], restitution=e[7], friction=mu[7]).impulse.tolist()
    single = carom.impact_batch(delassus=w.astype(np.float32), contact_velocity=v.astype(np.float32), restitution=0.5, friction=0.3)
    exact = carom.impact_batch(
        delassus=w.astype(np.float32).astype(float), contact_velocity=v.astype(np.float32).astype(float), restitution=0.5, friction=0.3
    )
    assert np.array_equal(single.impulse, exact.impulse, equal_nan=True)
    empty = carom.impact_batch(delassus=np.empty((0, 3, 3)), contact_velocity=np.empty((0, 3)), restitution=0.5, friction=0.3)
    assert len(empty) == 0 and empty.impulse.shape[0] == 0


def test_matrices_of_mechanisms(random):
    n, count = 5, 200
    root = random.normal(size=(count, n, n))
    mass = root @ root.transpose(0, 2, 1) + 0.1 * np.eye(n)
    jacobian, v = random.normal(size=(count, 3, n)), random.normal(size=(count, n))
    batch = carom.impact_batch(mass_matrix=mass, contact_jacobian=jacobian, velocity=v, restitution=0.4, friction=0.6)
    assert batch.velocity.shape == (count, n) and not batch.errors
    for k in range(count):
        outcome = carom.impact(mass_matrix=mass[k], contact_jacobian=jacobian[k], velocity=v[k], restitution=0.4, friction=0.6)
        assert batch.velocity[k].tolist() == outcome.velocity.tolist()
        assert batch.mode[k] == outcome.mode


def test_a_matrix_that_is_not_symmetric_is_an_error_of_its_row(random):
    w, v, e, mu = problems(random, 100)
    w[42, 2, 1] += 1.0
    batch = carom.impact_batch(delassus=w, contact_velocity=v, restitution=e, friction=mu)
    assert [(error.row, error.kind) for error in batch.errors] == [(42, "not_symmetric")]
    assert "row 42" in str(batch.errors[0])


@pytest.mark.parametrize(
    ("change", "kind", "field"),
    [
        ({"contact_velocity": np.zeros((9, 3))}, "shape", "contact_velocity"),
        ({"contact_velocity": np.zeros((10, 2))}, "shape", "contact_velocity"),
        ({"delassus": np.zeros((10, 3, 2))}, "shape", "delassus"),
        ({"delassus": np.zeros((10, 4, 4)), "contact_velocity": np.zeros((10, 4))}, None, "delassus"),
        ({"restitution": np.zeros(9)}, "shape", "restitution"),
        ({"friction": np.zeros((10, 1))}, "shape", "friction"),
        ({"friction": "rough"}, "wrong_type", "friction"),
        ({"restitution": {"hunt_crossley": {"alpha": 0.1}}}, "unsupported", "restitution"),
        ({"threads": 0}, "out_of_range", "threads"),
        ({"delassus": None}, "missing", "delassus"),
        ({"law": "x"}, "unknown_name", "law"),
    ],
)
def test_wrong_arrays_are_errors(random, change, kind, field):
    w, v, _, _ = problems(random, 10)
    arguments = {"delassus": w, "contact_velocity": v, "restitution": 0.5, "friction": 0.5} | change
    with pytest.raises(carom.CaromError) as error:
        carom.impact_batch(**arguments)
    assert kind is None or error.value.kind == kind
    assert error.value.field == field


@pytest.mark.parametrize("threads", [None, 1])
def test_ctrl_c_ends_a_batch(threads):
    """Between blocks of 65,536 rows: of 40 blocks most are not solved, as the time tells that one of them takes."""

    def solve(rows, begin=lambda: None):
        begun = time.monotonic()
        try:
            begin()
            carom.impact_batch(
                delassus=np.diag([2.0, 1.0]),
                contact_velocity=[-1.0, 0.4],
                restitution=np.full(rows, 0.5),
                friction=0.1,
                law="poisson",
                threads=threads,
            )
        except KeyboardInterrupt:
            return True, time.monotonic() - begun
        return False, time.monotonic() - begun

    _, one = solve(65_536)
    interrupted, whole = solve(40 * 65_536, control_c_after(one))
    assert interrupted and whole < 20 * one


def test_tables(random):
    w, v, e, mu = problems(random, 10)
    columns = carom.impact_batch(delassus=w, contact_velocity=v, restitution=e, friction=mu).columns()
    assert set(columns) >= {"mode", "energy_change", "impulse[0]", "contact_velocity[2]"}
    assert all(len(column) == 10 for column in columns.values())
