//! Permitted dependencies between crates and modules. The imports are read from the sources; an import of a higher
//! level fails.

use std::{collections::BTreeMap, fs, path::Path};

use super::repository;

/// Crates by level, lowest first: each may import only crates of lower levels.
const LEVELS: &[&[&str]] = &[
    &[
        "palimpsest-embedder",
        "palimpsest-files",
        "palimpsest-learning",
        "palimpsest-tagger",
        "palimpsest-vectors",
        "palimpsest-text",
    ],
    &[
        "palimpsest-agents",
        "palimpsest-answers",
        "palimpsest-asking",
        "palimpsest-dictionary",
        "palimpsest-drafts",
        "palimpsest-reader",
    ],
    &["palimpsest-continuity", "palimpsest-knowledge", "palimpsest-server"],
    &["palimpsest-manuscript", "palimpsest-memory"],
    &["palimpsest-providers"],
    &["palimpsest-api"],
    &["palimpsest-host", "palimpsest"],
];

/// Libraries that only some crates may import.
const KEPT_TO: &[(&str, &[&str])] = &[
    ("rusqlite", &["palimpsest-memory"]),
    ("refinery", &["palimpsest-memory"]),
    ("rmcp", &["palimpsest-host"]),
    ("tokio-postgres", &["palimpsest-server"]),
    ("hyper", &["palimpsest-server"]),
    ("reqwest", &["palimpsest-providers"]),
    ("tauri", &["palimpsest"]),
    ("notify", &["palimpsest-manuscript"]),
    ("cap-std", &["palimpsest-files"]),
    ("cap-fs-ext", &["palimpsest-files"]),
    ("landlock", &["palimpsest-agents"]),
    ("process-wrap", &["palimpsest-agents"]),
];

/// Crates that import no other crate of the workspace.
const ALONE: &[&str] = &[
    "palimpsest-embedder",
    "palimpsest-files",
    "palimpsest-learning",
    "palimpsest-tagger",
    "palimpsest-vectors",
    "palimpsest-text",
];

/// Crates that import only some of the lower crates of the workspace: their names and the permitted imports.
const MAY_IMPORT: &[(&str, &[&str])] = &[
    ("palimpsest-agents", &["palimpsest-files", "palimpsest-text"]),
    ("palimpsest-answers", &["palimpsest-text"]),
    ("palimpsest-asking", &["palimpsest-text"]),
    ("palimpsest-continuity", &["palimpsest-reader", "palimpsest-text"]),
    ("palimpsest-dictionary", &["palimpsest-text"]),
    ("palimpsest-drafts", &["palimpsest-text"]),
    ("palimpsest-knowledge", &["palimpsest-asking", "palimpsest-text"]),
    ("palimpsest-manuscript", &["palimpsest-files", "palimpsest-text"]),
    ("palimpsest-reader", &["palimpsest-text"]),
    ("palimpsest-server", &["palimpsest-answers", "palimpsest-embedder", "palimpsest-text"]),
];

/// Crates of the workspace that only some crates may import. The memory knows them by its ports.
const IMPORTED_BY: &[(&str, &[&str])] = &[("palimpsest-dictionary", &["palimpsest-api"])];

fn manifests() -> BTreeMap<String, Vec<String>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![repository("src-tauri")];
    folders.extend(fs::read_dir(repository("src-tauri/crates")).unwrap().map(|entry| entry.unwrap().path()));
    for folder in folders {
        let text = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let manifest: toml::Table = text.parse().unwrap();
        let name = manifest["package"]["name"].as_str().unwrap().to_owned();
        let dependencies = manifest.get("dependencies").and_then(toml::Value::as_table);
        found.insert(name, dependencies.map(|table| table.keys().cloned().collect()).unwrap_or_default());
    }
    found
}

