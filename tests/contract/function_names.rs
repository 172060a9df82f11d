//! A function name that occurs in several modules of a crate has one meaning in that crate.
//!
//! The names of free functions and inherent methods are read from the sources. A name that more than two modules of a
//! crate define is either conventional ([`CONVENTIONAL`]) or has an entry in [`MEANINGS`]. Functions of one name with
//! unrelated meanings are renamed, not listed.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use super::{repository, wording::sources};

/// Names with a fixed meaning in Rust and in databases, in every crate.
const CONVENTIONAL: &[(&str, &str)] = &[
    ("add", "Adds the argument to the receiver, or a row of results to a table."),
    ("count", "Returns a number of rows or of occurrences."),
    ("delete", "Deletes what is stored under a key, with everything that belongs to it alone."),
    ("finish", "Consumes a builder or an operation, and returns its result."),
    ("get", "Returns what is stored under a key; `None` or an error where there is nothing."),
    ("insert", "Inserts a new row."),
    ("list", "Returns all entries in their order."),
    ("lock", "Locks the inner mutex, and returns its guard."),
    ("main", "The entry point of a program."),
    ("new", "Constructs a value from its parts, or empty."),
    ("open", "Opens a file or what is stored in files."),
    ("parse", "Builds a value from its textual form."),
    ("read", "Returns the content of a file or of what is behind a lock."),
    ("replace", "Replaces everything that is stored under a key."),
    ("run", "Executes the work that its receiver or its arguments describe, to its end."),
    ("start", "Starts a process, a thread or a server."),
    ("upsert", "Inserts a row, or replaces the row with the same key."),
    ("write", "Writes content to a file or to a database, or gives access for that."),
];

/// Other names: crate, name, and the one meaning of the name in the crate.
const MEANINGS: &[(&str, &str, &str)] = &[
    ("agents", "read_object", "Reads an object of a program's output into the state of its stream."),
    ("answers", "as_str", "The name of a value in files and on the wire."),
    ("learning", "observe", "Adds one observation to a statistic."),
    ("memory", "answer_schema", "The JSON schema of a model's answer."),
    ("memory", "by_index_row", "The owner of a row of the indexes, of one book."),
    ("memory", "cancel_network_waits", "Cancels the waits for a remote encoder, for shutdown."),
    ("memory", "count_after", "Number of owners after a row of the indexes."),
    ("memory", "compress", "Replaces an episode's texts by what its summary retains."),
    ("memory", "examine", "Gives up a file where an error shows that it is damaged; returns the error."),
    ("memory", "has_id", "Whether the owner in a row of the indexes has an id."),
    ("memory", "gather", "Reads from the store all that a step needs."),
    ("memory", "is_any_after", "Whether there is an owner after a row of the indexes."),
    ("memory", "messages", "The messages of a request to a model."),
    ("memory", "owners", "The project of each item of a table."),
    ("memory", "project_of", "The project of an item of a table; `None` without one."),
    ("memory", "project_ids", "The identities of the projects that have entries."),
    ("memory", "remove_rows", "Removes the vectors of rows from memory."),
    ("memory", "sweep", "Deletes the leftovers of interrupted backups and restores."),
    ("memory", "texts_after", "The texts of the first owners after a row of the indexes."),
    ("reader", "size", "Number of bytes in memory, about."),
    ("study", "towards", "The operations that change a text towards more or less of a feature."),
    ("tests", "book", "Creates a book, and returns its identity."),
    ("tests", "choose_model", "Sets up a provider, and chooses its model for a purpose."),
    ("tests", "draft", "The arguments that record an episode."),
    ("tests", "part_state", "The state of a part in the status."),
    ("tests", "record", "Records an episode."),
    ("tests", "rules", "The rules of a book, as the list of rules returns them."),
    ("tests", "writer", "Opens a data folder with the set-up of the module's scenarios."),
];

/// The crates, as their names in [`MEANINGS`], with their folders.
fn crates() -> Vec<(String, std::path::PathBuf)> {
    let mut found = vec![
        ("shell".to_owned(), repository("src-tauri/src")),
        ("tests".to_owned(), repository("tests")),
        ("measure".to_owned(), repository("tests/measure")),
        ("study".to_owned(), repository("tests/study")),
        ("server tests".to_owned(), repository("tests/server")),
    ];
    for entry in fs::read_dir(repository("src-tauri/crates")).unwrap() {
        let entry = entry.unwrap();
        found.push((entry.file_name().into_string().unwrap(), entry.path().join("src")));
    }
    found
}

/// Whether a file belongs to the crate in `folder`, and not to its unit tests or to a crate inside the folder.
fn is_own_source(folder: &Path, file: &Path) -> bool {
    let inside: Vec<_> = file.strip_prefix(folder).unwrap().iter().map(|part| part.to_string_lossy()).collect();
    let is_inner_crate = ["measure", "server", "study"].contains(&inside[0].as_ref());
    let is_unit_test = inside.iter().any(|part| part == "tests" || part == "testing.rs")
        || inside.last().is_some_and(|name| name.starts_with("tests"));
    !is_inner_crate && !is_unit_test
}

/// A block that is open at a line.
#[derive(Clone, Copy, PartialEq)]
enum Block {
    /// A module or an inherent implementation.
    Counted,
    /// The body of a function, an implementation of a trait, the definition of a trait, or a module of tests.
    Skipped,
}

