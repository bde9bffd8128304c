//! Selected contacts and limits: their terms equal those of contacts made for the selection only.

mod common;

use carom_multibody::{
    Candidate, ContactPoint, Contacts, Dynamics, DynamicsError, HalfSpace, JointLimit, Model, joint_limits,
};
use common::*;
use fastrand::Rng;

/// A sample whose single joints have limits.
fn limited(rng: &mut Rng) -> (Sample, Vec<JointLimit>) {
    let free = Sample::random(rng, Options::ALL);
    let mut sketch = free.sketch;
    for joint in sketch.links.iter_mut().flat_map(|(_, spec)| &mut spec.joints) {
        if joint.kind.is_single() && rng.bool() {
            joint.limits = Some([-1.0 - rng.f64(), 1.0 + rng.f64()]);
        }
    }
    let sample = Sample::new(sketch, free.q, free.v);
    let limits = joint_limits(&sample.model);
    (sample, limits)
}

/// Each with the chance of a half.
fn some(rng: &mut Rng, count: usize) -> Vec<usize> {
    (0..count).filter(|_| rng.bool()).collect()
}

#[test]
fn selected_rows_are_those_of_the_selected_alone() {
    for_cases(150, |rng| {
        let (mut sample, limits) = limited(rng);
        let points = reduced(&contacts(&sample.model, rng, 6), rng);
        let mut terms = Contacts::with_limits(&sample.model, &points, &limits);
        assert_eq!(terms.selected().len(), points.len() + limits.len());
        for _ in 0..4 {
            let selected = some(rng, points.len() + limits.len());
            let is_new = terms.selected() != selected;
            terms.select(&selected).unwrap();
            assert_eq!(terms.selected(), &selected[..]);
            assert!(!is_new || terms.delassus().as_slice().iter().all(|entry| *entry == 0.0));
            sample.dynamics.contact_terms(&mut terms).unwrap();
            let of_points: Vec<_> = selected.iter().filter_map(|&i| points.get(i).copied()).collect();
            let of_limits: Vec<_> =
                selected.iter().filter_map(|&i| limits.get(i.wrapping_sub(points.len())).copied()).collect();
            let mut alone = Contacts::with_limits(&sample.model, &of_points, &of_limits);
            sample.dynamics.contact_terms(&mut alone).unwrap();
            assert_eq!(terms.jacobian(), alone.jacobian());
            assert_eq!(terms.delassus(), alone.delassus());
            assert_eq!((terms.velocity(), terms.drift()), (alone.velocity(), alone.drift()));
            let mut end = 0;
            for (k, &i) in selected.iter().enumerate() {
                let dimension = points.get(i).map_or(1, ContactPoint::dimension);
                assert_eq!(terms.rows(k), end..end + dimension);
                end += dimension;
            }
            assert_eq!(end, terms.jacobian().rows());
            // The same again keeps what is known.
            terms.select(&selected).unwrap();
            assert_eq!(terms.delassus(), alone.delassus());
        }
    });
}

#[test]
fn wrong_selections_are_refused_and_leave_the_old_one() {
    for_cases(1, |rng| {
        let sample = Sample::random(rng, Options::ALL);
        let points = contacts(&sample.model, rng, 4);
        let mut terms = Contacts::new(&sample.model, &points);
        terms.select(&[1, 3]).unwrap();
        for (selected, place, index) in [(&[0, 4][..], 1, 4), (&[2, 1], 1, 1), (&[0, 1, 1], 2, 1), (&[9], 0, 9)] {
            let error = terms.select(selected).unwrap_err();
            assert_eq!(error, DynamicsError::Selection { place, index, count: 4 });
            assert_eq!(terms.selected(), [1, 3]);
        }
        terms.select(&[]).unwrap();
        assert_eq!(terms.jacobian().rows(), 0);
    });
}

#[test]
fn limits_and_contacts_share_one_delassus_matrix() {
    // Relative to √(Wᵢᵢ Wⱼⱼ) of the largest rows, over the condition of M.
    let mut dense = Gauge::new("W = dense solve, over condition", 3e-14);
    let mut response = Gauge::new("M dv = A' i", 1e-14);
    for_cases(150, |rng| {
        let (mut sample, limits) = limited(rng);
        let n = sample.nv();
        if n == 0 {
            return;
        }
        let points = contacts(&sample.model, rng, 3);
        let mut terms = Contacts::with_limits(&sample.model, &points, &limits);
        sample.dynamics.contact_terms(&mut terms).unwrap();
        let jacobian = rows(terms.jacobian());
        let columns: Rows = jacobian.iter().map(|row| solve(&sample.mass, row)).collect();
        let expected = product(&jacobian, &transposed(&columns));
        let size = (0..expected.len()).map(|i| expected[i][i]).fold(0.0, f64::max);
        for (row, expected) in rows(terms.delassus()).iter().zip(&expected) {
            dense.compare(row, expected, |_| sample.condition * size);
        }
        let impulses = numbers(rng, jacobian.len(), 1.0);
        let mut change = vec![f64::NAN; n];
        sample.dynamics.contact_response(&terms, &impulses, &mut change).unwrap();
        let push: Vec<f64> = transposed(&jacobian).iter().map(|column| dot(column, &impulses)).collect();
        // Relative to what all impulses push, and to what all velocities carry.
        let parts = transposed(&jacobian);
        let parts: Vec<f64> =
            parts.iter().map(|column| column.iter().zip(&impulses).map(|(a, i)| (a * i).abs()).sum()).collect();
        let size = sample.force_size(&parts) + n as f64 * sample.velocity_size(&change);
        response.compare(&apply(&sample.mass, &change), &push, |i| size * sample.scale[i]);
    });
}

