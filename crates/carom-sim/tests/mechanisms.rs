//! Random mechanisms with closed loops through the law, against the same mechanisms in minimal coordinates: v = Z u with a
//! basis Z of all velocities that keep the loops closed, M_z = Zᵀ M Z, A_z = A Z; and several contacts on few freedoms, where W is
//! singular. `cargo xtask mechanisms` makes 20,000 and 3,000 of them.

use carom_law::{Coefficients, Contact, Delassus, Friction, Guard, Mode, Restitution};
use carom_multibody::{
    ContactPoint, Contacts, Dynamics, Inertia, Joint, JointKind, LinkId, LinkSpec, Loop, LoopKind, Model, ModelBuilder,
    Placement, Rotation, Vector, contact_basis,
};
use fastrand::Rng;

/// Default numbers of mechanisms, and of mechanisms with several contacts.
const CASES: u64 = 500;
const SEVERAL: u64 = 75;

/// One problem in this many may be rejected: contacts with different restitution need not have a solution. Of the first
/// 3,000 one is, seed 6976, and none of the 75 of every test run.
const REFUSED: usize = 1000;

/// Energies that differ by more than this, relative to the kinetic energy, are printed.
const FEW_DIGITS: f64 = 3e-11;

/// Mechanisms nearer to a dead point than this have no basis Z to compare with.
const MARGIN: f64 = 1e-3;

fn spread(rng: &mut Rng) -> f64 {
    2.0 * rng.f64() - 1.0
}

fn direction(rng: &mut Rng) -> Vector {
    loop {
        let v = Vector::new(spread(rng), spread(rng), spread(rng));
        if (0.1..1.0).contains(&v.norm()) {
            return (1.0 / v.norm()) * v;
        }
    }
}

/// A chain or tree of links with hinges and slides; in the plane of x and z if it is planar.
fn tree(rng: &mut Rng, is_planar: bool) -> Model {
    let mut builder = ModelBuilder::new("mechanism");
    let mut links = vec![LinkId::WORLD];
    for k in 0..4 + rng.usize(..5) {
        let parent = links[if rng.u8(..3) == 0 { rng.usize(..links.len()) } else { links.len() - 1 }];
        let slides = rng.u8(..4) == 0;
        let axis = match (is_planar, slides) {
            (false, _) => direction(rng),
            (true, false) => Vector::new(0.0, 1.0, 0.0),
            (true, true) => {
                let angle = 3.0 * spread(rng);
                Vector::new(angle.cos(), 0.0, angle.sin())
            }
        };
        let mut offset = 0.4 * direction(rng);
        if is_planar {
            offset = Vector::new(offset.x(), 0.0, offset.z());
        }
        let kind = if slides { JointKind::Prismatic } else { JointKind::Continuous };
        let sides = [(); 3].map(|()| 0.05 + 0.2 * rng.f64());
        let mut middle = 0.2 * direction(rng);
        if is_planar {
            middle = Vector::new(middle.x(), 0.0, middle.z());
        }
        let inertia = Inertia::cuboid(0.2 + rng.f64(), sides).placed(&Placement::at(middle.to_array()));
        let spec = LinkSpec::new(format!("link{k}"))
            .placed(Placement::at(offset.to_array()))
            .joint(Joint::new(format!("joint{k}"), kind).along(axis))
            .inertia(inertia);
        links.push(builder.link(parent, spec).unwrap());
    }
    builder.build().unwrap()
}

