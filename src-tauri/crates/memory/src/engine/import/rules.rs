//! Import into `rules.db`: projects, rules with their history, and the writer's deletions.

use std::{
    cmp::Ordering,
    collections::{BTreeSet, HashMap, HashSet, hash_map::Entry},
};

use super::{
    Tally, Verdict,
    owners::{Claim, Owners, RuleBooks, RuleReferences},
    reading::{Lines, Numbered, other_project_error, refusal},
};
use crate::{
    engine::{
        names::checked,
        rule_set::{evict_for_new_rule, update_conflicts},
    },
    error::Result,
    model::{
        AnswerId, Dismissal, EntityId, EpisodeId, FactId, HiddenName, JournalEntryId, Language, LowerCase, ProjectId,
        Reason, Rule, RuleChange, RuleId, RunChange, StoreFile, Time, TombstoneCause,
    },
    ports::Ids,
    semantic::rules as next,
    storage::{Tx, conflicts, deletions, entities, evidence, facts, names, projects, rules, runs, support, tombstones},
    story::fold,
};

/// Facts that the import of `episodes.db` needs.
pub(super) struct Carried {
    /// Episodes that the writer deleted, here or there.
    pub(super) deleted: HashSet<EpisodeId>,
    /// Journal entries that the writer redacted, here or there.
    pub(super) redacted: HashMap<JournalEntryId, Option<ProjectId>>,
    /// Answers that the writer deleted, here or there.
    pub(super) deleted_answers: HashMap<AnswerId, Option<ProjectId>>,
    /// The project of each episode, as far as `rules.db` knows it.
    pub(super) episodes: Owners<EpisodeId>,
    /// References to episodes, to be checked against `episodes.db`.
    pub(super) claims: Vec<Claim>,
    pub(super) rules: RuleBooks,
    pub(super) languages: HashMap<ProjectId, Language>,
}

/// An import transaction of `rules.db`.
pub(super) struct RulesImport<'a> {
    pub(super) tx: &'a Tx<'a>,
    now: Time,
    ids: &'a dyn Ids,
    pub(super) everything: bool,
    /// The project, for a file of one project.
    own: Option<ProjectId>,
    spoken: RuleReferences,
    carried: Carried,
    names: HashMap<ProjectId, Vec<HiddenName>>,
    had_names: HashMap<ProjectId, Vec<HiddenName>>,
    /// Facts that the file has brought, or brought up to date.
    new_facts: HashSet<FactId>,
    /// Runs that were here before: their changes are known.
    known_runs: HashSet<String>,
    no_pause_yet: bool,
    /// The spreads to be recomputed.
    spreads: BTreeSet<(ProjectId, String, i64)>,
    rules_changed: bool,
}

