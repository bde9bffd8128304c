//! Restitution and friction of each contact and pair: its own, those of the scene, or those of the robot's file.

use carom_law::{Coefficients, Law, Restitution};
use carom_sim::Setup;

use super::error::unsupported;
use super::{Scene, SceneContact, ScenePair};
use crate::document::{Kind, ProblemError, listed};

impl Scene {
    /// The coefficients of a contact: its own, those of the scene, or the friction of the robot's file.
    pub(crate) fn coefficients_of(&self, contact: &SceneContact, scene: &Coefficients) -> Coefficients {
        Coefficients {
            restitution: contact.restitution.unwrap_or(scene.restitution),
            friction: contact.friction.or(scene.friction).or(contact.file_friction),
        }
    }

    /// The coefficients of a pair: its own, those of the scene, or the friction of the robot's file.
    pub(super) fn coefficients_of_pair(&self, pair: &ScenePair, scene: &Coefficients) -> Coefficients {
        let friction = pair.friction.or(scene.friction).or(pair.file_friction);
        Coefficients {
            restitution: pair.restitution.unwrap_or(scene.restitution),
            friction: friction.filter(|_| !pair.is_frictionless),
        }
    }

    /// Removes the kinds of restitution that contacts and pairs state for themselves.
    pub(crate) fn forget_restitution_kinds(&mut self) {
        let own = self.contacts.iter_mut().map(|contact| &mut contact.restitution);
        for restitution in own.chain(self.pairs.iter_mut().map(|pair| &mut pair.restitution)) {
            *restitution = restitution.map(Restitution::without_kind);
        }
    }

    /// Refuses contacts with tangents, and pairs, that have no friction from any source.
    pub(super) fn check_friction<'a>(
        &self,
        contacts: impl Iterator<Item = &'a SceneContact>,
        pairs: impl Iterator<Item = &'a ScenePair>,
        scene: &Coefficients,
    ) -> Result<(), ProblemError> {
        let lacking = contacts
            .filter(|contact| self.coefficients_of(contact, scene).friction.is_none() && contact.point.dimension() > 1);
        refuse_missing_friction(lacking.map(|contact| contact.name.as_str()), "dimension = 1")?;
        let lacking =
            pairs.filter(|pair| !pair.is_frictionless && self.coefficients_of_pair(pair, scene).friction.is_none());
        refuse_missing_friction(lacking.map(|pair| pair.name.as_str()), "friction = 0")
    }

    /// Refuses kinds of restitution with a law that has none.
    pub(super) fn check_kinds(&self, setup: &Setup, law: Law) -> Result<(), ProblemError> {
        let of = |name: &str, own: Option<Restitution>, used: &Coefficients| {
            let kind = used.restitution.kind()?;
            let field = match own {
                Some(_) => format!("contacts[{name:?}].restitution.kind"),
                None => "restitution.kind".to_owned(),
            };
            Some((field, kind))
        };
        let contacts = self.contacts.iter().zip(&setup.contacts);
        let pairs = self.pairs.iter().zip(&setup.pairs);
        let of_limits = setup.limits.and_then(|limits| Some(("limits.restitution.kind".to_owned(), limits.kind()?)));
        let first = contacts
            .filter_map(|(stated, used)| of(&stated.name, stated.restitution, &used.coefficients))
            .chain(pairs.filter_map(|(stated, used)| of(&stated.name, stated.restitution, &used.coefficients)))
            .chain(of_limits)
            .next();
        match first.filter(|_| law != Law::Chord) {
            None => Ok(()),
            Some((field, kind)) => {
                let message = format!(
                    "{field} = {:?} is only available for law = \"chord\"; leave it out with {:?}",
                    kind.name(),
                    law.name()
                );
                Err(unsupported(&field, message))
            }
        }
    }
}

/// An error about contacts without friction, if there are any, with what states that they have none.
fn refuse_missing_friction<'n>(names: impl Iterator<Item = &'n str>, frictionless: &str) -> Result<(), ProblemError> {
    let names: Vec<&str> = names.collect();
    if names.is_empty() {
        return Ok(());
    }
    let names = listed(&names);
    let message = format!("friction is missing: give friction for the scene or for {names}, or {frictionless}");
    Err(ProblemError::at(Kind::Law(carom_law::ErrorKind::Missing), "friction", message))
}
