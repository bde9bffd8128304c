"""Times MuJoCo on the built-in simulations: one line of JSON each, microseconds per simulated second.

The scenes are read from crates/carom-scene/models/simulations; MuJoCo runs at its default time step with its default solver. Contacts are
what its shapes give, so a cube stands on four corners and a foot is a ball. Springs and dampers that hold a posture
are those of its joints.
"""

import json
import math
import pathlib
import time
import tomllib

import mujoco
import numpy as np

MODELS = pathlib.Path(__file__).resolve().parents[2] / "crates/carom-scene/models"
SECONDS = [2, 10]
RUNS = 15


def quaternion(rpy):
    """Roll, pitch, yaw about the fixed axes x, y, z."""
    turn = np.array([1.0, 0.0, 0.0, 0.0])
    for axis, angle in zip(np.eye(3), rpy):
        step = np.concatenate([[math.cos(angle / 2)], math.sin(angle / 2) * axis])
        product = np.zeros(4)
        mujoco.mju_mulQuat(product, step, turn)
        turn = product
    return turn


def load(name, scene):
    """The scene's robot, free to move, over a floor that only its contact links touch."""
    file = {"quadruped": "quadruped.urdf", "cube": "cube.xml"}[name]
    spec = mujoco.MjSpec.from_file(str(MODELS / file))
    touching = {contact["link"] for contact in scene.get("contacts", [scene.get("contact")])}
    for body in spec.bodies[1:]:
        for geom in body.geoms:
            meets = body.name in touching
            geom.contype, geom.conaffinity = (1, 0) if meets else (0, 0)
    root = spec.worldbody.bodies[0] if len(spec.worldbody.bodies) else None
    if root is not None and not root.joints:
        root.add_freejoint()
    friction = scene["friction"]
    friction = friction["dynamic"] if isinstance(friction, dict) else friction
    floor = spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], contype=0, conaffinity=1)
    floor.friction = [friction, 0, 0]
    spec.option.gravity = scene["gravity"]
    return spec


def start(model, data, scene, damping):
    base = scene["base"]
    data.qpos[:3] = base["position"]
    data.qpos[3:7] = quaternion(base.get("rpy", [0, 0, 0]))
    data.qvel[:3] = base.get("velocity", [0, 0, 0])
    turned = np.zeros(9)
    mujoco.mju_quat2Mat(turned, data.qpos[3:7])
    data.qvel[3:6] = turned.reshape(3, 3).T @ np.array(base.get("angular_velocity", [0, 0, 0]))
    posture = scene.get("posture")
    given = scene.get("state", {}).get("configuration", {})
    for joint in range(1, model.njnt):
        place = model.jnt_qposadr[joint]
        data.qpos[place] = given.get(model.joint(joint).name, 0.0)
        if posture:
            model.jnt_stiffness[joint] = posture["stiffness"]
            model.qpos_spring[place] = data.qpos[place]
            freedom = model.jnt_dofadr[joint]
            model.dof_damping[freedom] = damping[freedom] + posture.get("damping", 0.0)


def boxes(count):
    """Boxes of 20 x 16 x 10 cm that fall on a floor and do not touch each other, as in crates/carom/benches/simulation.rs."""
    spec = mujoco.MjSpec()
    spec.option.gravity = [0, 0, -9.81]
    floor = spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], contype=0, conaffinity=1)
    floor.friction = [0.5, 0, 0]
    for k in range(count):
        angle = 0.3 + 0.05 * k
        sin, cos = math.sin(angle / 2), math.cos(angle / 2)
        body = spec.worldbody.add_body(pos=[0.5 * k, 0, 0.25 + 0.01 * k], quat=[cos, 0.6 * sin, 0.8 * sin, 0])
        body.add_freejoint()
        geom = body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.1, 0.08, 0.05], mass=1, contype=1, conaffinity=0)
        geom.friction = [0.5, 0, 0]
    return spec


def stack(scene):
    """The boxes of a scene, which touch each other and the floor."""
    spec = mujoco.MjSpec()
    spec.option.gravity = [0, 0, -9.81]
    friction = [scene["friction"], 0, 0]
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1]).friction = friction
    for box in scene["objects"]:
        body = spec.worldbody.add_body(pos=box["base"]["position"])
        body.add_freejoint()
        geom = body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=box["box"]["half"], mass=box["mass"])
        geom.friction = friction
    return spec


def measure(name, model, seconds, runs, begin):
    fastest = math.inf
    steps = round(seconds / model.opt.timestep)
    for _ in range(runs):
        data = mujoco.MjData(model)
        begin(data)
        begun = time.thread_time()
        mujoco.mj_step(model, data, nstep=steps)
        fastest = min(fastest, time.thread_time() - begun)
    print(json.dumps({
        "scene": name,
        "seconds": seconds,
        "mujoco_us": round(1e6 * fastest / seconds, 1),
        "step": model.opt.timestep,
        "contacts": int(data.ncon),
        "height": round(float(data.qpos[2]), 4),
    }))


def main():
    for name in ["quadruped", "cube"]:
        scene = tomllib.loads((MODELS / "simulations" / f"{name}.toml").read_text())
        model = load(name, scene).compile()
        # carom does not model the dry friction of joints.
        model.dof_frictionloss[:] = 0
        damping = model.dof_damping.copy()
        for seconds in SECONDS:
            measure(name, model, seconds, RUNS, lambda data: start(model, data, scene, damping))
    for count in [1, 2, 4, 8, 16]:
        measure(f"{count} boxes", boxes(count).compile(), 1, RUNS, lambda data: None)
    scene = tomllib.loads((MODELS / "simulations" / "stack.toml").read_text())
    measure("stack", stack(scene).compile(), 1, RUNS, lambda data: None)


if __name__ == "__main__":
    main()
