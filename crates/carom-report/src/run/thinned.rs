//! The samples that a page keeps.

use carom_sim::Record;

use super::words::size;

/// Indices of at most about `most` samples, in order: the first, the last, those at the events of the largest impulses,
/// and others at regular times. Up to half of them are at events, before and after each.
pub(super) fn thinned(record: &Record, most: usize) -> Vec<usize> {
    let samples = &record.samples;
    let count = samples.len();
    if count <= most {
        return (0..count).collect();
    }
    let mut is_kept = vec![false; count];
    let (first, last) = (samples[0].time, samples[count - 1].time);
    let mut keep = |range: std::ops::Range<usize>| is_kept[range].fill(true);
    keep(0..1);
    keep(count - 1..count);
    // At events, the largest first.
    let mut events: Vec<(f64, f64)> = record
        .events
        .iter()
        .map(|event| (size(event.impulse()), event.time()))
        .filter(|(size, _)| *size > 0.0)
        .collect();
    events.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut used = 0;
    for (_, time) in events {
        let start = samples.partition_point(|sample| sample.time < time);
        let end = samples.partition_point(|sample| sample.time <= time);
        used += end.saturating_sub(start);
        if used > most / 2 {
            break;
        }
        if start < end {
            keep(start..end);
        }
    }
    let ticks = most.saturating_sub(most / 2).max(2);
    for k in 0..ticks {
        let time = first + (last - first) * k as f64 / ticks as f64;
        let at = samples.partition_point(|sample| sample.time < time).min(count - 1);
        keep(at..at + 1);
    }
    (0..count).filter(|&i| is_kept[i]).collect()
}
