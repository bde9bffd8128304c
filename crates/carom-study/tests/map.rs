//! Maps say what the law says: at the curves to a few units in the last place, in the regions, in every cell.

use carom_law::{Coefficients, Contact, Friction, Guard, Mode, Outcome, Restitution};
use carom_scene::Problem;
use carom_study::{CurveName, Map, MapError, MapOptions, Quantity, Range, RegionKind};
use serde_json::{Value, json};

const SCENES: [&str; 12] =
    ["kane", "rod", "sphere", "superball", "block", "wheel", "cube", "reversal", "walker", "arm", "foot", "humanoid"];

fn problem(scene: &str) -> Problem {
    carom_scene::gallery::impact(scene).unwrap()
}

fn options(resolution: usize) -> MapOptions {
    MapOptions { resolution, ..MapOptions::default() }
}

fn impact(map: &Map, contact: &Contact, e: f64, mu: f64) -> Outcome {
    let ratio = map.friction.mu_d() / map.friction.mu_s();
    let friction = Friction::with_static(mu, mu.min(ratio * mu)).unwrap();
    let restitution = Restitution::with_tangential(e, map.restitution.tangential).unwrap();
    contact.impact(&Coefficients::new(restitution, friction), Guard::Report).unwrap()
}

fn ulps(x: f64, count: i64) -> f64 {
    f64::from_bits((x.to_bits() as i64 + count) as u64)
}

fn curve(map: &Map, name: CurveName) -> Vec<[f64; 2]> {
    map.curves.iter().filter(|curve| curve.name == name).flat_map(|curve| curve.pieces.concat()).collect()
}

#[test]
fn the_law_changes_at_the_critical_friction() {
    let mut checked = 0;
    for scene in SCENES {
        let problem = problem(scene);
        let (map, contact) =
            (Map::over_coefficients(&problem, scene, &options(20)).unwrap(), problem.contact().unwrap());
        for [e, mu] in curve(&map, CurveName::CriticalFriction).into_iter().filter(|[_, mu]| *mu > 1e-9) {
            assert_eq!(impact(&map, &contact, e, mu).mode, Mode::Stick, "{scene} at {e}, {mu}");
            assert_ne!(impact(&map, &contact, e, ulps(mu, -2)).mode, Mode::Stick, "{scene} at {e}, {mu}");
            checked += 1;
        }
    }
    assert!(checked > 1000, "{checked}");
}

#[test]
fn the_law_changes_at_the_critical_reversal() {
    let mut checked = 0;
    for scene in SCENES {
        let problem = problem(scene);
        let (map, contact) =
            (Map::over_coefficients(&problem, scene, &options(20)).unwrap(), problem.contact().unwrap());
        // The dynamic coefficient is a quotient of a product: a few roundings where the two differ.
        let few = if map.friction.mu_s() == map.friction.mu_d() { 4 } else { 8 };
        for [e, mu] in curve(&map, CurveName::CriticalReversal).into_iter().filter(|[_, mu]| *mu > 1e-6) {
            let restitution = Restitution::with_tangential(e, map.restitution.tangential).unwrap();
            let sticks_from = contact.critical_friction(&restitution).unwrap_or(f64::INFINITY);
            let [below, above] = [-few, few].map(|count| impact(&map, &contact, e, ulps(mu, count)));
            if ulps(mu, few) < sticks_from && above.solutions == Some(1) && below.solutions == Some(1) {
                assert_eq!((below.mode, above.mode), (Mode::Slip, Mode::Reversal), "{scene} at {e}, {mu}");
                checked += 1;
            }
        }
    }
    assert!(checked > 100, "{checked}");
}

/// The change of energy has its sign a few units in the last place either side of `e*(v)`. The verdict follows where the
/// gain is more than the law counts as rounding, `4 ε (K_c + |v⁻·i|)`, and nowhere else.
#[test]
fn energy_is_created_from_the_limit_on() {
    const FEW: i64 = 4;
    let mut checked = 0;
    for scene in SCENES {
        let problem = problem(scene);
        let (map, contact) =
            (Map::over_coefficients(&problem, scene, &options(20)).unwrap(), problem.contact().unwrap());
        let line = curve(&map, CurveName::RestitutionLimitState);
        let Some(&[limit, _]) = line.first().filter(|[limit, _]| *limit < 1.0) else { continue };
        assert_eq!(map.restitution.tangential, 0.0, "{scene}: the formula below is for e_t = 0");
        let at = |e: f64| impact(&map, &contact, e, map.axes[1].max);
        let [below, above] = [-FEW, FEW].map(|count| at(ulps(limit, count)));
        if below.mode != Mode::Stick {
            continue;
        }
        assert!(below.energy.change <= 0.0 && below.admissible, "{scene}");
        assert!(above.energy.change > 0.0, "{scene}");
        // dK = g (e² - e*²)/2 with g = G_nn v_n², and K_c = g e*²/2.
        let far = at(1.0);
        let g = 2.0 * far.energy.change / (1.0 - limit * limit);
        let exchanged: f64 = contact.velocity().iter().zip(&above.impulse[..]).map(|(v, i)| v * i).sum();
        let counted = 4.0 * f64::EPSILON * (0.5 * g * limit * limit + exchanged.abs());
        let seen_from = limit + counted / (g * limit);
        assert!(!at(ulps(seen_from, FEW)).admissible, "{scene}");
        assert!(at(limit + 0.5 * (seen_from - limit)).admissible, "{scene}");
        assert!(seen_from - limit < 1e-14 * limit, "{scene}: {:e}", seen_from - limit);
        checked += 1;
    }
    assert!(checked >= 3, "{checked}");
}

