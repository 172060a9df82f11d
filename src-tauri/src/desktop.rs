//! The desktop: data folder, window, and the message for "already open".

use std::{
    env,
    ffi::OsString,
    fs,
    io::{self, Write},
    path::{self, Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use palimpsest_api::Api;
use tauri::{
    App, AppHandle, Manager, Runtime, Url, WebviewUrl, WebviewWindowBuilder, Window, webview::NewWindowResponse,
};
use tauri_plugin_dialog::{DialogExt, MessageDialogKind};

use crate::events::WINDOW;

/// Environment variable for another data folder: for tests, and for a writer with two sets of books.
const DATA_DIR_VARIABLE: &str = "PALIMPSEST_DATA_DIR";
/// Environment variable: `1` enables the web inspector in builds that contain it (debug builds).
const INSPECTOR_VARIABLE: &str = "PALIMPSEST_INSPECTOR";
/// After a close request, the longest wait for an answer of the page before the window is destroyed.
const MAX_PAGE_DELAY: Duration = Duration::from_secs(5);

/// Whether a display is available. Without one the toolkit would panic.
pub(crate) fn has_display() -> bool {
    #[cfg(target_os = "linux")]
    let has = gtk::init().is_ok();
    #[cfg(not(target_os = "linux"))]
    let has = true;
    has
}

/// Prints a line on standard error.
pub(crate) fn print(line: &str) {
    // Standard error may be closed.
    writeln!(io::stderr(), "palimpsest: {line}").ok();
}

/// Prints on standard error that there is no display, and what to do.
pub(crate) fn explain_no_display() {
    writeln!(
        io::stderr(),
        "Palimpsest needs a display, and none can be opened (DISPLAY, WAYLAND_DISPLAY).\n\
         Without a screen: xvfb-run -a -s \"-screen 0 1280x800x24\" dbus-run-session -- palimpsest"
    )
    .ok();
}

/// The data folder; created if missing.
pub(crate) fn data_dir<R: Runtime>(app: &App<R>) -> io::Result<PathBuf> {
    let folder = match env::var_os(DATA_DIR_VARIABLE).filter(|named| !named.is_empty()) {
        Some(named) => PathBuf::from(named),
        None => app.path().app_data_dir().map_err(io::Error::other)?,
    };
    fs::create_dir_all(&folder)?;
    // Absolute, so that nothing depends on the working directory.
    fs::canonicalize(folder)
}

/// The folder of a book in the arguments of the program, absolute: the first argument that is no option. A file manager
/// gives it with *Open with*. `None` without one, and for a path that is no text.
fn folder_argument(mut arguments: impl Iterator<Item = OsString>) -> Option<String> {
    let named = arguments.find(|argument| !argument.to_string_lossy().starts_with('-'))?;
    path::absolute(named).ok()?.to_str().map(str::to_owned)
}

/// The address of the page, relative to the embedded pages; `folder` is the folder that the page opens first.
fn page_address(folder: Option<&str>) -> String {
    const PAGE: &str = "index.html";
    let Some(folder) = folder else { return PAGE.to_owned() };
    let mut query = form_urlencoded::Serializer::new(String::new());
    format!("{PAGE}?{}", query.append_pair("folder", folder).finish())
}

/// Opens the window of `tauri.conf.json`. It shows only the embedded pages, and stores the data of the web view
/// (storage, caches) in the data folder.
pub(crate) fn open_window<R: Runtime>(app: &AppHandle<R>, data_dir: &Path) -> tauri::Result<()> {
    let config = app.config().app.windows.iter().find(|window| window.label == WINDOW).cloned();
    let folder = folder_argument(env::args_os().skip(1));
    let builder = match config {
        Some(mut config) => {
            config.url = WebviewUrl::App(page_address(folder.as_deref()).into());
            WebviewWindowBuilder::from_config(app, &config)?
        }
        None => WebviewWindowBuilder::new(app, WINDOW, WebviewUrl::default()),
    };
    let window = builder
        .data_directory(data_dir.join("web"))
        // By default Tauri enables it in every debug build, such as that of `npm start`.
        .devtools(env::var_os(INSPECTOR_VARIABLE).is_some_and(|wish| wish == "1"))
        .on_navigation(is_embedded_page)
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

/// The language tag of a locale: `zh-CN` for `zh_CN.UTF-8`. `None` for locales without a language.
///
/// WebKit asks the C library, which reports English for every locale that is not installed, on a small system all of
/// them. The tag makes WebKit use the writer's setting.
#[cfg(target_os = "linux")]
fn language_tag(locale: &str) -> Option<String> {
    let name = locale.split(['.', '@']).next().unwrap_or_default();
    (!matches!(name, "" | "C" | "POSIX")).then(|| name.replace('_', "-"))
}

/// Whether a URL is an embedded page (`tauri://localhost`; on Windows `http://tauri.localhost`). The URL of the other
/// system is refused: a server could answer there.
fn is_embedded_page(url: &Url) -> bool {
    let (scheme, host) = if cfg!(windows) { ("http", "tauri.localhost") } else { ("tauri", "localhost") };
    let is_bare = url.port().is_none() && url.username().is_empty() && url.password().is_none();
    url.scheme() == scheme && url.host_str() == Some(host) && is_bare
}

/// Guards the closing of the window.
///
/// The page saves first: it subscribes to `tauri://close-requested` (`onCloseRequested`), so the window stays open
/// until the page itself destroys it. A page that hangs would block that forever, so it is probed, and the window is
/// destroyed if it does not answer. A page that answers may stay open, for example with a question to the writer.
pub(crate) fn guard_close<R: Runtime>(window: &Window<R>) {
    let Some(page) = window.app_handle().get_webview_window(window.label()) else {
        return;
    };
    let has_answered = Arc::new(AtomicBool::new(false));
    let sign = Arc::clone(&has_answered);
    let probe = page.eval_with_callback("1", move |_| sign.store(true, Ordering::Relaxed));
    thread::spawn(move || {
        thread::sleep(MAX_PAGE_DELAY);
        if probe.is_err() || !has_answered.load(Ordering::Relaxed) {
            // A window that cannot be destroyed has closed meanwhile.
            page.destroy().ok();
        }
    });
}

/// Closes the window after a signal, as if the writer had closed it, but a question of the page delays it for at most
/// [`MAX_PAGE_DELAY`]. Text that the page cannot save is in its recovery copy by then.
pub(crate) fn close_by_signal<R: Runtime>(app: &AppHandle<R>) {
    if let Some(api) = app.try_state::<Arc<Api>>() {
        api.stop_waiting();
    }
    if let Some(page) = app.get_webview_window(WINDOW)
        && page.close().is_ok()
    {
        thread::sleep(MAX_PAGE_DELAY);
    }
    // If the window has closed, the program has ended already.
    app.exit(0);
}

/// Shows why the program cannot start, in a native message and on standard error, and exits with code 1.
pub(crate) fn refuse_to_start<R: Runtime>(app: &AppHandle<R>, reason: &str) {
    let text = cannot_open_message(&system_language(), reason);
    writeln!(io::stderr(), "{text}").ok();
    let app_handle = app.clone();
    app.dialog().message(text).title("Palimpsest").kind(MessageDialogKind::Error).show(move |_| app_handle.exit(1));
}

/// The locale of the session, from the usual environment variables in their usual order.
fn system_language() -> String {
    ["LC_ALL", "LC_MESSAGES", "LANG"]
        .into_iter()
        .filter_map(|name| env::var(name).ok())
        .find(|value| !value.is_empty())
        .unwrap_or_default()
}

fn cannot_open_message(language: &str, reason: &str) -> String {
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
        let ours = |address: &str| is_embedded_page(&address.parse().unwrap());
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
    fn the_first_argument_that_is_no_option_is_the_folder_of_a_book() {
        let folder = |arguments: &[&str]| folder_argument(arguments.iter().map(OsString::from));
        assert_eq!(folder(&[]), None);
        assert_eq!(folder(&["--unknown"]), None);
        let named = folder(&["--unknown", "my books/雨 & fog?", "other"]).unwrap();
        assert!(Path::new(&named).is_absolute() && named.ends_with("雨 & fog?"), "{named}");
    }

    #[test]
    fn the_page_is_told_the_folder_whatever_its_name() {
        assert_eq!(page_address(None), "index.html");
        let folder = "/a b/雨&fog?#%/x=+";
        let address: Url = format!("tauri://localhost/{}", page_address(Some(folder))).parse().unwrap();
        let pairs: Vec<_> = address.query_pairs().collect();
        assert_eq!(pairs, [("folder".into(), folder.into())]);
        assert!(address.fragment().is_none());
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
        assert!(cannot_open_message("zh_CN.UTF-8", "x").contains("数据文件夹"));
        assert!(cannot_open_message("C.UTF-8", "x").contains("data folder"));
    }
}
