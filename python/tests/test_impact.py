"""One impact: the same bits as the command, all forms of arrays, and errors that name the argument."""

from __future__ import annotations

import json
import subprocess

import numpy as np
import pytest

import carom
from conftest import ROOT, batch, plain, random_delassus, random_problem

W = np.array([[2.0, 0.3, 0.0], [0.3, 1.5, 0.0], [0.0, 0.0, 1.5]])
V = np.array([-1.0, 0.4, 0.0])


def published() -> list[dict]:
    cases = json.loads((ROOT / "reference/published/cases.json").read_text())["cases"]
    problems = []
    for case in cases:
        friction = {"static": case["mu_s"], "dynamic": case.get("mu_d", case["mu_s"])}
        common = {"restitution": case["e"], "friction": friction}
        if "M" in case:
            problems.append({"mass_matrix": case["M"], "contact_jacobian": case["A"], "velocity": case["qdot_minus"]} | common)
        problems.append({"delassus": case["W"], "contact_velocity": case["v_minus"]} | common)
    return problems


def assert_same_bits(command, problems):
    records = batch(command, [plain(problem) for problem in problems])
    assert len(records) == len(problems)
    failed = 0
    for problem, record in zip(problems, records):
        try:
            outcome = carom.impact(**problem)
        except carom.CaromError as error:
            assert (record["error"]["kind"], record["error"]["field"]) == (error.kind, error.field), problem
            assert record["error"]["message"] == str(error)
            failed += 1
            continue
        assert outcome.to_dict() == record, problem
        assert outcome.mode == record["mode"]
        assert outcome.impulse.tolist() == record["impulse"]
        assert outcome.energy.change == record["energy"]["change"]
    return failed


def test_published_impacts_are_those_of_the_command(command):
    problems = published()
    assert len(problems) > 10
    assert assert_same_bits(command, problems) == 0


def test_ten_thousand_impacts_are_those_of_the_command(command, random):
    problems = [random_problem(random) for _ in range(10_000)]
    failed = assert_same_bits(command, problems)
    assert 100 < failed < 5000


def test_scenes_are_those_of_the_command(command):
    impacts = [scene["name"] for scene in carom.gallery() if scene["kind"] == "impact"]
    assert "kane" in impacts and "landing" in impacts
    for name in impacts:
        run = subprocess.run([command, "impact", name, "--format", "json"], capture_output=True, text=True, check=True)
        outcome = carom.impact(name)
        assert outcome.to_dict() == json.loads(run.stdout), name
        text = subprocess.run([command, "impact", name], capture_output=True, text=True, check=True)
        assert repr(outcome) == text.stdout, name


def test_all_forms_of_arrays_are_the_same():
    plain_answer = carom.impact(delassus=W, contact_velocity=V, restitution=0.5, friction=0.1)
    big = np.zeros((6, 6))
    big[::2, ::2] = W
    forms = {
        "list": (W.tolist(), V.tolist()),
        "tuple": (tuple(map(tuple, W)), tuple(V)),
        "Fortran": (np.asfortranarray(W), V),
        "strides": (big[::2, ::2], np.repeat(V, 2)[::2]),
        "negative strides": (W[::-1, ::-1][::-1, ::-1], V[::-1][::-1]),
        "read only": (np.frombuffer(W.tobytes()).reshape(3, 3), V),
        "big endian": (W.astype(">f8"), V.astype(">f8")),
        "long double": (W.astype(np.longdouble), V),
    }
    for name, (w, v) in forms.items():
        outcome = carom.impact(delassus=w, contact_velocity=v, restitution=0.5, friction=0.1)
        assert outcome.to_json() == plain_answer.to_json(), name
    # float32 and integers are converted, exactly.
    w, v = np.array([[2, 1], [1, 2]]), np.array([-1, 1])
    whole = carom.impact(delassus=w, contact_velocity=v, restitution=1, friction=0)
    single = carom.impact(
        delassus=w.astype(np.float32), contact_velocity=v.astype(np.float32), restitution=np.float32(1), friction=np.int64(0)
    )
    assert whole.to_json() == single.to_json()


