//! Permitted writers of files. A new writer uses `palimpsest-files`, or is listed here with its reason.

use std::fs;

use super::{architecture::rust_files, repository};

/// Calls that create, replace or rename a file, or open one in a way that may block for ever or follow a link.
const CALLS: &[&str] = &[
    "File::create",
    "File::open",
    "File::options",
    "OpenOptions::new",
    "fs::copy",
    "fs::hard_link",
    "fs::read(",
    "fs::read_to_string",
    "fs::rename",
    "fs::write",
    "hard_link(",
];

/// Files and folders below `src-tauri` that may use these calls directly, with the reason.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("crates/files/src/", "owns writing and reading"),
    ("crates/memory/src/storage/", "databases and their backups, in the data folder, by names of its own"),
    ("crates/memory/src/engine/", "the lock, databases that are put back, and pending imports, in the data folder"),
    ("crates/dictionary/src/files.rs", "reads the dictionary's own file"),
    ("crates/embedder/src/", "reads the encoder's own files, and checks their hashes"),
    ("crates/tagger/src/", "reads the tagger's own files, and checks their hashes"),
    ("crates/api/src/sample_book.rs", "unpacks the sample book into a new folder in the data folder"),
    ("build.rs", "writes a placeholder while the program is built"),
    ("src/permissions.rs", "writes the generated permissions in a test"),
];

/// The writers of exports and readers of imports inside the exceptions: they use `palimpsest-files` nevertheless.
const STRICT: &[&str] =
    &["crates/memory/src/engine/export.rs", "crates/memory/src/engine/sheet.rs", "crates/memory/src/engine/import/"];

/// The calls in the code of a file, without its tests.
fn calls(text: &str) -> Vec<&'static str> {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code: String = lines.flat_map(|line| [line, "\n"]).collect();
    CALLS.iter().copied().filter(|call| code.contains(call)).collect()
}

#[test]
fn files_of_the_writers_are_written_and_read_in_one_place_only() {
    let root = repository("src-tauri");
    let mut used = vec![false; EXCEPTIONS.len()];
    for file in rust_files(&root) {
        let path = file.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
        let is_test = path.contains("/tests/") || path.ends_with("tests.rs") || path.starts_with("target/");
        let found = calls(&fs::read_to_string(&file).unwrap());
        if is_test || found.is_empty() {
            continue;
        }
        assert!(!STRICT.iter().any(|strict| path.starts_with(strict)), "{path}: {found:?} past palimpsest-files");
        let exception = EXCEPTIONS.iter().position(|(exempt, _)| path.starts_with(exempt));
        match exception {
            Some(at) => used[at] = true,
            None => panic!("{path}: {found:?} – go through palimpsest-files, or name the reason here"),
        }
    }
    let idle: Vec<_> = EXCEPTIONS.iter().zip(used).filter(|(_, used)| !used).map(|((path, _), _)| path).collect();
    assert!(idle.is_empty(), "no longer needed: {idle:?}");
}

#[test]
fn the_reader_of_calls_sees_code_and_no_tests_or_comments() {
    let text = "fn f() { fs::write(a, b); }\n// fs::copy\n#[cfg(test)]\nmod tests { fn g() { fs::rename(a, b); } }";
    assert_eq!(calls(text), ["fs::write"]);
}
