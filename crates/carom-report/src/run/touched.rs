//! The contacts that closed during a run, and their modes over time.

use std::collections::BTreeSet;

use carom_sim::{ContactMode, Record};

use super::label::labels;
use crate::printable;

/// The contacts that closed or had an event, by the time of the first; joints with dry friction, which stick or slide at all times, last.
pub(crate) fn touched(record: &Record) -> Vec<usize> {
    let mut first = vec![f64::INFINITY; record.header.contacts.len()];
    let mut note = |contact: usize, time: f64| {
        if let Some(first) = first.get_mut(contact) {
            *first = first.min(time);
        }
    };
    for sample in &record.samples {
        let closed = sample.contacts.iter().enumerate().filter(|(_, contact)| contact.mode != ContactMode::Flight);
        closed.for_each(|(i, _)| note(i, sample.time));
    }
    record.events.iter().for_each(|event| event.contact().map_or((), |contact| note(contact, event.time())));
    let mut touched: Vec<usize> = (0..first.len()).filter(|&i| first[i] < f64::INFINITY).collect();
    let is_friction = |i: usize| record.header.contacts[i].joint.is_some();
    touched.sort_by(|&a, &b| is_friction(a).cmp(&is_friction(b)).then(first[a].total_cmp(&first[b])));
    touched
}

/// Names of some contacts, each with at most `room` characters, which no contact with the same surfaces, or at limits if
/// some are, could be taken for.
pub(crate) fn names(record: &Record, contacts: &[usize], room: usize) -> Vec<String> {
    let all = &record.header.contacts;
    let surfaces: BTreeSet<Option<usize>> = contacts.iter().map(|&i| all[i].surface).collect();
    let alike = all.iter().filter(|contact| surfaces.contains(&contact.surface));
    let alike: Vec<_> = alike.map(|contact| printable(&contact.name)).collect();
    let names: Vec<_> = contacts.iter().map(|&i| printable(&all[i].name)).collect();
    labels(&names, &alike, room)
}

/// How many contacts there are beside those shown, in words; `None` if there are none.
pub(crate) fn rest(record: &Record, touched: usize, shown: usize) -> Option<String> {
    let all = record.header.contacts.len();
    let closed = match touched - shown {
        0 => None,
        1 => Some("1 contact that closed later".to_owned()),
        more => Some(format!("{more} contacts that closed later")),
    };
    let open = match (all - touched, shown) {
        (0, _) => None,
        (1, 0) => return Some("the contact never closed".to_owned()),
        (more, 0) => return Some(format!("{more} contacts, none of which closed")),
        (1, _) => Some("1 contact that never closed".to_owned()),
        (more, _) => Some(format!("{more} contacts that never closed")),
    };
    let parts: Vec<String> = closed.into_iter().chain(open).collect();
    (!parts.is_empty()).then(|| format!("and {}", parts.join(", ")))
}

/// The modes of a contact over time: when each begins. At an event the mode is the one after it.
pub(crate) fn modes(record: &Record, contact: usize) -> Vec<(f64, ContactMode)> {
    let mut modes: Vec<(f64, ContactMode)> = Vec::new();
    for sample in &record.samples {
        let Some(now) = sample.contacts.get(contact) else { continue };
        // Of two samples at one time the second counts.
        modes.pop_if(|(time, _)| *time == sample.time);
        if modes.last().is_none_or(|(_, mode)| *mode != now.mode) {
            modes.push((sample.time, now.mode));
        }
    }
    modes
}

#[cfg(test)]
mod tests {
    use carom_sim::{Recorder, Simulation};

    use super::touched;

    /// Strips and figures have room for some contacts only.
    #[test]
    fn feet_that_strike_come_before_joints_that_rub_from_the_start_on() {
        let mut simulation = Simulation::new(carom_scene::gallery::simulation("quadruped").unwrap()).unwrap();
        let mut recorder = Recorder::new();
        simulation.run_until(0.2, &mut recorder).unwrap();
        let record = recorder.finish(&simulation);
        let all = touched(&record);
        let frictions: Vec<bool> = all.iter().map(|&i| record.header.contacts[i].joint.is_some()).collect();
        assert_eq!(frictions.iter().filter(|is| !**is).count(), 4, "the feet");
        assert!(frictions.is_sorted() && frictions[frictions.len() - 1], "{frictions:?}");
    }
}
