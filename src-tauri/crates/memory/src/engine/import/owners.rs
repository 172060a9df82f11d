//! The project of a rule, an episode or a generation: as stored here, and as declared by the lines so far.
//!
//! Invariant: a line of one project refers to nothing that belongs to another. A reference to another project's row by
//! its identity would reveal it.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    hash::Hash,
};

use super::reading::{Numbered, other_project_error};
use crate::{
    error::Result,
    model::{EpisodeId, ProjectId, RuleId},
};

/// The projects that each rule belongs or once belonged to.
#[derive(Default)]
pub(super) struct RuleBooks(HashMap<RuleId, Books>);

#[derive(Default)]
struct Books {
    books: BTreeSet<ProjectId>,
    /// The rule is or was global.
    global: bool,
}

impl RuleBooks {
    /// From pairs of a rule and its project; `None` for a global rule.
    pub(super) fn from_pairs(pairs: impl IntoIterator<Item = (RuleId, Option<ProjectId>)>) -> Self {
        let mut known = Self::default();
        for (rule, project) in pairs {
            known.add(&rule, project.as_ref());
        }
        known
    }

    /// Records that a rule belongs or once belonged to a project.
    pub(super) fn add(&mut self, rule: &RuleId, project: Option<&ProjectId>) {
        let of = self.0.entry(rule.clone()).or_default();
        match project {
            Some(project) => drop(of.books.insert(project.to_owned())),
            None => of.global = true,
        }
    }

    /// Whether a project may refer to a rule, because the rule is or was its own or global; without a project, whether
    /// it is or was global; `None` for an unknown rule.
    pub(super) fn may_refer(&self, rule: &RuleId, project: Option<&ProjectId>) -> Option<bool> {
        let of = self.0.get(rule)?;
        Some(of.global || project.is_some_and(|project| of.books.contains(project)))
    }

    /// Whether a rule is or was the project's own.
    pub(super) fn is_own(&self, rule: &RuleId, project: &ProjectId) -> bool {
        self.0.get(rule).is_some_and(|of| of.books.contains(project))
    }

    /// Whether a rule is known; refuses a line of a project that may not refer to it.
    ///
    /// # Errors
    /// `MEMORY_SCOPE_DENIED`.
    pub(super) fn check_access(&self, number: u32, rule: &RuleId, project: Option<&ProjectId>) -> Result<bool> {
        match self.may_refer(rule, project) {
            Some(false) => Err(other_project_error(number)),
            known => Ok(known.is_some()),
        }
    }
}

/// The project of each of some items; it never changes.
#[derive(Default)]
pub(super) struct Owners<Id>(HashMap<Id, ProjectId>);

impl<Id: Eq + Hash> Owners<Id> {
    /// From pairs of an item and its project.
    pub(super) fn from_pairs(pairs: impl IntoIterator<Item = (Id, ProjectId)>) -> Self {
        Self(pairs.into_iter().collect())
    }

    /// Records that an item belongs to the project of a line.
    ///
    /// # Errors
    /// `MEMORY_SCOPE_DENIED` where it belongs to another project.
    pub(super) fn claim(&mut self, one: &Numbered, id: Id) -> Result<()> {
        let Some(project) = one.line.project() else { return Ok(()) };
        match self.0.get(&id) {
            Some(of) if *of != project => Err(other_project_error(one.number)),
            Some(_) => Ok(()),
            None => {
                self.0.insert(id, project);
                Ok(())
            }
        }
    }

    /// The project of an item; `None` where it is unknown.
    pub(super) fn get(&self, id: &Id) -> Option<&ProjectId> {
        self.0.get(id)
    }
}

/// A reference to an episode before the episode's own line: line number, episode and project.
pub(super) struct Claim {
    pub(super) number: u32,
    pub(super) episode: EpisodeId,
    pub(super) project: ProjectId,
}

/// References to rules that may come later in the file.
#[derive(Default)]
pub(super) struct RuleReferences {
    /// Line number, rule, and project that refers to it.
    pub(super) of_rules: Vec<(u32, RuleId, ProjectId)>,
    /// In the file of one project, rule versions that were global: the rule, and the first such line.
    pub(super) for_all: HashMap<RuleId, u32>,
    /// Rules that were global here when the file was opened.
    pub(super) global_here: HashSet<RuleId>,
}

impl RuleReferences {
    /// Checks all references, now that every rule of the file is known.
    ///
    /// # Errors
    /// `MEMORY_SCOPE_DENIED`.
    pub(super) fn check_references(&self, known: &RuleBooks, own: Option<&ProjectId>) -> Result<()> {
        for (number, rule, project) in &self.of_rules {
            known.check_access(*number, rule, Some(project))?;
        }
        let Some(own) = own else { return Ok(()) };
        match self.for_all.iter().filter(|(rule, _)| !known.is_own(rule, own)).map(|(_, number)| *number).min() {
            Some(number) => Err(other_project_error(number)),
            None => Ok(()),
        }
    }
}
