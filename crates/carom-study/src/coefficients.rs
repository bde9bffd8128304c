//! The map of one state over restitution and friction.

use carom_law::{Coefficients, Guard, Restitution};
use carom_scene::Problem;

use crate::cells::cells;
use crate::error::MapError;
use crate::map::{Cell, Curve, CurveName, Map, Over, Quantity};
use crate::profile::{Profile, Sample};
use crate::range::axis;
use crate::rows;
use crate::subject::{MapOptions, Subject};

impl Map {
    /// The map of the problem's state over restitution and friction.
    ///
    /// # Errors
    /// The problem has no answer or no friction, the contact separates, or the resolution or range is out of bounds.
    ///
    /// ```
    /// use carom_study::{Map, MapOptions};
    ///
    /// let kane = carom_scene::gallery::impact("kane")?;
    /// let options = MapOptions { resolution: 20, ..MapOptions::default() };
    /// let map = Map::over_coefficients(&kane, "Kane's pendulum", &options)?;
    /// assert_eq!(map.cells.len(), 400);
    /// let dissipative = map.cells.iter().filter(|cell| cell.admissible).count();
    /// assert!(0 < dissipative && dissipative < 400 && !map.point.admissible);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn over_coefficients(problem: &Problem, title: &str, options: &MapOptions) -> Result<Self, MapError> {
        let subject = Subject::new(problem, options)?;
        let (contact, e_t, ratio) = (&subject.contact, subject.outcome.restitution.tangential, subject.ratio());
        let restitution = |e: f64| Restitution::with_tangential(e, e_t);
        let x = axis(Quantity::Restitution, options.range.x.unwrap_or([0.0, 1.0]))?;
        let limits = [
            contact.restitution_limit(&restitution(0.0)?),
            Some(contact.delassus().restitution_limit(&restitution(0.0)?)),
        ];
        let stuck_from = |e: f64| Sample {
            x: e,
            // Valid, because it is within the bounds of the axis.
            curves: restitution(e).map_or([f64::INFINITY; 3], |restitution| subject.critical(contact, &restitution)),
            creates: limits[0].is_some_and(|limit| e > limit),
            is_safe: limits[1].is_none_or(|limit| e <= limit),
        };
        let friction_limit = contact.delassus().friction_limit().map_or(f64::INFINITY, |limit| limit / ratio);
        let y = axis(Quantity::Friction, subject.friction_ends(&options.range, x, stuck_from))?;
        let profile = Profile::new(x, y, friction_limit, stuck_from);
        let scale = 100.0 / subject.energy();
        let cells = cells(options.resolution, [x, y], |at| {
            let coefficients = Coefficients::new(restitution(at[0])?, subject.friction(at[1])?);
            Ok(Cell::new(at, &contact.impact(&coefficients, Guard::Report)?, scale))
        })?;
        let mut curves = profile.curves();
        let names = [CurveName::RestitutionLimitState, CurveName::RestitutionLimitConfiguration];
        for (name, limit) in names.into_iter().zip(limits) {
            if let Some(e) = limit.filter(|e| (x.min..=x.max).contains(e)) {
                curves.push(Curve { name, pieces: vec![vec![[e, y.min], [e, y.max]]] });
            }
        }
        let at = [subject.outcome.restitution.normal, subject.friction.mu_s()];
        let regions = profile.regions(rows::several(&cells, options.resolution, [x, y]));
        Ok(subject.map(title, Over::Coefficients, [x, y], at, scale, curves, regions, cells))
    }
}