/// A loop that is closed in the state of the dynamics.
fn closed_loop(dynamics: &Dynamics, rng: &mut Rng, name: &str, is_planar: bool) -> Loop {
    let count = dynamics.model().links().len();
    let one = 1 + rng.usize(..count - 1);
    let two = loop {
        let two = rng.usize(..count);
        if two != one {
            break two;
        }
    };
    let links = [one, two].map(LinkId::from_index);
    let between = dynamics.placement(links[1]).inverse() * dynamics.placement(links[0]);
    let mut place = 0.3 * direction(rng);
    if is_planar {
        place = Vector::new(place.x(), 0.0, place.z());
    }
    let [axis, across, other] = contact_basis(direction(rng)).unwrap();
    let frame = Placement { rotation: Rotation { columns: [across, other, axis] }, translation: place };
    let other = between * frame;
    let points = [frame.translation, other.translation];
    let kind = match rng.u8(..if is_planar { 1 } else { 3 }) {
        0 => LoopKind::Connect { links, points },
        1 => LoopKind::Hinge { links, points, axes: [frame.rotation.columns[2], other.rotation.columns[2]] },
        _ => LoopKind::Weld { links, frames: [frame, other] },
    };
    Loop { name: name.to_owned(), kind }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Removes the components along orthonormal vectors from a vector, twice.
fn clear(v: &mut [f64], basis: &[Vec<f64>]) {
    for _ in 0..2 {
        for q in basis {
            let part = dot(q, v);
            v.iter_mut().zip(q).for_each(|(v, q)| *v -= part * q);
        }
    }
}

/// Extends an orthonormal basis by the vector with the largest remainder, as long as that is above a bound.
fn extend(basis: &mut Vec<Vec<f64>>, mut vectors: Vec<Vec<f64>>, bound: f64) {
    loop {
        vectors.iter_mut().for_each(|v| clear(v, basis));
        let Some(most) = vectors.iter().max_by(|a, b| dot(a, a).total_cmp(&dot(b, b))) else { return };
        let length = dot(most, most).sqrt();
        if !(length > bound) {
            return;
        }
        let unit: Vec<f64> = most.iter().map(|x| x / length).collect();
        basis.push(unit);
    }
}

/// An orthonormal basis of the null space of rows.
fn null_space(rows: &[Vec<f64>], n: usize) -> Vec<Vec<f64>> {
    let size = rows.iter().map(|row| dot(row, row).sqrt()).fold(0.0, f64::max);
    let mut basis = Vec::new();
    extend(&mut basis, rows.to_vec(), 1e-7 * size);
    let rank = basis.len();
    let units = (0..n).map(|i| (0..n).map(|j| f64::from(i == j)).collect()).collect();
    extend(&mut basis, units, 1e-7);
    basis.split_off(rank)
}

/// x of A x = b with symmetric positive definite A.
fn solve(a: &[Vec<f64>], b: &[f64]) -> Vec<f64> {
    let n = b.len();
    let mut l = vec![vec![0.0; n]; n];
    for i in 0..n {
        for j in 0..=i {
            let rest = a[i][j] - (0..j).map(|k| l[i][k] * l[j][k]).sum::<f64>();
            l[i][j] = if i == j { rest.sqrt() } else { rest / l[j][j] };
        }
    }
    let mut x = b.to_vec();
    for i in 0..n {
        x[i] = (x[i] - (0..i).map(|k| l[i][k] * x[k]).sum::<f64>()) / l[i][i];
    }
    for i in (0..n).rev() {
        x[i] = (x[i] - (i + 1..n).map(|k| l[k][i] * x[k]).sum::<f64>()) / l[i][i];
    }
    x
}

#[derive(Default)]
struct Seen {
    mechanisms: usize,
    redundant: usize,
    of_freedoms: [usize; 5],
    of_modes: [usize; 4],
    of_few_digits: usize,
    largest_gain: f64,
    largest_difference: f64,
}

/// A mechanism whose loops are closed in its state, with a basis of its free velocities.
struct Mechanism {
    dynamics: Dynamics,
    q: Vec<f64>,
    rows: Vec<Vec<f64>>,
    free: Vec<Vec<f64>>,
    /// Remainder of the weakest condition, relative to the largest.
    margin: f64,
    is_planar: bool,
    is_redundant: bool,
}

/// `None` if its number of freedoms is out of this range, or if it is near a dead point.
fn mechanism(rng: &mut Rng, seed: u64, freedoms: std::ops::RangeInclusive<usize>) -> Option<Mechanism> {
    let is_planar = rng.bool();
    let model = tree(rng, is_planar);
    let n = model.nv();
    let mut dynamics = Dynamics::new(model.clone());
    let q: Vec<f64> = (0..n).map(|_| 2.0 * spread(rng)).collect();
    dynamics.set_state(&q, &vec![0.0; n]).unwrap();
    let is_redundant = rng.bool();
    let count = 1 + rng.usize(..2);
    let mut loops: Vec<Loop> =
        (0..count).map(|k| closed_loop(&dynamics, rng, &format!("loop{k}"), is_planar)).collect();
    if is_redundant {
        let again = Loop { name: "again".to_owned(), ..loops[0].clone() };
        loops.push(again);
    }
    let mut dynamics = Dynamics::new(model.with_loops(loops).unwrap());
    dynamics.set_state(&q, &vec![0.0; n]).unwrap();
    let (c, _) = dynamics.loop_rows();
    let rows: Vec<Vec<f64>> = (0..c.rows()).map(|i| c.row(i).to_vec()).collect();
    let free = null_space(&rows, n);
    let margin = dynamics.loop_margin().unwrap().map_or(1.0, |(_, margin)| margin);
    if !freedoms.contains(&free.len()) || margin < MARGIN {
        return None;
    }
    assert_eq!(dynamics.loop_rank().unwrap(), n - free.len(), "seed {seed}");
    Some(Mechanism { dynamics, q, rows, free, margin, is_planar, is_redundant })
}

/// A point of a link and the normal of a surface of any direction, in the plane of a planar mechanism.
fn place(rng: &mut Rng, is_planar: bool) -> (Vector, Vector) {
    let angle = 3.0 * spread(rng);
    let normal = if is_planar { Vector::new(angle.cos(), 0.0, angle.sin()) } else { direction(rng) };
    let point = 0.3 * direction(rng);
    (if is_planar { Vector::new(point.x(), 0.0, point.z()) } else { point }, normal)
}

fn contact_of(model: &Model, link: LinkId, (point, normal): (Vector, Vector)) -> ContactPoint {
    ContactPoint::new(model, link, point.to_array(), normal.to_array()).unwrap()
}

fn one_contact(rng: &mut Rng, seed: u64, seen: &mut Seen) {
    let Some(Mechanism { mut dynamics, q, rows: c, free: z, margin, is_planar, is_redundant }) =
        mechanism(rng, seed, 1..=4)
    else {
        return;
    };
    let model = dynamics.model().clone();
    let n = model.nv();

    // A contact point that moves, and a velocity of the mechanism towards its surface.
    let link = LinkId::from_index(model.links().len() - 1);
    let contact = contact_of(&model, link, place(rng, is_planar));
    let dimension = contact.dimension();
    assert_eq!(dimension, if is_planar { 2 } else { 3 });
    let u: Vec<f64> = (0..z.len()).map(|_| 3.0 * spread(rng)).collect();
    let mut v: Vec<f64> = (0..n).map(|i| z.iter().zip(&u).map(|(z, u)| z[i] * u).sum()).collect();
    let mut contacts = Contacts::new(&model, &[contact]);
    dynamics.set_state(&q, &v).unwrap();
    dynamics.contact_kinematics(&mut contacts).unwrap();
    let a: Vec<Vec<f64>> = (0..dimension).map(|i| contacts.jacobian().row(i).to_vec()).collect();
    if dot(&a[0], &v) > 0.0 {
        v.iter_mut().for_each(|v| *v = -*v);
    }
    dynamics.set_state(&q, &v).unwrap();

    // Minimal coordinates.
    let mass = dynamics.mass_matrix().clone();
    let times = |x: &[f64]| -> Vec<f64> { (0..n).map(|i| dot(mass.row(i), x)).collect() };
    let mz: Vec<Vec<f64>> = z.iter().map(|one| z.iter().map(|two| dot(one, &times(two))).collect()).collect();
    let az: Vec<Vec<f64>> = a.iter().map(|row| z.iter().map(|z| dot(row, z)).collect()).collect();
    let answers: Vec<Vec<f64>> = az.iter().map(|row| solve(&mz, row)).collect();
    let mut w = [[0.0; 3]; 3];
    for i in 0..dimension {
        for j in 0..=i {
            w[i][j] = dot(&az[i], &answers[j]);
            w[j][i] = w[i][j];
        }
    }
    let moving: Vec<f64> = a.iter().map(|row| dot(row, &v)).collect();
    let speed = moving.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    if w[0][0] < 1e-3 || speed < 1e-3 || moving[0] > -1e-3 {
        return;
    }
    let e = [0.0, 1.0, rng.f64()][rng.usize(..3)];
    let coefficients =
        Coefficients::new(Restitution::new(e).unwrap(), Friction::new([0.0, 0.3, 1.5][rng.usize(..3)]).unwrap());
    let delassus = match dimension {
        2 => Delassus::planar([[w[0][0], w[0][1]], [w[1][0], w[1][1]]]),
        _ => Delassus::spatial(w),
    };
    let minimal = Contact::new(delassus.unwrap(), &moving).unwrap().impact(&coefficients, Guard::Slip);
    let minimal = minimal.unwrap_or_else(|error| panic!("seed {seed}, minimal coordinates: {error}"));

    let mut after = vec![0.0; n];
    let outcome = carom_sim::strike(&mut dynamics, &contact, &coefficients, Guard::Slip, &mut after);
    let outcome = outcome.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    assert_eq!(outcome.mode, minimal.mode, "seed {seed}: e = {e}, {coefficients:?}, W = {w:?}");
    let energy = 0.5 * dot(&v, &times(&v));
    let change = 0.5 * dot(&after, &times(&after)) - energy;
    seen.largest_gain = seen.largest_gain.max(change / energy);
    let difference = (change - minimal.energy.change).abs() / energy;
    seen.largest_difference = seen.largest_difference.max(difference);
    if difference > FEW_DIGITS {
        println!(
            "seed {seed}: {difference:.1e}, margin {margin:.1e}, W_nn {:.1e}, e = {e}, {:?}",
            w[0][0], outcome.mode
        );
        seen.of_few_digits += 1;
    }
    for row in &c {
        let size = row.iter().zip(&after).map(|(c, v)| (c * v).abs()).fold(1e-3, f64::max);
        assert!(dot(row, &after).abs() < 1e-9 * size, "seed {seed}: a loop opens at {}", dot(row, &after));
    }
    seen.mechanisms += 1;
    seen.redundant += usize::from(is_redundant);
    seen.of_freedoms[z.len()] += 1;
    seen.of_modes[mode_index(outcome.mode)] += 1;
}

#[derive(Debug, Default)]
struct SeenSeveral {
    problems: usize,
    refused: usize,
    redundant: usize,
    of_freedoms: [usize; 4],
    of_rows: [usize; 10],
    of_modes: [usize; 4],
    largest_gain: f64,
    largest_residual: f64,
}

fn several_contacts(rng: &mut Rng, seed: u64, seen: &mut SeenSeveral) {
    let Some(Mechanism { mut dynamics, q, rows: c, free: z, is_planar, is_redundant, .. }) =
        mechanism(rng, seed, 1..=3)
    else {
        return;
    };
    let model = dynamics.model().clone();
    let n = model.nv();
    let count = 2 + rng.usize(..2);
    let links = model.links().len();
    let u: Vec<f64> = z.iter().map(|_| 3.0 * spread(rng)).collect();
    let v: Vec<f64> = (0..n).map(|i| z.iter().zip(&u).map(|(z, u)| z[i] * u).sum()).collect();
    dynamics.set_state(&q, &v).unwrap();
    // All approach: between contacts on both sides of one freedom, with e = 1, impacts would never end.
    let points: Vec<ContactPoint> = (0..count)
        .map(|_| {
            let (link, (point, normal)) = (LinkId::from_index(1 + rng.usize(..links - 1)), place(rng, is_planar));
            let mut one = Contacts::new(&model, &[contact_of(&model, link, (point, normal))]);
            dynamics.contact_kinematics(&mut one).unwrap();
            let side = if one.velocity()[0] > 0.0 { -1.0 } else { 1.0 };
            contact_of(&model, link, (point, side * normal))
        })
        .collect();
    let mut contacts = Contacts::new(&model, &points);
    dynamics.contact_terms(&mut contacts).unwrap();
    let dimension = if is_planar { 2 } else { 3 };
    let normals: Vec<usize> = (0..count).map(|k| dimension * k).collect();
    let moves = normals.iter().all(|&k| contacts.delassus()[(k, k)] > 1e-3);
    let before: Vec<f64> = contacts.velocity().to_vec();
    if !moves || normals.iter().any(|&k| before[k] > -1e-3) {
        return;
    }
    let coefficients: Vec<Coefficients> = (0..count)
        .map(|_| {
            let e = [0.0, 1.0, rng.f64()][rng.usize(..3)];
            let mu = [0.0, 0.3, 1.5][rng.usize(..3)];
            Coefficients::new(Restitution::new(e).unwrap(), Friction::new(mu).unwrap())
        })
        .collect();
    let mut after = vec![0.0; n];
    let outcome = carom_sim::strike_together(&mut dynamics, &mut contacts, &coefficients, Guard::Slip, &mut after);
    seen.problems += 1;
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(error) => {
            println!("seed {seed}: {coefficients:?}: {error}");
            seen.refused += 1;
            return;
        }
    };
    let mass = dynamics.mass_matrix().clone();
    let energy = |v: &[f64]| 0.5 * (0..n).map(|i| v[i] * dot(mass.row(i), v)).sum::<f64>();
    let (had, has) = (energy(&v), energy(&after));
    seen.largest_gain = seen.largest_gain.max((has - had) / had);
    seen.largest_residual = seen.largest_residual.max(outcome.residual);
    let speed = before.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    for (k, contact) in outcome.contacts.iter().enumerate() {
        let impulse = contact.impulse.to_vec();
        let slide = impulse[1..].iter().map(|i| i * i).sum::<f64>().sqrt();
        let mu = coefficients[k].friction.map_or(0.0, |friction| friction.mu_s());
        assert!(impulse[0] >= 0.0 && slide <= mu * impulse[0] * (1.0 + 1e-9) + 1e-12, "seed {seed}: {impulse:?}");
        let row = contacts.jacobian().row(normals[k]);
        assert!(dot(row, &after) > -1e-8 * speed, "seed {seed}: contact {k} sinks in with {}", dot(row, &after));
        seen.of_modes[mode_index(contact.mode)] += 1;
    }
    for row in &c {
        let size = row.iter().zip(&after).map(|(c, v)| (c * v).abs()).fold(1e-3, f64::max);
        assert!(dot(row, &after).abs() < 1e-9 * size, "seed {seed}: a loop opens at {}", dot(row, &after));
    }
    seen.redundant += usize::from(is_redundant);
    seen.of_freedoms[z.len()] += 1;
    seen.of_rows[dimension * count] += 1;
}