#[test]
fn responses_refuse_what_does_not_fit() {
    for_cases(20, |rng| {
        let mut sample = Sample::random(rng, Options::ALL);
        let n = sample.nv();
        let mut terms = Contacts::new(&sample.model, &contacts(&sample.model, rng, 2));
        sample.dynamics.contact_terms(&mut terms).unwrap();
        let rows = terms.jacobian().rows();
        let mut change = vec![0.0; n];
        let error = sample.dynamics.contact_response(&terms, &vec![0.0; rows + 1], &mut change).unwrap_err();
        assert_eq!(error, DynamicsError::Length { field: "impulses", given: rows + 1, expected: rows });
        let error = sample.dynamics.contact_response(&terms, &vec![f64::NAN; rows], &mut change).unwrap_err();
        assert!(matches!(error, DynamicsError::NotFinite { field: "impulses", index: 0, .. }), "{error}");
        let error = sample.dynamics.contact_response(&terms, &vec![0.0; rows], &mut vec![0.0; n + 1]).unwrap_err();
        assert_eq!(error, DynamicsError::Length { field: "change", given: n + 1, expected: n });
    });
}

fn candidates(model: &Model, rng: &mut Rng, count: usize) -> Vec<Candidate> {
    let candidate = |contact: ContactPoint, rng: &mut Rng| Candidate {
        name: "one".to_owned(),
        contact,
        half_space: HalfSpace::new(vector(rng, 1.0), contact.basis()[0]).unwrap(),
    };
    let points = contacts(model, rng, count);
    let rolling = points.iter().map(|point| {
        let (center, normal) = (vector(rng, 0.5), point.basis()[0]);
        let contact = match rng.u8(..2) {
            0 => ContactPoint::ball(model, point.link(), center, rng.f64(), normal),
            _ => ContactPoint::rim(model, point.link(), center, direction(rng), rng.f64(), normal),
        };
        contact.unwrap()
    });
    let rolling: Vec<_> = rolling.collect();
    points.into_iter().chain(rolling).map(|contact| candidate(contact, rng)).collect()
}

#[test]
fn gaps_and_rates_are_those_of_each_contact() {
    let mut gauge = Gauge::new("gaps and rates", 1e-14);
    for_cases(100, |rng| {
        let mut sample = Sample::random(rng, Options::ALL);
        let all = candidates(&sample.model, rng, 6);
        let (mut gaps, mut rates) = (vec![f64::NAN; all.len()], vec![f64::NAN; all.len()]);
        sample.dynamics.gaps(&all, &mut gaps, &mut rates).unwrap();
        let points: Vec<_> = all.iter().map(|candidate| candidate.contact.with_dimension(1)).collect();
        let mut terms = Contacts::new(&sample.model, &points);
        sample.dynamics.contact_kinematics(&mut terms).unwrap();
        for (k, candidate) in all.iter().enumerate() {
            let gap = sample.dynamics.gap(&candidate.contact, &candidate.half_space);
            let size = 1.0 + sample.dynamics.contact_position(&candidate.contact).norm();
            gauge.see((gaps[k] - gap).abs(), size);
            gauge.see((rates[k] - terms.velocity()[k]).abs(), size * 0.03 / sample.step());
        }
        let short = sample.dynamics.gaps(&all, &mut gaps[1..], &mut rates).unwrap_err();
        assert_eq!(short, DynamicsError::Length { field: "gaps", given: all.len() - 1, expected: all.len() });
    });
}

#[test]
fn candidates_of_another_model_are_refused() {
    for_cases(50, |rng| {
        let large = Sample::random(rng, Options::ALL);
        let all = candidates(&large.model, rng, 3);
        let mut small = Dynamics::new(carom_multibody::ModelBuilder::new("empty").build().unwrap());
        let (mut gaps, mut rates) = (vec![0.0; all.len()], vec![0.0; all.len()]);
        let moving = all.iter().any(|candidate| large.model.is_moving(candidate.contact.link()));
        let answer = small.gaps(&all, &mut gaps, &mut rates);
        assert_eq!(matches!(answer, Err(DynamicsError::OtherModel { .. })), moving, "{answer:?}");
    });
}
