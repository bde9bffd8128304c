//! The two lists of built-in scenes.

use carom::gallery::Exhibit;

/// The list in which a name is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gallery {
    Impacts,
    Simulations,
}

impl Gallery {
    pub fn find(self, name: &str) -> Option<&'static Exhibit> {
        match self {
            Gallery::Impacts => carom::gallery::find(name),
            Gallery::Simulations => carom::gallery::find_simulation(name),
        }
    }

    pub fn names(self) -> Vec<&'static str> {
        let scenes = match self {
            Gallery::Impacts => carom::gallery::SCENES,
            Gallery::Simulations => carom::gallery::SIMULATIONS,
        };
        scenes.iter().map(|scene| scene.name).collect()
    }
}
