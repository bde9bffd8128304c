//! Contacts given by matrices.

use carom_law::batch::{Answers, Problems, solve};
use carom_law::{
    Coefficients, Contact, Delassus, Dimension, Friction, GeneralizedContact, Guard, Law, MatrixView, Outcome,
    Restitution, Result,
};
use carom_scene::ProblemError;
use rayon::ThreadPool;

use super::answers::{ArrayAnswers, Chunk, Row, RowError, Sizes};
use super::input::{Rows, Values};

/// The matrices and velocities of contacts.
#[derive(Debug, Clone, Copy)]
pub enum ContactTerms<'a> {
    /// W and v_c⁻, d² and d numbers per row.
    ContactSpace {
        /// W, row-major.
        delassus: Rows<'a>,
        /// v_c⁻
        contact_velocity: Rows<'a>,
    },
    /// M, A and q̇⁻, n², d n and n numbers per row.
    Generalized {
        /// n.
        freedoms: usize,
        /// M, row-major.
        mass_matrix: Rows<'a>,
        /// A, row-major, the normal first.
        contact_jacobian: Rows<'a>,
        /// q̇⁻
        velocity: Rows<'a>,
    },
}

/// Impacts of contacts, one per row.
///
/// ```
/// use carom_law::{Dimension, Mode};
/// use carom_study::arrays::{ContactArrays, ContactTerms, Rows, Values};
///
/// let delassus = [2.0, 0.3, 0.3, 1.5];
/// let velocity = [-1.0, 0.4, 0.5, 0.0];
/// let terms = ContactTerms::ContactSpace {
///     delassus: Rows::shared(&delassus),
///     contact_velocity: Rows::each(&velocity, 2),
/// };
/// let arrays = ContactArrays::new(2, Dimension::Planar, terms, Values::One(0.5), Some(Values::Each(&[0.1, 0.9])));
/// let answers = arrays.solve(None, || true)?;
/// assert_eq!(answers.mode, [Some(Mode::Slip), Some(Mode::Separating)]);
/// # Ok::<(), carom_law::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ContactArrays<'a> {
    /// The number of rows.
    pub rows: usize,
    /// The dimension of all contacts.
    pub dimension: Dimension,
    /// Matrices and velocities.
    pub terms: ContactTerms<'a>,
    /// e
    pub restitution: Values<'a>,
    /// e_t; zero unless set.
    pub restitution_tangential: Values<'a>,
    /// μ_s; `None` for contacts without friction.
    pub friction_static: Option<Values<'a>>,
    /// μ_d
    pub friction_dynamic: Option<Values<'a>>,
    /// What to do with sticks that create energy; [`Guard::Report`] unless set.
    pub guard: Guard,
    /// The law; Aghili's unless set.
    pub law: Law,
}

impl<'a> ContactArrays<'a> {
    /// Contacts with one coefficient of friction and no tangential restitution; the fields can be changed.
    pub fn new(
        rows: usize,
        dimension: Dimension,
        terms: ContactTerms<'a>,
        restitution: Values<'a>,
        friction: Option<Values<'a>>,
    ) -> Self {
        Self {
            rows,
            dimension,
            terms,
            restitution,
            restitution_tangential: Values::One(0.0),
            friction_static: friction,
            friction_dynamic: friction,
            guard: Guard::Report,
            law: Law::Aghili,
        }
    }

    /// Solves every row on the threads of a pool, or of all cores. The calling thread calls `goes_on` now and then;
    /// once it returns false, the other rows are left without answers.
    ///
    /// # Errors
    /// Arrays of other lengths. A bad row is in [`ArrayAnswers::errors`] and does not affect the others.
    pub fn solve(&self, pool: Option<&ThreadPool>, goes_on: impl FnMut() -> bool) -> Result<ArrayAnswers> {
        self.check()?;
        let freedoms = match self.terms {
            ContactTerms::ContactSpace { .. } => 0,
            ContactTerms::Generalized { freedoms, .. } => freedoms,
        };
        let sizes = Sizes { dimension: self.dimension.rows(), freedoms, is_robot: false };
        Ok(ArrayAnswers::solved(self.rows, sizes, pool, goes_on, |chunk| match (&self.terms, self.columns()) {
            (ContactTerms::ContactSpace { delassus, contact_velocity }, Some([mu_s, mu_d])) => {
                self.solve_columns(delassus, contact_velocity, [mu_s, mu_d], &sizes, chunk)
            }
            _ => {
                let rows = 0..chunk.mode.len();
                rows.filter_map(|place| self.solve_row(place, &sizes, chunk).err()).collect()
            }
        }))
    }

