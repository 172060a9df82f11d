//! The names of a book that no model reads.

use std::collections::HashSet;

use palimpsest_text::names::{Mask, Pair};

use super::Engine;
use crate::{
    error::{Error, Result},
    model::{Changed, HiddenName, Topic},
    storage::names,
    validate,
};

/// Names that one book may have.
const MAX_NAMES: usize = 500;
/// The longest name and the longest alias, in characters.
const NAME_CHARS: usize = 100;

impl Engine {
    /// The names of a book that are hidden from models, in the order they were given.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`; those of the store, when they could never be read since the memory was opened.
    pub fn names(&self, project_id: &str) -> Result<Vec<HiddenName>> {
        let project = self.known_project(project_id)?;
        self.names_of(&project.project_id)
    }

    /// For books that are known to be there.
    pub(super) fn names_of(&self, project_id: &str) -> Result<Vec<HiddenName>> {
        let read = || names::all(&*self.rules.open()?.reader()?);
        match read() {
            Ok(all) => {
                let names = all.get(project_id).cloned().unwrap_or_default();
                self.meaning.names.learn(all);
                Ok(names)
            }
            Err(error) => self.meaning.names.of(project_id).ok_or(error),
        }
    }

    /// Replaces the names of a book. What was sent before is not called back. What is taken off is removed from logs, free
    /// pages and backups by [`Engine::finish_clearings`].
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, `MEMORY_NOT_FOUND`, those of the store.
    pub fn set_names(&self, project_id: &str, list: &[HiddenName]) -> Result<Changed<Vec<HiddenName>>> {
        let project = self.known_project(project_id)?.project_id;
        let list = checked(list)?;
        let erasure = self.rules.open()?.write(|tx| {
            let had = names::all(tx)?.remove(&project).unwrap_or_default();
            names::replace(tx, &project, &list)?;
            let is_gone = |had: &HiddenName| list.iter().all(|one| one.name != had.name);
            // A name that is no longer on the map is in no log, free page or backup because of it.
            if had.iter().any(is_gone) { self.ask_to_erase_names(tx, &project).map(Some) } else { Ok(None) }
        })?;
        if let Some(erasure) = &erasure {
            self.erase_names_later(erasure);
        }
        // Known from here on, also to the encoder.
        let _learned = self.names_of(&project);
        Ok(Changed::new(list, Some(project), [Topic::Names]))
    }
}

/// The names as they are kept. A refusal says which one, and none of its words.
pub(super) fn checked(list: &[HiddenName]) -> Result<Vec<HiddenName>> {
    if list.len() > MAX_NAMES {
        return Err(Error::invalid("names", format!("more than {MAX_NAMES} of them")));
    }
    let (mut names, mut aliases) = (HashSet::new(), HashSet::new());
    let mut kept = Vec::with_capacity(list.len());
    for (n, hidden) in list.iter().enumerate() {
        let (name, alias) = (hidden.name.trim(), hidden.alias.trim());
        let field = |field: &str| format!("names[{n}].{field}");
        validate::line(&field("name"), name, NAME_CHARS)?;
        validate::line(&field("alias"), alias, NAME_CHARS)?;
        if !name.chars().any(char::is_alphabetic) {
            return Err(Error::invalid(field("name"), "has no letter"));
        }
        if !names.insert(name.to_owned()) {
            return Err(Error::invalid(field("name"), "stands twice"));
        }
        if !aliases.insert(alias.to_owned()) {
            return Err(Error::invalid(field("alias"), "stands for two names"));
        }
        kept.push(HiddenName { name: name.to_owned(), alias: alias.to_owned() });
    }
    // An alias that says a name hides nothing.
    let pairs: Vec<Pair> = kept.iter().map(|hidden| Pair { name: hidden.name.clone(), alias: "〇".into() }).collect();
    let mask = Mask::over(&pairs, &[]).unwrap_or_default();
    if let Some(n) = kept.iter().position(|hidden| mask.hide(&hidden.alias) != hidden.alias) {
        return Err(Error::invalid(format!("names[{n}].alias"), "has a name in it"));
    }
    Ok(kept)
}
