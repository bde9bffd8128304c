//! The built-in scenes, the files of `models/scenes/`: impacts from the literature, and robots at work.

use serde_json::Value;

use crate::problem::{Document, Format, ProblemError};

/// A built-in impact.
#[derive(Debug, Clone, Copy)]
pub struct Exhibit {
    /// What it is called on the command line.
    pub name: &'static str,
    /// Its scene, in TOML.
    pub text: &'static str,
}

impl Exhibit {
    /// The scene as a problem document, to solve or to change.
    ///
    /// # Errors
    /// None: the built-in scenes are tested.
    pub fn tree(&self) -> Result<Value, ProblemError> {
        Document::read(self.text, Format::Toml).map(|document| document.tree().clone())
    }

    /// What it shows, in one line.
    pub fn summary(&self) -> String {
        let title = self.tree().ok().and_then(|tree| tree["title"].as_str().map(str::to_owned));
        title.unwrap_or_default()
    }
}

macro_rules! exhibits {
    ($($name:literal)*) => {
        /// Every scene, in the order of the documentation.
        pub const SCENES: &[Exhibit] =
            &[$(Exhibit { name: $name, text: include_str!(concat!("../models/scenes/", $name, ".toml")) }),*];
    };
}

exhibits! {
    "kane" "rod" "sphere" "superball" "block" "wheel" "cube" "reversal" "walker" "arm" "foot" "humanoid"
}

/// The scene of that name.
pub fn find(name: &str) -> Option<&'static Exhibit> {
    SCENES.iter().find(|scene| scene.name == name)
}
