//! An impact as plain numbers, and as the document that `carom impact` reads.

use carom::Problem as Document;
use carom::law::{Guard, Law};
use serde_json::{Value, json};

/// A matrix by rows.
pub type Rows = Vec<Vec<f64>>;

/// An impact of one contact or of several, in either form.
#[derive(Debug, Clone)]
pub struct Problem {
    /// The matrices and velocities.
    pub terms: Terms,
    /// One entry per contact, in the order of the rows.
    pub contacts: Vec<Contact>,
    /// The law.
    pub law: Law,
    /// The guard.
    pub guard: Guard,
}

/// The two forms of a problem.
#[derive(Debug, Clone)]
pub enum Terms {
    /// `(M, A, q̇⁻)`
    Generalized {
        /// `M`
        mass: Rows,
        /// `A`, each contact's normal first.
        jacobian: Rows,
        /// `q̇⁻`
        velocity: Vec<f64>,
    },
    /// `(W, v⁻)`
    ContactSpace {
        /// `W`
        delassus: Rows,
        /// `v⁻`
        velocity: Vec<f64>,
    },
}

/// A contact's dimension and coefficients.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    /// 1, 2 or 3.
    pub dimension: usize,
    /// `e`
    pub normal: f64,
    /// `e_t`
    pub tangential: f64,
    /// `μ_s`
    pub mu_s: f64,
    /// `μ_d`
    pub mu_d: f64,
}

/// The result of carom for a problem: an outcome or an error, as data.
pub type Answer = Result<Value, Refusal>;

/// An error of carom.
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    /// Its kind, of the closed list.
    pub kind: String,
    /// Its message.
    pub message: String,
}

impl Contact {
    fn to_json(self, with_dimension: bool) -> Value {
        let restitution = if self.tangential == 0.0 {
            json!(self.normal)
        } else {
            json!({"normal": self.normal, "tangential": self.tangential})
        };
        let friction =
            if self.mu_s == self.mu_d { json!(self.mu_d) } else { json!({"static": self.mu_s, "dynamic": self.mu_d}) };
        let mut value = json!({"restitution": restitution, "friction": friction});
        if with_dimension {
            value["dimension"] = json!(self.dimension);
        }
        value
    }
}

impl Problem {
    /// The document.
    pub fn to_json(&self) -> Value {
        let mut value = match &self.terms {
            Terms::Generalized { mass, jacobian, velocity } => {
                json!({"mass_matrix": mass, "contact_jacobian": jacobian, "velocity": velocity})
            }
            Terms::ContactSpace { delassus, velocity } => json!({"delassus": delassus, "contact_velocity": velocity}),
        };
        if let [contact] = &self.contacts[..] {
            let stated = contact.to_json(false);
            value["restitution"] = stated["restitution"].clone();
            value["friction"] = stated["friction"].clone();
        } else {
            value["contacts"] = self.contacts.iter().map(|contact| contact.to_json(true)).collect();
        }
        value["law"] = json!(self.law.name());
        value["guard"] = json!(self.guard.name());
        value
    }

    /// Solves the problem through its document, as for a user.
    ///
    /// # Errors
    /// carom rejects the problem.
    pub fn answer(&self) -> Answer {
        let answer = Document::from_tree(&self.to_json()).and_then(|document| document.answer());
        match answer {
            Ok(answer) => Ok(serde_json::to_value(&answer).expect("an outcome is data")),
            Err(error) => Err(Refusal { kind: error.kind.name().to_owned(), message: error.message }),
        }
    }

    /// The first row of each contact, and the number of rows.
    pub fn offsets(&self) -> Vec<usize> {
        let mut offsets = vec![0];
        for contact in &self.contacts {
            offsets.push(offsets[offsets.len() - 1] + contact.dimension);
        }
        offsets
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        let all = |rows: &Rows| rows.iter().flatten().all(|x| x.is_finite());
        let terms = match &self.terms {
            Terms::Generalized { mass, jacobian, velocity } => {
                all(mass) && all(jacobian) && velocity.iter().all(|x| x.is_finite())
            }
            Terms::ContactSpace { delassus, velocity } => all(delassus) && velocity.iter().all(|x| x.is_finite()),
        };
        let coefficient = |c: &Contact| [c.normal, c.tangential, c.mu_s, c.mu_d].iter().all(|x| x.is_finite());
        terms && self.contacts.iter().all(coefficient)
    }
}
