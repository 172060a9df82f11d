//! The folders of the files that come with the program: encoder, dictionary and tagger.

use std::{
    env,
    path::{Path, PathBuf},
};

/// The folder `name` of bundled files: the one named by the environment variable, else the first of these that
/// `is_whole` accepts: next to the program, in the installed package, in the repository that the program was built in.
/// `None` when it is in none of them.
pub(crate) fn bundled_folder(variable: &str, name: &str, is_whole: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    if let Some(named) = env::var_os(variable) {
        return Some(named.into());
    }
    let program = env::current_exe().ok();
    let beside = program.as_deref().and_then(Path::parent);
    let installed = beside.and_then(Path::parent).map(package_resources);
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../resources");
    let folders = [beside.map(Path::to_path_buf), installed, Some(repository)];
    folders.into_iter().flatten().map(|folder| folder.join(name)).find(|folder| is_whole(folder))
}

/// The resources of a package that has its programs in a folder of `prefix`: `/usr` for `/usr/bin` on Linux, and
/// `Contents` for `Contents/MacOS` in an application of macOS.
fn package_resources(prefix: &Path) -> PathBuf {
    if cfg!(target_os = "macos") { prefix.join("Resources") } else { prefix.join("lib/Palimpsest") }
}
