//! Reads `reference/published/cases.json`.

use nalgebra::{DMatrix, DVector};
use serde_json::Value;

const TEXT: &str = include_str!("../../../../reference/published/cases.json");

/// Agreement asked of impulses and velocities, relative to the vector's norm.
const TOLERANCE: f64 = 1e-10;

pub struct Case {
    pub name: String,
    pub mass_matrix: DMatrix<f64>,
    pub contact_jacobian: DMatrix<f64>,
    pub velocity: DVector<f64>,
    pub restitution: f64,
    pub restitution_tangential: f64,
    pub friction_static: f64,
    pub friction_dynamic: f64,
    expected: Value,
    laws: Value,
}

/// The answer of a law other than the project's own.
pub struct Rival {
    pub impulse: Vec<f64>,
    pub after: Vec<f64>,
    pub velocity: Vec<f64>,
    pub energy_change: f64,
    pub phases: Option<String>,
    /// Of Chatterjee and Ruina.
    pub kappa: Option<f64>,
}

pub fn load() -> Vec<Case> {
    let document: Value = serde_json::from_str(TEXT).unwrap();
    document["cases"].as_array().unwrap().iter().map(Case::read).collect()
}

impl Case {
    fn read(value: &Value) -> Self {
        let number = |key: &str| value[key].as_f64().unwrap();
        Self {
            name: value["name"].as_str().unwrap().to_owned(),
            mass_matrix: matrix(&value["M"]),
            contact_jacobian: matrix(&value["A"]),
            velocity: DVector::from_vec(numbers(&value["qdot_minus"])),
            restitution: number("e"),
            restitution_tangential: number("e_t"),
            friction_static: number("mu_s"),
            friction_dynamic: number("mu_d"),
            expected: value["expected"]["aghili"].clone(),
            laws: value["expected"].clone(),
        }
    }

    /// A number that the collection gives for the law.
    pub fn expected(&self, name: &str) -> Option<f64> {
        self.expected[name].as_f64()
    }

    /// What the collection gives for another law; `None` where it has no impulse.
    pub fn rival(&self, law: &str) -> Option<Rival> {
        let value = &self.laws[law];
        value["impulse"].is_array().then(|| Rival {
            impulse: numbers(&value["impulse"]),
            after: numbers(&value["v_plus_contact"]),
            velocity: numbers(&value["qdot_plus"]),
            energy_change: value["dK"].as_f64().unwrap(),
            phases: value["phases"].as_str().map(|text| text.replace("+1", "+").replace("-1", "-")),
            kappa: value["kappa"].as_f64(),
        })
    }

    pub fn assert_agrees(&self, mode: &str, impulse: &[f64], after: &[f64], velocity: &[f64]) {
        let expected = &self.expected;
        let tolerance = match expected["digits"].as_i64() {
            Some(digits) => 10f64.powi(1 - i32::try_from(digits).unwrap()),
            None => TOLERANCE,
        };
        let close = |what: &str, found: &[f64], expected: &Value| {
            let expected = numbers(expected);
            let difference: Vec<f64> = found.iter().zip(&expected).map(|(a, b)| a - b).collect();
            assert_eq!(found.len(), expected.len(), "{}: {what}", self.name);
            assert!(
                norm(&difference) <= tolerance * norm(&expected),
                "{}: {what} {found:?} != {expected:?}",
                self.name
            );
        };
        match expected["mode"].as_str().unwrap() {
            // The literature's slip has no direction here; its completion is the reversal.
            "none" => {
                assert_eq!(mode, "reversal", "{}", self.name);
                close("impulse", impulse, &expected["completion_zero_average"]["i"]);
                close("contact velocity", after, &expected["completion_zero_average"]["v_plus"]);
                return;
            }
            expected if self.name != "sphere2d_threshold" => assert_eq!(mode, expected, "{}", self.name),
            _ => {}
        }
        close("impulse", impulse, &expected["impulse"]);
        close("contact velocity", after, &expected["v_plus_contact"]);
        if expected["qdot_plus"].is_array() {
            close("velocity", velocity, &expected["qdot_plus"]);
        }
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn matrix(value: &Value) -> DMatrix<f64> {
    let rows: Vec<Vec<f64>> = value.as_array().unwrap().iter().map(numbers).collect();
    DMatrix::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j])
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}
