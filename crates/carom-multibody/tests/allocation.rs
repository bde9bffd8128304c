//! [`Dynamics`] and [`Contacts`] do not allocate after construction.

mod common;

use std::sync::Arc;

use allocation_counter::AllocationInfo;
use carom_multibody::{
    Candidate, ContactPoint, Contacts, Dynamics, HalfSpace, Joint, JointKind, JointLimit, LimitSide, LinkId, Mimic,
    Vector,
};
use common::*;

/// Fails if the work called the allocator.
#[track_caller]
fn without_allocating<T>(name: &str, work: impl FnOnce() -> T) -> T {
    let mut result = None;
    let AllocationInfo { count_total, .. } = allocation_counter::measure(|| result = Some(work()));
    assert_eq!(count_total, 0, "{name} called the allocator {count_total} times");
    result.expect("the work was done")
}

#[test]
fn the_counter_counts() {
    let AllocationInfo { count_total, count_current, .. } =
        allocation_counter::measure(|| drop(std::hint::black_box(vec![1.0_f64; 100])));
    assert_eq!((count_total, count_current), (1, 0));
}

fn exercise(options: Options, cases: usize) {
    for_cases(cases, |rng| {
        let sample = Sample::random(rng, options);
        let model = Arc::clone(&sample.model);
        let n = model.nv();
        let points = reduced(&contacts(&model, rng, 4), rng);
        let mut contacts = Contacts::new(&model, &points);
        let mut dynamics = Dynamics::new(Arc::clone(&model));
        let (q, v, a) = (sample.q.clone(), sample.v.clone(), numbers(rng, n, 1.0));
        let mut force = numbers(rng, n, 1.0);
        let mut change = vec![0.0; n];
        let mut q_out = q.clone();
        let mut v_out = v.clone();
        let impulse = [0.1, 0.2, 0.3];
        let links = moving_links(&model);
        let singles = model.joints().iter().enumerate().filter(|(_, joint)| joint.joint.kind.is_single());
        let limits: Vec<JointLimit> = singles
            .map(|(joint, place)| JointLimit {
                joint,
                side: LimitSide::Upper,
                coordinate: place.coordinates.start,
                velocity: place.freedoms.start,
                multiplier: 1.0,
                offset: 0.0,
                bound: 1.0,
            })
            .collect();
        let everything: Vec<usize> = (0..points.len() + limits.len()).collect();
        let mut some = Contacts::with_limits(&model, &points, &limits);
        let floor = |contact: &ContactPoint| HalfSpace::new([0.0; 3], contact.basis()[0]).unwrap();
        let candidate = |contact: &ContactPoint| {
            let (link, [normal, ..]) = (contact.link(), contact.basis());
            let contact = ContactPoint::rim(&model, link, [0.1; 3], [0.3, 0.4, 0.5], 0.2, normal).unwrap();
            Candidate { name: String::new(), contact, half_space: floor(&contact) }
        };
        let candidates: Vec<Candidate> = points.iter().map(candidate).collect();
        let (mut gaps, mut rates) = (vec![0.0; points.len()], vec![0.0; points.len()]);
        let impulses = vec![0.1; some.jacobian().rows()];
        // Twice: the first call does all the work, the second finds some of it done.
        for _ in 0..2 {
            without_allocating("set_state", || dynamics.set_state(&q, &v)).unwrap();
            without_allocating("single_contact", || dynamics.single_contact(&points[0])).unwrap();
            let part = &impulse[..points[1].dimension()];
            without_allocating("impulse_response", || dynamics.impulse_response(&points[1], part, &mut change))
                .unwrap();
            for _ in 0..2 {
                without_allocating("mass_matrix", || dynamics.mass_matrix().rows());
                without_allocating("bias", || dynamics.bias().len());
                without_allocating("inverse_dynamics", || dynamics.inverse_dynamics(&a).map(<[f64]>::len)).unwrap();
                without_allocating("forward_dynamics", || dynamics.forward_dynamics(&force).map(<[f64]>::len)).unwrap();
                without_allocating("solve_mass", || dynamics.solve_mass(&mut force)).unwrap();
                without_allocating("contact_kinematics", || dynamics.contact_kinematics(&mut contacts)).unwrap();
                without_allocating("contact_terms", || dynamics.contact_terms(&mut contacts)).unwrap();
                for point in &points {
                    without_allocating("single_contact", || dynamics.single_contact(point)).unwrap();
                    let part = &impulse[..point.dimension()];
                    without_allocating("impulse_response", || dynamics.impulse_response(point, part, &mut change))
                        .unwrap();
                    without_allocating("whitened_contact", || dynamics.whitened_contact(point)).unwrap();
                    without_allocating("add_whitened_change", || {
                        dynamics.add_whitened_change(point, &[0.1; 3], &mut change)
                    })
                    .unwrap();
                    without_allocating("mass_condition", || dynamics.mass_condition());
                    without_allocating("strike", || dynamics.strike(point, part, true, &mut change)).unwrap();
                    without_allocating("contact_position", || dynamics.contact_position(point));
                }
                for selected in [&[0, 2][..], &[], &everything, &[1]] {
                    without_allocating("select", || some.select(selected)).unwrap();
                    without_allocating("contact_terms", || dynamics.contact_terms(&mut some)).unwrap();
                    let part = &impulses[..some.jacobian().rows()];
                    without_allocating("contact_response", || dynamics.contact_response(&some, part, &mut change))
                        .unwrap();
                }
                without_allocating("gaps", || dynamics.gaps(&candidates, &mut gaps, &mut rates)).unwrap();
                without_allocating("passive_forces", || dynamics.passive_forces(&mut change)).unwrap();
                without_allocating("spring_energy", || dynamics.spring_energy());
                without_allocating("damping_power", || dynamics.damping_power());
                for limit in &limits {
                    without_allocating("limit_gap", || dynamics.limit_gap(limit));
                }
                without_allocating("kinetic_energy", || dynamics.kinetic_energy());
                without_allocating("potential_energy", || dynamics.potential_energy());
                for &link in links.iter().chain([&LinkId::WORLD]) {
                    without_allocating("placement", || dynamics.placement(link));
                    without_allocating("point_velocity", || dynamics.point_velocity(link, Vector::new(0.1, 0.2, 0.3)));
                }
            }
            without_allocating("integrate", || model.integrate(&q, &v, 0.1, &mut q_out)).unwrap();
            without_allocating("difference", || model.difference(&q, &q_out, &mut v_out)).unwrap();
            without_allocating("configuration_rate", || model.configuration_rate(&q, &v, &mut q_out)).unwrap();
            q_out.copy_from_slice(&q);
            without_allocating("normalize", || model.normalize(&mut q_out));
        }
    });
}

