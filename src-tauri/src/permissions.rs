//! Generates `permissions/*.toml` from the table of commands, and fails if they differ.
//!
//! Tauri's own generator is not used: it makes file names from command names, which contain colons.
//! To renew the files: `PALIMPSEST_GENERATE=1 cargo test -p palimpsest permissions`.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::PathBuf,
};

use palimpsest_api::COMMANDS;

const GENERATE_VARIABLE: &str = "PALIMPSEST_GENERATE";

/// The identifier of a permission: lower-case letters, digits and dashes only.
fn identifier(command: &str) -> String {
    let dashed: String = command.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    format!("allow-{dashed}")
}

/// File names and contents, one file per family.
fn files(commands: &[(&str, &str)]) -> BTreeMap<String, String> {
    let mut families: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (name, family) in commands {
        families.entry(family).or_default().insert(name);
    }
    families.into_iter().map(|(family, names)| (format!("{family}.toml"), file(family, &names))).collect()
}

fn file(family: &str, names: &BTreeSet<&str>) -> String {
    let mut text = format!(
        "# Generated from the table of commands. To renew: {GENERATE_VARIABLE}=1 cargo test -p palimpsest permissions\n\n\
         [[set]]\nidentifier = \"{family}\"\ndescription = \"Every command of the family {family}.\"\npermissions = [\n"
    );
    for name in names {
        text += &format!("    \"{}\",\n", identifier(name));
    }
    text.push_str("]\n");
    for name in names {
        text += &format!(
            "\n[[permission]]\nidentifier = \"{}\"\ndescription = \"Calls {name}.\"\ncommands.allow = [\"{name}\"]\n",
            identifier(name)
        );
    }
    text
}

fn shell_path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name)
}

#[test]
fn every_declared_command_is_granted_and_nothing_else() {
    let wanted = files(COMMANDS);
    let folder = shell_path("permissions");
    let present: BTreeMap<String, String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().extension().is_some_and(|ext| ext == "toml"))
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read_to_string(entry.path()).unwrap()))
        .collect();
    if env::var_os(GENERATE_VARIABLE).is_some() {
        for gone in present.keys().filter(|name| !wanted.contains_key(*name)) {
            fs::remove_file(folder.join(gone)).unwrap();
        }
        for (name, text) in &wanted {
            fs::write(folder.join(name), text).unwrap();
        }
        return;
    }
    assert!(present == wanted, "permissions/ is stale: {GENERATE_VARIABLE}=1 cargo test -p palimpsest permissions");
}

#[test]
fn the_window_is_granted_every_family_and_little_else() {
    let text = fs::read_to_string(shell_path("capabilities/main.json")).unwrap();
    let capability: serde_json::Value = serde_json::from_str(&text).unwrap();
    let granted: BTreeSet<&str> =
        capability["permissions"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
    let families: BTreeSet<&str> = COMMANDS.iter().map(|(_, family)| *family).collect();
    assert_eq!(families.difference(&granted).collect::<Vec<_>>(), Vec::<&&str>::new(), "not granted to the window");
    // Listening to events, closing after saving, choosing a folder or a file to read, choosing where an export goes.
    // More
    // needs a reason, here and in the commit.
    let framework: Vec<&&str> = granted.difference(&families).collect();
    let reasons = [
        "core:event:allow-listen",
        "core:event:allow-unlisten",
        "core:window:allow-destroy",
        "dialog:allow-open",
        "dialog:allow-save",
    ];
    assert_eq!(framework, reasons.iter().collect::<Vec<_>>());
}

#[test]
fn two_commands_never_share_an_identifier() {
    let identifiers: BTreeSet<String> = COMMANDS.iter().map(|(name, _)| identifier(name)).collect();
    assert_eq!(identifiers.len(), COMMANDS.len());
}

#[test]
fn names_with_colons_become_identifiers_with_dashes() {
    let files = files(&[("memory:episode:record", "memory"), ("ai:skill:run", "ai")]);
    assert_eq!(files.keys().collect::<Vec<_>>(), ["ai.toml", "memory.toml"]);
    assert!(files["memory.toml"].contains(
        "identifier = \"allow-memory-episode-record\"\ndescription = \"Calls memory:episode:record.\"\n\
         commands.allow = [\"memory:episode:record\"]"
    ));
}
