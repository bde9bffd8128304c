//! One step of an ordinary differential equation, with its error and with dense output.
//!
//! | file | contents |
//! |---|---|
//! | `tableau` | coefficients of the method |

mod tableau;

use tableau::{ALL_STAGES, DENSE, ERROR_3, ERROR_5, NODES, Row, STAGES, WEIGHTS};

/// Number of coefficients of the dense output.
const DENSE_TERMS: usize = 7;
/// Safety factor of the step size.
const SAFETY: f64 = 0.9;
/// Bounds on the change of the step size from one step to the next.
const SHRINK: f64 = 0.2;
const GROW: f64 = 6.0;
/// Largest growth of the step size after a rejected step.
const RECOVER: f64 = 1.1;
/// Lower bound of the error used for the step size.
const LEAST_ERROR: f64 = 1e-16;

/// A right-hand side.
pub(crate) trait Flow {
    /// Error of an evaluation.
    type Error;

    /// The rate of a state at a time.
    fn rate(&mut self, time: f64, state: &[f64], rate: &mut [f64]) -> Result<(), Self::Error>;
}

/// A step from a state, with storage for its stages.
#[derive(Debug, Clone)]
pub(crate) struct Stepper {
    size: usize,
    start_time: f64,
    step: f64,
    start: Vec<f64>,
    end: Vec<f64>,
    /// End minus start, with more digits than the difference of the two has.
    change: Vec<f64>,
    point: Vec<f64>,
    stages: Vec<f64>,
    dense: Vec<f64>,
    has_dense: bool,
    /// The fraction of the step that is kept.
    kept: f64,
    /// Size and error of the last accepted step.
    taken: Option<(f64, f64)>,
    /// Upper bound of the step size.
    ceiling: f64,
}

impl Stepper {
    pub(crate) fn new(size: usize) -> Self {
        Self {
            size,
            start_time: 0.0,
            step: 0.0,
            start: vec![0.0; size],
            end: vec![0.0; size],
            change: vec![0.0; size],
            point: vec![0.0; size],
            stages: vec![0.0; ALL_STAGES * size],
            dense: vec![0.0; DENSE_TERMS * size],
            has_dense: false,
            kept: 1.0,
            taken: None,
            ceiling: f64::INFINITY,
        }
    }

    /// Starts from a state.
    pub(crate) fn begin<F: Flow>(&mut self, flow: &mut F, time: f64, state: &[f64]) -> Result<(), F::Error> {
        self.start_time = time;
        self.start.copy_from_slice(state);
        flow.rate(time, state, &mut self.stages[..self.size])
    }

    /// Starts from the same state as another stepper.
    pub(crate) fn begin_with(&mut self, other: &Self) {
        self.start_time = other.start_time;
        self.start.copy_from_slice(&other.start);
        self.stages[..self.size].copy_from_slice(&other.stages[..self.size]);
    }

    /// Continues from the end of the last step, given with normalized quaternions; its last rate is the first of the
    /// next (FSAL).
    pub(crate) fn follow(&mut self, state: &[f64]) {
        self.start_time = self.end_time();
        self.start.copy_from_slice(state);
        let last = (STAGES - 1) * self.size;
        self.stages.copy_within(last..last + self.size, 0);
    }

    /// Makes a step from the start. Returns the error relative to the tolerances: the step is acceptable up to one.
    pub(crate) fn attempt<F: Flow>(
        &mut self,
        flow: &mut F,
        step: f64,
        scale: &[f64],
        tolerance: f64,
    ) -> Result<f64, F::Error> {
        self.step = step;
        self.kept = 1.0;
        self.has_dense = false;
        for stage in 1..STAGES {
            self.reach(stage);
            if stage == STAGES - 1 {
                self.end.copy_from_slice(&self.point);
            }
            self.rate(flow, stage)?;
        }
        Ok(self.error(scale, tolerance))
    }

    /// Shifts the end of the last step by a short time, along the rate there.
    pub(crate) fn shift_end(&mut self, by: f64) {
        self.step += by;
        let rates = &self.stages[(STAGES - 1) * self.size..];
        for (((end, change), start), rate) in self.end.iter_mut().zip(&mut self.change).zip(&self.start).zip(rates) {
            *change += by * rate;
            *end = start + *change;
        }
    }

    /// Estimate of the error of [`Stepper::shift_end`], relative to the scales, from the change of the rate in the
    /// step.
    pub(crate) fn shift_error(&self, by: f64, scale: &[f64]) -> f64 {
        let (first, last) = (&self.stages[..self.size], &self.stages[(STAGES - 1) * self.size..]);
        let changes = first.iter().zip(last).zip(scale).map(|((first, last), scale)| (last - first).abs() / scale);
        0.5 * by * (by / self.step) * changes.fold(0.0, f64::max)
    }

