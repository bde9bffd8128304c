"""A million impacts as a heat map.

The arm's tool strikes a wall in a million states: how the energy that is lost depends on the rates of two of its joints.
"""

import time

import matplotlib.pyplot as plt
import numpy as np

import carom

SIDE = 1000
problem = carom.problem("arm")
document = problem.to_dict()
robot = carom.load("arm")
rates = np.linspace(-2.0, 2.0, SIDE)
v = np.tile(problem.velocity, (SIDE * SIDE, 1))
v[:, 1], v[:, 2] = (grid.ravel() for grid in np.meshgrid(rates, rates))

begun = time.perf_counter()
batch = robot.impact_batch(
    problem.configuration,
    v,
    document["contact"],
    surface=document["surface"],
    restitution=document["restitution"],
    friction=document["friction"],
)
print(f"{len(batch)} impacts in {time.perf_counter() - begun:.2f} s, {len(batch.errors)} without an answer")
for code, name in enumerate(carom.MODES):
    print(f"{name:>10}: {np.count_nonzero(batch.mode_code == code)}")

figure, axes = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
extent = (rates[0], rates[-1], rates[0], rates[-1])
names = robot.velocity_names
shown = axes[0].imshow(-batch.energy_change.reshape(SIDE, SIDE), origin="lower", extent=extent, aspect="auto", cmap="viridis")
figure.colorbar(shown, ax=axes[0], label="energy lost, J")
modes = axes[1].imshow(batch.mode_code.reshape(SIDE, SIDE), origin="lower", extent=extent, aspect="auto", cmap="Set2", vmin=0, vmax=7)
bar = figure.colorbar(modes, ax=axes[1], ticks=range(4), boundaries=np.arange(-0.5, 4))
bar.ax.set_yticklabels(carom.MODES)
for ax, title in zip(axes, ("energy lost", "mode")):
    ax.set(xlabel=f"rate of {names[1]}, rad/s", ylabel=f"rate of {names[2]}, rad/s", title=title)
figure.savefig("million.png", dpi=120)
print("million.png")
