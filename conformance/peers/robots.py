"""Prints the robots to time, for pinocchio.cpp: name "urdf path" floating(0|1) frame.

The models are those of PyPI's example-robot-data, wherever the running interpreter has it installed.
"""

import importlib.metadata
import sys

ROBOTS = [
    ("ur5", "ur_description/urdf/ur5_robot.urdf", 0, "tool0"),
    ("panda", "panda_description/urdf/panda.urdf", 0, "panda_hand_tcp"),
    ("solo12", "solo_description/robots/solo12.urdf", 1, "FL_FOOT"),
    ("anymal_b", "anymal_b_simple_description/robots/anymal.urdf", 1, "LF_FOOT"),
    ("g1", "g1_description/urdf/g1_29dof_rev_1_0.urdf", 1, "left_ankle_roll_link"),
    ("talos_reduced", "talos_data/robots/talos_reduced.urdf", 1, "left_sole_link"),
    ("talos_full", "talos_data/robots/talos_full_v2.urdf", 1, "left_sole_link"),
]


def main():
    try:
        package = importlib.metadata.distribution("example-robot-data")
    except importlib.metadata.PackageNotFoundError:
        sys.exit("example-robot-data is not installed: pip install example-robot-data==6.0.0")
    folder = package.locate_file("cmeel.prefix/share/example-robot-data/robots")
    for name, urdf, floating, frame in ROBOTS:
        path = folder / urdf
        if not path.is_file():
            sys.exit(f"{name}: no {path}")
        # Quoted, as the path may have spaces.
        print(f'{name} "{path}" {floating} {frame}')


if __name__ == "__main__":
    main()
