//! Names of contacts that fit into a narrow column, cut so that no two of them can be confused.

/// The sign in place of the part that is cut out.
const CUT: char = '…';
/// Cost of a cut within a word, in characters that could have been shown.
const BROKEN_WORD: usize = 3;

/// Shortest part of all names that is left out of each: a shorter one costs more than it gains.
const COMMON: usize = 4;

/// Some names, each with at most `room` characters. What is cut out is replaced by an ellipsis: what `all` names begin and end
/// with, then the middle. No other of `all` names has the parts that are left, so that left and right, front and rear, the
/// first and the second vertex stay distinct, even if only one of a pair is among `names`. A name for which that is
/// impossible is not cut.
pub(crate) fn labels<S: AsRef<str>, A: AsRef<str>>(names: &[S], all: &[A], room: usize) -> Vec<String> {
    let all: Vec<Vec<char>> = all.iter().map(|name| name.as_ref().chars().collect()).collect();
    let common = common(&all);
    let label = |name: &S| {
        let name: Vec<char> = name.as_ref().chars().collect();
        let is_told = |parts: &[&[char]]| all.iter().all(|other| *other == name || !reads(parts, other));
        match name.len() <= room {
            true => name.iter().collect(),
            false => ways(&name, common, room)
                .into_iter()
                .map(|way| way.parts(&name))
                .find(|parts| is_told(parts))
                .map_or_else(|| name.iter().collect(), |parts| parts.join(&CUT).iter().collect()),
        }
    };
    names.iter().map(label).collect()
}

/// Whether a name has these parts in order, with the first at its beginning and the last at its end.
fn reads(parts: &[&[char]], name: &[char]) -> bool {
    let [head, inner @ .., tail] = parts else { return false };
    let Some(mut rest) = name.strip_prefix(*head).and_then(|rest| rest.strip_suffix(*tail)) else { return false };
    for part in inner.iter().filter(|part| !part.is_empty()) {
        match rest.windows(part.len()).position(|window| window == *part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    true
}

/// A way to cut a name: the pieces that are left.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Way {
    cost: usize,
    pieces: Vec<[usize; 2]>,
}

impl Way {
    /// The pieces, with nothing before the first and after the last unless they are the ends of the name.
    fn parts<'n>(&self, name: &'n [char]) -> Vec<&'n [char]> {
        let mut parts: Vec<&[char]> = self.pieces.iter().map(|[start, end]| &name[*start..*end]).collect();
        if self.pieces.first().is_some_and(|[start, _]| *start > 0) {
            parts.insert(0, &[]);
        }
        if self.pieces.last().is_some_and(|[_, end]| *end < name.len()) {
            parts.push(&[]);
        }
        parts
    }
}

/// The ways to cut a name, the best first: with one cut between the common words, then with two.
fn ways(name: &[char], (start, end): (usize, usize), room: usize) -> Vec<Way> {
    let (first, last) = (start, name.len() - end);
    let kept = room.saturating_sub(usize::from(start > 0) + usize::from(end > 0));
    let mut once = Vec::new();
    if last - first <= kept {
        once.push(Way { cost: 0, pieces: vec![[first, last]] });
    }
    let kept = kept.saturating_sub(1);
    let lengths =
        |most: usize| (0..=most).flat_map(move |head| (0..=most.min(kept - head)).map(move |tail| (head, tail)));
    let balance = |head: usize, tail: usize| head.abs_diff(tail) / 2;
    let fitting = |(head, tail): &(usize, usize)| head + tail < last - first;
    for (head, tail) in lengths(kept).filter(fitting) {
        let (from, to) = (first + head, last - tail);
        let cost = 2 * (kept - head - tail) + 2 * broken(name, &[from, to]) + balance(head, tail);
        once.push(Way { cost, pieces: pieces(&[[first, from], [to, last]]) });
    }
    once.sort_unstable();
    let mut twice = Vec::new();
    let kept = kept.saturating_sub(1);
    let words: Vec<usize> = (first + 1..last).filter(|&i| is_boundary(name, i)).collect();
    for (head, tail) in (0..=kept / 2).flat_map(|head| (0..=kept / 2).map(move |tail| (head, tail))).filter(fitting) {
        let (from, to) = (first + head, last - tail);
        for &word in words.iter().filter(|word| (from + 1..to).contains(word)) {
            let longest = (word + kept - head - tail).min(to);
            // The last whole word, if there is one.
            let whole = words.iter().copied().filter(|i| (word + 1..=longest).contains(i)).max();
            for end in [Some(longest), whole].into_iter().flatten().filter(|end| *end > word && *end < to) {
                let unused = kept - head - tail - (end - word);
                let cost = 2 * unused + 2 * broken(name, &[from, end, to]) + balance(head, tail);
                twice.push(Way { cost, pieces: pieces(&[[first, from], [word, end], [to, last]]) });
            }
        }
    }
    twice.sort_unstable();
    once.into_iter().chain(twice).filter(|way| !way.pieces.is_empty()).collect()
}

/// The pieces that are not empty.
fn pieces(pieces: &[[usize; 2]]) -> Vec<[usize; 2]> {
    pieces.iter().copied().filter(|[start, end]| start < end).collect()
}

/// How much all names begin and end with, in whole words; nothing for a single name.
fn common(names: &[Vec<char>]) -> (usize, usize) {
    let [first, others @ ..] = names else { return (0, 0) };
    let shortest = names.iter().map(Vec::len).min().unwrap_or(0);
    let same = |k: &usize, from_end: bool| {
        let get = |name: &Vec<char>| if from_end { name[name.len() - 1 - k] } else { name[*k] };
        others.iter().all(|name| get(name) == get(first))
    };
    let whole = |length: usize, from_end: bool| {
        let is_whole = |k: &usize| is_boundary(first, if from_end { first.len() - k } else { *k });
        (COMMON..=length).rev().find(is_whole).unwrap_or(0)
    };
    if others.is_empty() || shortest == 0 {
        return (0, 0);
    }
    // One character at least is left of the shortest name.
    let start = whole((0..shortest - 1).take_while(|k| same(k, false)).count(), false);
    let end = whole((0..shortest - 1 - start).take_while(|k| same(k, true)).count(), true);
    (start, end)
}