    /// The friction, for problems that the law solves by columns.
    fn columns(&self) -> Option<[Values<'a>; 2]> {
        let has_columns = self.law == Law::Aghili || (self.law == Law::Chord && self.guard == Guard::Report);
        let is_common = has_columns && self.dimension == Dimension::Spatial;
        Some([self.friction_static.filter(|_| is_common)?, self.friction_dynamic?])
    }

    fn check(&self) -> Result<()> {
        let (rows, d) = (self.rows, self.dimension.rows());
        match &self.terms {
            ContactTerms::ContactSpace { delassus, contact_velocity } => {
                delassus.check("delassus", rows, d * d)?;
                contact_velocity.check("contact_velocity", rows, d)?;
            }
            ContactTerms::Generalized { freedoms: n, mass_matrix, contact_jacobian, velocity } => {
                mass_matrix.check("mass_matrix", rows, n * n)?;
                contact_jacobian.check("contact_jacobian", rows, d * n)?;
                velocity.check("velocity", rows, *n)?;
            }
        }
        self.restitution.check("restitution", rows)?;
        self.restitution_tangential.check("restitution.tangential", rows)?;
        self.friction_static.map_or(Ok(()), |values| values.check("friction.static", rows))?;
        self.friction_dynamic.map_or(Ok(()), |values| values.check("friction.dynamic", rows))
    }

