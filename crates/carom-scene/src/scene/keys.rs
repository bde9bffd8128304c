//! The keys of scenes.

use crate::document::keys::{COMMON, DIMENSION, FRICTION, RESTITUTION};
use crate::models;
use crate::schema::{Object, Openness, Rule, Type, json_schema, object};

/// The keys of a scene, in addition to those of every problem.
pub(crate) const SCENE: Object = object!("scene" {
    "title": Type::Text, "What the scene shows, in one line";
    "model": Type::Object(&MODEL), "The robot";
    "objects": Type::List(&Type::Object(&OBJECT), 1, None), "More robots and bodies, each with its own placement and state; their links are named object/link";
    "base": Type::Object(&BASE), "Placement and motion of the robot's base";
    "gravity": Type::TRIPLE, "Gravity in world axes, m/s^2 [default: that of the robot's file, or (0, 0, -9.81)]";
    "state": Type::Object(&STATE), "Configuration and velocity of the joints";
    "contact": Type::Object(&CONTACT), "The contact, if one link or frame touches";
    "contacts": Type::List(&Type::Object(&CONTACT), 0, None), "The contacts; an empty list simulates a robot that touches nothing";
    "strike": Type::Either(&[Type::Text, Type::List(&Type::Text, 1, None)]), "The contact or contacts that strike [default: a single contact, otherwise those that touch]";
    "surface": Type::Object(&SURFACE), "The surface";
    "surfaces": Type::List(&Type::Object(&SURFACE), 1, None), "The surfaces, if there are several [default: the planes of the robot's file]";
    "loops": Type::List(&Type::Object(&LOOP), 0, None), "Closed loops, in addition to those of an MJCF file";
    "limits": Type::Object(&LIMITS), "Simulates the limits of the joints";
    "posture": Type::Object(&POSTURE), "Springs and dampers that hold the joints in their initial positions";
    "actuation": Type::Map(&Type::Object(&ACTUATION)), "Forces, springs and dampers by the name of the joint";
    "controls": Type::Either(&[Type::Text, Type::Integer(0, None), Type::Map(&Type::Number)]), "Controls of the actuators of an MJCF file: those of a keyframe, by its name or its index from 0, or numbers by the names of actuators, 0 for the others [default: the actuators of the file do not act]";
    "simulation": Type::Object(&SIMULATION), "Settings of a simulation";
}
    Rule::Required(&["restitution"]),
    Rule::AnyOf(&[&["model"], &["objects"]]),
    Rule::OneOf(&[&["contact"], &["contacts"]]),
    Rule::NotBoth("surface", "surfaces"),
);

pub(super) const MODEL: Object = object!("model" {
    "urdf": Type::Text, "A URDF file, relative to the folder of the scene";
    "mjcf": Type::Text, "An MJCF file, relative to the folder of the scene";
    "sdf": Type::Text, "An SDF file, relative to the folder of the scene";
    "builtin": Type::OneOfNames(|| models::MODELS.iter().map(|model| model.name).collect()), "A built-in model";
    "mimics": Type::OneOfNames(|| vec!["follow", "free"]), "Whether joints that mimic others follow them [default: follow]";
    "hull": Type::Object(&HULL), "How the convex hulls of meshes are simplified";
}
    Rule::OneOf(&[&["urdf"], &["mjcf"], &["sdf"], &["builtin"]]),
);

pub(super) const HULL: Object = object!("hull" {
    "tolerance": Type::Below(0.0, 1.0), "Largest distance of a vertex left out, relative to the size of the mesh [default: 0.01]";
    "vertices": Type::Integer(4, None), "Largest number of vertices [default: 128]";
});

pub(super) const BASE: Object = object!("base" {
    "floating": Type::Boolean, "Whether the root link of a URDF moves freely [default: false]";
    "position": Type::TRIPLE, "Position, m";
    "rpy": Type::TRIPLE, "Orientation as roll, pitch and yaw, rad";
    "quaternion": Type::List(&Type::Number, 4, Some(4)), "Orientation as a unit quaternion (w, x, y, z)";
    "velocity": Type::TRIPLE, "Velocity of the origin of a floating base in world axes, m/s";
    "angular_velocity": Type::TRIPLE, "Angular velocity of a floating base in world axes, rad/s";
    "touch": Type::Text, "Moves a floating base until this touches: lowest, a link or a contact";
    "height": Type::Number, "The gap left by touch, m [default: 0]";
}
    Rule::NotBoth("rpy", "quaternion"),
    Rule::Needs("height", &["touch"]),
);