/// The cost of the places that are within words.
fn broken(name: &[char], places: &[usize]) -> usize {
    BROKEN_WORD * places.iter().filter(|&&i| !is_boundary(name, i)).count()
}

/// Whether a word begins or ends here: between a letter, a digit and a separator, and before a capital.
fn is_boundary(name: &[char], i: usize) -> bool {
    let (Some(before), Some(after)) = (i.checked_sub(1).and_then(|i| name.get(i)), name.get(i)) else { return true };
    let kind = |c: &char| (c.is_alphabetic(), c.is_numeric(), c.is_whitespace());
    kind(before) != kind(after) || (before.is_lowercase() && after.is_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Whether a label can be read as a name: its parts, in order.
    fn is_read(label: &str, name: &str) -> bool {
        let parts: Vec<&str> = label.split(CUT).collect();
        let [head, inner @ .., tail] = parts.as_slice() else { return label == name };
        let Some(mut rest) = name.strip_prefix(head).and_then(|rest| rest.strip_suffix(tail)) else { return false };
        for part in inner {
            let Some(at) = rest.find(part) else { return false };
            rest = &rest[at + part.len()..];
        }
        true
    }

    fn alone<S: AsRef<str>>(names: &[S], room: usize) -> Vec<String> {
        labels(names, names, room)
    }

    /// The right hand is not among the names, but it exists.
    #[test]
    fn a_side_is_told_even_alone() {
        let names = ["hand_collision_left_corner_1", "foot_collision_left_corner_1"];
        let all = [&names[..], &["hand_collision_right_corner_1", "foot_collision_right_corner_1"]].concat();
        for room in 12..27 {
            for (label, name) in labels(&names, &all, room).iter().zip(names) {
                assert_eq!(all.iter().filter(|other| is_read(label, other)).collect::<Vec<_>>(), [&name], "{label}");
            }
        }
    }

    #[test]
    fn names_that_fit_are_not_cut() {
        assert_eq!(alone(&["left", "right", "Füße"], 5), ["left", "right", "Füße"]);
    }

    #[test]
    fn the_middle_goes_first() {
        assert_eq!(alone(&["front_left_foot_collision_sphere"], 20), ["front_left_…_sphere"]);
        assert_eq!(alone(&["front_foot_collision_sphere"], 18), ["front_foot…_sphere"]);
    }

    #[test]
    fn left_and_right_stay_apart() {
        let names: Vec<String> = ["front", "rear"]
            .iter()
            .flat_map(|end| ["left", "right"].map(|side| format!("robot:{end}_lower_{side}_leg_collision_hull")))
            .collect();
        for room in 8..40 {
            let labels = alone(&names, room);
            for (label, name) in labels.iter().zip(&names) {
                let read: Vec<&String> = names.iter().filter(|name| is_read(label, name)).collect();
                assert_eq!(read, [name], "{label}");
                assert!(label == name || label.chars().count() <= room);
            }
        }
        assert!(alone(&names, 20).iter().all(|label| label.chars().count() <= 20), "{:?}", alone(&names, 20));
    }

    /// A common ending of all names carries no information.
    #[test]
    fn common_words_go_first() {
        let names = [
            "toe_L/toe_L0_collision/ball_+ on plane 0",
            "finger_R/finger_R0_collision/ball_- on plane 0",
            "ball on plane 0",
        ];
        assert_eq!(alone(&names, 24), ["toe_L/…collision/ball_+…", "finger_R/finger…/ball_-…", "ball on plane 0"]);
    }

    /// Vertices of two hulls: the side is in the middle of the name, the number at its end, and both are needed.
    #[test]
    fn two_cuts_where_one_is_not_enough() {
        let names: Vec<String> = ["left", "right"]
            .iter()
            .flat_map(|side| (0..12).map(move |i| format!("assembly_upper_{side}_gripper_finger_hull vertex_{i}")))
            .collect();
        let labels = alone(&names, 22);
        for (label, name) in labels.iter().zip(&names) {
            assert!(label.chars().count() <= 22, "{label}");
            assert_eq!(names.iter().filter(|other| is_read(label, other)).collect::<Vec<_>>(), [name], "{label}");
        }
    }

    /// Random names of a few words: whatever the room, a label belongs to one name.
    #[test]
    fn no_label_belongs_to_two_names() {
        let seed =
            std::env::var("CAROM_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or_else(|| fastrand::u64(..));
        println!("CAROM_SEED={seed}");
        let mut random = fastrand::Rng::with_seed(seed);
        let words = ["left", "right", "L", "R", "foot", "Leg", "1", "12", "vertex", "thigh", "Fuß"];
        for _ in 0..60 {
            let names: BTreeSet<String> = (0..30)
                .map(|_| {
                    let words: Vec<&str> =
                        (0..random.usize(1..7)).map(|_| words[random.usize(..words.len())]).collect();
                    words.join("_")
                })
                .collect();
            let names: Vec<String> = names.into_iter().collect();
            let room = random.usize(1..30);
            for (label, name) in alone(&names, room).iter().zip(&names) {
                assert!(label == name || label.chars().count() <= room, "{label}: {name}");
                let read: Vec<&String> = names.iter().filter(|other| is_read(label, other)).collect();
                assert!(label == name || read == [name], "{label}: {read:?}");
            }
        }
    }
}
