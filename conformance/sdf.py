"""SDF: a reader of its own that builds the tree for Pinocchio, which has none in its wheel, and the joints that close loops
as Pinocchio's constraints. It reads what the files of example-robot-data use: versions 1.5 and 1.6, one model, poses without
names of frames."""

import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

import urdf

FREEDOMS = {"fixed": 0, "revolute": 1, "continuous": 1, "prismatic": 1, "ball": 3}
# Joints that may close a loop, as what the engine calls the loop.
LOOPS = {"ball": "connect", "revolute": "hinge"}
# Where the robot begins if no joint joins it to the world: as the engine calls that joint.
WORLD = "world"


@dataclass
class Joint:
    name: str
    kind: str
    parent: str
    child: str
    # In the axes of the child link.
    point: np.ndarray
    axis: np.ndarray


def files():
    return sorted((path.relative_to(urdf.root()).as_posix(), path) for path in urdf.root().rglob("*.sdf"))


def placement(element):
    """Position, then roll, pitch and yaw."""
    numbers = np.zeros(6) if element is None else np.array(element.text.split(), dtype=float)
    return pin.SE3(pin.rpy.rpyToMatrix(*numbers[3:]), numbers[:3])


def inertia(link):
    """About the centre of mass, in the axes of the pose of <inertial>."""
    own = link.find("inertial")
    if own is None:
        return pin.Inertia(1.0, np.zeros(3), np.eye(3))
    xx, yy, zz, xy, xz, yz = (float(own.find("inertia").find(f"i{name}").text) for name in ("xx", "yy", "zz", "xy", "xz", "yz"))
    pose = placement(own.find("pose"))
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return pin.Inertia(float(own.find("mass").text), pose.translation, pose.rotation @ tensor @ pose.rotation.T)


class Robot:
    """The tree as Pinocchio's model, and the loops as its constraints."""

    def __init__(self, path, base):
        self.element = ElementTree.parse(path).getroot().find(".//model")
        links = {link.get("name"): link for link in self.element.findall("link")}
        self.places = {name: placement(link.find("pose")) for name, link in links.items()}
        self.inertias = {name: inertia(link) for name, link in links.items()}
        self.joints = [self.joint(element) for element in self.element.findall("joint")]
        self.model = pin.Model()
        # Link to the joint that moves it, and to its placement there.
        self.on = {WORLD: (0, pin.SE3.Identity())}
        self.places[WORLD] = pin.SE3.Identity()
        self.loops = self.hang(links, base)

    def joint(self, element):
        child, parent = element.find("child").text.strip(), element.find("parent").text.strip()
        pose = placement(element.find("pose"))
        axis = np.array([0.0, 0.0, 1.0])
        if element.find("axis/xyz") is not None:
            axis = np.array(element.find("axis/xyz").text.split(), dtype=float)
            axis /= np.linalg.norm(axis)
        of_model = element.findtext("axis/use_parent_model_frame", "0").strip() in ("1", "true")
        axis = self.places[child].rotation.T @ axis if of_model else pose.rotation @ axis
        return Joint(element.get("name"), element.get("type"), parent, child, pose.translation, axis)

    def hang(self, links, base):
        """The tree, depth first as Pinocchio needs it; returns the joints that close loops."""
        tree, left = self.grow(links)
        root = next(iter(tree))
        if root != WORLD:
            self.move(base, pin.JointModelFreeFlyer(), 0, self.places[root], root, pin.SE3.Identity())
        for joint in tree[root]:
            self.climb(tree, joint)
        return left

    def grow(self, links):
        """The joints on each link, and those left: again and again the joint is taken that has fewest freedoms, then is least
        deep, then is first in the file, of those whose parent is in the tree and whose child is not."""
        left = list(self.joints)
        root = WORLD
        if not any(joint.parent == WORLD for joint in left):
            root = next(name for name in links if not any(joint.child == name for joint in left))
        tree, depth = {root: []}, {root: 0}
        while True:
            ready = [joint for joint in left if joint.parent in depth and joint.child not in depth]
            if not ready:
                return tree, left
            one = min(ready, key=lambda joint: (FREEDOMS[joint.kind], depth[joint.parent], self.joints.index(joint)))
            left.remove(one)
            depth[one.child] = depth[one.parent] + 1
            tree[one.parent].append(one)
            tree[one.child] = []

    def climb(self, tree, joint):
        self.add(joint)
        for further in tree[joint.child]:
            self.climb(tree, further)

    def add(self, joint):
        on, place = self.on[joint.parent]
        home = place * self.places[joint.parent].inverse() * self.places[joint.child]
        if joint.kind == "fixed":
            self.carry(joint.child, on, home)
            return
        kinds = {"prismatic": pin.JointModelPrismaticUnaligned, "ball": lambda _: pin.JointModelSpherical()}
        kind = kinds.get(joint.kind, pin.JointModelRevoluteUnaligned)(joint.axis)
        at_point = pin.SE3(np.eye(3), joint.point)
        self.move(joint.name, kind, on, home * at_point, joint.child, at_point.inverse())

    def move(self, name, kind, on, at, link, place):
        self.carry(link, self.model.addJoint(on, kind, at, name), place)

    def carry(self, link, joint, place):
        self.model.appendBodyToJoint(joint, self.inertias[link], place)
        self.model.addBodyFrame(link, joint, place, 0)
        self.on[link] = (joint, place)

    def constraints(self):
        """Joints that close loops: points that coincide, and for a hinge frames that do but for the turn about their z axis."""
        found = pin.StdVec_RigidConstraintModel()
        for joint in self.loops:
            if joint.kind not in LOOPS:
                raise ValueError(f"joint {joint.name} of type {joint.kind} closes a loop")
            kind = pin.ContactType.CONTACT_3D if joint.kind == "ball" else pin.ContactType.CONTACT_6D
            turn = pin.Quaternion.FromTwoVectors(np.array([0.0, 0.0, 1.0]), joint.axis).toRotationMatrix()
            at = self.places[joint.child] * pin.SE3(turn, joint.point)
            ends = []
            for link in (joint.parent, joint.child):
                on, place = self.on[link]
                ends += [on, place * self.places[link].inverse() * at]
            found.append(pin.RigidConstraintModel(kind, self.model, *ends, pin.LOCAL))
        return found

    def parts(self, rows):
        """The rows of each loop: of its point and, for a hinge, of the rotation across its axis."""
        start, found = 0, {}
        for joint in self.loops:
            count = 3 if joint.kind == "ball" else 6
            own = rows[start : start + count]
            found[joint.name] = [own] if count == 3 else [own[:3], own[3:5]]
            start += count
        return found


def rows(model, constraints, q, v):
    """C. The data of constraints belong to the state in which they were computed last: fresh data give wrong rows."""
    data, own = model.createData(), pin.StdVec_RigidConstraintData()
    own.extend([constraint.createData() for constraint in constraints])
    pin.initConstraintDynamics(model, data, constraints, own)
    pin.constraintDynamics(model, data, q, v, np.zeros(model.nv), constraints, own)
    return pin.getConstraintsJacobian(model, data, constraints, own)