/// Names of the free functions and inherent methods of a file in rustfmt's format, without tests and without functions
/// inside of functions.
fn function_names(source: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open: Vec<(usize, Block)> = Vec::new();
    // The kind of block that the next line ending in `{` opens, where its header takes several lines.
    let mut header: Option<Block> = None;
    let mut is_test = false;
    for line in source.lines() {
        let text = line.trim_start();
        let indent = line.len() - text.len();
        if text.starts_with('}') && open.last().is_some_and(|(at, _)| *at == indent) {
            open.pop();
        }
        if text.starts_with("#[") {
            is_test |= text.starts_with("#[test") || text.starts_with("#[cfg(test)");
            continue;
        }
        if text.is_empty() || text.starts_with("//") || open.last().is_some_and(|(_, block)| *block == Block::Skipped) {
            continue;
        }
        let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        let item = words.iter().find(|word| ["fn", "impl", "mod", "trait"].contains(word)).copied();
        match item {
            Some("fn") if is_item(text) => {
                if let Some(name) = function_name(text).filter(|_| !is_test) {
                    found.insert(name);
                }
                header = Some(Block::Skipped);
            }
            Some("impl") if text.starts_with("impl") || text.starts_with("unsafe impl") => {
                header = Some(if words.contains(&"for") { Block::Skipped } else { Block::Counted });
            }
            _ if text.starts_with("for ") && header == Some(Block::Counted) => header = Some(Block::Skipped),
            Some("mod") if is_item(text) => header = Some(if is_test { Block::Skipped } else { Block::Counted }),
            Some("trait") if is_item(text) => header = Some(Block::Skipped),
            _ => {}
        }
        is_test = false;
        if text.ends_with('{') {
            open.push((indent, header.take().unwrap_or(Block::Counted)));
        } else if text.ends_with(';') || text.ends_with('}') {
            header = None;
        }
    }
    found
}

/// Whether a line begins an item: a keyword, after its visibility and qualifiers.
fn is_item(text: &str) -> bool {
    let item = match text.strip_prefix("pub(") {
        Some(rest) => rest.split_once(") ").map_or(rest, |(_, item)| item),
        None => text.strip_prefix("pub ").unwrap_or(text),
    };
    let first = item.split(' ').next().unwrap_or_default();
    ["fn", "mod", "trait", "const", "async", "unsafe", "extern"].contains(&first)
}

fn function_name(text: &str) -> Option<String> {
    let name: String = text.split("fn ").nth(1)?.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    (!name.is_empty()).then_some(name)
}

/// Names that more than two modules of a crate define, with the number of modules.
fn frequent_names() -> BTreeMap<(String, String), usize> {
    let mut modules: BTreeMap<(String, String), usize> = BTreeMap::new();
    for (name, folder) in crates() {
        let mut files = Vec::new();
        sources(&folder, &mut files);
        for file in files.into_iter().filter(|file| is_own_source(&folder, file)) {
            for function in function_names(&fs::read_to_string(&file).unwrap()) {
                *modules.entry((name.clone(), function)).or_default() += 1;
            }
        }
    }
    modules.retain(|_, count| *count > 2);
    modules
}

#[test]
fn a_function_name_in_several_modules_of_a_crate_has_one_meaning() {
    let frequent = frequent_names();
    let is_conventional = |name: &str| CONVENTIONAL.iter().any(|(listed, _)| *listed == name);
    let has_meaning = |key: &(String, String)| MEANINGS.iter().any(|(of, name, _)| *of == key.0 && *name == key.1);
    let mut faults: Vec<String> = frequent
        .iter()
        .filter(|(key, _)| !is_conventional(&key.1) && !has_meaning(key))
        .map(|((of, name), count)| {
            format!("{of}: `{name}` is defined in {count} modules; rename it or list its meaning")
        })
        .collect();
    for (of, name, meaning) in MEANINGS {
        if !frequent.contains_key(&((*of).to_owned(), (*name).to_owned())) || is_conventional(name) {
            faults.push(format!("{of}: `{name}` needs no entry"));
        }
        assert!(!meaning.is_empty(), "{name}");
    }
    for (name, meaning) in CONVENTIONAL {
        if !frequent.keys().any(|(_, frequent)| frequent == name) {
            faults.push(format!("`{name}` needs no entry among the conventional names"));
        }
        assert!(!meaning.is_empty(), "{name}");
    }
    assert!(faults.is_empty(), "function names:\n{}", faults.join("\n"));
}

#[test]
fn free_functions_and_inherent_methods_are_found_and_others_are_not() {
    let source = "\
pub fn free() {}
pub(crate) const fn constant() -> u32 { 1 }
fn outer(
    one: u32,
) -> u32 {
    fn nested() {}
    1
}
impl<T> Value<T> {
    pub async fn method(&self) {
        self.call(|| {
            1
        });
    }
}
impl<T> Iterator for Value<T> {
    fn next(&mut self) {}
}
impl<T> Clone
    for Other<T>
{
    fn clone(&self) {}
}
trait Port {
    fn declared(&self);
}
// fn commented() {}
#[test]
fn a_test() {}
mod inner {
    pub(super) fn in_module() {}
}
#[cfg(test)]
mod tests {
    fn helper() {}
}
fn last() {}
";
    let names: Vec<String> = function_names(source).into_iter().collect();
    assert_eq!(names, ["constant", "free", "in_module", "last", "method", "outer"]);
}