@pytest.mark.parametrize(
    ("arguments", "kind", "field"),
    [
        ({"delassus": W[:2], "contact_velocity": V}, "shape", "delassus"),
        ({"delassus": W[0], "contact_velocity": V}, "shape", "delassus"),
        ({"delassus": W, "contact_velocity": V[:2]}, "shape", "contact_velocity"),
        ({"delassus": [[1, 2], [3]], "contact_velocity": V}, "shape", "delassus"),
        ({"delassus": np.full((3, 3), np.nan), "contact_velocity": V}, "not_finite", "delassus[0][0]"),
        ({"delassus": -W, "contact_velocity": V}, "not_positive", "delassus[0][0]"),
        ({"delassus": W + np.triu(W, 1), "contact_velocity": V}, "not_symmetric", "delassus[1][0]"),
        ({"delassus": W.astype(complex), "contact_velocity": V}, "wrong_type", "delassus"),
        ({"delassus": W > 0, "contact_velocity": V}, "wrong_type", "delassus"),
        ({"delassus": "W", "contact_velocity": V}, "wrong_type", "delassus"),
        ({"delassus": W, "contact_velocity": [None] * 3}, "wrong_type", "contact_velocity"),
        ({"delassus": W, "contact_velocity": V, "friction": -0.1}, "out_of_range", "friction"),
        ({"delassus": W, "contact_velocity": V, "friction": {"static": 0.1}}, "missing", "friction.dynamic"),
        ({"delassus": W, "contact_velocity": V, "friction": {"static": 0.1, "dynamic": 0.2}}, "out_of_range", None),
        ({"delassus": W, "contact_velocity": V, "friction": "rough"}, "wrong_type", "friction"),
        ({"delassus": W, "contact_velocity": V, "restitution": 1.2}, "out_of_range", "restitution"),
        ({"delassus": W, "contact_velocity": V, "restitution": float("nan")}, None, "restitution"),
        ({"delassus": W, "contact_velocity": V, "restitution": True}, "wrong_type", "restitution"),
        ({"delassus": W, "contact_velocity": V, "restitution": None}, "missing", "restitution"),
        ({"delassus": W, "contact_velocity": V, "law": "newtn"}, "unknown_name", "law"),
        ({"delassus": W, "contact_velocity": V, "guard": "none"}, "unknown_name", "guard"),
        ({"delassus": W}, "missing", "contact_velocity"),
        ({"delassus": W, "contact_velocity": V, "velocity": V}, "conflict", None),
        ({"problem": "kane", "delassus": W}, "conflict", "delassus"),
        ({"problem": "kann"}, "file", "problem"),
        ({"problem": "no/such/file.json"}, "file", "problem"),
        ({"problem": 7}, "wrong_type", "problem"),
        ({"problem": {"delassus": [[1]], "contact_velocity": [-1], "restitution": 0.5, "colour": 1}}, "unknown_key", "colour"),
        ({"problem": {"delassus": [[1]], "contact_velocity": [float("inf")], "restitution": 0.5}}, "not_finite", None),
        ({"problem": {"delassus": [[1]], "contact_velocity": [{1, 2}], "restitution": 0.5}}, "wrong_type", None),
    ],
)
def test_wrong_input_is_an_error_that_names_it(arguments, kind, field):
    defaults = {} if "problem" in arguments else {"restitution": 0.5, "friction": 0.5}
    with pytest.raises(carom.CaromError) as error:
        carom.impact(**(defaults | arguments))
    assert isinstance(error.value, ValueError)
    assert kind is None or error.value.kind == kind, error.value
    assert field is None or error.value.field == field, error.value.field
    assert len(str(error.value)) > 10


def test_files_are_read_and_errors_have_lines(tmp_path):
    file = tmp_path / "problem.toml"
    file.write_text("delassus = [[2.0]]\ncontact_velocity = [-1.0]\nrestitution = 0.5\n")
    assert carom.impact(file).contact_velocity.after[0] == 0.5
    assert carom.impact(str(file), restitution=1.0).contact_velocity.after[0] == 1.0
    file.write_text("delassus = [[2.0]]\n\ncontact_velocity = [-1.0]\nrestitution = 1.5\n")
    with pytest.raises(carom.CaromError) as error:
        carom.impact(file)
    assert (error.value.kind, error.value.field, error.value.line) == ("out_of_range", "restitution", 4)
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(carom.CaromError) as error:
        carom.impact(file)
    assert error.value.kind == "file"


def test_changes_are_those_of_the_command(command):
    outcome = carom.impact("kane", friction={"static": 0.3, "dynamic": 0.2}, guard="slip", set={"state.velocity.elbow": -0.3})
    options = ["--friction", "0.3,0.2", "--guard", "slip", "--set", "state.velocity.elbow=-0.3"]
    run = subprocess.run([command, "impact", "kane", "--format", "json", *options], capture_output=True, text=True, check=True)
    assert outcome.to_dict() == json.loads(run.stdout)


