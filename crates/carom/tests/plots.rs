//! Figures of runs show what they must, and little else.

mod common;

use carom::report::figure::run_svg;
use carom::sim::{Ending, Record};

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
        // Contacts that do something, and how many there are beside them; all where none does.
        let is_busy = |k: usize| record.samples.iter().any(|sample| sample.contacts[k].mode.name() != "flight");
        let is_struck = |k: usize| record.events.iter().any(|event| event.contact == Some(k));
        let all = 0..record.header.contacts.len();
        let (busy, idle): (Vec<usize>, Vec<usize>) = all.clone().partition(|&k| is_busy(k) || is_struck(k));
        let (shown, hidden) = if busy.is_empty() { (all.collect(), Vec::new()) } else { (busy, idle) };
        shown.iter().for_each(|&k| has(&record.header.contacts[k].name));
        match hidden.len() {
            0 => assert!(!labels.iter().any(|label| label.ends_with("not shown")), "{name}"),
            1 => has("1 contact is not shown"),
            count => has(&format!("{count} contacts are not shown")),
        }
        for mode in ["flight", "stick", "slip"] {
            let occurs =
                record.samples.iter().flat_map(|sample| &sample.contacts).any(|contact| contact.mode.name() == mode);
            assert_eq!(labels.iter().any(|label| label == mode), occurs, "{name}: {mode}");
        }
        assert!(svg.len() < 200_000, "{name}: {} bytes", svg.len());
    }
    assert!(labels(&svg(&common::ball())).iter().any(|label| label == "work of impacts"));
    assert!(labels(&svg(&common::sphere())).iter().any(|label| label == "work of friction"));
    assert!(!labels(&svg(&common::sphere())).iter().any(|label| label == "work of impacts"));
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
    let png = carom::report::figure::run_png(&common::cube(), "cube", 800).unwrap();
    assert_eq!(png[..8], [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n']);
    assert_eq!(png[16..20], 800_u32.to_be_bytes());
    if let Some(folder) = std::env::var_os("CAROM_PAGES") {
        for (name, record) in common::runs() {
            let title = record.header.title.clone().unwrap();
            let png = carom::report::figure::run_png(&record, &title, 1000).unwrap();
            std::fs::write(std::path::Path::new(&folder).join(format!("{name}.png")), png).unwrap();
        }
    }
}
