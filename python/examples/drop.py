"""A drop with forces, a controller and the player.

The built-in quadruped falls from 12 cm onto its feet. A controller in Python holds its legs, called 500 times a second; its torques
are held in between. drop.html plays the run, drop.png shows energies and forces.
"""

import matplotlib.pyplot as plt
import numpy as np

import carom

robot = carom.load("quadruped", floating_base=True)
feet = [name for name in robot.link_names if name.endswith("_foot")]
stance = robot.home
for leg in ("front_left", "front_right", "rear_left", "rear_right"):
    stance[robot.coordinate_names.index(f"{leg}_hip")] = 0.7
    stance[robot.coordinate_names.index(f"{leg}_knee")] = -1.4
stance[2] = 0.42
limbs = np.arange(6, robot.nv)


def controller(t, q, v):
    """A spring of 40 N m/rad and a damper of 1.5 N m s/rad at every joint of the legs."""
    torque = np.zeros(robot.nv)
    torque[limbs] = 40.0 * (stance[limbs + 1] - q[limbs + 1]) - 1.5 * v[limbs]
    return torque


run = carom.simulate(
    robot,
    stance,
    until=0.8,
    interval=0.002,
    torque=controller,
    rate=500,
    restitution=0.2,
    friction=0.6,
    contacts=[{"link": foot, "shape": "all"} for foot in feet],
)
print(run)
for k, impact in enumerate(run.impacts[:6]):
    who = ", ".join(str(event.contact) for event in impact.events)
    print(f"impact {k} at {impact.t:.6f} s: {who}, energy {sum(event.energy_change for event in impact.events):+.4f} J")

run.save("drop.html")
figure, axes = plt.subplots(2, 1, sharex=True, layout="constrained")
run.plot(axes[0])
for name, contact in run.contacts.items():
    axes[1].plot(run.t, contact.force[:, 0], label=name, linewidth=1.0)
axes[1].set(xlabel="time, s", ylabel="normal force, N")
axes[1].legend(fontsize="small")
figure.savefig("drop.png", dpi=120)
print("drop.html, drop.png")