pub(super) const STATE: Object = object!("state" {
    "keyframe": Type::Either(&[Type::Text, Type::Integer(0, None)]), "The keyframe of an MJCF file to start from, by its name or its index from 0 [default: the home configuration, at rest]";
    "configuration": BY_JOINT, "Positions by the name of the joint, m or rad, or all of them as a list";
    "velocity": BY_JOINT, "Velocities by the name of the joint, m/s or rad/s, or all of them as a list";
});

const BY_JOINT: Type = Type::Either(&[Type::NUMBERS, Type::Map(&Type::Either(&[Type::Number, Type::NUMBERS]))]);

pub(super) const CONTACT: Object = object!("contact" {
    "name": Type::Text, "Its name in reports [default: that of its link or frame]";
    "link": Type::Text, "The link that touches, a pattern such as *_foot, or all";
    "frame": Type::Text, "The frame or site that touches";
    "point": Type::TRIPLE, "The point that touches, in the axes of the link or frame, m [default: its origin]";
    "dimension": DIMENSION, "3 with friction, 2 in a plane, 1 without friction";
    "radius": Type::NOT_NEGATIVE, "Radius of a ball around the point, m";
    "shape": Type::Text, "The collision shape that touches: its name, its index, or all";
    "rims": Type::Either(&[Type::OneOfNames(|| vec!["rolling"]), Type::Integer(0, Some(1000))]), "How the rims of cylinders touch: rolling, or at a number of points";
    "surface": Type::Text, "The surface that it touches [default: all]";
    "against": Type::Object(&AGAINST), "The body that it touches, in place of a surface";
    "restitution": RESTITUTION, "Its own restitution";
    "friction": FRICTION, "Its own friction";
    "enabled": Type::Object(&CONDITION), "When it can close, in a simulation";
}
    Rule::OneOf(&[&["link"], &["frame"]]),
    Rule::NotBoth("shape", "frame"),
    Rule::NotBoth("shape", "point"),
    Rule::NotBoth("shape", "radius"),
    Rule::NotBoth("shape", "dimension"),
    Rule::Needs("rims", &["shape"]),
    Rule::NotBoth("against", "surface"),
    Rule::NotBoth("against", "rims"),
    Rule::NotBoth("against", "enabled"),
);

pub(super) const AGAINST: Object = object!("against" {
    "link": Type::Text, "The link of the other body, a pattern such as *_foot, or all";
    "shape": Type::Text, "Its shape: its name, its index, or all [default: all]";
}
    Rule::Required(&["link"]),
);

pub(super) const OBJECT: Object = object!("object" {
    "name": Type::Text, "Its name: links and joints of its model are named name/link and name/joint, those of a ball or box have the name itself";
    "model": Type::Object(&MODEL), "Its model";
    "ball": Type::Object(&BALL), "A solid ball that moves freely";
    "box": Type::Object(&BOX), "A solid box that moves freely";
    "mass": Type::Above(0.0), "Mass of a ball or box, kg";
    "base": Type::Object(&BASE), "Its placement and motion";
    "state": Type::Object(&STATE), "Configuration and velocity of its joints, by their names in its own model";
}
    Rule::Required(&["name"]),
    Rule::OneOf(&[&["model"], &["ball", "mass"], &["box", "mass"]]),
);

pub(super) const BALL: Object = object!("ball" {
    "radius": Type::Above(0.0), "Radius, m";
}
    Rule::Required(&["radius"]),
);

pub(super) const BOX: Object = object!("box" {
    "half": Type::TRIPLE, "Half of each side length, m";
}
    Rule::Required(&["half"]),
);

pub(super) const ROUND: Object = object!("round" {
    "radius": Type::Above(0.0), "Radius, m";
    "half_length": Type::Above(0.0), "Half the length along its axis, m; of a capsule without its ends";
}
    Rule::Required(&["radius", "half_length"]),
);

pub(super) const CORNERS: Object = object!("corners" {
    "points": Type::List(&Type::TRIPLE, 4, None), "Points whose convex hull it is, m";
}
    Rule::Required(&["points"]),
);

