//! A teacher sweeps the friction of Kane's double pendulum: where does it stick, where does it create energy?

use carom::gallery;
use carom::law::Friction;

fn main() -> carom::Result<()> {
    let kane = gallery::impact("kane")?;
    println!("friction  mode   energy change");
    for step in 0..=10 {
        let mu = f64::from(step) / 10.0;
        let outcome = kane.with_friction(Friction::new(mu)?).solve()?;
        println!("{mu:<9} {:<6} {:+.6} J", outcome.mode, outcome.energy.change);
    }
    println!("sticks from {:.6}", kane.solve()?.critical_friction.unwrap_or(f64::INFINITY));
    Ok(())
}
