//! What belongs to this machine: where the data lives, the log, the window, and the words for "already open".

use std::{
    env,
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use palimpsest_api::Api;
use palimpsest_files::{Access, Folder};
use tauri::{
    App, AppHandle, Manager, Runtime, Url, WebviewUrl, WebviewWindowBuilder, Window, webview::NewWindowResponse,
};
use tauri_plugin_dialog::{DialogExt, MessageDialogKind};

use crate::events::WINDOW;

/// Set to keep everything in a folder of one's own: tests, and a writer with two shelves of books.
const DATA_DIR: &str = "PALIMPSEST_DATA_DIR";
/// Set to `1` to have the web inspector in a build that has one (builds for debugging have).
const INSPECTOR: &str = "PALIMPSEST_INSPECTOR";
/// How long a page may be silent after the window was asked to close before it counts as dead.
const PATIENCE: Duration = Duration::from_secs(5);
/// A log above this size is put aside at the next start (one older file is kept).
const LOG_LIMIT: u64 = 1 << 20;
/// The folder of the log in the data folder.
const LOG_FOLDER: &str = "logs";

/// Whether there is a screen to open a window on. Without one the toolkit would panic.
pub(crate) fn has_display() -> bool {
    #[cfg(target_os = "linux")]
    let has = gtk::init().is_ok();
    #[cfg(not(target_os = "linux"))]
    let has = true;
    has
}

/// Prints a line on standard error.
pub(crate) fn print(line: &str) {
    let _ = writeln!(io::stderr(), "palimpsest: {line}");
}

/// Says on standard error that there is no screen, and what to do.
pub(crate) fn explain_no_display() {
    let _ = writeln!(
        io::stderr(),
        "Palimpsest needs a display, and none can be opened (DISPLAY, WAYLAND_DISPLAY).\n\
         Without a screen: xvfb-run -a -s \"-screen 0 1280x800x24\" dbus-run-session -- palimpsest"
    );
}

/// The data folder, made if it is not there.
pub(crate) fn data_dir<R: Runtime>(app: &App<R>) -> io::Result<PathBuf> {
    let folder = match env::var_os(DATA_DIR).filter(|named| !named.is_empty()) {
        Some(named) => PathBuf::from(named),
        None => app.path().app_data_dir().map_err(io::Error::other)?,
    };
    fs::create_dir_all(&folder)?;
    // Absolute, so that nothing depends on where the program was started.
    fs::canonicalize(folder)
}

/// A few lines about the program itself: starts, stops, codes of refused commands. Never text, names or paths of the
/// writer's.
#[derive(Clone)]
pub(crate) struct Log(Arc<Mutex<Option<File>>>);

impl Log {
    /// Opens `logs/palimpsest.log` under `data_dir`. A log that cannot be opened is no reason not to start.
    pub(crate) fn open(data_dir: &Path) -> Self {
        Self(Arc::new(Mutex::new(open_log(data_dir).ok())))
    }

    /// Adds one line with the time in front.
    pub(crate) fn line(&self, what: &str) {
        if let Ok(mut file) = self.0.lock()
            && let Some(file) = file.as_mut()
        {
            let _ = writeln!(file, "{:.0} {what}", jiff::Timestamp::now());
        }
    }
}

fn open_log(data_dir: &Path) -> palimpsest_files::Result<File> {
    let data = Folder::open(data_dir)?;
    data.make_folder(LOG_FOLDER, Access::OwnerOnly)?;
    let folder = data.folder(LOG_FOLDER)?;
    let file = folder.file("palimpsest.log")?;
    if file.size()?.is_some_and(|bytes| bytes > LOG_LIMIT) {
        file.rename(&folder.file("palimpsest.old.log")?)?;
    }
    file.append(Access::OwnerOnly)
}

/// Opens the window as `tauri.conf.json` describes it. It shows the embedded pages and nothing else, and keeps what a web
/// view keeps (storage, caches) in the data folder like everything else.
pub(crate) fn open_window<R: Runtime>(app: &AppHandle<R>, data_dir: &Path) -> tauri::Result<()> {
    let config = app.config().app.windows.iter().find(|window| window.label == WINDOW).cloned();
    let builder = match config {
        Some(config) => WebviewWindowBuilder::from_config(app, &config)?,
        None => WebviewWindowBuilder::new(app, WINDOW, WebviewUrl::default()),
    };
    let window = builder
        .data_directory(data_dir.join("web"))
        // Without this Tauri turns it on in every build for debugging, which is what `npm start` makes.
        .devtools(env::var_os(INSPECTOR).is_some_and(|wish| wish == "1"))
        .on_navigation(is_ours)
        .on_new_window(|_, _| NewWindowResponse::Deny)
        .build()?;
    #[cfg(target_os = "linux")]
    if let Some(tag) = language_tag(&system_language()) {
        window.with_webview(move |page| {
            use webkit2gtk::{WebContextExt, WebViewExt};
            if let Some(context) = page.inner().context() {
                context.set_preferred_languages(&[&tag]);
            }
        })?;
    }
    Ok(())
}

/// `zh_CN.UTF-8` as a web page spells it: `zh-CN`. None for the locales without a language.
///
/// WebKit asks the C library, and answers English for every locale that is not installed there, which on a small system
/// is all of them. The writer's setting is what counts.
#[cfg(target_os = "linux")]
fn language_tag(locale: &str) -> Option<String> {
    let name = locale.split(['.', '@']).next().unwrap_or_default();
    (!matches!(name, "" | "C" | "POSIX")).then(|| name.replace('_', "-"))
}

/// Whether an address is one of our embedded pages (`tauri://localhost`; Windows spells it `http://tauri.localhost`).
/// The spelling of the other system is no page of ours: a server could answer there.
fn is_ours(url: &Url) -> bool {
    let (scheme, host) = if cfg!(windows) { ("http", "tauri.localhost") } else { ("tauri", "localhost") };
    let is_bare = url.port().is_none() && url.username().is_empty() && url.password().is_none();
    url.scheme() == scheme && url.host_str() == Some(host) && is_bare
}

/// Guards the closing of the window.
///
/// The page saves first: it listens to `tauri://close-requested` (`onCloseRequested`), which keeps the window open until
/// the page itself destroys it. A page that hangs would hold the window for ever, so it is asked for a sign of life, and
/// destroyed when none comes. A page that lives and stays open has its reasons (a question to the writer).
pub(crate) fn close_requested<R: Runtime>(window: &Window<R>) {
    let Some(page) = window.app_handle().get_webview_window(window.label()) else {
        return;
    };
    let alive = Arc::new(AtomicBool::new(false));
    let sign = Arc::clone(&alive);
    let asked = page.eval_with_callback("1", move |_| sign.store(true, Ordering::Relaxed));
    thread::spawn(move || {
        thread::sleep(PATIENCE);
        if asked.is_err() || !alive.load(Ordering::Relaxed) {
            let _ = page.destroy();
        }
    });
}

/// Closes the window because a signal asks for it: as if the writer had, but no question holds it up for longer than
/// [`PATIENCE`]. Text that the page cannot save is in its recovery copy by then.
pub(crate) fn close_by_signal<R: Runtime>(app: &AppHandle<R>) {
    if let Some(api) = app.try_state::<Arc<Api>>() {
        api.stop_waiting();
    }
    if let Some(page) = app.get_webview_window(WINDOW)
        && page.close().is_ok()
    {
        thread::sleep(PATIENCE);
    }
    // Where the window has closed by now, the program has ended already.
    app.exit(0);
}

/// Says why the program cannot start, in a native message and on standard error, and ends it with exit code 1.
pub(crate) fn refuse_to_start<R: Runtime>(app: &AppHandle<R>, reason: &str) {
    let text = cannot_open(&system_language(), reason);
    let _ = writeln!(io::stderr(), "{text}");
    let app_handle = app.clone();
    app.dialog().message(text).title("Palimpsest").kind(MessageDialogKind::Error).show(move |_| app_handle.exit(1));
}

/// The language of the session, by the usual variables in their usual order.
fn system_language() -> String {
    ["LC_ALL", "LC_MESSAGES", "LANG"]
        .into_iter()
        .filter_map(|name| env::var(name).ok())
        .find(|value| !value.is_empty())
        .unwrap_or_default()
}

fn cannot_open(language: &str, reason: &str) -> String {
    if language.starts_with("zh") {
        format!("Palimpsest 打不开它的数据文件夹。如果它已经在另一个窗口里打开，请用那个窗口。\n\n{reason}")
    } else {
        format!(
            "Palimpsest cannot open its data folder. If it is already open in another window, please use that one.\n\n{reason}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_embedded_pages_are_ours() {
        let ours = |address: &str| is_ours(&address.parse().unwrap());
        let (page, elsewhere) = ("tauri://localhost/index.html", "http://tauri.localhost/index.html");
        assert_eq!((ours(page), ours(elsewhere)), if cfg!(windows) { (false, true) } else { (true, false) });
        assert!(!ours("tauri://example.org/"));
        assert!(!ours("tauri://localhost:8080/"));
        assert!(!ours("tauri://user@localhost/"));
        assert!(!ours("http://tauri.localhost:8080/"));
        assert!(!ours("https://tauri.localhost/"));
        assert!(!ours("https://example.org/"));
        assert!(!ours("https://tauri.localhost.example.org/"));
        assert!(!ours("file:///etc/passwd"));
        assert!(!ours("data:text/html,x"));
    }

    #[test]
    fn a_log_that_grew_too_long_is_put_aside_once() {
        let folder = tempfile::tempdir().unwrap();
        let logs = folder.path().join(LOG_FOLDER);
        fs::create_dir_all(&logs).unwrap();
        fs::write(logs.join("palimpsest.log"), vec![b'x'; LOG_LIMIT as usize + 1]).unwrap();
        Log::open(folder.path()).line("started");
        let now = fs::read_to_string(logs.join("palimpsest.log")).unwrap();
        assert!(now.ends_with("Z started\n"), "{now}");
        assert!(logs.join("palimpsest.old.log").exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_log_is_for_its_owner_alone_and_a_pipe_in_its_place_is_no_reason_to_wait() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let logs = folder.path().join(LOG_FOLDER);
        let file = logs.join("palimpsest.log");
        Log::open(folder.path()).line("started");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&logs), mode(&file)), (0o700, 0o600));
        fs::remove_file(&file).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&file).status().unwrap().success());
        Log::open(folder.path()).line("started");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_locale_becomes_a_language_tag() {
        assert_eq!(language_tag("zh_CN.UTF-8").as_deref(), Some("zh-CN"));
        assert_eq!(language_tag("en_GB@euro").as_deref(), Some("en-GB"));
        assert_eq!(language_tag("C.UTF-8"), None);
        assert_eq!(language_tag(""), None);
    }

    #[test]
    fn a_session_in_chinese_reads_chinese() {
        assert!(cannot_open("zh_CN.UTF-8", "x").contains("数据文件夹"));
        assert!(cannot_open("C.UTF-8", "x").contains("data folder"));
    }
}
