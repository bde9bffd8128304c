//! The impact of a scene: of the contacts that strike in its state.

use carom_law::{Coefficients, Contact, Guard, Law, Outcome};
use carom_multibody::{ContactPoint, Contacts, LoopImpulse, Meeting};
use carom_sim::{StrikeError, contact_at, meeting_contact, strike_meeting, strike_outcome, strike_together_with};

use super::error::dynamics_error;
use super::{Scene, SceneContact};
use crate::answer::{Answer, SimultaneousAnswer};
use crate::document::{Kind, ProblemError};

impl Scene {
    /// Rejects a scene without a contact, or in which none of several contacts touches its surface.
    pub(crate) fn check_touching(&self) -> Result<(), ProblemError> {
        if self.meetings.is_empty() {
            self.first_struck()?;
        }
        let Some((name, gap)) = &self.nearest else { return Ok(()) };
        let message = format!(
            "none of {} contacts touches its surface: the nearest, {name:?}, has a gap of {gap:.3e} m; set base.touch = \"lowest\", or \
             choose what strikes with strike = [{name:?}]",
            self.contacts.len() + self.pairs.len()
        );
        Err(ProblemError::at(Kind::Conflict, "strike", message))
    }

    /// The impact of the contact that strikes, or the first of several, with joint velocities and kinetic energies. A contact's
    /// own coefficients take precedence over `coefficients`.
    ///
    /// # Errors
    /// A number that the law refuses, or a guard that it has no answer to.
    pub fn strike(&self, law: Law, coefficients: &Coefficients, guard: Guard) -> Result<Outcome, ProblemError> {
        if let ([], [only]) = (&self.struck[..], &self.meetings[..]) {
            let pair = &self.pairs[only.pair];
            self.check_friction(std::iter::empty(), std::iter::once(pair), coefficients)?;
            let coefficients = self.coefficients_of_pair(pair, coefficients);
            return strike_meeting(law, &mut self.dynamics()?, &only.meeting, &coefficients, guard)
                .map_err(|error| self.strike_error(error));
        }
        self.check_friction(self.struck_contacts(), std::iter::empty(), coefficients)?;
        let contact = self.first_struck()?;
        let coefficients = self.coefficients_of(contact, coefficients);
        strike_outcome(law, &mut self.dynamics()?, &contact.point, &coefficients, guard)
            .map_err(|error| self.strike_error(error))
    }

    /// The impact of all contacts that strike, each with its own coefficients if given, otherwise `coefficients`.
    ///
    /// # Errors
    /// A number that the law refuses, or no answer to the precision promised.
    pub fn strike_several(
        &self,
        law: Law,
        coefficients: &Coefficients,
        guard: Guard,
    ) -> Result<SimultaneousAnswer, ProblemError> {
        self.check_touching()?;
        let pairs = || self.meetings.iter().map(|meeting| &self.pairs[meeting.pair]);
        self.check_friction(self.struck_contacts(), pairs(), coefficients)?;
        let points: Vec<ContactPoint> = self.struck_contacts().map(|contact| contact.point).collect();
        let each = self.struck_contacts().map(|contact| self.coefficients_of(contact, coefficients));
        let each: Vec<Coefficients> =
            each.chain(pairs().map(|pair| self.coefficients_of_pair(pair, coefficients))).collect();
        let meetings: Vec<Meeting> = self.meetings.iter().map(|meeting| meeting.meeting).collect();
        let mut contacts = Contacts::with_meetings(&self.model, &points, &[], &meetings);
        let mut after = vec![0.0; self.velocity.len()];
        let outcome = strike_together_with(law, &mut self.dynamics()?, &mut contacts, &each, guard, &mut after)
            .map_err(|error| self.strike_error(error))?;
        Ok(SimultaneousAnswer { outcome, names: self.struck_names().map(|name| Some(name.to_owned())).collect() })
    }

    /// The impulses of the closed loops in an impact, and m W_nn of each contact that strikes.
    pub(crate) fn loop_impulses(&self, answer: &Answer) -> Result<(Vec<LoopImpulse>, Vec<f64>), ProblemError> {
        let (points, meetings): (Vec<ContactPoint>, Vec<Meeting>) = match answer {
            Answer::One(_) if self.struck.is_empty() => {
                (Vec::new(), self.meetings.iter().take(1).map(|meeting| meeting.meeting).collect())
            }
            Answer::One(_) => (vec![self.first_struck()?.point], Vec::new()),
            Answer::Many(_) => (
                self.struck_contacts().map(|contact| contact.point).collect(),
                self.meetings.iter().map(|meeting| meeting.meeting).collect(),
            ),
        };
        let impulses: Vec<f64> = match answer {
            Answer::One(outcome) => outcome.impulse.to_vec(),
            Answer::Many(many) => many.outcome.contacts.iter().flat_map(|contact| contact.impulse.to_vec()).collect(),
        };
        let mut contacts = Contacts::with_meetings(&self.model, &points, &[], &meetings);
        let mut dynamics = self.dynamics()?;
        dynamics.contact_terms(&mut contacts).map_err(dynamics_error)?;
        let loops = dynamics.loop_impulses(&contacts, &impulses).map_err(dynamics_error)?;
        let mass: f64 = self.model.links().iter().map(|link| link.inertia.mass).sum();
        let mut row = 0;
        let mobility = |dimension: usize| {
            let own = contacts.delassus()[(row, row)];
            row += dimension;
            mass * own
        };
        let dimensions = points.iter().map(ContactPoint::dimension).chain(meetings.iter().map(Meeting::dimension));
        Ok((loops, dimensions.map(mobility).collect()))
    }

    /// W and v_c⁻ of the contact that strikes.
    pub(crate) fn struck_contact(&self) -> Result<Contact, ProblemError> {
        if let ([], [only]) = (&self.struck[..], &self.meetings[..]) {
            return meeting_contact(&mut self.dynamics()?, &only.meeting).map_err(|error| self.strike_error(error));
        }
        contact_at(&mut self.dynamics()?, &self.first_struck()?.point).map_err(|error| self.strike_error(error))
    }

    fn strike_error(&self, error: StrikeError) -> ProblemError {
        match error {
            StrikeError::Dynamics(error) => dynamics_error(error),
            StrikeError::Law(error) => self.law_error(error),
        }
    }

    /// Replaces errors about matrices, which the author of a scene has not given, by errors about contacts.
    fn law_error(&self, error: carom_law::Error) -> ProblemError {
        use carom_law::ErrorKind;
        let problem = ProblemError::from(error);
        let field = problem.field.as_deref().unwrap_or_default();
        if problem.kind != Kind::Law(ErrorKind::NotPositive) || !field.starts_with("delassus") {
            return problem;
        }
        let Some(contact) = self.contact_of_row(field).or(self.contact()) else { return problem };
        let link = self.model.link(contact.point.link());
        let why = if self.model.is_moving(contact.point.link()) {
            "no joint can move it along the normal in this configuration".to_owned()
        } else {
            format!("its link {:?} is fixed to the world", link.name)
        };
        ProblemError::at(problem.kind, "contact", format!("contact {:?} cannot be struck: {why}", contact.name))
    }

    /// The contact whose row a field such as `delassus[4][4]` refers to.
    fn contact_of_row(&self, field: &str) -> Option<&SceneContact> {
        let mut row: usize = field.strip_prefix("delassus[")?.split(']').next()?.parse().ok()?;
        self.struck_contacts().find(|contact| {
            let is_within = row < contact.point.dimension();
            row = row.saturating_sub(contact.point.dimension());
            is_within
        })
    }
}