/// Imports the lines that belong into `rules.db`.
///
/// # Errors
/// `MEMORY_INVALID_ARGUMENT` and `MEMORY_SCOPE_DENIED` with the number of the line; `MEMORY_CAPACITY_EXCEEDED`; those
/// of the store.
pub(super) fn import_lines(
    tx: &Tx<'_>,
    lines: &mut Lines,
    tally: &mut Tally,
    now: Time,
    ids: &dyn Ids,
) -> Result<Carried> {
    let (deletions, others): (Vec<_>, Vec<_>) =
        deletions::list(tx)?.into_iter().partition(|one| one.kind == deletions::EPISODE);
    let of_kind = |kind: &str| {
        let others = others.iter().filter(|one| one.kind == kind);
        others.map(|one| (one.id.clone(), one.project_id.clone())).collect::<Vec<_>>()
    };
    let redacted = of_kind(deletions::JOURNAL).into_iter().map(|(id, project)| (id.into(), project)).collect();
    let deleted_answers = of_kind(deletions::ANSWER).into_iter().map(|(id, project)| (id.into(), project)).collect();
    let (deleted, owned): (HashSet<EpisodeId>, Vec<_>) = deletions
        .into_iter()
        .map(|one| (EpisodeId::from(one.id), one.project_id))
        .map(|(id, project)| (id.clone(), project.map(|of| (id, of))))
        .unzip();
    let episodes =
        Owners::from_pairs(owned.into_iter().flatten().chain(evidence::owners(tx)?).chain(support::owners(tx)?));
    let here = rules::homes(tx)?;
    let global_here = here.iter().filter(|home| home.is_now && home.project_id.is_none());
    let spoken = RuleReferences {
        global_here: global_here.map(|home| home.rule_id.clone()).collect(),
        ..RuleReferences::default()
    };
    let had_names = names::list_by_project(tx)?;
    let mut taking = RulesImport {
        tx,
        now,
        ids,
        everything: lines.own().is_none(),
        own: lines.own().cloned(),
        spoken,
        carried: Carried {
            deleted,
            redacted,
            deleted_answers,
            episodes,
            claims: Vec::new(),
            rules: RuleBooks::from_pairs(here.into_iter().map(|home| (home.rule_id, home.project_id))),
            languages: HashMap::new(),
        },
        names: had_names.clone(),
        had_names,
        new_facts: HashSet::new(),
        known_runs: runs::ids(tx)?,
        no_pause_yet: evidence::pauses(tx)?.is_empty(),
        spreads: BTreeSet::new(),
        rules_changed: false,
    };
    while let Some(one) = lines.next()? {
        if one.line.kind().file == StoreFile::Rules {
            let verdict = taking.import_line(&one)?;
            tally.add(one.line.kind(), verdict);
        }
    }
    taking.finish()
}

