//! Random mechanisms with closed loops through the law, against the same mechanisms in minimal coordinates: v = Z u with a
//! basis Z of all velocities that keep the loops closed, M_z = Zᵀ M Z, A_z = A Z. `CAROM_CASES=40` makes 20,000 of them.

use carom_law::{Coefficients, Contact, Delassus, Friction, Guard, Mode, Restitution};
use carom_multibody::{
    ContactPoint, Contacts, Dynamics, Inertia, Joint, JointKind, LinkId, LinkSpec, Loop, LoopKind, Model, ModelBuilder,
    Placement, Rotation, Vector, contact_basis,
};
use fastrand::Rng;

/// Mechanisms by default.
const CASES: u64 = 500;

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

/// A loop that the state of the dynamics closes.
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

/// Takes the part along orthonormal vectors from a vector, twice.
fn clear(v: &mut [f64], basis: &[Vec<f64>]) {
    for _ in 0..2 {
        for q in basis {
            let part = dot(q, v);
            v.iter_mut().zip(q).for_each(|(v, q)| *v -= part * q);
        }
    }
}

/// Extends an orthonormal basis by the vector with most left, while that is above a bound.
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
    largest_gain: f64,
    largest_difference: f64,
}

fn mechanism(rng: &mut Rng, seed: u64, seen: &mut Seen) {
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
    let model = model.with_loops(loops).unwrap();
    let mut dynamics = Dynamics::new(model.clone());
    dynamics.set_state(&q, &vec![0.0; n]).unwrap();
    let (c, _) = dynamics.loop_rows();
    let c: Vec<Vec<f64>> = (0..c.rows()).map(|i| c.row(i).to_vec()).collect();
    let z = null_space(&c, n);
    let margin = dynamics.loop_margin().unwrap().map_or(1.0, |(_, margin)| margin);
    if !(1..=4).contains(&z.len()) || margin < MARGIN {
        return;
    }
    assert_eq!(dynamics.loop_rank().unwrap(), n - z.len(), "seed {seed}");

    // A contact that moves, and a velocity of the mechanism towards its surface.
    let link = LinkId::from_index(model.links().len() - 1);
    let angle = 3.0 * spread(rng);
    let normal = if is_planar { Vector::new(angle.cos(), 0.0, angle.sin()) } else { direction(rng) };
    let point = 0.3 * direction(rng);
    let point = if is_planar { Vector::new(point.x(), 0.0, point.z()) } else { point };
    let contact = ContactPoint::new(&model, link, point.to_array(), normal.to_array()).unwrap();
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
    seen.largest_difference = seen.largest_difference.max((change - minimal.energy.change).abs() / energy);
    for row in &c {
        let size = row.iter().zip(&after).map(|(c, v)| (c * v).abs()).fold(1e-3, f64::max);
        assert!(dot(row, &after).abs() < 1e-9 * size, "seed {seed}: a loop opens at {}", dot(row, &after));
    }
    seen.mechanisms += 1;
    seen.redundant += usize::from(is_redundant);
    seen.of_freedoms[z.len()] += 1;
    let mode = match outcome.mode {
        Mode::Separating => 0,
        Mode::Stick => 1,
        Mode::Slip => 2,
        Mode::Reversal => 3,
    };
    seen.of_modes[mode] += 1;
}

#[test]
fn impacts_of_random_mechanisms_are_those_in_minimal_coordinates() {
    let read = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let cases = CASES * read("CAROM_CASES").unwrap_or(1);
    let mut seen = Seen::default();
    let mut seed = read("CAROM_SEED").unwrap_or(0);
    while (seen.mechanisms as u64) < cases {
        mechanism(&mut Rng::with_seed(seed), seed, &mut seen);
        seed += 1;
        assert!(seed < 100 * cases, "only {} mechanisms", seen.mechanisms);
    }
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
