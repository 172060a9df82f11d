//! The fence of the system: a program reads only what it was given.
//!
//! On Linux it is Landlock. This process starts itself once more with [`FENCE_MODE`]; that process gives up all rights
//! but those of its arguments, and then becomes the program. A right that was given up cannot be regained, also not by
//! processes that the program starts.
//!
//! **Invariant:** nothing that contains a protected folder, or lies in one, is among the rights; except the program's
//! own file, as a single file.

use std::{
    ffi::{OsStr, OsString},
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
};

use palimpsest_files::Source;

use crate::environment::{Environment, find_program};

/// The first argument of a process that becomes a program behind the fence.
const FENCE_MODE: &str = "--palimpsest-fence";
const READ: &str = "--read";
const WRITE: &str = "--write";
const END: &str = "--";

/// The exit code of a process that could not set up the fence.
pub(crate) const NO_FENCE: i32 = 125;
/// The exit code of a process that set up the fence and could not start the program.
pub(crate) const NO_PROGRAM: i32 = 126;
/// Begins the line on standard error that goes with these codes.
pub(crate) const MARK: &str = "palimpsest-fence:";

/// Folders and files of the system that every program may read.
const SYSTEM_FOLDERS: &[&str] = &[
    "/bin",
    "/etc",
    "/lib",
    "/lib32",
    "/lib64",
    "/nix/store",
    "/opt",
    "/proc/cpuinfo",
    "/proc/filesystems",
    "/proc/loadavg",
    "/proc/meminfo",
    // The process of the program itself; those of others have environments and memory.
    "/proc/self",
    "/proc/stat",
    "/proc/sys",
    "/proc/uptime",
    "/proc/version",
    "/run/NetworkManager",
    "/run/current-system",
    "/run/resolvconf",
    "/run/systemd/resolve",
    "/sbin",
    "/sys/devices/system/cpu",
    "/sys/fs/cgroup",
    "/usr",
];

/// Devices that every program may read and write.
const DEVICES: &[&str] = &["/dev/full", "/dev/null", "/dev/random", "/dev/urandom", "/dev/zero"];

/// The most bytes of a script that are searched for its interpreter.
const MAX_FIRST_LINE: u64 = 256;

/// The obstacle to a program's reading other files than those of its run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fence {
    /// The system refuses it.
    System,
    /// The program's own options forbid it.
    Asked,
    /// There is none.
    None,
}

/// The program that sets up the fence and becomes another one: this one, or the host. It calls [`launch_if_asked`]
/// before anything else.
#[derive(Debug, Clone)]
pub struct Launcher(Option<PathBuf>);

impl Launcher {
    /// The running program, where the system has a fence.
    #[must_use]
    pub fn of_this_process() -> Self {
        std::env::current_exe().map_or(Self::none(), Self::new)
    }

    /// A program that calls [`launch_if_asked`].
    #[must_use]
    pub fn new(program: PathBuf) -> Self {
        Self((program.is_file() && is_supported()).then_some(program))
    }

    /// No fence.
    #[must_use]
    pub fn none() -> Self {
        Self(None)
    }

    /// Whether programs run behind the fence of the system.
    #[must_use]
    pub fn is_fencing(&self) -> bool {
        self.0.is_some()
    }

    /// The command line that starts `program` with these rights.
    pub(crate) fn command(&self, program: &Path, arguments: &[OsString], rights: &Rights) -> (PathBuf, Vec<OsString>) {
        let Some(launcher) = &self.0 else { return (program.to_owned(), arguments.to_vec()) };
        let mut all = vec![OsString::from(FENCE_MODE)];
        let listed = |flag: &'static str, paths: &[PathBuf]| -> Vec<OsString> {
            paths.iter().flat_map(|path| [OsString::from(flag), path.into()]).collect()
        };
        all.extend(listed(READ, &rights.read));
        all.extend(listed(WRITE, &rights.write));
        all.push(END.into());
        all.push(program.into());
        all.extend(arguments.iter().cloned());
        (launcher.clone(), all)
    }
}