impl RulesImport<'_> {
    fn import_line(&mut self, one: &Numbered) -> Result<Verdict> {
        match one.line.kind().name {
            "project" => self.insert_if_new(one),
            "deletion" => self.import_deletion(one),
            "name" => self.import_name(one),
            "pause" => self.import_pause(one),
            "runChange" => self.import_run_change(one),
            "ruleVersion" => self.import_rule_version(one),
            "verdict" => self.import_verdict(one),
            "tombstone" => self.import_tombstone(one),
            "rule" => self.import_rule(one),
            "support" | "foundIn" => self.import_support(one),
            "conflict" => self.import_conflict(one),
            "evidence" => self.import_evidence(one),
            "entity" => self.import_entity(one),
            "entityName" => self.import_entity_name(one),
            "dismissal" => self.import_dismissal(one),
            "fact" => self.import_fact(one),
            "knower" | "citation" => self.import_part_of_fact(one),
            "knowledgeSettings" => self.import_knowledge_settings(one),
            "practice" => self.import_practice(one),
            _ => self.insert_if_new(one),
        }
    }

    /// Adds a missing row; an existing row stays.
    fn insert_if_new(&self, one: &Numbered) -> Result<Verdict> {
        let verdict = super::compare_with_stored(self.tx, one)?;
        if verdict == Verdict::New {
            one.line.kind().insert(self.tx, &one.line, &[])?;
        }
        // A known project keeps its local title and time.
        Ok(if one.line.kind().name == "project" && verdict == Verdict::Conflicting { Verdict::Same } else { verdict })
    }

    /// A change of a run that is not known yet. The undo of the run uses the identities in it.
    fn import_run_change(&mut self, one: &Numbered) -> Result<Verdict> {
        let change: RunChange = one.line.record("change").ok_or_else(|| refusal(one.number, Reason::BadValue, None))?;
        let of = |rule: &Option<Rule>| rule.as_ref().and_then(|rule| rule.project_id.clone());
        let books = [of(&change.before), of(&change.after), change.project_id, one.line.project()];
        let spoken = books.into_iter().flatten().map(|book| (one.number, change.rule_id.clone(), book));
        self.spoken.of_rules.extend(spoken);
        if self.known_runs.contains(one.line.text("run_id").unwrap_or_default()) {
            let found = one.line.kind().find(self.tx, &one.line)?;
            return Ok(if found.is_some_and(|here| here == one.line) { Verdict::Same } else { Verdict::Conflicting });
        }
        self.insert_if_new(one)
    }

    fn import_rule_version(&mut self, one: &Numbered) -> Result<Verdict> {
        let id = &RuleId::from(one.line.text("rule_id").unwrap_or_default());
        match (one.line.project(), self.own.as_ref()) {
            (Some(_), _) => drop(self.carried.rules.check_access(one.number, id, one.line.project().as_ref())?),
            // A line of a one-project file cannot declare another project's rule global.
            (None, Some(own)) => drop(self.carried.rules.check_access(one.number, id, Some(own))?),
            (None, None) => {}
        }
        if self.is_for_all(id) {
            return Ok(Verdict::LeftOut);
        }
        let verdict = self.insert_if_new(one)?;
        if verdict == Verdict::New {
            if one.line.project().is_none() {
                self.spoken.for_all.entry(id.clone()).or_insert(one.number);
            }
            self.carried.rules.add(id, one.line.project().as_ref());
        }
        Ok(verdict)
    }

    /// Whether a rule is global here and the file belongs to one project: the file's version of it does not apply to
    /// the other projects.
    fn is_for_all(&self, rule_id: &RuleId) -> bool {
        !self.everything && self.spoken.global_here.contains(rule_id)
    }

    fn import_verdict(&self, one: &Numbered) -> Result<Verdict> {
        let rule = RuleId::from(one.line.text("rule_id").unwrap_or_default());
        self.carried.rules.check_access(one.number, &rule, one.line.project().as_ref())?;
        self.insert_if_new(one)
    }

    fn import_deletion(&mut self, one: &Numbered) -> Result<Verdict> {
        let (Some(id), Some(project)) = (one.line.text("id"), one.line.project()) else { return Ok(Verdict::LeftOut) };
        if let Some(kind @ (deletions::JOURNAL | deletions::ANSWER | deletions::QUESTION)) = one.line.text("kind") {
            let verdict = self.insert_if_new(one)?;
            if verdict == Verdict::Conflicting {
                return Ok(Verdict::Same);
            }
            match kind {
                deletions::JOURNAL => drop(self.carried.redacted.insert(id.into(), Some(project))),
                deletions::ANSWER => drop(self.carried.deleted_answers.insert(id.into(), Some(project))),
                _ => {}
            }
            return Ok(verdict);
        }
        let id = EpisodeId::from(id);
        self.claim(one, &id, &project)?;
        let verdict = self.insert_if_new(one)?;
        // A rule that was deleted on both machines counts as deleted.
        if verdict == Verdict::Conflicting {
            return Ok(Verdict::Same);
        }
        if verdict == Verdict::New && one.line.text("kind") == Some(deletions::EPISODE) {
            evidence::delete(self.tx, &project, &id)?;
            self.carried.deleted.insert(id);
        }
        Ok(verdict)
    }

    fn import_name(&mut self, one: &Numbered) -> Result<Verdict> {
        let text = |column: &str| one.line.text(column).unwrap_or_default().to_owned();
        let lower_case = match one.line.text("lower_case") {
            Some("hidden") => Some(LowerCase::Hidden),
            Some("kept") => Some(LowerCase::Kept),
            _ => None,
        };
        let (book, hidden) =
            (ProjectId::from(text("project_id")), HiddenName { name: text("name"), alias: text("alias"), lower_case });
        if let Some(here) = self.had_names.get(&book).and_then(|had| had.iter().find(|had| had.name == hidden.name)) {
            // An unanswered question about lower case in the file does not overwrite an answer here.
            let agrees = here.alias == hidden.alias && (lower_case.is_none() || lower_case == here.lower_case);
            return Ok(if agrees { Verdict::Same } else { Verdict::Conflicting });
        }
        let mut list = self.names.get(&book).cloned().unwrap_or_default();
        list.push(hidden);
        // A name hidden there becomes hidden here too, unless one name would reveal another.
        let Ok(list) = checked(&list) else { return Ok(Verdict::Conflicting) };
        self.names.insert(book, list);
        Ok(Verdict::New)
    }

    fn import_pause(&self, one: &Numbered) -> Result<Verdict> {
        let lasts = one.line.number("ended_at").is_none();
        let verdict = super::compare_with_stored(self.tx, one)?;
        if verdict == Verdict::New && lasts && !(self.everything && self.no_pause_yet) {
            // Whether learning is paused is decided here, not by the file.
            return Ok(Verdict::LeftOut);
        }
        self.insert_if_new(one)
    }

    fn import_tombstone(&mut self, one: &Numbered) -> Result<Verdict> {
        let verdict = super::compare_with_stored(self.tx, one)?;
        let (Some(rule_id), Some(since)) = (one.line.text("rule_id"), one.line.number("since")) else {
            return Ok(Verdict::LeftOut);
        };
        let rule_id = &RuleId::from(rule_id);
        if verdict != Verdict::New {
            return Ok(verdict);
        }
        let is_deleted = one.line.text("why") == Some("deleted");
        if one.line.project().is_some() {
            self.carried.rules.check_access(one.number, rule_id, one.line.project().as_ref())?;
        }
        if is_deleted && self.is_for_all(rule_id) {
            return Ok(Verdict::LeftOut);
        }
        if is_deleted && rules::is_restored(self.tx, rule_id, Time::from_millis(since))? {
            return Ok(Verdict::LeftOut);
        }
        let here = rules::get(self.tx, rule_id)?;
        if let Some(here) = &here {
            same_book(one, here.project_id.as_ref())?;
        }
        one.line.kind().insert(self.tx, &one.line, &[])?;
        self.rules_changed = true;
        if let Some(here) = here.filter(|_| is_deleted) {
            self.delete_rule(here)?;
        }
        Ok(verdict)
    }

    /// Deletes a rule that the writer deleted there.
    fn delete_rule(&self, rule: Rule) -> Result<()> {
        let last = rules::last_change(self.tx, &rule.id)?;
        let version = match last {
            Some((last, RuleChange::Deleted)) if last > rule.version => return rules::delete_row(self.tx, &rule.id),
            Some((last, _)) => last.max(rule.version),
            None => rule.version,
        };
        rules::delete(self.tx, &next::deleted(Rule { version, ..rule }, self.now), None)
    }

    /// Whether the writer deleted a rule and has not restored it.
    fn is_deleted_by_writer(&self, rule_id: &RuleId) -> Result<bool> {
        for at in tombstones::deleted_at(self.tx, rule_id)? {
            if !rules::is_restored(self.tx, rule_id, at)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn import_rule(&mut self, one: &Numbered) -> Result<Verdict> {
        let line = &one.line;
        let (Some(id), Some(version)) = (line.text("id"), line.number("version")) else { return Ok(Verdict::LeftOut) };
        let id = &RuleId::from(id);
        let here = rules::get(self.tx, id)?;
        if let Some(here) = &here {
            same_book(one, here.project_id.as_ref())?;
        }
        if line.project().is_some() {
            self.carried.rules.check_access(one.number, id, line.project().as_ref())?;
        }
        if self.is_for_all(id) {
            return Ok(Verdict::LeftOut);
        }
        if self.is_deleted_by_writer(id)? {
            return Ok(Verdict::LeftOut);
        }
        match rules::last_change(self.tx, id)?.map(|(last, change)| (i64::from(last), change)) {
            // Evicted, or undone with its run.
            Some((last, RuleChange::Deleted)) if last >= version => return Ok(Verdict::LeftOut),
            Some((last, _)) if last >= version => {}
            // The history of a rule always contains its current version.
            _ => return Err(refusal(one.number, Reason::NoHistory, None)),
        }
        let project = line.project();
        let project = project.as_ref();
        let Some(here) = here else {
            evict_for_new_rule(self.tx, project, self.now)?;
            tombstones::lift(self.tx, id, TombstoneCause::Deleted)?;
            line.kind().insert(self.tx, line, &[])?;
            self.rules_changed = true;
            return Ok(Verdict::New);
        };
        if i64::from(here.version) > version {
            return Ok(Verdict::LeftOut);
        }
        if i64::from(here.version) == version {
            return super::compare_with_stored(self.tx, one);
        }
        if here.project_id.as_ref() != project {
            evict_for_new_rule(self.tx, project, self.now)?;
        }
        // The evidence for the rule comes with it.
        match project.filter(|_| !self.everything) {
            Some(project) => {
                support::delete(self.tx, project, id)?;
                support::delete_project(self.tx, project, id)?;
            }
            None => support::delete_for_rule(self.tx, id)?,
        }
        line.kind().replace(self.tx, line)?;
        self.rules_changed = true;
        Ok(Verdict::Newer)
    }

    /// A row about a rule that exists here.
    fn import_support(&mut self, one: &Numbered) -> Result<Verdict> {
        let Some(rule) = rules::get(self.tx, &RuleId::from(one.line.text("rule_id").unwrap_or_default()))? else {
            return Ok(Verdict::LeftOut);
        };
        same_book(one, rule.project_id.as_ref())?;
        if let (Some(episode), Some(project)) = (one.line.text("episode_id").map(EpisodeId::from), one.line.project()) {
            self.claim(one, &episode, &project)?;
            if self.carried.deleted.contains(&episode) {
                return Ok(Verdict::LeftOut);
            }
        }
        self.insert_if_new(one)
    }

    /// Two rules that apply in one project: its own or global ones.
    fn import_conflict(&mut self, one: &Numbered) -> Result<Verdict> {
        let text = |column: &str| one.line.text(column).unwrap_or_default();
        let (first, second) = (&RuleId::from(text("first_rule")), &RuleId::from(text("second_rule")));
        for id in [first, second] {
            self.carried.rules.check_access(one.number, id, one.line.project().as_ref())?;
        }
        if one.line.number("closed_at").is_none() {
            let is_here =
                |rule: &Rule| rule.project_id.is_none() || rule.project_id.as_ref() == one.line.project().as_ref();
            for id in [first, second] {
                match rules::get(self.tx, id)? {
                    None => return Ok(Verdict::LeftOut),
                    Some(rule) if !is_here(&rule) => return Err(other_project_error(one.number)),
                    Some(_) => {}
                }
            }
        }
        if conflicts::is_known_otherwise(self.tx, first, second, text("conflict_id"))? {
            return Ok(Verdict::Conflicting);
        }
        let verdict = self.insert_if_new(one)?;
        // Whether they still contradict each other is checked at the end.
        self.rules_changed |= verdict == Verdict::New;
        Ok(verdict)
    }

    fn import_evidence(&mut self, one: &Numbered) -> Result<Verdict> {
        let text = |column: &str| one.line.text(column).unwrap_or_default().to_owned();
        let (project, episode) = (ProjectId::from(text("project_id")), EpisodeId::from(text("episode_id")));
        self.claim(one, &episode, &project)?;
        if self.carried.deleted.contains(&episode) {
            return Ok(Verdict::LeftOut);
        }
        let verdict = self.insert_if_new(one)?;
        if verdict == Verdict::Conflicting
            && let Some(here) = one.line.kind().find(self.tx, &one.line)?
            && here.is_but_for("undone", &one.line)
        {
            // An undo cannot be undone.
            if here.number("undone") == Some(1) {
                return Ok(Verdict::LeftOut);
            }
            evidence::revise(self.tx, &project, &episode, true)?;
            return Ok(Verdict::Newer);
        }
        if verdict == Verdict::New {
            let version = one.line.number("feature_version").unwrap_or_default();
            self.spreads.insert((project, text("language"), version));
        }
        Ok(verdict)
    }

    /// The later version of an entity counts. One whose name the writer dismissed here stays deleted.
    fn import_entity(&self, one: &Numbered) -> Result<Verdict> {
        let (Some(project), Some(name)) = (one.line.project(), one.line.text("name")) else {
            return Ok(Verdict::LeftOut);
        };
        if one.line.kind().find(self.tx, &one.line)?.is_none() {
            let dismissed = entities::canon(self.tx, &project)?.dismissals;
            if dismissed.contains(&Dismissal::Name(fold(name))) {
                return Ok(Verdict::LeftOut);
            }
        }
        self.import_version(one, &[])
    }

    /// A form of an entity that exists here.
    fn import_entity_name(&self, one: &Numbered) -> Result<Verdict> {
        let (Some(project), Some(entity)) = (one.line.project(), one.line.text("entity_id")) else {
            return Ok(Verdict::LeftOut);
        };
        if entities::is_accepted(self.tx, &project, &entity.into())? {
            self.insert_if_new(one)
        } else {
            Ok(Verdict::LeftOut)
        }
    }

    /// The later version of a fact about an entity that exists here counts. One that the writer deleted here stays
    /// deleted.
    fn import_fact(&mut self, one: &Numbered) -> Result<Verdict> {
        let text = |column| one.line.text(column).unwrap_or_default();
        let (Some(project), entity) = (one.line.project(), EntityId::from(text("entity_id"))) else {
            return Ok(Verdict::LeftOut);
        };
        let dismissal = Dismissal::Fact(text("fact_id").into());
        if !entities::is_accepted(self.tx, &project, &entity)? || entities::is_dismissed(self.tx, &project, &dismissal)?
        {
            return Ok(Verdict::LeftOut);
        }
        let Some(here) = one.line.kind().find(self.tx, &one.line)? else {
            self.new_facts.insert(text("fact_id").into());
            return self.insert_if_new(one);
        };
        if here.project() != Some(project.clone()) {
            return Ok(Verdict::Conflicting);
        }
        match here.number("version").cmp(&one.line.number("version")) {
            Ordering::Greater => Ok(Verdict::LeftOut),
            Ordering::Equal => super::compare_with_stored(self.tx, one),
            Ordering::Less => {
                facts::delete(self.tx, &project, &text("fact_id").into())?;
                self.new_facts.insert(text("fact_id").into());
                one.line.kind().insert(self.tx, &one.line, &[])?;
                Ok(Verdict::Newer)
            }
        }
    }

    /// A knower or citation of a fact that the file has brought.
    fn import_part_of_fact(&self, one: &Numbered) -> Result<Verdict> {
        let fact_id = FactId::from(one.line.text("fact_id").unwrap_or_default());
        if self.new_facts.contains(&fact_id) {
            return self.insert_if_new(one);
        }
        let verdict = super::compare_with_stored(self.tx, one)?;
        // Where a citation is now depends on the text here.
        Ok(if verdict == Verdict::Same { verdict } else { Verdict::LeftOut })
    }

    /// The same proposal, refused on both machines, is refused.
    fn import_dismissal(&self, one: &Numbered) -> Result<Verdict> {
        let verdict = self.insert_if_new(one)?;
        Ok(if verdict == Verdict::Conflicting { Verdict::Same } else { verdict })
    }

    /// An episode belongs to one project. `episodes.db` checks that it is this one.
    fn claim(&mut self, one: &Numbered, episode: &EpisodeId, project: &ProjectId) -> Result<()> {
        self.carried.episodes.claim(one, episode.clone())?;
        let (episode, project) = (episode.clone(), project.clone());
        self.carried.claims.push(Claim { number: one.number, episode, project });
        Ok(())
    }

    fn finish(mut self) -> Result<Carried> {
        let tx = self.tx;
        self.spoken.check_references(&self.carried.rules, self.own.as_ref())?;
        for (book, list) in &self.names {
            if self.had_names.get(book) != Some(list) {
                names::replace(tx, book, list)?;
            }
        }
        for (project, language, version) in &self.spreads {
            let version = u32::try_from(*version).unwrap_or_default();
            evidence::fold_spread(tx, project, evidence::language(language), version)?;
        }
        for book in projects::list(tx)? {
            if let Entry::Vacant(unknown) = self.carried.languages.entry(book.project_id) {
                unknown.insert(book.language);
            }
        }
        if self.rules_changed {
            for project in self.carried.languages.keys().collect::<BTreeSet<_>>() {
                update_conflicts(tx, Some(project), self.now, self.ids, true)?;
            }
            update_conflicts(tx, None, self.now, self.ids, true)?;
        }
        Ok(self.carried)
    }
}

/// A rule of one project is never one of another; global rules belong to all.
fn same_book(one: &Numbered, here: Option<&ProjectId>) -> Result<()> {
    match (here, one.line.project()) {
        (Some(here), Some(there)) if *here != there => Err(other_project_error(one.number)),
        _ => Ok(()),
    }
}
