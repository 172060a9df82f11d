//! Deletion everywhere: the words of one deleted memory, or names removed from a map, are removed from every place that
//! contains them.
//!
//! The intent is written first, with the deletion itself; then the words are removed from the live files in bounded
//! steps, and last from the backups. Invariant: an interrupted erasure is finished when the memory is opened again, and
//! neither a backup restored meanwhile nor an imported file brings the words back.

use std::collections::HashSet;

use super::{
    Engine,
    also_in::{CountOutside, Sentences},
    clear::{remove_set_aside, set_aside},
    log_failure,
    rule_set::{delete_with_tombstone, update_conflicts},
    stores::Stores,
};
use crate::{
    error::{Error, OrLog, Result},
    lock::{Mutex, MutexGuard},
    model::{
        AlsoIn, Changed, ClearingStep, DeletedWords, Episode, EpisodeId, Erasure, ErasureKind, ProjectId, Reference,
        RuleId, Topic, Trace, WordCounts,
    },
    storage::{
        Schema, Tx, deletions, episodes, erasures,
        erasures::{ErasureTargets, Wordless},
        names, rules,
        words::{self, Purge},
    },
    validate,
};

/// Traces blanked in one transaction.
const MAX_TRACES_PER_STEP: usize = 16;
/// Pages of the word index rewritten in one transaction.
const MAX_PAGES_PER_STEP: i32 = 256;

/// Topics that an erasure changes.
const TOPICS: [Topic; 8] = [
    Topic::Episodes,
    Topic::Rules,
    Topic::Traces,
    Topic::Journal,
    Topic::Answers,
    Topic::Knowledge,
    Topic::Working,
    Topic::Backups,
];

/// Erasures under way, and the memories erased in this session.
#[derive(Default)]
pub(super) struct Erasures(Mutex<State>);

#[derive(Default)]
struct State {
    /// Whether erasures of an earlier session were looked up.
    is_loaded: bool,
    pending: Vec<Pending>,
    /// Erased rules and episodes: a prompt assembled before is traced without words.
    erased: HashSet<String>,
}

#[derive(Clone)]
struct Pending {
    erasure: Erasure,
    /// The live files are done.
    is_live_done: bool,
}

impl Erasures {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock()
    }

    /// Looks up, once, the erasures that an earlier session left.
    ///
    /// # Errors
    /// Those of the store; the next call tries again.
    pub(super) fn load_unfinished(&self, stores: &Stores) -> Result<()> {
        if self.lock().is_loaded {
            return Ok(());
        }
        let left = erasures::unfinished(&*stores.rules.open()?.reader()?)?;
        let mut state = self.lock();
        if !state.is_loaded {
            state.is_loaded = true;
            state.erased.extend(left.iter().map(|one| one.target_id.clone()));
            state.pending.extend(left.into_iter().map(|erasure| Pending { erasure, is_live_done: false }));
        }
        Ok(())
    }

    /// Whether an erasure is unfinished, or could not be looked up yet.
    pub(super) fn is_any_open(&self) -> bool {
        let state = self.lock();
        !state.is_loaded || !state.pending.is_empty()
    }

    /// The erasures under way.
    pub(super) fn under_way(&self) -> Vec<Erasure> {
        self.lock().pending.iter().map(|one| one.erasure.clone()).collect()
    }

    fn pending(&self) -> Vec<Pending> {
        self.lock().pending.clone()
    }

    /// From here on, a trace of these memories is written without words.
    fn note_erased(&self, ids: &[String]) {
        self.lock().erased.extend(ids.iter().cloned());
    }

    /// The erasure of these memories did not begin.
    fn forget_erased(&self, ids: &[String]) {
        self.lock().erased.retain(|id| !ids.contains(id));
    }

    /// An erasure is under way: its intent is committed.
    pub(super) fn begin(&self, erasure: &Erasure) {
        self.lock().pending.push(Pending { erasure: erasure.clone(), is_live_done: false });
    }

    fn end(&self, erasure_id: &str) {
        self.lock().pending.retain(|one| one.erasure.erasure_id != erasure_id);
    }

    fn is_live_done(&self, erasure_id: &str) -> bool {
        self.lock().pending.iter().any(|one| one.erasure.erasure_id == erasure_id && one.is_live_done)
    }

    /// The erasures of names of a project: a name that is added to its map later is not affected.
    fn erasures_of_names(&self, project_id: &ProjectId) -> Vec<Erasure> {
        let is_of =
            |one: &&Pending| one.erasure.kind == ErasureKind::Names && one.erasure.target_id == project_id.as_str();
        self.lock().pending.iter().filter(is_of).map(|one| one.erasure.clone()).collect()
    }

    fn is_pending(&self, erasure_id: &str) -> bool {
        self.lock().pending.iter().any(|one| one.erasure.erasure_id == erasure_id)
    }

    fn live_done(&self, erasure_id: &str) {
        let mut state = self.lock();
        let one = state.pending.iter_mut().find(|one| one.erasure.erasure_id == erasure_id);
        if let Some(one) = one {
            one.is_live_done = true;
        }
    }

    /// Whether one of the references is to an erased memory.
    fn is_erased(&self, references: &[Reference]) -> bool {
        let state = self.lock();
        references.iter().any(|reference| state.erased.contains(&reference.id))
    }
}

