"""MuJoCo: the same energies, matrices and velocities after an impact, models from specs, and its loop with a restitution."""

from __future__ import annotations

import numpy as np
import pytest

import carom
from conftest import ROOT, needs

needs("mujoco")

import mujoco  # noqa: E402

import carom.mujoco  # noqa: E402

MODELS = ROOT / "crates/carom-scene/models"
# A tree with a free body, a ball joint, hinges with references, and a slide.
TREE = """<mujoco><compiler angle="radian"/><worldbody><geom name="floor" type="plane" size="1 1 1"/>
<body name="trunk" pos="0 0 1"><freejoint name="free"/><geom type="box" size="0.2 0.1 0.05" mass="3"/>
<body name="arm" pos="0.2 0 0"><joint name="shoulder" type="ball"/><geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02" mass="0.7"/>
<body name="hand" pos="0.3 0 0"><joint name="wrist" type="hinge" axis="0 1 1" ref="0.3"/><geom type="sphere" size="0.05" pos="0.1 0 0" mass="0.3"/></body></body>
<body name="leg" pos="-0.2 0 0"><joint name="hip" type="hinge" axis="0 1 0"/><joint name="extend" type="slide" axis="0 0 1"/>
<geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.02" mass="0.5"/></body></body></worldbody></mujoco>"""


def states(model, random, count):
    data = mujoco.MjData(model)
    for _ in range(count):
        qpos = np.array(model.qpos0)
        for kind, at in zip(model.jnt_type, model.jnt_qposadr):
            match kind:
                case mujoco.mjtJoint.mjJNT_FREE:
                    qpos[at : at + 7] = random.normal(size=7)
                    qpos[at + 3 : at + 7] /= np.linalg.norm(qpos[at + 3 : at + 7])
                case mujoco.mjtJoint.mjJNT_BALL:
                    qpos[at : at + 4] = random.normal(size=4)
                    qpos[at : at + 4] /= np.linalg.norm(qpos[at : at + 4])
                case _:
                    qpos[at] += random.uniform(-0.7, 0.7)
        data.qpos[:], data.qvel[:] = qpos, random.normal(size=model.nv)
        mujoco.mj_fwdPosition(model, data)
        mujoco.mj_fwdVelocity(model, data)
        mujoco.mj_energyVel(model, data)
        yield data


def robots():
    yield "tree", carom.load(TREE), mujoco.MjModel.from_xml_string(TREE), "hand"
    spec = mujoco.MjSpec.from_string(TREE)
    yield "spec", carom.load(spec), spec.compile(), "leg"
    for name, body in (("humanoid", None), ("sphere", None)):
        path = MODELS / f"{name}.xml"
        yield name, carom.load(path), mujoco.MjModel.from_xml_path(str(path)), body


@pytest.mark.parametrize(("name", "robot", "model", "body"), list(robots()), ids=lambda value: value if isinstance(value, str) else "")
def test_states_energies_and_impacts_agree(name, robot, model, body, random):
    body = body or mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, model.nbody - 1)
    index = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, body)
    assert (robot.nq, robot.nv) == (model.nq, model.nv)
    for data in states(model, random, 20):
        q, v = robot.from_mujoco(data.qpos, data.qvel)
        back = robot.to_mujoco(q, v)
        assert back[0] == pytest.approx(np.array(data.qpos), abs=1e-14)
        assert back[1] == pytest.approx(np.array(data.qvel), abs=1e-13)
        energy = float(data.energy[1])
        assert robot.kinetic_energy(q, v) == pytest.approx(energy, rel=1e-11)
        # W and the velocity after, from MuJoCo's own matrices.
        mass = carom.mujoco.mass_matrix(model, data)
        jacobian = np.zeros((3, model.nv))
        mujoco.mj_jacBody(model, data, jacobian, None, index)
        normal = random.normal(size=3)
        normal /= np.linalg.norm(normal)
        contact = robot.contact(q, v, body, normal)
        outcome = robot.impact(q, v, body, normal, restitution=0.6, friction=0.4)
        # The contact's axes, from the impulses along each of them.
        tangent = np.linalg.svd(normal[None])[2][1:]
        rows = np.vstack([normal, tangent]) @ jacobian
        w = rows @ np.linalg.solve(mass, rows.T)
        assert contact.delassus[0, 0] == pytest.approx(w[0, 0], rel=1e-9)
        assert np.trace(contact.delassus) == pytest.approx(np.trace(w), rel=1e-9)
        assert contact.velocity[0] == pytest.approx(rows[0] @ data.qvel, abs=1e-10)
        theirs = carom.impact(
            mass_matrix=mass, contact_jacobian=rows, velocity=data.qvel, restitution=0.6, friction=0.4
        )
        assert theirs.mode == outcome.mode
        after = robot.to_mujoco(q, outcome.velocity)[1]
        assert after == pytest.approx(theirs.velocity, abs=1e-8 * (1 + np.abs(theirs.velocity).max()))
        assert outcome.impulse_world @ normal == pytest.approx(theirs.impulse[0], abs=1e-8 * (1 + abs(theirs.impulse[0])))


