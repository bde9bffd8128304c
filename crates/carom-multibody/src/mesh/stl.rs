//! STL, binary and text.

use std::collections::HashMap;

use super::triangles::Triangles;
use super::words::{integer, single, vector};
use crate::Vector;

pub(super) fn stl(bytes: &[u8]) -> Option<Triangles> {
    /// Header and count.
    const HEAD: usize = 84;
    /// Normal, three corners, two bytes of attributes.
    const FACE: usize = 50;
    let count = integer(bytes, 80);
    let is_binary = count.is_some_and(|count| count.checked_mul(FACE).is_some_and(|size| size + HEAD == bytes.len()));
    if !is_binary && bytes.trim_ascii_start().starts_with(b"solid") {
        return ascii_stl(&String::from_utf8_lossy(bytes));
    }
    let count = count?;
    if count.checked_mul(FACE)? + HEAD > bytes.len() {
        return None;
    }
    let corner = |i: usize| vector(bytes, HEAD + FACE * (i / 3) + 12 + 12 * (i % 3));
    Some(soup((0..3 * count).map(corner).collect::<Option<_>>()?))
}

fn ascii_stl(text: &str) -> Option<Triangles> {
    let mut words = text.split_whitespace();
    let mut vertices = Vec::new();
    while let Some(word) = words.next() {
        if word == "vertex" {
            vertices.push(Vector::new(single(words.next())?, single(words.next())?, single(words.next())?));
        }
    }
    (vertices.len() % 3 == 0).then(|| soup(vertices))
}

/// Three corners per face, with identical corners merged.
fn soup(corners: Vec<Vector>) -> Triangles {
    let mut places = HashMap::new();
    let mut vertices = Vec::new();
    let place = |corner: &Vector| {
        *places.entry(corner.to_array().map(|x| (x + 0.0).to_bits())).or_insert_with(|| {
            vertices.push(*corner);
            vertices.len() - 1
        })
    };
    let places: Vec<usize> = corners.iter().map(place).collect();
    let faces = places.chunks_exact(3).map(|chunk| [chunk[0], chunk[1], chunk[2]]).collect();
    Triangles { vertices, faces, is_part: false }
}