impl Engine {
    /// Where the words of an episode remain that was deleted but not erased.
    ///
    /// # Errors
    /// Those of the stores.
    pub fn words_of_episode(&self, project_id: &ProjectId, episode_id: &EpisodeId) -> Result<DeletedWords> {
        validate::identity("episodeId", episode_id.as_str())?;
        let erasure = self.asked(ErasureKind::Episode, episode_id.as_str(), Some(project_id), "");
        let places = {
            let db = self.stores.episodes.open()?;
            let reader = db.reader()?;
            ErasureTargets::from_erasures(&reader, std::slice::from_ref(&erasure))?.count(&reader)?
        };
        Ok(self.remain(places))
    }

    /// Where the words of a rule remain that was deleted but not erased, as far as `episodes.db` can be read. To be
    /// called after the deletion.
    ///
    /// # Errors
    /// Those of the store.
    pub fn words_of_rule(&self, rule_id: &RuleId) -> Result<DeletedWords> {
        validate::identity("ruleId", rule_id.as_str())?;
        let erasure = self.asked(ErasureKind::Rule, rule_id.as_str(), None, "");
        let mut places = erasures::count_in_rules(&*self.stores.rules.open()?.reader()?, rule_id)?;
        let in_traces = || -> Result<WordCounts> {
            let db = self.stores.episodes.open()?;
            let reader = db.reader()?;
            ErasureTargets::from_erasures(&reader, std::slice::from_ref(&erasure))?.count(&reader)
        };
        add_counts(&mut places, in_traces().or_log("count words in traces").unwrap_or_default());
        Ok(self.remain(places))
    }

    fn remain(&self, places: WordCounts) -> DeletedWords {
        let backups = u32::try_from(self.stores.backups.list().len()).unwrap_or(u32::MAX);
        let set_aside = u32::try_from(set_aside(&self.stores.rules.path_with_suffix("")).unwrap_or_default().len())
            .unwrap_or(u32::MAX);
        let places = WordCounts { backups, set_aside, ..places };
        DeletedWords { everywhere: false, finished_at: None, places, also_in: None }
    }

