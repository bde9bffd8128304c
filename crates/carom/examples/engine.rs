//! An engine has W = A M⁻¹ Aᵀ and the velocity of a contact, and wants the impulse.

use carom::law::{Coefficients, Contact, Delassus, Friction, Guard, Restitution};

fn main() -> carom::Result<()> {
    // The normal first, then the tangents; 1/kg and m/s. A negative normal velocity approaches.
    let delassus = Delassus::spatial([[0.9, 0.2, 0.0], [0.2, 1.4, 0.1], [0.0, 0.1, 1.1]])?;
    let contact = Contact::new(delassus, &[-2.0, 0.6, -0.3])?;
    let coefficients = Coefficients::new(Restitution::new(0.5)?, Friction::new(0.2)?);
    let outcome = contact.impact(&coefficients, Guard::Slip)?;
    println!("{}: impulse {:.4?} N s, {:.4} J", outcome.mode, outcome.impulse, outcome.energy.change);
    Ok(())
}
