"""Pinocchio: the same energies, matrices and velocities after an impact."""

from __future__ import annotations

import numpy as np
import pytest

import carom
from conftest import ROOT, needs

needs("pinocchio")

import pinocchio as pin  # noqa: E402

MODELS = ROOT / "crates/carom-scene/models"
MIMICS = """<robot name="gripper"><link name="world"/>
<link name="palm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="right"><inertial><origin xyz="0 0.1 0"/><mass value="0.3"/><inertia ixx="0.1" iyy="0.2" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="left"><inertial><origin xyz="0.1 0 0"/><mass value="0.2"/><inertia ixx="0.1" iyy="0.1" izz="0.3" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="turn" type="continuous"><parent link="world"/><child link="palm"/><axis xyz="0 0 1"/></joint>
<joint name="z_right" type="prismatic"><parent link="palm"/><child link="right"/><axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<joint name="a_left" type="prismatic"><parent link="palm"/><child link="left"/><axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/>
<mimic joint="z_right" multiplier="-1.5" offset="0.1"/></joint></robot>"""


def cases():
    for name, floating in (("arm", False), ("quadruped", True), ("quadruped", False), ("double_pendulum", False)):
        path = MODELS / f"{name}.urdf"
        root = (pin.JointModelFreeFlyer(),) if floating else ()
        yield f"{name} {floating}", carom.load(path, floating_base=floating), pin.buildModelFromUrdf(str(path), *root)
    yield "mimics", carom.load(MIMICS), pin.buildModelFromXML(MIMICS)


@pytest.mark.parametrize(("name", "robot", "model"), list(cases()), ids=lambda value: value if isinstance(value, str) else "")
def test_states_energies_and_impacts_agree(name, robot, model, random):
    data = model.createData()
    has_mimics = robot.nv != model.nv
    for _ in range(20):
        q = robot.home + 0.4 * random.normal(size=robot.nq)
        if "True" in name:
            q[3:7] = random.normal(size=4)
            q[3:7] /= np.linalg.norm(q[3:7])
        v = random.normal(size=robot.nv)
        theirs = robot.to_pinocchio(model, q, v)
        back = robot.from_pinocchio(model, *theirs)
        wrapped = np.angle(np.exp(1j * (back[0] - q))) if not has_mimics else back[0] - q
        assert np.abs(wrapped).max() < 1e-12 or "True" in name
        assert back[1] == pytest.approx(v, abs=1e-14)
        assert robot.kinetic_energy(q, v) == pytest.approx(pin.computeKineticEnergy(model, data, *theirs), rel=1e-11)
        if has_mimics:
            continue
        # Their mass matrix in their order of velocities, and the point velocity of a link.
        link = robot.link_names[-1]
        frame = model.getFrameId(link, pin.FrameType.BODY)
        pin.computeJointJacobians(model, data, theirs[0])
        pin.updateFramePlacements(model, data)
        jacobian = pin.getFrameJacobian(model, data, frame, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)[:3]
        mass = pin.crba(model, data, theirs[0])
        mass = np.triu(mass) + np.triu(mass, 1).T
        normal = random.normal(size=3)
        normal /= np.linalg.norm(normal)
        rows = np.vstack([normal, np.linalg.svd(normal[None])[2][1:]]) @ jacobian
        if np.linalg.matrix_rank(rows, tol=1e-6) < 3:
            continue
        outcome = robot.impact(q, v, link, normal, restitution=0.5, friction=0.5)
        reference = carom.impact(mass_matrix=mass, contact_jacobian=rows, velocity=theirs[1], restitution=0.5, friction=0.5)
        assert outcome.mode == reference.mode
        after = robot.to_pinocchio(model, q, outcome.velocity)[1]
        assert after == pytest.approx(reference.velocity, abs=1e-8 * (1 + np.abs(reference.velocity).max()))


def test_a_state_that_breaks_a_mimic_is_an_error():
    robot, model = carom.load(MIMICS), pin.buildModelFromXML(MIMICS)
    assert (robot.nv, model.nv) == (2, 3)
    q, v = robot.to_pinocchio(model, [0.3, 0.2], [0.1, 0.1])
    q[model.idx_qs[model.getJointId("a_left")]] += 0.01
    with pytest.raises(carom.CaromError) as error:
        robot.from_pinocchio(model, q, v)
    assert "a_left" in str(error.value)


def test_other_robots_are_errors():
    arm = carom.load("arm")
    with pytest.raises(carom.CaromError) as error:
        arm.from_pinocchio(pin.buildModelFromXML(MIMICS), np.zeros(4), np.zeros(3))
    assert error.value.kind == "unknown_name"
    with pytest.raises(carom.CaromError) as error:
        arm.from_pinocchio("model", np.zeros(4), np.zeros(3))
    assert error.value.field == "model"
