//! Embeds the window's configuration, its permissions and the built front end.

use std::{fs, io, path::Path};

/// Shown when the front end was never built: a page that says what to do is better than an empty window.
const PLACEHOLDER: &str = "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Palimpsest</title>\n\
    <p>The front end is not built. Run <code>npm start</code> in the repository.</p></html>\n";

fn main() -> io::Result<()> {
    let built = Path::new("../ui/dist");
    let page = built.join("index.html");
    if !page.exists() {
        fs::create_dir_all(built)?;
        fs::write(&page, PLACEHOLDER)?;
    }
    // The pages are embedded at compile time; without this line a new build of them would not be noticed.
    println!("cargo:rerun-if-changed=../ui/dist");
    println!("cargo:rerun-if-changed=permissions");
    // No list of commands here: names with colons would become file names that Windows refuses. `permissions/` has
    // them.
    tauri_build::build();
    Ok(())
}