#[test]
fn crates_depend_downwards_only() {
    let level = |name: &str| LEVELS.iter().position(|level| level.contains(&name));
    for (name, dependencies) in manifests() {
        let own = level(&name).unwrap_or_else(|| panic!("{name} has no level: give it one"));
        for dependency in &dependencies {
            if let Some(theirs) = level(dependency) {
                assert!(theirs < own, "{name} must not depend on {dependency}");
                assert!(!ALONE.contains(&name.as_str()), "{name} must know none of our crates, and names {dependency}");
                let may = MAY_IMPORT.iter().find(|(importer, _)| *importer == name);
                assert!(
                    may.is_none_or(|(_, permitted)| permitted.contains(&dependency.as_str())),
                    "{name} must not depend on {dependency}"
                );
            }
            if let Some((_, allowed)) = KEPT_TO.iter().chain(IMPORTED_BY).find(|(library, _)| library == dependency) {
                assert!(allowed.contains(&name.as_str()), "{name} must not depend on {dependency}");
            }
        }
    }
}

/// The modules of the engine by level, lowest first. `working`, `episodic` and `provenance` meet only in the engine.
const MODULES: &[&[&str]] = &[
    &["error", "lock", "model", "plausibility", "ports", "testing", "validate"],
    &["storage"],
    &["retrieval"],
    &["working", "episodic", "provenance", "story", "maintenance"],
    &["semantic", "journal"],
    &["context"],
    &["engine"],
];

/// The only modules that import `storage`. The others, such as `semantic`, are pure: types that they share with it are
/// in `model`.
const MAY_IMPORT_STORAGE: &[&str] = &["storage", "retrieval", "episodic", "engine"];

#[test]
fn the_modules_of_the_engine_depend_downwards_only() {
    let level = |module: &str| MODULES.iter().position(|level| level.contains(&module));
    let source = repository("src-tauri/crates/memory/src");
    for file in rust_files(&source) {
        let module = file.strip_prefix(&source).unwrap().iter().next().unwrap().to_string_lossy().into_owned();
        let module = module.trim_end_matches(".rs");
        if module == "lib" {
            continue;
        }
        let own = level(module).unwrap_or_else(|| panic!("{module} has no level: give it one"));
        for imported in imports(&fs::read_to_string(&file).unwrap()) {
            let Some(theirs) = level(&imported) else {
                continue;
            };
            assert!(
                theirs < own || imported == module || theirs == 0,
                "{}: {module} must not use {imported}",
                file.display()
            );
            assert!(
                imported != "storage" || MAY_IMPORT_STORAGE.contains(&module),
                "{}: {module} must not use storage: put the type that it needs into model",
                file.display()
            );
        }
    }
}

/// The modules of this crate that a file imports: `crate::name` and the names inside `use crate::{…}`.
fn imports(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("crate::") {
        let rest = &text[at + "crate::".len()..];
        match rest.strip_prefix('{') {
            None => found.extend(word(rest)),
            Some(group) => {
                let mut depth = 1;
                let mut fresh = true;
                for (at, c) in group.char_indices() {
                    match c {
                        '{' => depth += 1,
                        '}' => depth -= 1,
                        ',' if depth == 1 => fresh = true,
                        c if fresh && c.is_alphabetic() => {
                            found.extend(word(&group[at..]));
                            fresh = false;
                        }
                        _ => {}
                    }
                    if depth == 0 {
                        break;
                    }
                }
            }
        }
    }
    found
}

fn word(text: &str) -> Option<String> {
    let word: String = text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    (!word.is_empty()).then_some(word)
}

pub(crate) fn rust_files(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

#[test]
fn the_reader_of_imports_sees_groups() {
    let text = "use crate::{\n    error::{Error, Result},\n    storage::words,\n};\nfn f() { crate::engine::x() }";
    assert_eq!(imports(text), ["error", "storage", "engine"]);
}

#[test]
fn no_source_file_is_longer_than_six_hundred_lines() {
    for folder in ["src-tauri", "tests"] {
        for file in rust_files(&repository(folder)) {
            let lines = fs::read_to_string(&file).unwrap().lines().count();
            assert!(lines <= 600, "{}: {lines} lines; split it by idea", file.display());
        }
    }
}
