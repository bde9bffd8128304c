//! Where the meshes of a URDF are.
//!
//! `package://NAME/REST` and `model://NAME/REST` are looked for from the robot's folder upwards: in a folder that is called NAME or that has
//! one; then in the folders of `ROS_PACKAGE_PATH` and in `share` of those of `AMENT_PREFIX_PATH`. Other addresses are files, relative to
//! the robot's folder.

use std::env;
use std::path::{Path, PathBuf};

use super::Files;

/// The file that an address in a robot file means, or what to do where there is none.
pub(super) fn resolve(address: &str, robot: &Path, files: &dyn Files) -> Result<PathBuf, String> {
    let folder = robot.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let scheme = ["package://", "model://"].into_iter().find_map(|scheme| address.strip_prefix(scheme));
    let Some(rest) = scheme else {
        return Ok(folder.join(address.strip_prefix("file://").unwrap_or(address)));
    };
    let (name, rest) = rest.split_once('/').ok_or_else(|| format!("{address:?} names no file in its package"))?;
    // Folders above are known of the true path only.
    let folder = files.identity(folder);
    let mut roots: Vec<PathBuf> = folder.ancestors().map(Path::to_owned).collect();
    roots.extend(folders_of("ROS_PACKAGE_PATH"));
    roots.extend(folders_of("AMENT_PREFIX_PATH").into_iter().map(|root| root.join("share")));
    let is_called = |root: &Path| root.file_name().is_some_and(|own| own == name);
    let places = roots.iter().flat_map(|root| {
        let own = is_called(root).then(|| root.join(rest));
        own.into_iter().chain([root.join(name).join(rest)])
    });
    places.into_iter().find(|place| files.exists(place)).ok_or_else(|| {
        format!("{address:?} was not found: no folder {name:?} with it above the robot file; ROS_PACKAGE_PATH may name more folders")
    })
}

fn folders_of(variable: &str) -> Vec<PathBuf> {
    env::var_os(variable).map_or(Vec::new(), |folders| env::split_paths(&folders).collect())
}