/// Two or three contacts, four to nine rows, on one to three freedoms, so that W has a low rank.
#[test]
fn several_contacts_on_few_freedoms_have_an_answer_that_gains_nothing() {
    let mut seen = SeenSeveral::default();
    for_mechanisms(SEVERAL, |rng, seed| {
        several_contacts(rng, seed, &mut seen);
        seen.problems
    });
    println!("{seen:?}");
    assert!(seen.refused <= seen.problems / REFUSED && seen.largest_gain < 1e-9, "{seen:?}");
    assert!(seen.of_freedoms[1..].iter().all(|count| 20 * count > seen.problems), "{seen:?}");
    assert!([4, 6, 9].iter().all(|&rows| 20 * seen.of_rows[rows] > seen.problems), "{seen:?}");
}

/// Generates random mechanisms until the wanted number, times `CAROM_CASES`, has been compared: not all of them can be.
fn for_mechanisms(wanted: u64, mut one: impl FnMut(&mut Rng, u64) -> usize) {
    let read = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (wanted, first) = (wanted * read("CAROM_CASES").unwrap_or(1), read("CAROM_SEED").unwrap_or(0));
    for seed in first.. {
        let found = one(&mut Rng::with_seed(seed), seed) as u64;
        if found >= wanted {
            return;
        }
        assert!(seed - first < 1000 * wanted, "only {found} mechanisms");
    }
}

fn mode_index(mode: Mode) -> usize {
    match mode {
        Mode::Separating => 0,
        Mode::Stick => 1,
        Mode::Slip => 2,
        Mode::Reversal => 3,
    }
}

#[test]
fn impacts_of_random_mechanisms_are_those_in_minimal_coordinates() {
    let mut seen = Seen::default();
    for_mechanisms(CASES, |rng, seed| {
        one_contact(rng, seed, &mut seen);
        seen.mechanisms
    });
    println!(
        "{} mechanisms, {} redundant, freedoms 1 to 4: {:?}, separating, stick, slip, reversal: {:?}, largest gain {:e} and \
         difference {:e} of the kinetic energy",
        seen.mechanisms,
        seen.redundant,
        &seen.of_freedoms[1..],
        seen.of_modes,
        seen.largest_gain,
        seen.largest_difference
    );
    assert!(seen.largest_gain < 1e-9 && seen.largest_difference < 1e-9);
    assert!(seen.of_freedoms[1..].iter().all(|count| 20 * count > seen.mechanisms), "{:?}", seen.of_freedoms);
    assert!(seen.of_modes[1..].iter().all(|count| 20 * count > seen.mechanisms), "{:?}", seen.of_modes);
}
