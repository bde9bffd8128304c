"""One foot of a robot under all laws.

The built-in quadruped sets its left front foot on a tilted, slippery floor. What each law says of the impact, what becomes of the
foot over restitution and friction, and how much friction it takes to stick.
"""

import matplotlib.pyplot as plt
import numpy as np

import carom

outcome = carom.impact("foot")
print(outcome)

comparison = carom.compare("foot")
print(comparison)
for law in comparison.laws:
    if "error" not in law:
        print(f"{law['law']:>18}: {law['mode']:<8} energy {law['energy_change']:+.4f} J, in the cone: {law['obeys_cone']}")

contact = carom.problem("foot").contact
restitution = np.linspace(0.0, 1.0, 6)
print("\n   e    mu_cr")
for e, mu in zip(restitution, contact.critical_friction(restitution)):
    print(f"{e:.1f}   {mu:.4f}")
print(f"a stick creates no energy up to e* = {contact.restitution_limit():.4f}")

axes = carom.map("foot", resolution=100).plot()
axes.figure.savefig("foot.png", dpi=120)
print("foot.png")
plt.close("all")