pub(super) const CONDITION: Object = object!("condition" {
    "joint": Type::Text, "The joint whose position decides";
    "above": Type::Number, "It is above this, m or rad";
    "below": Type::Number, "It is below this, m or rad";
}
    Rule::Required(&["joint"]),
    Rule::AnyOf(&[&["above"], &["below"]]),
);

pub(super) const SURFACE: Object = object!("surface" {
    "name": Type::Text, "Its name in reports";
    "point": Type::TRIPLE, "A point of it, m; the centre of one that ends or curves [default: the origin]";
    "normal": Type::TRIPLE, "The outward normal of a plane, of any length";
    "box": Type::Object(&BOX), "A box, fixed to the world";
    "ball": Type::Object(&BALL), "A ball, fixed to the world";
    "capsule": Type::Object(&ROUND), "A capsule along z, fixed to the world";
    "cylinder": Type::Object(&ROUND), "A cylinder along z, fixed to the world";
    "hull": Type::Object(&CORNERS), "The convex hull of points, fixed to the world";
    "rpy": Type::TRIPLE, "Its orientation as roll, pitch and yaw, rad";
    "quaternion": Type::List(&Type::Number, 4, Some(4)), "Its orientation as a unit quaternion (w, x, y, z)";
}
    Rule::OneOf(&[&["normal"], &["box"], &["ball"], &["capsule"], &["cylinder"], &["hull"]]),
    Rule::NotBoth("rpy", "quaternion"),
    Rule::NotBoth("normal", "rpy"),
    Rule::NotBoth("normal", "quaternion"),
);

pub(super) const LOOP: Object = object!("loop" {
    "name": Type::Text, "Its name in reports";
    "kind": Type::OneOfNames(|| vec!["connect", "hinge", "weld"]), "connect: two points coincide; hinge: and two axes are parallel; weld: two frames coincide";
    "first": Type::Object(&LOOP_END), "One end";
    "second": Type::Object(&LOOP_END), "The other end [default: the world, where the first is at home]";
}
    Rule::Required(&["name", "kind", "first"]),
);

pub(super) const LOOP_END: Object = object!("loop_end" {
    "link": Type::Text, "The link";
    "frame": Type::Text, "The frame or site";
    "point": Type::TRIPLE, "The point, in the axes of the link or frame, m [default: its origin]";
    "axis": Type::TRIPLE, "The axis of a hinge, in the axes of the link or frame, of any length";
}
    Rule::OneOf(&[&["link"], &["frame"]]),
);

pub(super) const LIMITS: Object = object!("limits" {
    "restitution": RESTITUTION, "Restitution of the limits of the joints";
}
    Rule::Required(&["restitution"]),
);

pub(super) const POSTURE: Object = object!("posture" {
    "stiffness": Type::NOT_NEGATIVE, "Stiffness, N/m or N m/rad";
    "damping": Type::NOT_NEGATIVE, "Damping, N s/m or N m s/rad [default: 0]";
    "joints": Type::list(&Type::Text), "The joints that are held [default: all]";
}
    Rule::Required(&["stiffness"]),
);

pub(super) const ACTUATION: Object = object!("actuation" {
    "force": Type::Number, "A constant force or torque, N or N m";
    "rate": Type::Number, "Its increase, N/s or N m/s";
    "stiffness": Type::NOT_NEGATIVE, "Stiffness of a spring, N/m or N m/rad";
    "damping": Type::NOT_NEGATIVE, "Damping, N s/m or N m s/rad";
    "target": Type::Number, "Position at which the spring is relaxed, m or rad [default: the initial one]";
}
    Rule::Needs("target", &["stiffness", "damping"]),
);

pub(super) const SIMULATION: Object = object!("simulation" {
    "until": Type::Above(0.0), "End time, s [default: 10]";
    "interval": Type::Above(0.0), "Time between samples, s [default: 0.01]";
    "tolerance": Type::Above(0.0), "Relative tolerance of the integration [default: 1e-10]";
    "largest_step": Type::Above(0.0), "Largest step of the integration, s";
    "joint_friction": Type::Boolean, "Whether the dry friction of joints acts [default: true]";
    "max_events": Type::Integer(1, Some(9_000_000_000_000_000)), "Number of events after which the run ends with an error [default: 1000000]";
});

impl super::Scene {
    /// The JSON Schema of scenes, as text.
    pub fn json_schema() -> String {
        let description = "A robot, its state, its contacts and surfaces";
        json_schema("carom scene", description, &[&[&SCENE, &COMMON]], Openness::Closed)
    }
}