#[test]
fn nothing_allocates_on_free_trees() {
    exercise(Options::FREE, 60);
}

#[test]
fn nothing_allocates_on_trees_with_mimics() {
    exercise(Options::ALL, 60);
}

#[test]
fn refusing_a_state_of_wrong_length_or_number_does_not_allocate() {
    // These errors contain only numbers; one that names a joint has to allocate its name.
    let mut sketch = Sketch { gravity: Vector::ZERO, links: Vec::new() };
    let mut follower = Joint::new("b", JointKind::Revolute);
    follower.mimic = Some(Mimic { leader: "a".to_owned(), multiplier: 2.0, offset: 0.0 });
    let mut rng = fastrand::Rng::with_seed(1);
    for (parent, joint) in [(0, Joint::new("a", JointKind::Revolute)), (1, follower)] {
        let spec = carom_multibody::LinkSpec::new(joint.name.clone()).joint(joint).inertia(inertia(&mut rng));
        sketch.links.push((parent, spec));
    }
    let mut dynamics = Dynamics::new(sketch.build());
    for (q, v) in [(&[][..], &[0.0][..]), (&[0.0], &[]), (&[f64::NAN], &[0.0]), (&[0.0], &[f64::INFINITY])] {
        assert!(without_allocating("a refusal", || dynamics.set_state(q, v)).is_err());
    }
}
