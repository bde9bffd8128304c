//! Files that appear under their name when they are complete.

use std::io;
use std::path::Path;

use tempfile::NamedTempFile;

/// A file in a folder under a name of its own, removed unless it is renamed.
pub(super) fn beside(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".carom-").suffix(".part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As for any other new file, reduced by the process's umask.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    // The error's text names the hidden file; its kind is enough.
    builder.tempfile_in(folder).map_err(|error| error.kind().into())
}