    /// Deletes an episode and erases its words in traces, notes, the index, free pages, logs and backups; `by` goes
    /// into the audit log. Other memories that hold the same sentences are counted and not changed; `outside` counts
    /// texts outside the memory.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, `MEMORY_SCOPE_DENIED`, `MEMORY_INVALID_ARGUMENT`, those of the stores: nothing has changed
    /// then. A failure after the intent was written is no error: `finished_at` is then missing, and the erasure
    /// continues in the background.
    pub fn erase_episode(
        &self,
        project_id: &ProjectId,
        episode_id: &EpisodeId,
        by: &str,
        outside: CountOutside<'_>,
    ) -> Result<Changed<DeletedWords>> {
        validate::identity("requestedBy", by)?;
        validate::identity("episodeId", episode_id.as_str())?;
        let _alone = self.upkeep.lock_files();
        self.before_erasing()?;
        let _open = self.visit(project_id)?;
        let db = self.stores.episodes.open()?;
        let found = episodes::get(&*db.reader()?, episode_id)?;
        let (episode, draft) = found.ok_or_else(|| Error::not_found("episodeId", "episode"))?;
        if episode.project_id != *project_id {
            return Err(Error::scope_denied("episode"));
        }
        let mut erasure = self.asked(ErasureKind::Episode, episode_id.as_str(), Some(project_id), by);
        erasure.generation_id.clone_from(&episode.generation_id);
        let said = Sentences::from_texts(texts_of(&episode).chain([draft.as_str()]));
        // No verdict may record an episode meanwhile.
        let judging = self.traces.lock_verdicts();
        erasure.counts = {
            let reader = db.reader()?;
            ErasureTargets::from_erasures(&reader, std::slice::from_ref(&erasure))?.count(&reader)?
        };
        let also_in = self.also_in(&erasure, &said, outside)?;
        let ids = [episode_id.to_string()];
        self.upkeep.erasures.note_erased(&ids);
        let begun = self.stores.rules.open()?.write("begin an erasure", |tx| {
            erasures::upsert(tx, &erasure)?;
            deletions::insert(tx, deletions::EPISODE, episode_id.as_str(), Some(project_id), erasure.requested_at)
        });
        if let Err(error) = begun {
            self.upkeep.erasures.forget_erased(&ids);
            return Err(error);
        }
        Ok(self.after_intent(erasure, judging, also_in))
    }

    /// Deletes a rule and erases its words, as [`Engine::erase_episode`] does: in its history, its tombstone, runs,
    /// traces and the episodes that quote it because the writer called it wrong.
    ///
    /// # Errors
    /// As [`Engine::erase_episode`].
    pub fn erase_rule(&self, rule_id: &RuleId, by: &str, outside: CountOutside<'_>) -> Result<Changed<DeletedWords>> {
        validate::identity("requestedBy", by)?;
        validate::identity("ruleId", rule_id.as_str())?;
        let _alone = self.upkeep.lock_files();
        self.before_erasing()?;
        let (rules_db, episodes_db) = (self.stores.rules.open()?, self.stores.episodes.open()?);
        let (rule, texts) = {
            let reader = rules_db.reader()?;
            let rule = rules::get(&reader, rule_id)?.ok_or_else(|| Error::not_found("ruleId", "rule"))?;
            (rule, erasures::texts_of_rule(&reader, rule_id)?)
        };
        let _open = rule.project_id.as_ref().map(|id| self.visit(id)).transpose()?;
        let mut erasure = self.asked(ErasureKind::Rule, rule_id.as_str(), rule.project_id.as_ref(), by);
        let judging = self.traces.lock_verdicts();
        let (sought, places, remarks) = {
            let reader = episodes_db.reader()?;
            let sought = ErasureTargets::from_erasures(&reader, std::slice::from_ref(&erasure))?;
            let remarks: Vec<(EpisodeId, Option<ProjectId>)> = sought
                .present(&reader)?
                .into_iter()
                .map(|id| episodes::project_of(&reader, &id).map(|book| (id, book)))
                .collect::<Result<_>>()?;
            let places = sought.count(&reader)?;
            (sought, places, remarks)
        };
        let also_in = self.also_in(&erasure, &Sentences::from_texts(texts.iter().map(String::as_str)), outside)?;
        let erased_ids: Vec<String> =
            sought.episodes.into_iter().map(|id| id.to_string()).chain([rule_id.to_string()]).collect();
        self.upkeep.erasures.note_erased(&erased_ids);
        let now = erasure.requested_at;
        let begun = rules_db.write("begin an erasure", |tx| {
            let rule = rules::get(tx, rule_id)?.ok_or_else(|| Error::not_found("ruleId", "rule"))?;
            let rule = delete_with_tombstone(tx, rule, now, &*self.ids)?;
            update_conflicts(tx, rule.project_id.as_ref(), now, &*self.ids, false)?;
            let mut counts = erasures::count_in_rules(tx, rule_id)?;
            add_counts(&mut counts, places);
            for (remark, book) in &remarks {
                deletions::insert(tx, deletions::EPISODE, remark.as_str(), book.as_ref(), now)?;
            }
            erasures::erase_rule(tx, rule_id)?;
            erasures::upsert(tx, &Erasure { counts, ..erasure.clone() })?;
            Ok(counts)
        });
        erasure.counts = match begun {
            Ok(counts) => counts,
            Err(error) => {
                self.upkeep.erasures.forget_erased(&erased_ids);
                return Err(error);
            }
        };
        Ok(self.after_intent(erasure, judging, also_in))
    }