def test_rows_of_states_are_converted(random):
    robot, model = carom.load(TREE), mujoco.MjModel.from_xml_string(TREE)
    all = [(np.array(data.qpos), np.array(data.qvel)) for data in states(model, random, 5)]
    q, v = robot.from_mujoco([qpos for qpos, _ in all], [qvel for _, qvel in all])
    assert q.shape == (5, model.nq) and v.shape == (5, model.nv)
    for k, (qpos, qvel) in enumerate(all):
        assert np.array_equal(v[k], robot.from_mujoco(qpos, qvel)[1])
    with pytest.raises(carom.CaromError) as error:
        robot.from_mujoco(all[0][0], all[0][1][1:])
    assert error.value.kind == "shape"
    with pytest.raises(carom.CaromError) as error:
        robot.from_mujoco(all[0][0] * np.nan, all[0][1])
    assert error.value.kind == "not_finite"


# What a compiled model can have: unnamed bodies, springs, limits, dry friction, meshes, loops, pairs, actuators, keyframes.
FULL = """<mujoco model="full"><compiler angle="degree"/><option gravity="0 0.5 -9"/>
<asset><mesh name="wedge" vertex="0 0 0 0.2 0 0 0 0.1 0 0 0 0.3"/></asset>
<worldbody><geom name="floor" type="plane" size="1 1 1"/>
<body pos="0 0 1" euler="0 20 0"><freejoint/><geom type="mesh" mesh="wedge" pos="0.1 0 0"/>
<body pos="0.2 0 0"><joint range="-30 40" stiffness="3" springref="10" damping="0.2" frictionloss="0.1" armature="0.01" ref="15" axis="0 1 1"/>
<joint type="slide" pos="0 0 0.1" range="0 0.2" axis="1 0 0"/><geom name="tip" type="capsule" fromto="0 0 0 0.3 0 0" size="0.02" contype="0" conaffinity="0"/>
<site name="end" pos="0.3 0 0"/><body name="hand" pos="0.3 0 0"><joint name="ball" type="ball" damping="0.1"/><geom type="ellipsoid" size="0.05 0.03 0.02" friction="0.3 0.1 0.1"/></body></body></body>
<body name="post" pos="1 0 1"><joint name="a" axis="0 1 0"/><geom type="box" size="0.1 0.1 0.4"/><body name="bar" pos="0 0 0.4"><joint name="b" axis="0 1 0"/><geom type="cylinder" size="0.02 0.2"/></body></body>
</worldbody><contact><pair geom1="floor" geom2="tip" friction="0.2 0.2 0.1 0.1 0.1"/><exclude body1="hand" body2="world"/></contact>
<equality><joint joint1="b" joint2="a" polycoef="0 -0.5 0 0 0"/></equality>
<actuator><position joint="a" kp="20" ctrlrange="-10 10"/><motor joint="b" gear="3" armature="0.01"/></actuator>
<keyframe><key name="bent" qpos="0 0 1 1 0 0 0 0.3 0.1 1 0 0 0 0.2 -0.1" ctrl="0.1 0"/></keyframe></mujoco>"""


@pytest.mark.parametrize("text", [TREE, FULL, MODELS / "humanoid.xml", MODELS / "sphere.xml"], ids=["tree", "full", "humanoid", "sphere"])
def test_a_compiled_model_is_that_of_its_text(text, random):
    """The same states, matrices, shapes, limits, loops and surfaces as of the text it was compiled from."""
    is_file = not isinstance(text, str)
    model = mujoco.MjModel.from_xml_path(str(text)) if is_file else mujoco.MjModel.from_xml_string(text)
    own, of_text = carom.load(model), carom.load(text)
    for name in ("nq", "nv", "joint_names", "link_names", "coordinate_names", "velocity_names", "shape_names", "has_surface"):
        assert getattr(own, name) == getattr(of_text, name), name
    # Sites without a name have one here.
    assert set(of_text.frame_names) <= set(own.frame_names)
    assert own.mass == pytest.approx(of_text.mass, rel=1e-12) and own.gravity.tolist() == of_text.gravity.tolist()
    assert own.home == pytest.approx(of_text.home, abs=1e-12)
    assert own.keyframes.keys() == of_text.keyframes.keys()
    for name, (q, v) in of_text.keyframes.items():
        assert own.keyframes[name][0] == pytest.approx(q, abs=1e-12) and own.keyframes[name][1] == pytest.approx(v, abs=1e-12)
    for data in states(model, random, 10):
        q, v = of_text.from_mujoco(data.qpos, data.qvel)
        mass = of_text.mass_matrix(q)
        assert own.mass_matrix(q) == pytest.approx(mass, abs=1e-9 * mass.max())
        assert own.bias(q, v) == pytest.approx(of_text.bias(q, v), abs=1e-8 * (1 + np.abs(of_text.bias(q, v)).max()))
    # What touches, springs, limits and loops: the first tenths of a second of a drop are the same.
    start = of_text.home
    start[2] += 1.05 if is_file and text.stem == "sphere" else 0.0
    runs = [carom.simulate(robot, start, until=0.3, restitution=0.3, max_events=5000) for robot in (own, of_text)]
    assert runs[0].q[-1] == pytest.approx(runs[1].q[-1], abs=1e-6)
    assert [event.kind for event in runs[0].events] == [event.kind for event in runs[1].events]


