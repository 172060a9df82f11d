//! Versions that are written in several files agree.

use std::fs;

use serde_json::{Value, json};

use super::repository;

fn manifest() -> toml::Table {
    fs::read_to_string(repository("Cargo.toml")).unwrap().parse().unwrap()
}

fn package(file: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(repository(file)).unwrap()).unwrap()
}

#[test]
fn the_version_of_a_release_is_the_same_in_every_file() {
    let version = manifest()["workspace"]["package"]["version"].as_str().unwrap().to_owned();
    assert_eq!(version, env!("CARGO_PKG_VERSION"));
    assert_eq!(package("package.json")["version"], version.as_str());
    let lock = package("package-lock.json");
    assert_eq!((&lock["version"], &lock["packages"][""]["version"]), (&json!(version), &json!(version)));
    assert_eq!(lock["packages"][""]["engines"], package("package.json")["engines"]);
    let changes = fs::read_to_string(repository("CHANGELOG.md")).unwrap();
    let newest = changes.lines().find_map(|line| line.strip_prefix("## ")).unwrap();
    assert_eq!(newest.split(' ').next(), Some(version.as_str()), "the newest entry of the changelog");
}

#[test]
fn contributing_names_the_compiler_and_the_node_that_are_needed() {
    let text = fs::read_to_string(repository("CONTRIBUTING.md")).unwrap();
    let rust = manifest()["workspace"]["package"]["rust-version"].as_str().unwrap().to_owned();
    assert!(text.contains(&format!("Rust stable, {rust} or later")), "rust-version is {rust}");
    let npm = package("package.json");
    for part in npm["engines"]["node"].as_str().unwrap().split("||") {
        let least = part.trim().trim_start_matches(['^', '>', '=']).trim_end_matches(".0");
        assert!(text.contains(&format!("{least} or later")), "Node {least}");
    }
}

#[test]
fn every_exact_version_has_its_reason() {
    let text = fs::read_to_string(repository("Cargo.toml")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let is_exact = |line: &&str| line.contains("\"=");
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| is_exact(line)) {
        // One comment may be the reason for several lines below it.
        let above = lines[..at].iter().rev().find(|line| !is_exact(line)).unwrap();
        assert!(above.starts_with("# Exact: "), "{line}");
    }
    let contributing = fs::read_to_string(repository("CONTRIBUTING.md")).unwrap();
    let npm = package("package.json");
    for kind in ["dependencies", "devDependencies"] {
        for (name, version) in npm[kind].as_object().unwrap() {
            let is_named = contributing.contains(&format!("`{name}`"));
            assert!(version.as_str().unwrap().starts_with('^') || is_named, "{name} {version}");
        }
    }
}