    /// The size for another attempt after a step with this error was rejected.
    pub(crate) fn next_try(&mut self, error: f64) -> f64 {
        self.ceiling = self.size_by(error);
        self.ceiling
    }

    /// The step size at which the error would equal the tolerance.
    fn size_by(&self, error: f64) -> f64 {
        // A zero or NaN error only tells whether to grow or to shrink.
        let factor = if error.is_nan() { SHRINK } else { SAFETY * error.max(LEAST_ERROR).powf(-0.125) };
        self.step * factor.clamp(SHRINK, GROW)
    }

    /// The size of the next step after an accepted one. If previous steps had to shrink, the next one will have to as
    /// well (K. Gustafsson, ACM Transactions on Mathematical Software 20, 1994): without this prediction every step
    /// towards the end of a slide is attempted twice. After a rejected step sizes grow slowly: a stiff system rejects
    /// every step above some size, and the errors below it give no warning.
    pub(crate) fn next_size(&mut self, error: f64) -> f64 {
        self.ceiling *= RECOVER;
        let size = self.size_by(error).min(self.ceiling);
        let error = error.max(LEAST_ERROR);
        match self.taken.replace((self.step, error)) {
            Some((step, before)) => size * (self.step / step * (before / error).powf(0.125)).clamp(SHRINK, 1.0),
            None => size,
        }
    }

    /// Forgets the previous steps: the next one does not continue them.
    pub(crate) fn start_anew(&mut self) {
        self.taken = None;
        self.ceiling = f64::INFINITY;
    }

    pub(crate) fn starts_anew(&self) -> bool {
        self.taken.is_none()
    }

    /// The state shortly after the start, extrapolated along the rate there.
    pub(crate) fn glimpse(&self, later: f64, out: &mut [f64]) {
        for ((out, start), rate) in out.iter_mut().zip(&self.start).zip(&self.stages) {
            *out = start + later * rate;
        }
    }

    /// Ends the step at a fraction of its length by the dense output, after [`Stepper::prepare_dense`].
    pub(crate) fn cut(&mut self, fraction: f64) {
        let mut end = std::mem::take(&mut self.end);
        self.at(fraction, &mut end);
        self.end = end;
        self.kept *= fraction;
    }

    pub(crate) fn start_time(&self) -> f64 {
        self.start_time
    }

    pub(crate) fn end_time(&self) -> f64 {
        self.start_time + self.step()
    }

    pub(crate) fn step(&self) -> f64 {
        self.kept * self.step
    }

    pub(crate) fn start(&self) -> &[f64] {
        &self.start
    }

    pub(crate) fn end(&self) -> &[f64] {
        &self.end
    }

    /// Prepares [`Stepper::at`].
    pub(crate) fn prepare_dense<F: Flow>(&mut self, flow: &mut F) -> Result<(), F::Error> {
        if self.has_dense {
            return Ok(());
        }
        for stage in STAGES..ALL_STAGES {
            self.reach(stage);
            self.rate(flow, stage)?;
        }
        let (n, h) = (self.size, self.step);
        let last = (STAGES - 1) * n;
        for i in 0..n {
            let difference = self.change[i];
            self.dense[i] = difference;
            self.dense[n + i] = h * self.stages[i] - difference;
            self.dense[2 * n + i] = 2.0 * difference - h * (self.stages[last + i] + self.stages[i]);
            for (k, row) in DENSE.iter().enumerate() {
                self.dense[(3 + k) * n + i] = h * combine(row, &self.stages, n, i);
            }
        }
        self.has_dense = true;
        Ok(())
    }

    /// The state at a fraction of the step, after [`Stepper::prepare_dense`].
    pub(crate) fn at(&self, fraction: f64, out: &mut [f64]) {
        debug_assert!(self.has_dense);
        let (n, fraction) = (self.size, self.kept * fraction);
        for (i, out) in out.iter_mut().enumerate().take(n) {
            let mut value = 0.0;
            for k in (0..DENSE_TERMS).rev() {
                value += self.dense[k * n + i];
                value *= if k % 2 == 0 { fraction } else { 1.0 - fraction };
            }
            *out = self.start[i] + value;
        }
    }

    /// Computes the state of a stage into `point`.
    fn reach(&mut self, stage: usize) {
        // The increments are summed before they are added: a short step changes only the last digits.
        self.point.fill(0.0);
        for &(from, weight) in WEIGHTS[stage] {
            let rates = &self.stages[from * self.size..][..self.size];
            let weight = weight * self.step;
            for (point, rate) in self.point.iter_mut().zip(rates) {
                *point += weight * rate;
            }
        }
        if stage == STAGES - 1 {
            self.change.copy_from_slice(&self.point);
        }
        for (point, start) in self.point.iter_mut().zip(&self.start) {
            *point += start;
        }
    }