    /// Executes an erasure whose intent is committed. No verdict is recorded before the live files are done.
    fn after_intent(&self, erasure: Erasure, judging: MutexGuard<'_, ()>, also_in: AlsoIn) -> Changed<DeletedWords> {
        self.upkeep.erasures.begin(&erasure);
        self.upkeep.clearings.report(ClearingStep::Begun);
        let live = self.erase_live(&erasure);
        drop(judging);
        let ended = live.and_then(|()| self.carry_out_erasure(&erasure));
        erased(erasure, ended, also_in)
    }

    /// Executes the redaction of a journal entry or the deletion of an answer whose intent is committed; returns it as
    /// far as it has come.
    pub(super) fn after_erasure_intent(&self, erasure: &Erasure) -> Erasure {
        self.upkeep.erasures.begin(erasure);
        self.upkeep.clearings.report(ClearingStep::Begun);
        let ended = self.erase_live(erasure).and_then(|()| self.carry_out_erasure(erasure));
        ended.or_log("erase a journal entry or an answer").unwrap_or_else(|| erasure.clone())
    }

    /// All erasures, newest first: requester, time, counts.
    ///
    /// # Errors
    /// `MEMORY_STORE_UNAVAILABLE`.
    pub fn erasure_log(&self) -> Result<Vec<Erasure>> {
        erasures::list(&*self.stores.rules.open()?.reader()?)
    }

    /// Writes the intent to erase the names removed from a project's map, in the transaction that removes them.
    pub(super) fn ask_to_erase_names(&self, tx: &Tx<'_>, project_id: &ProjectId) -> Result<Erasure> {
        let erasure = self.asked(ErasureKind::Names, project_id.as_str(), Some(project_id), "writer");
        erasures::upsert(tx, &erasure)?;
        Ok(erasure)
    }

    pub(super) fn asked(
        &self,
        kind: ErasureKind,
        target_id: &str,
        project_id: Option<&ProjectId>,
        by: &str,
    ) -> Erasure {
        let now = self.clock.now();
        Erasure {
            erasure_id: self.ids.next(now),
            kind,
            target_id: target_id.to_owned(),
            project_id: project_id.cloned(),
            generation_id: None,
            requested_by: by.to_owned(),
            requested_at: now,
            finished_at: None,
            counts: WordCounts::default(),
        }
    }

    /// Earlier erasures are finished first, and a pending import comes in: its words are erased with the rest.
    pub(super) fn before_erasing(&self) -> Result<()> {
        self.nothing_is_cleared()?;
        self.finish_import()
    }

    /// Finishes interrupted erasures. For callers that hold `upkeep`. Returns whether there were any.
    pub(super) fn finish_erasures(&self) -> Result<bool> {
        self.upkeep.erasures.load_unfinished(&self.stores)?;
        let pending = self.upkeep.erasures.pending();
        let had_some = !pending.is_empty();
        for one in pending {
            // An erasure of the same project's names may have included this one.
            if self.upkeep.erasures.is_pending(&one.erasure.erasure_id) {
                self.carry_out_erasure(&one.erasure)?;
            }
        }
        Ok(had_some)
    }