def test_a_compiled_model_is_read_as_it_is_now():
    """Changed after it was compiled, and not the model that was loaded last."""
    model = mujoco.MjModel.from_xml_string(TREE)
    mujoco.MjModel.from_xml_string(BALL.format(step=0.001))
    before = carom.load(model).mass
    hand = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, "hand")
    model.body_mass[1] += 2.0
    model.body_ipos[hand] += [0.1, 0.0, 0.02]
    robot = carom.load(model)
    assert robot.mass == pytest.approx(before + 2.0, rel=1e-12)
    data = mujoco.MjData(model)
    data.qvel[:] = 1.0
    mujoco.mj_fwdPosition(model, data)
    mujoco.mj_fwdVelocity(model, data)
    mujoco.mj_energyVel(model, data)
    assert robot.kinetic_energy(*robot.from_mujoco(data.qpos, data.qvel)) == pytest.approx(float(data.energy[1]), rel=1e-12)
    # MuJoCo does not see all changes until mj_setConst: it notes which bodies have their centre of mass at the origin. What its
    # own mass matrix contradicts is refused.
    model.body_ipos[1] += [0.1, 0.0, 0.02]
    with pytest.raises(carom.CaromError, match="differs from mj_fullM") as error:
        carom.load(model)
    assert (error.value.kind, error.value.field) == ("model", "source")


def test_compiled_models_that_cannot_be_read_say_why():
    model = mujoco.MjModel.from_xml_string(TREE)
    for arguments, field in (({"floating_base": True}, "floating_base"), ({"folder": "."}, "folder")):
        with pytest.raises(carom.CaromError) as error:
            carom.load(model, **arguments)
        assert (error.value.kind, error.value.field) == ("conflict", field)
    model.dof_damping[7] = 3.0
    with pytest.raises(carom.CaromError, match="differs between the velocities of one joint") as error:
        carom.load(model)
    assert (error.value.kind, error.value.field) == ("unsupported", "source")


BALL = """<mujoco><option timestep="{step}"/><worldbody><geom type="plane" size="5 5 1"/>
<body pos="0 0 1.1"><freejoint/><geom type="sphere" size="0.1" mass="0.5" friction="0.5"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize("restitution", [0.0, 0.3, 0.8, 1.0])
@pytest.mark.parametrize("step", [0.0005, 0.005])
def test_a_ball_bounces_as_asked_for(restitution, step):
    model = mujoco.MjModel.from_xml_string(BALL.format(step=step))
    data = mujoco.MjData(model)
    data.qvel[0] = 0.2
    impacts = []
    while data.time < 1.5:
        before = data.time
        impacts += carom.mujoco.restitution(model, data, restitution)
        assert data.time == pytest.approx(before + step, abs=1e-12)
    assert impacts
    for impact in impacts:
        assert impact.normal_after[0] == pytest.approx(-restitution * impact.normal_before[0], abs=1e-9)
    # It strikes when it should, and the velocity after is that of MuJoCo, too: no force of a contact acts on it.
    assert impacts[0].t == pytest.approx(np.sqrt(2 / 9.81), abs=step)
    if restitution >= 0.3:
        flight = impacts[1].t - impacts[0].t
        assert flight == pytest.approx(2 * impacts[0].normal_after[0] / 9.81, abs=2 * step)
    if restitution == 0.0:
        assert data.qpos[2] == pytest.approx(0.1, abs=2e-3)


def test_a_foot_that_lands_flat_strikes_with_all_its_corners():
    box = """<mujoco><option timestep="0.001"/><worldbody><geom type="plane" size="5 5 1"/>
    <body pos="0 0 0.6"><freejoint/><geom type="box" size="0.2 0.1 0.05" mass="1"/></body></worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(box)
    data = mujoco.MjData(model)
    impacts = []
    while data.time < 0.5:
        impacts += carom.mujoco.restitution(model, data, 0.8)
    first = impacts[0]
    assert len(first.geoms) == 4
    assert first.normal_after == pytest.approx(-0.8 * first.normal_before, rel=1e-6)


def test_wrong_loops_are_errors():
    model = mujoco.MjModel.from_xml_string(BALL.format(step=0.001))
    data = mujoco.MjData(model)
    with pytest.raises(carom.CaromError) as error:
        carom.mujoco.restitution(model, data, 0.8, least_speed=0.0)
    assert error.value.field == "least_speed"
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    with pytest.raises(carom.CaromError) as error:
        carom.mujoco.restitution(model, data, 0.8)
    assert error.value.field == "model.opt.integrator"
