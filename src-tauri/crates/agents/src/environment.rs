//! The environment of a program, which is emptied and filled from a list, and the search for programs on the path.

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

/// Variables that a program gets; all names in upper case.
const PERMITTED: &[&str] = &[
    "ALL_PROXY",
    "HOME",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "LANG",
    "NO_PROXY",
    "PATH",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "SYSTEMROOT",
    "USERPROFILE",
];

/// Beginnings of the names of further permitted variables.
const PERMITTED_BEGINNINGS: &[&str] = &["LC_", "XDG_"];

/// The variables that programs look up their folder for temporary files in; all are set to that of the run.
const TEMPORARY: &[&str] = &["TMPDIR", "TEMP", "TMP"];

/// The variables that programs are started with, and found by.
#[derive(Debug, Clone)]
pub struct Environment(Vec<(OsString, OsString)>);

impl Environment {
    /// The permitted ones of these variables.
    pub fn new(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        Self(variables.into_iter().filter(|(name, _)| is_permitted(name)).collect())
    }

    /// The permitted ones of this process.
    #[must_use]
    pub fn of_this_process() -> Self {
        Self::new(std::env::vars_os())
    }

    /// The value of a variable; `None` for an empty one.
    pub(crate) fn value(&self, wanted: &str) -> Option<&OsStr> {
        let is_wanted = |name: &OsStr| name.eq_ignore_ascii_case(wanted);
        self.0.iter().find(|(name, value)| is_wanted(name) && !value.is_empty()).map(|(_, value)| value.as_os_str())
    }

    /// The home folder of the user; `None` where it is unknown or no absolute path.
    pub(crate) fn home(&self) -> Option<PathBuf> {
        let home = self.value("HOME").or_else(|| self.value("USERPROFILE"))?;
        Some(PathBuf::from(home)).filter(|home| home.is_absolute())
    }

    /// All variables of a program, with its folder for temporary files.
    pub(crate) fn with_temporary(&self, folder: &Path, more: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        let temporary = TEMPORARY.iter().map(|name| (OsString::from(name), folder.into()));
        let more = more.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        self.0.iter().cloned().chain(temporary).chain(more).collect()
    }
}

fn is_permitted(name: &OsStr) -> bool {
    let Some(name) = name.to_str().map(str::to_ascii_uppercase) else { return false };
    PERMITTED.contains(&name.as_str()) || PERMITTED_BEGINNINGS.iter().any(|begin| name.starts_with(begin))
}

/// The path of a program: an absolute path, or a name that is looked up in the folders of `PATH`. `None` if there is no
/// such file, or it cannot be executed. A relative path, and relative folders in `PATH`, are not followed: they would
/// lead into the folder that this process happens to be in.
#[must_use]
pub fn find_program(program: &str, environment: &Environment) -> Option<PathBuf> {
    let path = Path::new(program);
    if path.is_absolute() {
        return is_executable(path).then(|| path.to_owned());
    }
    if program.is_empty() || path.components().count() != 1 || program.contains(['/', '\\']) {
        return None;
    }
    let folders = environment.value("PATH")?;
    std::env::split_paths(folders)
        .filter(|folder| folder.is_absolute())
        .flat_map(|folder| names(program).into_iter().map(move |name| folder.join(name)))
        .find(|path| is_executable(path))
}

#[cfg(unix)]
fn names(program: &str) -> Vec<String> {
    vec![program.to_owned()]
}

#[cfg(not(unix))]
fn names(program: &str) -> Vec<String> {
    ["", ".exe", ".cmd"].iter().map(|end| format!("{program}{end}")).collect()
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(variables: &[(&str, &str)]) -> Environment {
        Environment::new(variables.iter().map(|(name, value)| ((*name).into(), (*value).into())))
    }

    #[test]
    fn only_variables_of_the_list_are_passed() {
        let all = environment(&[
            ("PATH", "/bin"),
            ("HOME", "/home/w"),
            ("LC_ALL", "C"),
            ("https_proxy", "http://p"),
            ("XDG_CONFIG_HOME", "/c"),
            ("TMPDIR", "/elsewhere"),
            ("PALIMPSEST_API_KEY", "k"),
            ("ANTHROPIC_API_KEY", "k"),
            ("CLAUDECODE", "1"),
            ("CLAUDE_CODE_ENTRYPOINT", "cli"),
            ("LD_PRELOAD", "/x.so"),
            ("NODE_OPTIONS", "--require /x"),
        ]);
        let passed = all.with_temporary(Path::new("/run/tmp"), &[("ONE", "1")]);
        let names: Vec<&str> = passed.iter().map(|(name, _)| name.to_str().unwrap()).collect();
        let expected = ["PATH", "HOME", "LC_ALL", "https_proxy", "XDG_CONFIG_HOME", "TMPDIR", "TEMP", "TMP", "ONE"];
        assert_eq!(names, expected);
        assert!(passed.contains(&("TMPDIR".into(), "/run/tmp".into())));
    }

    #[test]
    fn a_program_is_never_looked_up_in_the_working_folder() {
        let here = std::env::current_dir().unwrap();
        let relative = environment(&[("PATH", ".::src")]);
        for name in ["", "Cargo.toml", "./Cargo.toml", "src/lib.rs", "..", here.to_str().unwrap()] {
            assert_eq!(find_program(name, &relative), None, "{name}");
        }
        let found = find_program("sh", &environment(&[("PATH", "relative:/bin:/usr/bin")]));
        assert!(found.is_some_and(|found| found.is_absolute()) || cfg!(windows));
    }
}