def test_several_contacts_strike_together():
    mass, jacobian = np.diag([1.0, 1.0]), np.eye(2)
    outcome = carom.impact(
        mass_matrix=mass,
        contact_jacobian=jacobian,
        velocity=[-1.0, -2.0],
        restitution=0.5,
        contacts=[{"dimension": 1, "name": "left"}, {"dimension": 1}],
    )
    assert isinstance(outcome, carom.SimultaneousOutcome)
    assert [contact.name for contact in outcome.contacts] == ["left", None]
    assert outcome.velocity.tolist() == [0.5, 1.0]
    assert outcome.energy.change == pytest.approx(-0.75 * 2.5)
    landing = carom.impact("landing")
    total = sum(contact.impulse_world for contact in landing.contacts)
    assert total[2] > 0 and len(landing.contacts) == 4


def test_impulses_of_two_bodies_have_world_axes():
    billiards = carom.impact("billiards")
    assert np.linalg.norm(billiards.impulse_world) == pytest.approx(np.linalg.norm(billiards.impulse), rel=1e-12)
    # On a table: the balls on the cloth, and each other.
    contacts = carom.impact("table").contacts
    assert len(contacts) == 3
    for contact in contacts:
        assert np.linalg.norm(contact.impulse_world) == pytest.approx(np.linalg.norm(contact.impulse), rel=1e-12)


def test_curves_are_those_of_the_outcome(random):
    for _ in range(200):
        w, v = random_delassus(random, 3), random.normal(size=3) - [2, 0, 0]
        outcome = carom.impact(delassus=w, contact_velocity=v, restitution=0.3, friction=0.5)
        contact = carom.Contact(w, v)
        if outcome.mode == "separating":
            continue
        assert contact.critical_friction(0.3) == (outcome.critical_friction or np.inf)
        assert contact.restitution_limit() == outcome.restitution_limit.state
        assert contact.restitution_limit_configuration() == outcome.restitution_limit.configuration
        assert contact.friction_limit == (outcome.friction_limit or np.inf)
        grid = np.linspace(0, 1, 6).reshape(2, 3)
        curve = contact.critical_friction(grid)
        assert curve.shape == (2, 3)
        assert curve[1, 0] == contact.critical_friction(float(grid[1, 0]))
        # On either side of the curve the mode is another.
        mu = contact.critical_friction(0.3)
        if np.isfinite(mu) and mu > 1e-9:
            modes = [carom.impact(delassus=w, contact_velocity=v, restitution=0.3, friction=mu * f).mode for f in (1 - 1e-9, 1 + 1e-9)]
            assert modes[0] != "stick" and modes[1] == "stick"


def test_map_and_comparison_are_those_of_the_command(command, tmp_path):
    map = carom.map("kane", resolution=40)
    made = tmp_path / "map.json"
    subprocess.run([command, "map", "kane", "--resolution", "40", "-o", made], check=True, capture_output=True)
    assert json.loads(map.to_json()) == json.loads(made.read_text())
    record = json.loads(made.read_text())
    assert map.mode.ravel().tolist() == [cell["mode"] for cell in record["cells"]]
    assert map.energy_change[3, 5] == record["cells"][3 * 40 + 5]["energy_change"]
    assert (map.x[5], map.y[3]) == tuple(record["cells"][3 * 40 + 5]["at"])
    assert set(map.curves) == {curve["name"] for curve in record["curves"]}
    svg = tmp_path / "map.svg"
    map.save(svg)
    subprocess.run([command, "map", "kane", "--resolution", "40", "-o", tmp_path / "own.svg"], check=True, capture_output=True)
    assert svg.read_text() == (tmp_path / "own.svg").read_text()
    with pytest.raises(carom.CaromError) as error:
        map.save(tmp_path / "map.bmp")
    assert error.value.field == "path"
    with pytest.raises(carom.CaromError) as error:
        map.save(tmp_path / "no" / "map.svg")
    assert error.value.kind == "file" and sorted(p.name for p in tmp_path.iterdir()) == ["map.json", "map.svg", "own.svg"]
    comparison = carom.compare("kane")
    run = subprocess.run([command, "compare", "kane", "--format", "json"], check=True, capture_output=True, text=True)
    assert comparison.to_dict() == json.loads(run.stdout)
    assert [law["law"] for law in comparison.laws][:2] == ["aghili", "aghili-printed"]
    for wrong in ({"over": "x"}, {"resolution": 1}, {"range": "3:1"}):
        with pytest.raises(carom.CaromError) as error:
            carom.map("kane", **wrong)
        assert error.value.field == next(iter(wrong))
