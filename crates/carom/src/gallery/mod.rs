//! The built-in scenes: impacts from the literature, worked out from their geometry.

mod scenes;

use serde_json::Value;

/// A built-in impact.
#[derive(Debug, Clone, Copy)]
pub struct Scene {
    /// What it is called on the command line.
    pub name: &'static str,
    /// What it shows, in one line.
    pub summary: &'static str,
    tree: fn() -> Value,
}

impl Scene {
    /// The scene as a problem document, to solve, change or write to a file.
    pub fn tree(&self) -> Value {
        (self.tree)()
    }
}

/// Every scene, in the order of the documentation.
pub const SCENES: [Scene; 8] = [
    Scene { name: "kane", summary: "Kane's double pendulum strikes a rough floor with its tip", tree: scenes::kane },
    Scene { name: "rod", summary: "a slender rod at 45 degrees, thrown along the floor", tree: scenes::rod },
    Scene { name: "sphere", summary: "a spinning ball falls on a table, in space", tree: scenes::sphere },
    Scene {
        name: "superball",
        summary: "Garwin's superball, with normal and tangential restitution 1",
        tree: scenes::superball,
    },
    Scene {
        name: "block",
        summary: "Housner's rocking block passes from one corner to the other",
        tree: scenes::block,
    },
    Scene { name: "wheel", summary: "a rimless wheel of eight spokes steps onto the next spoke", tree: scenes::wheel },
    Scene { name: "cube", summary: "a tossed cube lands on a corner, in space", tree: scenes::cube },
    Scene {
        name: "reversal",
        summary: "Kane's pendulum at a velocity for which no slip is consistent",
        tree: scenes::reversal,
    },
];

/// The scene of that name.
pub fn find(name: &str) -> Option<&'static Scene> {
    SCENES.iter().find(|scene| scene.name == name)
}
