"""A coefficient of restitution for MuJoCo.

MuJoCo's contacts are springs and dampers, without a coefficient of restitution. Here carom resolves the impacts in MuJoCo's own
loop: a ball bounces with e = 0.8, and so does the foot of a hopping leg, each to a thousandth. The step of the ball is short because
the heights of MuJoCo's flight are wrong by the step: the ratio of velocities is e to rounding at any step.
"""

import mujoco
import numpy as np

import carom
import carom.mujoco

E = 0.8

BALL = """<mujoco><option timestep="0.0002"/><worldbody><geom name="floor" type="plane" size="5 5 1"/>
<body pos="0 0 1.1"><freejoint/><geom name="ball" type="sphere" size="0.1" mass="0.5" friction="0.5"/></body></worldbody></mujoco>"""

LEG = """<mujoco><option timestep="0.001"/><worldbody><geom name="floor" type="plane" size="5 5 1" friction="0.6"/>
<body name="hip" pos="0 0 0.8"><joint name="height" type="slide" axis="0 0 1"/><geom type="sphere" size="0.05" mass="2"/>
<body name="thigh" euler="0 30 0"><joint name="hip" axis="0 1 0" damping="0.02"/>
<geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.02" mass="0.4" contype="0" conaffinity="0"/>
<body name="shank" pos="0 0 -0.3" euler="0 -60 0"><joint name="knee" axis="0 1 0" damping="0.02"/>
<geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.015" mass="0.2" contype="0" conaffinity="0"/>
<geom name="foot" type="sphere" pos="0 0 -0.3" size="0.02" mass="0.05" friction="0.6"/></body></body></body></worldbody></mujoco>"""


def drop(text, until):
    """The impacts of a fall, and the height over time."""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    impacts, track = [], []
    while data.time < until:
        impacts += carom.mujoco.restitution(model, data, E)
        track.append((data.time, data.qpos[2] if model.nq == 7 else data.qpos[0]))
    return impacts, np.array(track)


def soft(text, until):
    """The same fall with MuJoCo's own contacts."""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    heights = []
    while data.time < until:
        mujoco.mj_step(model, data)
        heights.append(data.qpos[2])
    return np.array(heights)


impacts, track = drop(BALL, 1.6)
print("ball")
for impact in impacts[:3]:
    print(f"  t = {impact.t:.4f} s, normal velocity {impact.normal_before[0]:+.4f} -> {impact.normal_after[0]:+.4f} m/s")
first, second = impacts[0].t, impacts[1].t
apex = track[(track[:, 0] > first) & (track[:, 0] < second), 1].max() - 0.1
by_height = np.sqrt(apex / 1.0)
# A flight of T seconds begins with g T / 2.
by_time = 0.5 * 9.81 * (second - first) / np.sqrt(2 * 9.81 * 1.0)
heights = soft(BALL, 1.6)
lowest = heights.argmin()
print(f"  restitution by rebound height {by_height:.5f}, by time of flight {by_time:.5f}")
print(f"  MuJoCo alone: {np.sqrt(max(heights[lowest:].max() - 0.1, 0.0)):.3f}")
assert abs(by_height - E) < 1e-3 and abs(by_time - E) < 1e-3

impacts, _ = drop(LEG, 0.6)
print("foot of a leg")
for impact in impacts[:3]:
    ratio = -impact.normal_after[0] / impact.normal_before[0]
    print(f"  t = {impact.t:.4f} s, {impact.outcome.verdict}; restitution {ratio:.6f}")
    assert abs(ratio - E) < 1e-3