#[test]
fn cells_are_what_solve_answers() {
    for scene in ["kane", "reversal", "arm", "cube"] {
        let map = Map::over_coefficients(&problem(scene), scene, &options(40)).unwrap();
        let ratio = map.friction.mu_d() / map.friction.mu_s();
        for cell in map.cells.iter().step_by(37) {
            let restitution = Restitution::with_tangential(cell.at[0], map.restitution.tangential).unwrap();
            let friction = Friction::with_static(cell.at[1], cell.at[1].min(ratio * cell.at[1])).unwrap();
            let changed = problem(scene).with_restitution(restitution).with_friction(friction);
            let outcome = changed.solve().unwrap();
            assert_eq!((cell.mode, cell.admissible), (outcome.mode, outcome.admissible), "{scene} at {:?}", cell.at);
            assert_eq!((cell.solutions, cell.admissible_any_state), (outcome.solutions, outcome.admissible_any_state));
            let percent = 100.0 * outcome.energy.change / outcome.energy.before.unwrap();
            assert!((cell.energy_change - percent).abs() <= 1e-9 * percent.abs().max(1.0), "{scene} at {:?}", cell.at);
        }
    }
}

fn contains(polygons: &[Vec<[f64; 2]>], [x, y]: [f64; 2]) -> bool {
    polygons.iter().any(|polygon| {
        let edges = polygon.iter().zip(polygon.iter().cycle().skip(1));
        edges.filter(|(a, b)| (a[1] > y) != (b[1] > y) && x < a[0] + (b[0] - a[0]) * (y - a[1]) / (b[1] - a[1])).count()
            % 2
            == 1
    })
}

/// Every cell lies in the region of its mode, but for cells at a boundary, which the outline of a region may pass by a
/// five-thousandth of the axis.
fn assert_regions_agree(scene: &str, map: &Map) {
    let n = map.resolution;
    let region =
        |kind| map.regions.iter().filter(|r| r.kind == kind).flat_map(|r| r.polygons.clone()).collect::<Vec<_>>();
    let [stick, slip, reversal, creation] =
        [RegionKind::Stick, RegionKind::Slip, RegionKind::Reversal, RegionKind::Creation].map(region);
    let admissible_set = region(RegionKind::AdmissibleSet);
    let key = |i: usize| {
        (
            map.cells[i].mode,
            map.cells[i].admissible,
            map.cells[i].admissible_any_state,
            map.cells[i].solutions.unwrap_or(1) > 1,
        )
    };
    for (i, cell) in map.cells.iter().enumerate() {
        let (column, row) = (i % n, i / n);
        let is_inner = (1..n - 1).contains(&column) && (1..n - 1).contains(&row);
        if !is_inner || [i - 1, i + 1, i - n, i + n].into_iter().any(|j| key(j) != key(i)) || key(i).3 {
            continue;
        }
        let found = [&stick, &slip, &reversal].map(|polygons| contains(polygons, cell.at));
        let expected = [Mode::Stick, Mode::Slip, Mode::Reversal].map(|mode| mode == cell.mode);
        assert_eq!(found, expected, "{scene} at {:?}", cell.at);
        assert_eq!(contains(&creation, cell.at), !cell.admissible, "{scene} at {:?}", cell.at);
        if !admissible_set.is_empty() {
            assert_eq!(contains(&admissible_set, cell.at), cell.admissible_any_state, "{scene} at {:?}", cell.at);
        }
    }
}

#[test]
fn regions_are_where_the_cells_say() {
    for scene in SCENES {
        assert_regions_agree(scene, &Map::over_coefficients(&problem(scene), scene, &options(80)).unwrap());
        if let Ok(map) = Map::over_state(&problem(scene), scene, &options(80)) {
            assert_regions_agree(scene, &map);
        }
    }
}

