//! No result is discarded with `let _`: an underscore binds guards only. A result that can fail is handled or passed to
//! `log_failure`; where a failure has no consequence, `.ok()` says so, with a reason beside it.

use std::path::Path;

use super::{assert_none_found, repository, wording::sources};

/// Calls whose value is held until the end of its scope: locks, permits, visits and the signal handler.
const GUARDS: &[&str] = &[
    ".lock()",
    ".lock_files()",
    ".lock_jobs()",
    ".lock_verdicts()",
    ".take_turn()",
    ".admit_recall()?",
    ".enter()?",
    ".visit(",
    "on_end_signal(",
];

/// Names of guards whose value is an expression of several lines.
const GUARD_NAMES: &[&str] = &["_open"];

/// The bindings of a file that discard a value, a line for each.
fn findings(file: &str, source: &str) -> Vec<String> {
    // Modules of tests inside a file discard what they like.
    let production = source.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    (1..)
        .zip(production.lines())
        .filter(|(_, line)| is_discarding(line.trim()))
        .map(|(number, line)| format!("{file}:{number}: {}", line.trim()))
        .collect()
}

fn is_discarding(line: &str) -> bool {
    let Some((name, value)) = line.strip_prefix("let _").and_then(|rest| rest.split_once('=')) else { return false };
    let name = format!("_{}", name.split(':').next().unwrap_or_default().trim());
    let is_guard = GUARDS.iter().any(|guard| value.contains(guard))
        || (GUARD_NAMES.contains(&name.as_str()) && value.trim_start().starts_with("match "));
    !is_guard || name == "_"
}

#[test]
fn no_production_code_discards_a_result_with_an_underscore() {
    let root = repository("src-tauri");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let is_test = |file: &Path| {
        file.ends_with("tests.rs") || file.strip_prefix(&root).unwrap().iter().any(|part| part == "tests")
    };
    files.retain(|file| !is_test(file));
    assert!(files.len() > 100, "only {} sources", files.len());
    assert_none_found("discarded values", files, findings);
}

#[test]
fn a_discarded_call_is_found_and_a_guard_is_not() {
    for (source, count) in [
        ("    let _ = send();", 1),
        ("    let _sent = send();", 1),
        ("    let _sent: Result<()> = send();", 1),
        ("    let _ = self.judging.lock();", 1),
        ("    let _judging = self.judging.lock();", 0),
        ("    let _open = self.visit(project_id)?;", 0),
        ("    let _open = match draft.project {", 0),
        ("    let _value = match draft.project {", 1),
        ("    let sent = send();", 0),
        ("    fn a() {}\n#[cfg(test)]\nmod tests {\n    let _ = send();\n}", 0),
    ] {
        assert_eq!(findings("file", source).len(), count, "{source}");
    }
}