/// Files and folders that a program may use; everything below a folder.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rights {
    /// May be read, and programs in them executed.
    read: Vec<PathBuf>,
    /// May also be changed.
    write: Vec<PathBuf>,
}

impl Rights {
    /// The rights of a program: the system, its own files, its settings, its copy (read only) and its temporary files.
    pub(crate) fn new(
        program: &Path,
        environment: &Environment,
        copy: &Path,
        temporary: &Path,
        protected: &[PathBuf],
    ) -> Self {
        let protected: Vec<PathBuf> = protected.iter().map(|path| real(path)).collect();
        let is_apart = |path: &PathBuf| {
            let path = real(path);
            !protected.iter().any(|kept| kept.starts_with(&path) || path.starts_with(kept))
        };
        let mut read: Vec<PathBuf> = SYSTEM_FOLDERS.iter().map(PathBuf::from).collect();
        let wide = [environment.home().unwrap_or_else(|| PathBuf::from("/")), copy.to_owned()].map(|path| real(&path));
        // A folder with the home folder or the copies of other runs in it is more than the program's own.
        let is_narrow = |folder: &PathBuf| !wide.iter().any(|path| path.starts_with(real(folder)));
        read.extend(program_folders(program, environment).into_iter().filter(is_narrow));
        read.push(copy.to_owned());
        let certificates = ["SSL_CERT_FILE", "SSL_CERT_DIR"].into_iter().filter_map(|name| environment.value(name));
        read.extend(certificates.map(PathBuf::from).filter(|path| path.is_absolute() && is_narrow(path)));
        let mut write = settings(program, environment);
        write.extend(DEVICES.iter().map(PathBuf::from));
        write.push(temporary.to_owned());
        read.retain(is_apart);
        write.retain(is_apart);
        // The file alone, wherever it lies: it cannot be started otherwise.
        read.push(program.to_owned());
        read.push(real(program));
        Self { read, write }
    }

    /// Adds folders that may be changed.
    pub(crate) fn allow_writing(&mut self, folders: &[PathBuf]) {
        self.write.extend_from_slice(folders);
    }
}

/// A path without links; as it is where it cannot be resolved.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// The folders of a program's own files: its folder, the packages that it lies among, and its interpreter.
fn program_folders(program: &Path, environment: &Environment) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut add = |file: &Path| {
        for file in [file.to_owned(), real(file)] {
            let packages = file.ancestors().filter(|path| path.file_name() == Some(OsStr::new("node_modules"))).last();
            match packages {
                Some(packages) => found.push(packages.to_owned()),
                None => found.extend(file.parent().map(Path::to_owned)),
            }
            // The libraries of a program in `bin` lie beside it.
            if let Some(bin) = file.parent().filter(|folder| folder.file_name() == Some(OsStr::new("bin"))) {
                found.push(bin.with_file_name("lib"));
            }
        }
    };
    add(program);
    if let Some(interpreter) = interpreter(program, environment) {
        add(&interpreter);
    }
    found
}

/// The interpreter that the first line of a script names; `None` for another kind of file.
fn interpreter(program: &Path, environment: &Environment) -> Option<PathBuf> {
    let mut beginning = Vec::new();
    Source::open(&real(program), u64::MAX).ok()?.take(MAX_FIRST_LINE).read_to_end(&mut beginning).ok()?;
    let beginning = String::from_utf8_lossy(&beginning);
    let mut words = beginning.strip_prefix("#!")?.lines().next()?.split_whitespace();
    let named = words.next()?;
    if Path::new(named).file_name() != Some(OsStr::new("env")) {
        return Some(PathBuf::from(named));
    }
    let name = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    find_program(name, environment)
}

/// The settings of a program: files and folders of the home folder that have its name.
fn settings(program: &Path, environment: &Environment) -> Vec<PathBuf> {
    let Some(name) = program.file_stem().and_then(OsStr::to_str).filter(|name| is_own_name(name)) else {
        return Vec::new();
    };
    let Some(home) = environment.home() else { return Vec::new() };
    let mut found = vec![home.join(format!(".{name}")), home.join(format!(".{name}.json"))];
    for (variable, usual) in [
        ("XDG_CONFIG_HOME", ".config"),
        ("XDG_DATA_HOME", ".local/share"),
        ("XDG_STATE_HOME", ".local/state"),
        ("XDG_CACHE_HOME", ".cache"),
    ] {
        let chosen = environment.value(variable).map(PathBuf::from).filter(|folder| folder.is_absolute());
        found.push(chosen.unwrap_or_else(|| home.join(usual)).join(name));
    }
    found.retain(|path| path.exists());
    found
}