/// In a map over states the own pair is critical on the curves.
#[test]
fn curves_over_states_are_exact() {
    for scene in ["foot", "cube", "humanoid"] {
        let problem = problem(scene);
        let map = Map::over_state(&problem, scene, &options(60)).unwrap();
        let delassus = *problem.contact().unwrap().delassus();
        let restitution = Restitution::new(map.restitution.normal).unwrap();
        let points = curve(&map, CurveName::CriticalFriction);
        assert!(points.len() > 50, "{scene}");
        for [x, y] in points {
            let contact = Contact::new(delassus, &[-1.0, x, y]).unwrap();
            let critical = contact.critical_friction(&restitution).unwrap();
            assert!((critical / map.friction.mu_s() - 1.0).abs() < 1e-12, "{scene} at {x}, {y}: {critical}");
        }
    }
}

#[test]
fn the_own_point_is_the_outcome() {
    for scene in SCENES {
        let outcome = problem(scene).solve().unwrap();
        let map = Map::over_coefficients(&problem(scene), scene, &options(4)).unwrap();
        assert_eq!(map.point.at, [outcome.restitution.normal, outcome.friction.unwrap().mu_s()], "{scene}");
        assert_eq!(map.point.verdict, carom_scene::answer::verdict::verdict(&outcome));
        // Friction many times what decides anything would press the curves to the bottom.
        let [x, y] = map.axes;
        let is_shown = (x.min..=x.max).contains(&map.point.at[0]) && (y.min..=y.max).contains(&map.point.at[1]);
        assert_eq!(is_shown, scene != "superball", "{scene}");
    }
}

/// Some curve reaches an eighth of the axis or more, whatever the own pair.
#[test]
fn curves_are_not_pressed_to_the_bottom() {
    for scene in SCENES {
        for mu in [0.05, 0.5, 5.0, 50.0] {
            let changed = problem(scene).with_friction(Friction::new(mu).unwrap());
            let map = Map::over_coefficients(&changed, scene, &options(4)).unwrap();
            let points = curve(&map, CurveName::CriticalFriction);
            let highest = points.iter().fold(0.0_f64, |highest, [_, mu]| highest.max(*mu));
            assert!(points.is_empty() || highest > 0.125 * map.axes[1].max, "{scene} {mu}: {highest}");
        }
    }
}

#[test]
fn in_contact_space_percent_are_of_what_the_contact_reaches() {
    let tree = json!({ "delassus": [[2.0, 0.5], [0.5, 3.0]], "contact_velocity": [-1.0, 0.5], "restitution": 0.0, "friction": 2.0 });
    let map = Map::over_coefficients(&Problem::from_data(&tree).unwrap(), "matrix", &options(10)).unwrap();
    // A stick without restitution loses all of it.
    assert_eq!(map.point.mode, Mode::Stick);
    assert!((map.point.energy_change + 100.0).abs() < 1e-12, "{}", map.point.energy_change);
}

#[test]
fn what_has_no_map_says_why() {
    let error = |tree: &Value, options: &MapOptions| {
        let problem = Problem::from_data(tree).unwrap();
        Map::over_coefficients(&problem, "", options).unwrap_err()
    };
    let mut away = json!({ "delassus": [[1.0, 0.0], [0.0, 1.0]], "contact_velocity": [0.5, 0.0], "restitution": 0, "friction": 1 });
    assert_eq!(error(&away, &MapOptions::default()), MapError::Separating { normal_velocity: 0.5 });
    away["contact_velocity"] = json!([-1, 0]);
    assert_eq!(error(&away, &options(1)), MapError::Resolution { value: 1, low: 2, high: 4000 });
    let range = Range { x: Some([0.0, 2.0]), y: None };
    let bound = MapError::Range { quantity: Quantity::Restitution, value: [0.0, 2.0], bound: "[0, 1]" };
    assert_eq!(error(&away, &MapOptions { range, ..MapOptions::default() }), bound);
    let normal = json!({ "delassus": [[1.0]], "contact_velocity": [-1.0], "restitution": 0 });
    assert_eq!(error(&normal, &MapOptions::default()), MapError::Frictionless);
    let singular = json!({ "delassus": [[1.0, 1.0], [1.0, 1.0]], "contact_velocity": [-1.0, -1.0], "restitution": 0, "friction": 1 });
    let singular = Problem::from_data(&singular).unwrap();
    assert_eq!(Map::over_state(&singular, "", &MapOptions::default()).unwrap_err(), MapError::Singular);
    assert!(Map::over_coefficients(&singular, "", &MapOptions::default()).is_ok());
}

#[test]
fn maps_are_the_same_on_any_number_of_threads() {
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let map = |over: fn(&Problem, &str, &MapOptions) -> Result<Map, MapError>| {
            serde_json::to_string(&over(&problem("foot"), "foot", &options(40)).unwrap()).unwrap()
        };
        pool.install(|| [map(Map::over_coefficients), map(Map::over_state)])
    };
    let expected = on(1);
    assert!([2, 5].into_iter().all(|threads| on(threads) == expected));
}
