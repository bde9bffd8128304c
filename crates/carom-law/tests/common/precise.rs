//! Reads `reference/precise/cases.json`: answers in high precision, rounded to `f64` here.

use serde_json::Value;

use super::random::Problem;

const TEXT: &str = include_str!("../../../../reference/precise/cases.json");

pub struct Case {
    pub name: String,
    pub problem: Problem,
    /// The condition number of W with its rows brought to one size.
    pub condition: f64,
    /// Which decisions are close on purpose.
    pub boundary: Vec<String>,
    pub expected: Value,
}

pub fn load() -> Vec<Case> {
    let document: Value = serde_json::from_str(TEXT).unwrap();
    document["cases"].as_array().unwrap().iter().map(Case::read).collect()
}

impl Case {
    fn read(value: &Value) -> Self {
        let rows = value["delassus"].as_array().unwrap();
        let d = rows.len();
        let mut w = [[0.0; 3]; 3];
        let mut v = [0.0; 3];
        for i in 0..d {
            v[i] = value["contact_velocity"][i].as_f64().unwrap();
            for j in 0..d {
                w[i][j] = rows[i][j].as_f64().unwrap();
            }
        }
        let number = |a: &str, b: &str| value[a][b].as_f64().unwrap();
        let problem = Problem {
            d,
            w,
            v,
            e: number("restitution", "normal"),
            e_t: number("restitution", "tangential"),
            mu_s: number("friction", "static"),
            mu_d: number("friction", "dynamic"),
        };
        let boundary = value["boundary"].as_array().unwrap();
        Self {
            name: value["name"].as_str().unwrap().to_owned(),
            problem,
            condition: value["condition"].as_f64().unwrap(),
            boundary: boundary.iter().map(|b| b.as_str().unwrap().to_owned()).collect(),
            expected: value["expected"].clone(),
        }
    }
}

/// The number nearest to a decimal string; `None` for null.
pub fn number(value: &Value) -> Option<f64> {
    value.as_str().map(|text| text.parse().unwrap())
}

pub fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| number(x).unwrap()).collect()
}
