//! MSH, MuJoCo's own format.

use super::triangles::Triangles;
use super::words::{integer, vector};

pub(super) fn msh(bytes: &[u8]) -> Option<Triangles> {
    let count = |i: usize| integer(bytes, 4 * i);
    let (vertices, normals, texels, faces) = (count(0)?, count(1)?, count(2)?, count(3)?);
    let at = 16usize.checked_add(12 * vertices)?.checked_add(12 * normals)?.checked_add(8 * texels)?;
    if at.checked_add(12 * faces)? != bytes.len() {
        return None;
    }
    let corner = |i: usize| integer(bytes, at + 4 * i);
    let face = |i: usize| Some([corner(3 * i)?, corner(3 * i + 1)?, corner(3 * i + 2)?]);
    Some(Triangles {
        vertices: (0..vertices).map(|i| vector(bytes, 16 + 12 * i)).collect::<Option<_>>()?,
        faces: (0..faces).map(face).collect::<Option<_>>()?,
        is_part: false,
    })
}