    /// Runs the pending erasures of the live files: before they are exported. For callers that hold `upkeep`.
    pub(super) fn erase_from_live_files(&self) -> Result<()> {
        self.upkeep.erasures.load_unfinished(&self.stores)?;
        let pending = self.upkeep.erasures.pending();
        for one in pending.into_iter().filter(|one| !one.is_live_done) {
            self.erase_live(&one.erasure)?;
        }
        Ok(())
    }

    /// Runs from the intent to the end. Every step is idempotent.
    fn carry_out_erasure(&self, erasure: &Erasure) -> Result<Erasure> {
        if erasure.kind == ErasureKind::Names {
            return self.erase_names(erasure);
        }
        if !self.upkeep.erasures.is_live_done(&erasure.erasure_id) {
            self.erase_live(erasure)?;
        }
        let mut finished = Erasure { finished_at: Some(self.clock.now()), ..erasure.clone() };
        let rules_db = self.stores.rules.open()?;
        finished.counts.set_aside = remove_set_aside(&self.stores.rules.path_with_suffix(""))?;
        self.answer_audit.forget_key()?;
        self.remove_erased_copies(erasure.kind, erasure.project_id.as_ref())?;
        let one = std::slice::from_ref(&finished);
        let rules = self.stores.backups.rewrite(Schema::Rules, &|tx| {
            erasures::apply_to_rules(tx, one)?;
            erasures::upsert(tx, &finished)
        })?;
        let deleted = deletions::list(&*rules_db.reader()?)?;
        let episodes =
            self.stores.backups.rewrite(Schema::Episodes, &|tx| erasures::apply_to_copy(tx, one, &deleted))?;
        finished.counts.backups = [rules, episodes].iter().map(|done| done.rewritten + done.deleted).sum();
        self.upkeep.clearings.report(ClearingStep::BackupsCleared);
        rules_db.write("finish an erasure", |tx| erasures::upsert(tx, &finished))?;
        self.upkeep.erasures.end(&erasure.erasure_id);
        self.upkeep.clearings.report(ClearingStep::Finished);
        Ok(finished)
    }

    /// Copies the current map of a project into every backup, once the removed names are gone from the live file.
    fn erase_names(&self, erasure: &Erasure) -> Result<Erasure> {
        let project_id = &ProjectId::from(erasure.target_id.as_str());
        let all = self.upkeep.erasures.erasures_of_names(project_id);
        self.erase_live(erasure)?;
        let rules_db = self.stores.rules.open()?;
        let list = names::list_by_project(&*rules_db.reader()?)?.remove(project_id).unwrap_or_default();
        let now = Some(self.clock.now());
        let mut finished: Vec<Erasure> = all.into_iter().map(|one| Erasure { finished_at: now, ..one }).collect();
        let done = self.stores.backups.rewrite(Schema::Rules, &|tx| {
            names::replace(tx, project_id, &list)?;
            finished.iter().try_for_each(|one| erasures::upsert(tx, one))
        })?;
        for one in &mut finished {
            one.counts.backups = done.rewritten + done.deleted;
        }
        self.upkeep.clearings.report(ClearingStep::BackupsCleared);
        rules_db.write("finish erasures", |tx| finished.iter().try_for_each(|one| erasures::upsert(tx, one)))?;
        for one in &finished {
            self.upkeep.erasures.end(&one.erasure_id);
        }
        self.upkeep.clearings.report(ClearingStep::Finished);
        let own = finished.into_iter().find(|one| one.erasure_id == erasure.erasure_id);
        Ok(own.unwrap_or_else(|| Erasure { finished_at: now, ..erasure.clone() }))
    }