    fn rate<F: Flow>(&mut self, flow: &mut F, stage: usize) -> Result<(), F::Error> {
        let time = self.start_time + NODES[stage] * self.step;
        flow.rate(time, &self.point, &mut self.stages[stage * self.size..][..self.size])
    }

    /// The error estimate of order 5, combined with that of order 3 as in DOP853.
    fn error(&self, scale: &[f64], tolerance: f64) -> f64 {
        let (mut fifth, mut third) = (0.0, 0.0);
        for (i, scale) in scale.iter().enumerate().take(self.size) {
            let bound = tolerance * scale.max(self.start[i].abs()).max(self.end[i].abs());
            fifth += (combine(ERROR_5, &self.stages, self.size, i) / bound).powi(2);
            third += (combine(ERROR_3, &self.stages, self.size, i) / bound).powi(2);
        }
        let denominator = fifth + 0.01 * third;
        if denominator == 0.0 { 0.0 } else { self.step.abs() * fifth / (denominator * self.size as f64).sqrt() }
    }
}

#[inline(always)]
fn combine(row: Row, stages: &[f64], size: usize, i: usize) -> f64 {
    row.iter().map(|&(stage, weight)| weight * stages[stage * size + i]).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pendulum with large swings: a nonlinear test that needs no closed form.
    struct Pendulum;

    impl Flow for Pendulum {
        type Error = ();

        fn rate(&mut self, _: f64, state: &[f64], rate: &mut [f64]) -> Result<(), ()> {
            rate[0] = state[1];
            rate[1] = -state[0].sin();
            Ok(())
        }
    }

    fn swing(steps: u32, end: f64) -> [f64; 2] {
        let mut stepper = Stepper::new(2);
        let mut state = [2.0, 0.5];
        let step = end / f64::from(steps);
        for k in 0..steps {
            stepper.begin(&mut Pendulum, f64::from(k) * step, &state).unwrap();
            stepper.attempt(&mut Pendulum, step, &[1.0; 2], 1e-10).unwrap();
            state.copy_from_slice(stepper.end());
        }
        state
    }

    /// Halving the step divides the error by 2⁸.
    #[test]
    fn order_of_the_step() {
        let exact = swing(640, 4.0);
        let errors = [10, 20].map(|steps| (swing(steps, 4.0)[0] - exact[0]).abs());
        let order = (errors[0] / errors[1]).log2();
        assert!((7.5..9.0).contains(&order), "errors {errors:?}, order {order}");
    }

    /// The dense output is of order 7, and meets both ends.
    #[test]
    fn order_of_the_dense_output() {
        let error = |step: f64| {
            let mut stepper = Stepper::new(2);
            stepper.begin(&mut Pendulum, 0.0, &[2.0, 0.5]).unwrap();
            stepper.attempt(&mut Pendulum, step, &[1.0; 2], 1e-10).unwrap();
            stepper.prepare_dense(&mut Pendulum).unwrap();
            let mut state = [0.0; 2];
            stepper.at(0.0, &mut state);
            assert_eq!(state, stepper.start());
            stepper.at(1.0, &mut state);
            assert!((state[0] - stepper.end()[0]).abs() < 1e-15);
            let worst = |k: u32| {
                let mut state = [0.0; 2];
                stepper.at(f64::from(k) / 10.0, &mut state);
                (state[0] - swing(40, step * f64::from(k) / 10.0)[0]).abs()
            };
            (1..10).map(worst).fold(0.0, f64::max)
        };
        // The error of one step is of one order more than the output.
        let order = (error(0.8) / error(0.4)).log2();
        assert!((7.3..9.5).contains(&order), "order {order}");
    }

    /// The error estimate bounds the error, and the suggested step size is about right.
    #[test]
    fn steps_follow_the_tolerance() {
        for tolerance in [1e-6, 1e-9, 1e-12] {
            let (mut stepper, mut time, mut step, mut state) = (Stepper::new(2), 0.0, 0.1_f64, [2.0, 0.5]);
            while time < 4.0 {
                stepper.begin(&mut Pendulum, time, &state).unwrap();
                let error = stepper.attempt(&mut Pendulum, step.min(4.0 - time), &[1.0; 2], tolerance).unwrap();
                if error <= 1.0 {
                    (time, state) = (stepper.end_time(), [stepper.end()[0], stepper.end()[1]]);
                    step = stepper.next_size(error);
                } else {
                    step = stepper.next_try(error);
                }
            }
            let error = (state[0] - swing(640, 4.0)[0]).abs();
            assert!(error < 30.0 * tolerance && error > 1e-6 * tolerance, "tolerance {tolerance}: {error}");
        }
    }
}
