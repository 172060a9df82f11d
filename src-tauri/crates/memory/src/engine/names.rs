//! The hidden names of a project.

use std::collections::{HashMap, HashSet};

use palimpsest_text::{
    control,
    names::{self as text_names, Form, Mask, Search},
};

use super::{Engine, log_failure};
use crate::{
    error::{Error, Result},
    model::{Changed, HiddenName, NameForm, ProjectId, Rule, Topic},
    retrieval::names::pairs,
    storage::names,
    validate,
};

/// Maximum number of hidden names of a project.
const MAX_NAMES: usize = 500;
/// Maximum characters of a name and of an alias.
const MAX_NAME_CHARS: usize = 100;

impl Engine {
    /// The hidden names of a project, in the order they were given.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`; those of the store, when they could never be read since the memory was opened.
    pub fn names(&self, project_id: &ProjectId) -> Result<Vec<HiddenName>> {
        let project = self.known_project(project_id)?;
        self.names_of(&project.project_id)
    }

    /// For projects that are known to exist.
    pub(super) fn names_of(&self, project_id: &ProjectId) -> Result<Vec<HiddenName>> {
        match self.stored_names() {
            Ok(all) => {
                let names = all.get(project_id).cloned().unwrap_or_default();
                self.retrieval.names().set_all(all);
                Ok(names)
            }
            Err(error) => self.retrieval.names().for_project(project_id).ok_or(error),
        }
    }