/// Whether a name is usable for the settings of one program: not that of a folder with those of several programs.
fn is_own_name(name: &str) -> bool {
    const SHARED: &[&str] = &["cache", "config", "gnupg", "local", "mozilla", "palimpsest", "ssh"];
    !name.is_empty() && !name.starts_with('.') && !SHARED.contains(&name)
}

/// Whether the system can keep a program from reading files.
#[cfg(target_os = "linux")]
fn is_supported() -> bool {
    ruleset().is_ok()
}

#[cfg(not(target_os = "linux"))]
fn is_supported() -> bool {
    false
}

/// A ruleset that handles all rights of files. The third version of Landlock is the first with truncation, which
/// changes a file without opening it for writing.
#[cfg(target_os = "linux")]
fn ruleset() -> Result<landlock::RulesetCreated, landlock::RulesetError> {
    use landlock::{ABI, Access, AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr, Scope};

    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ABI::V3))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(ABI::V5))?
        .scope(Scope::AbstractUnixSocket | Scope::Signal)?
        .create()
}

/// Becomes a program behind the fence where the arguments of this process say so. A program that offers itself as a
/// [`Launcher`] calls this first, before it starts a thread: rights are given up by the thread that calls.
///
/// Returns `None` where the arguments do not say so, and the exit code where the program cannot be started.
#[must_use]
pub fn launch_if_asked() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().as_deref() != Some(OsStr::new(FENCE_MODE)) {
        return None;
    }
    let (code, kind) = launch(arguments);
    // The caller reads this line; without it the exit code is taken for the program's own.
    writeln!(io::stderr(), "{MARK} {kind}").ok();
    Some(ExitCode::from(u8::try_from(code).unwrap_or(1)))
}

#[cfg(target_os = "linux")]
fn launch(mut arguments: impl Iterator<Item = OsString>) -> (i32, String) {
    use std::os::unix::process::CommandExt as _;

    let (mut read, mut write) = (Vec::new(), Vec::new());
    let mut program = None;
    while let Some(flag) = arguments.next() {
        let value = arguments.next();
        match (flag.to_str(), value) {
            (Some(READ), Some(path)) => read.push(path),
            (Some(WRITE), Some(path)) => write.push(path),
            (Some(END), Some(path)) => {
                program = Some(path);
                break;
            }
            _ => break,
        }
    }
    let Some(program) = program else { return (NO_FENCE, "no program".to_owned()) };
    if let Err(kind) = restrict(&read, &write) {
        return (NO_FENCE, kind);
    }
    let error = std::process::Command::new(program).args(arguments).exec();
    (NO_PROGRAM, error.kind().to_string())
}

#[cfg(not(target_os = "linux"))]
fn launch(_: impl Iterator<Item = OsString>) -> (i32, String) {
    (NO_FENCE, "not on this system".to_owned())
}

/// Gives up all rights but these. Paths that do not exist are left out.
#[cfg(target_os = "linux")]
fn restrict(read: &[OsString], write: &[OsString]) -> Result<(), String> {
    use landlock::{ABI, Access, AccessFs, RulesetCreatedAttr, RulesetStatus, path_beneath_rules};

    let restricted = ruleset()
        .and_then(|ruleset| ruleset.add_rules(path_beneath_rules(read, AccessFs::from_read(ABI::V5))))
        .and_then(|ruleset| ruleset.add_rules(path_beneath_rules(write, AccessFs::from_all(ABI::V5))))
        .and_then(landlock::RulesetCreated::restrict_self)
        .map_err(|_| "refused".to_owned())?;
    if restricted.ruleset == RulesetStatus::NotEnforced { Err("not enforced".to_owned()) } else { Ok(()) }
}

#[cfg(test)]
mod tests;
