//! States of a robot.

use std::sync::Arc;

use carom_law::{ErrorKind, Friction, Restitution};
use carom_scene::document::Kind;
use carom_scene::prepared::{PreparedScene, Sample, Striker};
use carom_scene::{Answer, ProblemError};
use rayon::ThreadPool;

use super::answers::{ArrayAnswers, Row, RowError, Sizes};
use super::input::{Rows, Values};

/// Impacts of a robot in many states, one per row, at the contact that strikes in all of them.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct StateArrays<'a> {
    /// The number of rows.
    pub rows: usize,
    /// q, nq numbers per row.
    pub configuration: Rows<'a>,
    /// v before the impact, nv numbers per row.
    pub velocity: Rows<'a>,
    /// e and e_t; `None` keeps the scene's.
    pub restitution: Option<[Values<'a>; 2]>,
    /// μ_s and μ_d; `None` keeps the scene's.
    pub friction: Option<[Values<'a>; 2]>,
}

impl<'a> StateArrays<'a> {
    /// States with the coefficients of the scene; the fields can be changed.
    pub fn new(rows: usize, configuration: Rows<'a>, velocity: Rows<'a>) -> Self {
        Self { rows, configuration, velocity, restitution: None, friction: None }
    }

    /// Solves every row, to the bit as [`Striker::strike`] does. `goes_on` is called now and then by the calling
    /// thread; once it returns false, the other rows are left without answers. The law and the guard are those of
    /// `sample`.
    ///
    /// # Errors
    /// Arrays of other lengths, or a scene in which the state decides what strikes. A bad row is in
    /// [`ArrayAnswers::errors`] and does not affect the others.
    pub fn strike(
        &self,
        scene: &Arc<PreparedScene>,
        sample: &Sample,
        pool: Option<&ThreadPool>,
        goes_on: impl FnMut() -> bool,
    ) -> Result<ArrayAnswers, ProblemError> {
        let model = scene.scene().model();
        let Some(contact) = scene.striking_contact() else {
            let message =
                "arrays of states need one contact that strikes in all of them: give a single point, or strike";
            return Err(ProblemError::at(Kind::Law(ErrorKind::Unsupported), "contact", message));
        };
        self.configuration.check("configuration", self.rows, model.nq())?;
        self.velocity.check("velocity", self.rows, model.nv())?;
        for (field, values) in [("restitution", self.restitution), ("friction", self.friction)] {
            for values in values.into_iter().flatten() {
                values.check(field, self.rows)?;
            }
        }
        let sizes = Sizes { dimension: contact.point.dimension(), freedoms: model.nv(), is_robot: true };
        Ok(ArrayAnswers::solved(self.rows, sizes, pool, goes_on, |chunk| {
            let (mut striker, mut sample) = (Striker::new(scene), sample.clone());
            let mut errors = Vec::new();
            for place in 0..chunk.mode.len() {
                let row = chunk.start + place;
                let solved = self.set(row, &mut sample).and_then(|()| striker.strike(&sample));
                match solved {
                    Ok(Answer::One(outcome)) => chunk.put(
                        place,
                        &Row {
                            mode: outcome.mode,
                            impulse: &outcome.impulse,
                            contact_velocity: &outcome.contact_velocity.after,
                            energy_change: outcome.energy.change,
                            velocity: outcome.velocity.as_deref().unwrap_or_default(),
                            impulse_world: &contact.point.to_world(&outcome.impulse).to_array(),
                        },
                    ),
                    // One contact strikes: there are no others.
                    Ok(Answer::Many(_)) => chunk.clear(place, &sizes),
                    Err(error) => {
                        chunk.clear(place, &sizes);
                        errors.push(RowError { row, error });
                    }
                }
            }
            errors
        }))
    }

    fn set(&self, row: usize, sample: &mut Sample) -> Result<(), ProblemError> {
        sample.configuration.copy_from_slice(self.configuration.at(row));
        sample.velocity.copy_from_slice(self.velocity.at(row));
        if let Some([normal, tangential]) = self.restitution {
            sample.coefficients.restitution = Restitution::with_tangential(normal.at(row), tangential.at(row))?;
        }
        if let Some([of_stick, of_slip]) = self.friction {
            sample.coefficients.friction = Some(Friction::with_static(of_stick.at(row), of_slip.at(row))?);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use carom_scene::robots::Robots;

    use super::*;

    #[test]
    fn every_row_is_the_state_by_itself() {
        let tree = carom_scene::gallery::find("arm").unwrap().tree().unwrap();
        let scene = Arc::new(PreparedScene::from_tree(&tree, "".as_ref(), &Robots::new()).unwrap());
        let sample = scene.sample();
        let (nq, nv, rows) = (sample.configuration.len(), sample.velocity.len(), 3000);
        let vary = |row: usize, k: usize| ((row * 7 + k * 13) % 101) as f64 / 101.0 - 0.5;
        let q: Vec<f64> = (0..rows * nq).map(|k| sample.configuration[k % nq] + 0.3 * vary(k / nq, k % nq)).collect();
        let mut v: Vec<f64> = (0..rows * nv).map(|k| sample.velocity[k % nv] + vary(k / nv, k % nv)).collect();
        v[17 * nv + 2] = f64::INFINITY;
        let mu: Vec<f64> = (0..rows).map(|row| vary(row, 5).abs()).collect();
        let mut arrays = StateArrays::new(rows, Rows::each(&q, nq), Rows::each(&v, nv));
        arrays.friction = Some([Values::Each(&mu); 2]);
        let answers = arrays.strike(&scene, &sample, None, || true).unwrap();
        assert_eq!(answers.errors.iter().map(|error| error.row).collect::<Vec<_>>(), [17]);
        let bad = [&answers.velocity[17 * nv..][..nv], &answers.impulse_world[51..54], &answers.energy_change[17..18]];
        assert!(bad.concat().iter().chain([&answers.impulse[17]]).all(|number| number.is_nan()));
        let mut striker = Striker::new(&scene);
        for row in (0..rows).filter(|row| *row != 17) {
            let mut one = sample.clone();
            one.configuration.copy_from_slice(&q[row * nq..][..nq]);
            one.velocity.copy_from_slice(&v[row * nv..][..nv]);
            one.coefficients.friction = Some(Friction::new(mu[row]).unwrap());
            let Answer::One(outcome) = striker.strike(&one).unwrap() else { panic!("one contact") };
            assert_eq!(answers.mode[row], Some(outcome.mode));
            assert_eq!(&answers.velocity[row * nv..][..nv], outcome.velocity.as_deref().unwrap());
            assert_eq!(answers.impulse[rows + row], outcome.impulse[1]);
            // The lengths of a vector are the same in all axes.
            let square = |vector: &[f64]| vector.iter().map(|x| x * x).sum::<f64>();
            let (own, world) = (square(&outcome.impulse), square(&answers.impulse_world[3 * row..][..3]));
            assert!((own - world).abs() <= 1e-14 * own, "{own} {world}");
        }
    }
}