    fn erase_live(&self, erasure: &Erasure) -> Result<()> {
        if erasure.kind != ErasureKind::Names {
            let db = self.stores.episodes.open()?;
            let one = std::slice::from_ref(erasure);
            // The write comes before the traces are read: a trace that was begun before it is then among them.
            let (sought, removed_rows, present) = db.write("erase words of episodes", |tx| {
                let sought = ErasureTargets::from_erasures(tx, one)?;
                let present = sought.present(tx)?;
                let removed_rows = sought.delete_episodes(tx)?;
                words::set_purge(tx, Some(Purge::Wanted))?;
                Ok((sought, removed_rows, present))
            })?;
            self.retrieval.remove_rows(&removed_rows);
            let is_of_episodes = matches!(erasure.kind, ErasureKind::Episode | ErasureKind::Rule);
            for project_id in erasure.project_id.iter().filter(|_| is_of_episodes) {
                let project = self.known_project(project_id);
                for id in present.iter().chain([&erasure.target_id.as_str().into()]) {
                    self.working.remove(project_id, id.as_str());
                    if let Ok(project) = &project {
                        log_failure("remove evidence", self.remove_evidence(project, id));
                    }
                }
            }
            self.upkeep.clearings.report(ClearingStep::Erased);
            let held = sought.traces(&*db.reader()?)?;
            for some in held.chunks(MAX_TRACES_PER_STEP) {
                db.write("erase words of traces", |tx| {
                    some.iter().try_for_each(|(id, holding)| sought.erase_trace(tx, id, *holding))
                })?;
                self.upkeep.clearings.report(ClearingStep::Erased);
            }
            let mut more = db.write("purge the index", |tx| words::purge(tx, MAX_PAGES_PER_STEP, true))?;
            while more {
                self.upkeep.clearings.report(ClearingStep::WordsPurged);
                more = db.write("purge the index", |tx| words::purge(tx, MAX_PAGES_PER_STEP, false))?;
            }
            db.write_derived("purge the index", |tx| words::set_purge(tx, None))?;
            db.compact()?;
            self.upkeep.clearings.report(ClearingStep::EpisodesCompacted);
        }
        let rules_db = self.stores.rules.open()?;
        if erasure.kind != ErasureKind::Names {
            rules_db.write("erase words of rules", |tx| erasures::apply_to_rules(tx, std::slice::from_ref(erasure)))?;
        }
        rules_db.compact()?;
        self.upkeep.clearings.report(ClearingStep::RulesCompacted);
        self.upkeep.erasures.live_done(&erasure.erasure_id);
        Ok(())
    }

    /// A trace in the form that may be written: without words where one of its memories was erased while its prompt was
    /// assembled. To be called inside the transaction that writes it.
    pub(super) fn as_may_be_traced(&self, trace: &Trace) -> Trace {
        let mut trace = trace.clone();
        if self.upkeep.erasures.is_erased(&trace.references) {
            let Wordless { messages, references, cut } =
                erasures::without_words(trace.messages, trace.references, trace.cut);
            trace = Trace { messages, references, cut, blanked_at: Some(trace.created_at), ..trace };
        }
        trace
    }
}

fn texts_of(episode: &Episode) -> impl Iterator<Item = &str> {
    let more =
        [Some(&episode.input_context), Some(&episode.final_text), episode.explicit.as_ref(), episode.summary.as_ref()];
    episode.candidates.iter().chain(more.into_iter().flatten()).map(String::as_str)
}

fn add_counts(counts: &mut WordCounts, more: WordCounts) {
    counts.traces += more.traces;
    counts.notes += more.notes;
    counts.remarks += more.remarks;
    counts.rule_versions += more.rule_versions;
    counts.tombstones += more.tombstones;
    counts.run_changes += more.run_changes;
    counts.backups += more.backups;
    counts.set_aside += more.set_aside;
}

fn erased(erasure: Erasure, ended: Result<Erasure>, also_in: AlsoIn) -> Changed<DeletedWords> {
    let latest = ended.unwrap_or(erasure);
    let words = DeletedWords {
        everywhere: true,
        finished_at: latest.finished_at,
        places: latest.counts,
        also_in: Some(also_in),
    };
    Changed::new(words, latest.project_id, TOPICS)
}
