//! Figures of runs show what they must, and little else.

mod common;

use carom_report::figure::run_svg;
use carom_sim::{Ending, Record};

fn svg(record: &Record) -> String {
    run_svg(record, "a run & more").unwrap()
}

/// What a reader of the figure can read.
fn labels(svg: &str) -> Vec<String> {
    svg.split("aria-label=\"").skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
}

#[test]
fn a_figure_names_what_it_shows() {
    for (name, record) in common::runs() {
        let svg = svg(&record);
        let labels = labels(&svg);
        let has = |text: &str| assert!(labels.iter().any(|label| label == text), "{name}: {text:?} in {labels:?}");
        ["a run &amp; more", "gap, m", "energy, J", "not explained", "time t, s"].into_iter().for_each(has);
        ["kinetic", "potential, from its minimum", "total"].into_iter().for_each(has);
        // Contacts that closed, and how many there are beside them.
        let is_busy = |k: usize| record.samples.iter().any(|sample| sample.contacts[k].mode.name() != "flight");
        let is_struck = |k: usize| record.events.iter().any(|event| event.contact() == Some(k));
        let (busy, idle): (Vec<usize>, Vec<usize>) =
            (0..record.header.contacts.len()).partition(|&k| is_busy(k) || is_struck(k));
        busy.iter().for_each(|&k| has(&record.header.contacts[k].name));
        match (busy.len(), idle.len()) {
            (_, 0) => assert!(!labels.iter().any(|label| label.contains("never closed")), "{name}"),
            (0, 1) => has("the contact never closed"),
            (_, 1) => has("and 1 contact that never closed"),
            (_, count) => has(&format!("and {count} contacts that never closed")),
        }
        let occurring = |mode: &str| {
            let contacts = |sample: &carom_sim::Sample| busy.iter().any(|&k| sample.contacts[k].mode.name() == mode);
            record.samples.iter().any(contacts)
        };
        for mode in ["flight", "stick", "slip"] {
            assert_eq!(labels.iter().any(|label| label == mode), occurring(mode), "{name}: {mode}");
        }
        assert!(svg.len() < 200_000, "{name}: {} bytes", svg.len());
    }
    assert!(labels(&svg(&common::ball())).iter().any(|label| label == "work of impacts"));
    assert!(labels(&svg(&common::sphere())).iter().any(|label| label == "work of friction"));
    assert!(!labels(&svg(&common::sphere())).iter().any(|label| label == "work of impacts"));
}

/// Seventy contacts with long names, of which nine close: these are named, sorted by their first touch, and no name can be
/// taken for another.
#[test]
fn many_contacts_are_told_apart() {
    let mut record = common::sphere();
    let contact = record.header.contacts[0].clone();
    let name = |i: usize| {
        let (side, end) = (["left", "right"][i % 2], ["front", "rear"][i / 2 % 2]);
        format!("robot_{end}_lower_{side}_leg_collision vertex_{}", i / 4)
    };
    record.header.contacts = (0..70).map(|i| carom_sim::ContactHeader { name: name(i), ..contact.clone() }).collect();
    let closed = record.samples[0].contacts[0];
    let open = carom_sim::ContactSample { mode: carom_sim::ContactMode::Flight, ..closed };
    // Contact 8 touches first, then 7, and so on.
    for (k, sample) in record.samples.iter_mut().enumerate() {
        sample.contacts = (0..70).map(|i| if i < 9 && k > 10 * (8 - i) { closed } else { open }).collect();
    }
    record.events.clear();
    let labels = labels(&svg(&record));
    assert!(labels.contains(&"and 61 contacts that never closed".to_owned()), "{labels:?}");
    let names: Vec<&String> = labels.iter().filter(|label| label.contains('…')).collect();
    assert_eq!(names.len(), 9, "{labels:?}");
    for (label, i) in names.iter().zip((0..9).rev()) {
        let reads = |name: &str| {
            let mut rest = name;
            let parts: Vec<&str> = label.split('…').collect();
            parts.iter().enumerate().all(|(k, part)| {
                let at = if k == 0 { rest.strip_prefix(part).map(|_| 0) } else { rest.find(part) };
                at.is_some_and(|at| {
                    rest = &rest[at + part.len()..];
                    k + 1 < parts.len() || rest.is_empty() || name.ends_with(part)
                })
            })
        };
        let meant: Vec<usize> = (0..9).filter(|&i| reads(&name(i))).collect();
        assert_eq!(meant, [i], "{label}");
    }
}

#[test]
fn an_incomplete_run_is_marked() {
    let mut record = common::cube();
    assert!(svg(&record).contains("INCOMPLETE, interrupted at 0.8655 s of 3 s"));
    record.summary.ending = Ending::Failed;
    assert!(svg(&record).contains("INCOMPLETE, failed at"));
    record.summary.ending = Ending::Complete;
    assert!(!svg(&record).contains("INCOMPLETE"));
}

/// A hundred times as many samples do not make a hundred times as large a file.
#[test]
fn long_runs_stay_small() {
    let mut record = common::ball();
    let few = svg(&record).len();
    let between = |a: f64, b: f64, k: u32| a + (b - a) * f64::from(k) / 100.0;
    let samples = record.samples.clone();
    record.samples = samples
        .windows(2)
        .flat_map(|pair| {
            (0..100).map(|k| {
                let mut sample = pair[0].clone();
                sample.time = between(pair[0].time, pair[1].time, k);
                sample.contacts[0].gap = between(pair[0].contacts[0].gap, pair[1].contacts[0].gap, k);
                sample
            })
        })
        .collect();
    assert!(record.samples.len() > 70_000);
    let many = svg(&record).len();
    assert!(many < 4 * few, "{few} bytes, then {many}");
}

/// The energies of a robot at rest differ by rounding, which would fill the plot.
#[test]
fn rounding_is_not_drawn_as_motion() {
    let still = labels(&svg(&common::still(0.0)));
    assert_eq!(labels(&svg(&common::still(40.0))), still);
    // A millionth of a joule is motion.
    assert_ne!(labels(&svg(&common::still(1e9))), still);
}

/// No sample, one sample, no contact, no motion: still a picture.
#[test]
fn the_least_runs_have_figures() {
    let mut record = common::ball();
    record.samples.truncate(1);
    record.events.clear();
    assert!(svg(&record).contains("not explained"));
    record.samples.clear();
    assert!(!svg(&record).contains("NaN"));
    let mut record = common::sphere();
    record.header.contacts.clear();
    record.events.clear();
    record.samples.iter_mut().for_each(|sample| sample.contacts.clear());
    record.summary.largest_energy = 0.0;
    let svg = svg(&record);
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    assert!(!labels(&svg).contains(&"gap, m".to_owned()));
}

#[cfg(feature = "png")]
#[test]
fn pictures_have_the_width_asked_for() {
    let png = carom_report::figure::run_png(&common::cube(), "cube", 800).unwrap();
    assert_eq!(png[..8], [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n']);
    assert_eq!(png[16..20], 800_u32.to_be_bytes());
    if let Some(folder) = std::env::var_os("CAROM_PAGES") {
        for (name, record) in common::runs() {
            let title = record.header.title.clone().unwrap();
            let png = carom_report::figure::run_png(&record, &title, 1000).unwrap();
            std::fs::write(std::path::Path::new(&folder).join(format!("{name}.png")), png).unwrap();
        }
    }
}