    /// A chunk by the columns of [`carom_law::batch`], which reads the upper triangles only: rows whose matrix is not
    /// symmetric to the bit are solved by themselves.
    fn solve_columns(
        &self,
        delassus: &Rows<'a>,
        contact_velocity: &Rows<'a>,
        friction: [Values<'a>; 2],
        sizes: &Sizes,
        chunk: &mut Chunk<'_>,
    ) -> Vec<RowError> {
        let (start, count) = (chunk.start, chunk.mode.len());
        let w = [0, 1, 2, 4, 5, 8].map(|entry| delassus.column(entry, start, count));
        let v = [0, 1, 2].map(|entry| contact_velocity.column(entry, start, count));
        let mut problems = Problems::new(w, v, self.restitution.column(start, count), friction[0].column(start, count));
        problems.friction_dynamic = friction[1].column(start, count);
        problems.restitution_tangential = self.restitution_tangential.column(start, count);
        (problems.guard, problems.law) = (self.guard, self.law);
        let [i_n, i_1, i_2] = &mut chunk.impulse[..] else { return Vec::new() };
        let [v_n, v_1, v_2] = &mut chunk.contact_velocity[..] else { return Vec::new() };
        let mut answers = Answers::new(chunk.mode, [i_n, i_1, i_2], [v_n, v_1, v_2], chunk.energy_change);
        let solved = solve(&problems, &mut answers).unwrap_or_default();
        let is_mirrored = |place: usize| {
            let w = delassus.at(start + place);
            (w[1] == w[3]) & (w[2] == w[6]) & (w[5] == w[7])
        };
        let mut errors: Vec<RowError> = (solved.into_iter())
            .filter(|error| is_mirrored(error.index))
            .map(|error| RowError { row: start + error.index, error: error.error.into() })
            .collect();
        // Without a branch for each row, since such rows are rare.
        if (0..count).fold(true, |all, place| all & is_mirrored(place)) {
            return errors;
        }
        let mirrored = errors.len();
        errors.extend(
            (0..count)
                .filter(|&place| !is_mirrored(place))
                .filter_map(|place| self.solve_row(place, sizes, chunk).err()),
        );
        if errors.len() > mirrored {
            errors.sort_by_key(|error| error.row);
        }
        errors
    }

    fn solve_row(&self, place: usize, sizes: &Sizes, chunk: &mut Chunk<'_>) -> std::result::Result<(), RowError> {
        let row = chunk.start + place;
        match self.outcome(row) {
            Ok(outcome) => {
                let Outcome { mode, impulse, contact_velocity, energy, velocity, .. } = &outcome;
                chunk.put(
                    place,
                    &Row {
                        mode: *mode,
                        impulse,
                        contact_velocity: &contact_velocity.after,
                        energy_change: energy.change,
                        velocity: velocity.as_deref().unwrap_or_default(),
                        impulse_world: &[],
                    },
                );
                Ok(())
            }
            Err(error) => {
                chunk.clear(place, sizes);
                Err(RowError { row, error: ProblemError::from(error) })
            }
        }
    }

    /// The outcome of a row by itself.
    fn outcome(&self, row: usize) -> Result<Outcome> {
        let d = self.dimension.rows();
        let restitution = Restitution::with_tangential(self.restitution.at(row), self.restitution_tangential.at(row));
        let friction = self.friction_static.zip(self.friction_dynamic);
        let friction = friction.map(|(mu_s, mu_d)| Friction::with_static(mu_s.at(row), mu_d.at(row))).transpose();
        match &self.terms {
            ContactTerms::ContactSpace { delassus, contact_velocity } => {
                let w = Delassus::new(MatrixView::row_major(d, d, delassus.at(row)))?;
                let contact = Contact::new(w, contact_velocity.at(row))?;
                let coefficients = Coefficients { restitution: restitution?, friction: friction? };
                contact.impact_by(self.law, &coefficients, self.guard)
            }
            ContactTerms::Generalized { freedoms: n, mass_matrix, contact_jacobian, velocity } => {
                let m = MatrixView::row_major(*n, *n, mass_matrix.at(row));
                let a = MatrixView::row_major(d, *n, contact_jacobian.at(row));
                let contact = GeneralizedContact::new(m, a, velocity.at(row))?;
                let coefficients = Coefficients { restitution: restitution?, friction: friction? };
                contact.impact_by(self.law, &coefficients, self.guard)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use carom_law::Mode;

    use super::*;

    /// 5,000 rows of all kinds, among them matrices that are not symmetric, coefficients out of range and NaN: every
    /// row has the answer of its contact alone, to the bit, for any number of threads.
    #[test]
    fn every_row_is_the_contact_by_itself() {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
        };
        let rows = 5000;
        let (mut w, mut v, mut e, mut mu) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for row in 0..rows {
            let b: Vec<f64> = (0..9).map(|_| random()).collect();
            for i in 0..3 {
                for j in 0..3 {
                    w.push((0..3).map(|k| b[3 * i + k] * b[3 * j + k]).sum::<f64>());
                }
            }
            v.extend([-random().abs(), random(), random()]);
            e.push(random().abs());
            mu.push(random().abs());
            match row % 50 {
                7 => w[9 * row + 3] += 0.5,
                13 => v[3 * row + 1] = f64::NAN,
                21 => mu[row] = -0.1,
                34 => e[row] = 1.5,
                40 => v[3 * row] = 0.3,
                _ => {}
            }
        }
        let terms = ContactTerms::ContactSpace { delassus: Rows::each(&w, 9), contact_velocity: Rows::each(&v, 3) };
        for guard in [Guard::Report, Guard::Slip] {
            let mut arrays =
                ContactArrays::new(rows, Dimension::Spatial, terms, Values::Each(&e), Some(Values::Each(&mu)));
            arrays.guard = guard;
            let solved = arrays.solve(None, || true).unwrap();
            let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
            let alone = arrays.solve(Some(&one_thread), || true).unwrap();
            assert_eq!((&solved.mode, &solved.errors), (&alone.mode, &alone.errors));
            let mut errors = solved.errors.iter();
            for row in 0..rows {
                match arrays.outcome(row) {
                    Ok(outcome) => {
                        assert_eq!(solved.mode[row], Some(outcome.mode), "row {row}");
                        for k in 0..3 {
                            let found = [solved.impulse[k * rows + row], solved.contact_velocity[k * rows + row]];
                            assert_eq!(found, [outcome.impulse[k], outcome.contact_velocity.after[k]], "row {row}");
                            assert_eq!(found[0].to_bits(), alone.impulse[k * rows + row].to_bits());
                        }
                        assert_eq!(solved.energy_change[row], outcome.energy.change);
                    }
                    Err(error) => {
                        let found = errors.next().expect("an error of this row");
                        assert_eq!((found.row, &found.error), (row, &ProblemError::from(error)));
                        assert_eq!(solved.mode[row], None);
                        assert!(solved.impulse[row].is_nan() && solved.energy_change[row].is_nan());
                    }
                }
            }
            assert_eq!(errors.next(), None);
            assert!(solved.errors.len() >= 4 * rows / 50);
        }
    }

    #[test]
    fn an_interrupted_array_says_where() {
        let (w, v) = ([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], [-1.0, 0.0, 0.0]);
        let terms = ContactTerms::ContactSpace { delassus: Rows::shared(&w), contact_velocity: Rows::shared(&v) };
        let arrays = ContactArrays::new(200_000, Dimension::Spatial, terms, Values::One(0.5), Some(Values::One(0.5)));
        let mut left = 2;
        let answers = arrays.solve(None, || {
            left -= 1;
            left >= 0
        });
        let answers = answers.unwrap();
        assert_eq!(answers.interrupted_at, Some(131_072));
        assert_eq!((answers.mode[131_071], answers.mode[131_072]), (Some(Mode::Stick), None));
        assert!(answers.impulse[131_071].is_finite() && answers.impulse[131_072..200_000].iter().all(|x| x.is_nan()));
        assert!(answers.energy_change[131_072..].iter().all(|x| x.is_nan()));
        let error =
            ContactArrays::new(2, Dimension::Planar, terms, Values::One(0.5), None).solve(None, || true).unwrap_err();
        assert_eq!(error.field(), "delassus");
    }
}