    /// Reads the names of all projects into the cache. Where they cannot be read, the cached ones stay in use.
    ///
    /// # Errors
    /// Those of the store, when the names could never be read since the memory was opened.
    pub(super) fn read_names(&self) -> Result<()> {
        match self.stored_names() {
            Ok(all) => {
                self.retrieval.names().set_all(all);
                Ok(())
            }
            Err(_) if self.retrieval.names().are_known() => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn stored_names(&self) -> Result<HashMap<ProjectId, Vec<HiddenName>>> {
        names::list_by_project(&*self.stores.rules.open()?.reader()?)
    }

    /// Replaces the hidden names of a project. Text sent before is not affected. Removed names are erased from logs,
    /// free pages and backups in the background.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, `MEMORY_NOT_FOUND`, those of the store.
    pub fn set_names(&self, project_id: &ProjectId, list: &[HiddenName]) -> Result<Changed<Vec<HiddenName>>> {
        let project = self.known_project(project_id)?.project_id;
        let list = checked(list)?;
        let erasure = self.stores.rules.open()?.write("set hidden names", |tx| {
            let had = names::list_by_project(tx)?.remove(&project).unwrap_or_default();
            names::replace(tx, &project, &list)?;
            let is_gone = |had: &HiddenName| list.iter().all(|one| one.name != had.name);
            // A removed name must not remain in a log, free page or backup because of the map.
            if had.iter().any(is_gone) { self.ask_to_erase_names(tx, &project).map(Some) } else { Ok(None) }
        })?;
        if let Some(erasure) = &erasure {
            self.upkeep.erasures.begin(erasure);
        }
        // Known from here on, also to the encoder.
        log_failure("read names", self.read_names());
        self.story.note_change(Some(&project));
        Ok(Changed::new(list, Some(project), [Topic::Names]))
    }

    /// Number of hidden names of any project in a rule; each is hidden wherever the rule is sent.
    ///
    /// # Errors
    /// Those of the store, when the names could never be read since the memory was opened.
    pub fn names_in_rule(&self, rule: &Rule) -> Result<u32> {
        self.read_names()?;
        let found = self.retrieval.names().count_in(&rule.rule).ok_or_else(unknown)?;
        Ok(u32::try_from(found).unwrap_or(u32::MAX))
    }

    /// Whether a text has a hidden name of any project in it.
    ///
    /// # Errors
    /// Those of the store, when the names could never be read since the memory was opened.
    pub(super) fn has_hidden_names(&self, text: &str) -> Result<bool> {
        Ok(self.retrieval.names().count_in(text).ok_or_else(unknown)? > 0)
    }

    /// The mask for texts of a project and for texts shared by all projects (global rules), in which the names of every
    /// project are hidden.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT` when no suitable aliases can be found, those of the store when the names could never
    /// be read: then nothing may be sent.
    pub(super) fn mask_over(&self, project_id: &ProjectId, texts: &[&str], shared: &[&str]) -> Result<Mask> {
        let own = pairs(&self.names_of(project_id)?);
        let others = self.retrieval.names().of_others_in(project_id, shared).ok_or_else(unknown)?;
        Mask::with_others(&own, texts, &others, shared)
            .ok_or_else(|| Error::invalid("names", "the aliases cannot be told from the text"))
    }

    /// Texts with the names of all projects hidden, for a request that may hold texts of several books.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT` when no suitable aliases can be found, those of the store when the names could never
    /// be read: then nothing may be sent.
    pub fn hide_names(&self, project_id: &ProjectId, texts: &[&str]) -> Result<Vec<String>> {
        let mask = self.mask_over(project_id, texts, texts)?;
        Ok(texts.iter().map(|text| mask.hide_shared(text)).collect())
    }

    /// Texts with the aliases of a project replaced by its hidden names, for texts of a client that knows the aliases
    /// alone.
    ///
    /// # Errors
    /// As [`Engine::hide_names`].
    pub fn restore_names(&self, project_id: &ProjectId, texts: &[&str]) -> Result<Vec<String>> {
        // Over no texts: in a text with an alias the mask would choose another one.
        let mask = self.mask_over(project_id, &[], &[])?;
        Ok(texts.iter().map(|text| mask.restore(text)).collect())
    }

    /// The forms of a project's hidden names that occur in these texts and are sent unmasked.
    ///
    /// # Errors
    /// As [`Engine::names`].
    pub fn name_forms<'a>(
        &self,
        project_id: &ProjectId,
        texts: impl Iterator<Item = &'a str>,
    ) -> Result<Vec<NameForm>> {
        let names = self.names(project_id)?;
        let found = text_names::find_forms(&pairs(&names), texts);
        let form = |Form { pair, form, count }| Some(NameForm { name: names.get(pair)?.name.clone(), form, count });
        Ok(found.into_iter().filter_map(form).collect())
    }
}

fn unknown() -> Error {
    Error::new(crate::error::Code::StoreUnavailable, "the names to be hidden cannot be read")
}

/// Whether the writer has not decided yet if a name that is an everyday word is hidden in lower case too.
#[must_use]
pub fn asks_for_lower_case(hidden: &HiddenName) -> bool {
    hidden.lower_case.is_none() && text_names::is_everyday(&hidden.name) && hidden.name.chars().any(char::is_uppercase)
}

/// The names in stored form. A refusal gives the index of the name and none of its words.
pub(super) fn checked(list: &[HiddenName]) -> Result<Vec<HiddenName>> {
    if list.len() > MAX_NAMES {
        return Err(Error::invalid("names", format!("more than {MAX_NAMES} of them")));
    }
    let (mut names, mut aliases) = (HashSet::new(), HashSet::new());
    let mut checked = Vec::with_capacity(list.len());
    for (n, hidden) in list.iter().enumerate() {
        let (name, alias) = (hidden.name.trim(), hidden.alias.trim());
        let field = |field: &str| format!("names[{n}].{field}");
        validate::line(&field("name"), name, MAX_NAME_CHARS)?;
        validate::line(&field("alias"), alias, MAX_NAME_CHARS)?;
        if !name.chars().any(char::is_alphabetic) {
            return Err(Error::invalid(field("name"), "has no letter"));
        }
        if !names.insert(name.to_owned()) {
            return Err(Error::invalid(field("name"), "stands twice"));
        }
        if !aliases.insert(alias.to_owned()) {
            return Err(Error::invalid(field("alias"), "stands for two names"));
        }
        // The model would return a different alias than the one that was sent.
        if control::neutralize(alias, &[]) != alias {
            return Err(Error::invalid(field("alias"), "has a control word of a model in it"));
        }
        checked.push(HiddenName { name: name.to_owned(), alias: alias.to_owned(), lower_case: hidden.lower_case });
    }
    // An alias that contains a name hides nothing.
    let search = Search::new(&pairs(&checked));
    if let Some(n) = checked.iter().position(|hidden| !search.pairs_in(&hidden.alias).is_empty()) {
        return Err(Error::invalid(format!("names[{n}].alias"), "has a name in it"));
    }
    Ok(checked)
}
