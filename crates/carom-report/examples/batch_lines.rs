//! Prints random problems for `carom batch`, one per line: `batch_lines matrices 400000`, or `batch_lines arm 100000`.

use std::io::{self, BufWriter, Write};

use fastrand::Rng;

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (line, count): (fn(&mut Rng) -> String, usize) = match &arguments[..] {
        [form, count] if form == "matrices" => (matrices, count.parse().map_err(io::Error::other)?),
        [form, count] if form == "arm" => (arm, count.parse().map_err(io::Error::other)?),
        _ => return Err(io::Error::other("usage: batch_lines matrices|arm COUNT")),
    };
    let mut random = Rng::with_seed(1);
    let mut out = BufWriter::new(io::stdout().lock());
    (0..count).try_for_each(|_| writeln!(out, "{}", line(&mut random)))?;
    out.flush()
}

/// W and the contact velocity of a spatial contact.
pub fn matrices(random: &mut Rng) -> String {
    let factor: [[f64; 3]; 3] = std::array::from_fn(|_| std::array::from_fn(|_| random.f64() - 0.5));
    let dot = |i: usize, j: usize| (0..3).map(|k| factor[i][k] * factor[j][k]).sum::<f64>();
    let w: [[f64; 3]; 3] = std::array::from_fn(|i| std::array::from_fn(|j| dot(i, j) + if i == j { 0.5 } else { 0.0 }));
    let v = [-random.f64(), 2.0 * random.f64() - 1.0, 2.0 * random.f64() - 1.0];
    let (e, mu) = (random.f64(), random.f64());
    format!("{{\"delassus\":{w:?},\"contact_velocity\":{v:?},\"restitution\":{e},\"friction\":{mu}}}")
}

/// The built-in arm near the state of the scene `arm`.
pub fn arm(random: &mut Rng) -> String {
    const JOINTS: [(&str, f64, f64); 6] = [
        ("shoulder_pan", 0.3, 1.2),
        ("shoulder_lift", 0.6, 0.2),
        ("elbow", 1.2, 0.1),
        ("wrist_1", 0.0, 0.1),
        ("wrist_2", 1.34, -2.0),
        ("wrist_3", 0.5, 0.5),
    ];
    let entries = |values: [f64; 6]| -> String {
        let each = JOINTS.iter().zip(values).map(|((name, ..), value)| format!("\"{name}\":{value}"));
        each.collect::<Vec<_>>().join(",")
    };
    let q = entries(JOINTS.map(|(_, q, _)| q + 0.2 * random.f64() - 0.1));
    let v = entries(JOINTS.map(|(_, _, v)| v + 0.6 * random.f64() - 0.3));
    let (e, mu) = (random.f64(), random.f64());
    format!(
        "{{\"model\":{{\"builtin\":\"arm\"}},\"state\":{{\"configuration\":{{{q}}},\"velocity\":{{{v}}}}},\
         \"contact\":{{\"link\":\"tool_tip\"}},\"surface\":{{\"point\":[0.5693032503758209,0.17610613236182476,0.26379744998049837],\
         \"normal\":[0,0,1]}},\"restitution\":{e},\"friction\":{mu}}}"
    )
}
