//! The files of a robot and their hashes.

use std::fmt::Write;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use hmac_sha256::Hash;
use serde::{Deserialize, Serialize};

use super::ProvenanceError;
use crate::models;

/// Bytes read at once.
const CHUNK: usize = 1 << 16;

/// A file and the hash of its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HashedFile {
    /// Its absolute path; for a built-in model its name.
    pub path: String,
    /// SHA-256 of its content, in hexadecimal digits.
    pub sha256: String,
}

impl HashedFile {
    fn of(path: &Path) -> Result<Self, ProvenanceError> {
        let fail = |error: io::Error| ProvenanceError::File { path: path.to_owned(), error: error.to_string() };
        carom_multibody::load::check_regular(path).map_err(fail)?;
        let sha256 = File::open(path).and_then(hash).map_err(fail)?;
        let whole = path.canonicalize().map_err(fail)?;
        Ok(Self { path: whole.to_string_lossy().into_owned(), sha256 })
    }

    /// Whether the file at a path has the same content.
    pub(super) fn check(&self, path: &Path) -> Result<(), ProvenanceError> {
        match Self::of(path)? {
            found if found.sha256 == self.sha256 => Ok(()),
            found => {
                Err(ProvenanceError::Changed { path: path.to_owned(), then: self.sha256.clone(), now: found.sha256 })
            }
        }
    }
}

/// SHA-256 in hexadecimal digits.
fn hash(mut content: impl Read) -> io::Result<String> {
    let (mut hash, mut chunk) = (Hash::new(), vec![0; CHUNK]);
    loop {
        match content.read(&mut chunk) {
            Ok(0) => return Ok(digits(hash.finalize())),
            Ok(count) => hash.update(&chunk[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn digits(hash: [u8; 32]) -> String {
    hash.iter().fold(String::with_capacity(64), |mut text, byte| {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

pub(super) fn hashed(files: &[PathBuf]) -> Result<Vec<HashedFile>, ProvenanceError> {
    files.iter().map(|path| HashedFile::of(path)).collect()
}

/// The text of a built-in model, as a file.
pub(super) fn of_built_in(name: &str) -> Vec<HashedFile> {
    let model = models::find(name);
    let file = |model: &models::BuiltIn| HashedFile {
        path: model.file.to_owned(),
        sha256: digits(Hash::hash(model.text.as_bytes())),
    };
    model.map(file).into_iter().collect()
}

/// Whether files that a robot was read from now have the content of those of the run, in the same order; folders may differ.
pub(super) fn check_all(then: &[HashedFile], now: &[PathBuf]) -> Result<(), ProvenanceError> {
    if then.len() != now.len() {
        return Err(ProvenanceError::OtherFiles { then: then.len(), now: now.len() });
    }
    then.iter().zip(now).try_for_each(|(then, now)| then.check(now))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of FIPS 180-2, appendix B, and its test of a million letters.
    #[test]
    fn hashes_are_those_of_the_standard() {
        let million = vec![b'a'; 1_000_000];
        for (content, expected) in [
            (&b"abc"[..], "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
            ),
            (&million, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
        ] {
            assert_eq!(hash(content).unwrap(), expected);
            assert_eq!(digits(Hash::hash(content)), expected);
        }
    }

    #[test]
    fn a_changed_or_missing_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("robot.urdf");
        std::fs::write(&path, "<robot/>").unwrap();
        let file = HashedFile::of(&path).unwrap();
        assert_eq!(file.check(&path), Ok(()));
        std::fs::write(&path, "<robot />").unwrap();
        assert!(matches!(file.check(&path), Err(ProvenanceError::Changed { path: named, .. }) if named == path));
        std::fs::remove_file(&path).unwrap();
        assert!(matches!(file.check(&path), Err(ProvenanceError::File { path: named, .. }) if named == path));
        assert_eq!(check_all(&[file], &[]), Err(ProvenanceError::OtherFiles { then: 1, now: 0 }));
    }
}
