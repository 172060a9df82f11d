//! Import into `episodes.db`: episodes are admitted like recorded ones, and traces are checked against their hashes.

use std::collections::{BTreeSet, HashMap, hash_map::Entry};

use rusqlite::types::Value as Stored;

use palimpsest_text::edit;

use palimpsest_answers::standing::StandingRules;

use super::{
    Tally, Verdict,
    owners::Owners,
    reading::{Lines, Numbered, other_project_error, refusal},
    rules::Carried,
};
use crate::{
    engine::{
        answers::{MAX_ANSWERS, fold_events, question_key_of},
        traces::prompt_hash,
    },
    episodic::{
        evict::{self, Cited},
        limits::LIMITS,
        record,
    },
    error::Result,
    model::{
        AnswerId, ChapterId, CutItem, EpisodeId, GenerationId, ImplicitSignal, JournalEntryId, Language, MemoryWeight,
        ProjectId, Reason, Reference, ReferenceKind, StoreFile, Time,
    },
    ports::Message,
    storage::{
        Tx, answer_citations, answer_events, answers, episode_counts, episodes, evidence, influences, journal,
        lines::Line,
        origins, traces,
        words::{self, Purge},
    },
};

/// Tolerance for the sum of shares, which is one.
const ROUNDING: f64 = 1e-6;

/// An import transaction of `episodes.db`.
struct EpisodesImport<'a> {
    tx: &'a Tx<'a>,
    rules: StandingRules,
    now: Time,
    carried: &'a Carried,
    /// The project of each generation.
    generations: Owners<GenerationId>,
    /// Called only where the capacity is reached.
    cited: &'a dyn Fn(&ProjectId) -> Cited,
    /// Row ids that were deleted or reused.
    removed_rows: Vec<i64>,
    /// Whether a chapter had marks before.
    marked: HashMap<(ProjectId, ChapterId), bool>,
    drafted: BTreeSet<ProjectId>,
    /// Answers that the file has brought, or brought up to date.
    new_answers: BTreeSet<AnswerId>,
    /// Answers whose standing is to be folded again.
    judged: BTreeSet<AnswerId>,
}

/// Imports the lines that belong into `episodes.db`; returns the deleted row ids.
///
/// # Errors
/// As for those of `rules.db`.
pub(super) fn import_lines(
    tx: &Tx<'_>,
    lines: &mut Lines,
    tally: &mut Tally,
    carried: &Carried,
    cited: &dyn Fn(&ProjectId) -> Cited,
    (now, rules): (Time, StandingRules),
) -> Result<Vec<i64>> {
    let mut taking = EpisodesImport {
        tx,
        rules,
        now,
        carried,
        generations: Owners::from_pairs(traces::owners(tx)?),
        cited,
        removed_rows: Vec::new(),
        marked: HashMap::new(),
        drafted: BTreeSet::new(),
        new_answers: BTreeSet::new(),
        judged: BTreeSet::new(),
    };
    for claim in &carried.claims {
        if episodes::project_of(tx, &claim.episode)?.is_some_and(|of| of != claim.project) {
            return Err(other_project_error(claim.number));
        }
    }
    taking.delete_episodes()?;
    for (id, project) in &carried.redacted {
        if journal::get(tx, id)?.is_some_and(|here| Some(here.project_id) == *project) {
            taking.removed_rows.extend(journal::redact(tx, id)?);
        }
    }
    for (id, project) in &carried.deleted_answers {
        if answers::project_of(tx, id)?.is_some_and(|here| Some(here) == *project) {
            taking.removed_rows.extend(answers::delete_as_writer(tx, id)?);
            words::set_purge(tx, Some(Purge::Wanted))?;
        }
    }
    while let Some(one) = lines.next()? {
        if one.line.kind().file == StoreFile::Episodes {
            let verdict = taking.import_line(&one)?;
            tally.add(one.line.kind(), verdict);
        }
    }
    for project in &taking.drafted {
        influences::trim(tx, project)?;
    }
    taking.judge_answers()?;
    Ok(taking.removed_rows)
}

impl EpisodesImport<'_> {
    /// Episodes that the writer deleted elsewhere are deleted here too.
    fn delete_episodes(&mut self) -> Result<()> {
        for id in &self.carried.deleted {
            let found = episodes::get(self.tx, id)?;
            self.removed_rows.extend(episodes::delete_as_writer(self.tx, id)?);
            let Some((episode, _)) = found else { continue };
            evidence::note_deleted(self.tx, &episode.project_id, id)?;
            words::set_purge(self.tx, Some(Purge::Wanted))?;
        }
        Ok(())
    }

    fn import_line(&mut self, one: &Numbered) -> Result<Verdict> {
        if let Some(generation) = one.line.text("generation_id") {
            self.generations.claim(one, generation.into())?;
        }
        match one.line.kind().name {
            "episode" => self.import_episode(one),
            "features" => self.import_features(one),
            "skillUse" => self.import_skill_use(one),
            "trace" => self.import_trace(one),
            "traceFeedback" => self.import_feedback(one),
            "influence" => self.import_influence(one),
            "draft" => self.import_draft(one),
            "origin" => self.import_origin(one),
            "followed" => self.import_followed(one),
            "journalEntry" => self.import_journal_entry(one),
            "answer" => self.import_answer(one),
            "answerCitation" => self.import_answer_citation(one),
            "answerEvent" => self.import_answer_event(one),
            "question" => self.import_question(one),
            _ => self.insert_if_new(one),
        }
    }

    fn insert_if_new(&self, one: &Numbered) -> Result<Verdict> {
        let verdict = super::compare_with_stored(self.tx, one)?;
        if verdict == Verdict::New {
            one.line.kind().insert(self.tx, &one.line, &[])?;
        }
        Ok(verdict)
    }

    fn import_episode(&mut self, one: &Numbered) -> Result<Verdict> {
        let line = &one.line;
        let (Some(id), Some(project)) = (line.text("id"), line.project()) else { return Ok(Verdict::LeftOut) };
        let id = &EpisodeId::from(id);
        if self.carried.episodes.get(id).is_some_and(|of| *of != project) {
            return Err(other_project_error(one.number));
        }
        if self.carried.deleted.contains(id) {
            return Ok(Verdict::LeftOut);
        }
        let verdict = super::compare_with_stored(self.tx, one)?;
        if verdict == Verdict::New {
            is_computed(one)?;
            return self.admit(one, &project);
        }
        let here = line.kind().find(self.tx, line)?.and_then(|here| here.number("version"));
        match here.cmp(&line.number("version")) {
            std::cmp::Ordering::Greater => Ok(Verdict::LeftOut),
            std::cmp::Ordering::Equal => Ok(verdict),
            std::cmp::Ordering::Less => {
                is_computed(one)?;
                line.kind().replace(self.tx, line)?;
                let row = episodes::row_of(self.tx, id)?;
                if let Some(row) = row {
                    episodes::reindex(self.tx, &project, id, row)?;
                }
                self.removed_rows.extend(row);
                Ok(Verdict::Newer)
            }
        }
    }

    /// Adds an episode and evicts others where needed, as when recording.
    fn admit(&mut self, one: &Numbered, project: &ProjectId) -> Result<Verdict> {
        let counts = episode_counts::counts(self.tx, project)?;
        if one.line.number("compressed") == Some(1) {
            if counts.compressed >= LIMITS.hard_compressed {
                return Ok(Verdict::LeftOut);
            }
        } else if counts.active >= LIMITS.hard_active {
            let language = self.carried.languages.get(project).copied().unwrap_or(Language::Zh);
            let cited = (self.cited)(project);
            let removed_rows = evict::make_room(self.tx, project, language, &LIMITS, &cited, self.now)?;
            self.removed_rows.extend(removed_rows);
        }
        one.line.kind().insert(self.tx, &one.line, &[])?;
        Ok(Verdict::New)
    }

    /// Features of the texts that a summary replaced.
    fn import_features(&self, one: &Numbered) -> Result<Verdict> {
        let Some((episode, _)) = episodes::get(self.tx, &one.line.text("episode_id").unwrap_or_default().into())?
        else {
            return Ok(Verdict::LeftOut);
        };
        if Some(episode.project_id) != one.line.project() {
            return Err(other_project_error(one.number));
        }
        if episode.compressed { self.insert_if_new(one) } else { Ok(Verdict::LeftOut) }
    }

    /// The use count of a skill becomes the larger of both.
    fn import_skill_use(&self, one: &Numbered) -> Result<Verdict> {
        let here = one.line.kind().find(self.tx, &one.line)?.and_then(|here| here.number("uses"));
        match here.cmp(&one.line.number("uses")) {
            _ if here.is_none() => self.insert_if_new(one),
            std::cmp::Ordering::Less => {
                one.line.kind().replace(self.tx, &one.line)?;
                Ok(Verdict::Newer)
            }
            std::cmp::Ordering::Equal => Ok(Verdict::Same),
            std::cmp::Ordering::Greater => Ok(Verdict::LeftOut),
        }
    }

    fn import_trace(&self, one: &Numbered) -> Result<Verdict> {
        let references: Vec<Reference> = one.line.record("refs").unwrap_or_default();
        for reference in references {
            match reference.kind {
                ReferenceKind::Rule => {
                    self.carried.rules.check_access(
                        one.number,
                        &reference.id.as_str().into(),
                        one.line.project().as_ref(),
                    )?;
                }
                ReferenceKind::Episode => self.is_own(one, &reference.id.as_str().into())?,
                ReferenceKind::Working
                | ReferenceKind::Entity
                | ReferenceKind::Passage
                | ReferenceKind::Answer
                | ReferenceKind::Entry => {}
            }
        }
        let messages: Vec<Message> = one.line.record("messages").unwrap_or_default();
        if one.line.number("blanked_at").is_some() {
            // The hash is that of the erased text.
            if !is_wordless(&messages, one) {
                return Err(refusal(one.number, Reason::BadValue, Some("blanked_at")));
            }
        } else if one.line.text("prompt_hash") != Some(prompt_hash(&messages).as_str()) {
            return Err(refusal(one.number, Reason::BadValue, Some("prompt_hash")));
        }
        let verdict = super::compare_with_stored(self.tx, one)?;
        if verdict == Verdict::New {
            let seal = Stored::Text(traces::seal_of_line(&one.line));
            one.line.kind().insert(self.tx, &one.line, &[("seal", seal)])?;
        }
        Ok(verdict)
    }

    /// Whether the trace of a line exists here.
    fn has_trace(&self, one: &Numbered) -> Result<bool> {
        Ok(traces::project_of(self.tx, &one.line.text("generation_id").unwrap_or_default().into())?.is_some())
    }

    fn import_feedback(&self, one: &Numbered) -> Result<Verdict> {
        if !self.has_trace(one)? {
            return Ok(Verdict::LeftOut);
        }
        if let Some(episode) = one.line.text("episode_id") {
            self.is_own(one, &episode.into())?;
        }
        let verdict = self.insert_if_new(one)?;
        let here = one.line.kind().find(self.tx, &one.line)?.and_then(|here| here.number("at"));
        if verdict == Verdict::Conflicting && here < one.line.number("at") {
            // The writer's last verdict.
            one.line.kind().replace(self.tx, &one.line)?;
            return Ok(Verdict::Newer);
        }
        Ok(verdict)
    }

    fn import_influence(&self, one: &Numbered) -> Result<Verdict> {
        let generation = one.line.text("generation_id").unwrap_or_default();
        let Some(references) = traces::references(self.tx, &generation.into())? else { return Ok(Verdict::LeftOut) };
        let weights: Vec<MemoryWeight> = one.line.record("weights").unwrap_or_default();
        let total: f64 = weights.iter().map(|one| one.weight).sum::<f64>() + one.line.real("remainder").unwrap_or(0.0);
        // Shares of one total, of memories that were in the prompt.
        let is_share = |one: &MemoryWeight| {
            (0.0..=1.0).contains(&one.weight)
                && references.iter().any(|reference| reference.reference_id == one.reference_id)
        };
        if !weights.iter().all(is_share) || (total - 1.0).abs() > ROUNDING {
            return Err(refusal(one.number, Reason::BadValue, Some("weights")));
        }
        let verdict = super::compare_with_stored(self.tx, one)?;
        if verdict == Verdict::New
            && let Some(seal) = influences::seal_of_line(self.tx, &one.line)?
        {
            one.line.kind().insert(self.tx, &one.line, &[("seal", Stored::Text(seal))])?;
        }
        Ok(verdict)
    }

    /// Whether drafts followed a rule that the project may refer to.
    fn import_followed(&self, one: &Numbered) -> Result<Verdict> {
        let rule = one.line.text("rule_id").unwrap_or_default();
        if !self.carried.rules.check_access(one.number, &rule.into(), one.line.project().as_ref())? {
            return Ok(Verdict::LeftOut);
        }
        self.insert_if_new(one)
    }

    /// An entry comes behind those that are here. One that is redacted here, or there, stays or becomes empty.
    fn import_journal_entry(&mut self, one: &Numbered) -> Result<Verdict> {
        let line = &one.line;
        let (Some(id), Some(project)) = (line.text("entry_id"), line.project()) else { return Ok(Verdict::LeftOut) };
        let (content, salt) = (line.text("content").unwrap_or_default(), line.bytes("salt").unwrap_or_default());
        let is_redacted = content.is_empty() && salt.is_empty();
        let has_own_hash = line.bytes("content_hash") == Some(&journal::content_hash(salt, content)[..]);
        if content.is_empty() != salt.is_empty() || !(is_redacted || has_own_hash) {
            return Err(refusal(one.number, Reason::BadValue, Some("content_hash")));
        }
        if let Some(of) = line.text("ref_id") {
            self.is_own(one, &of.into())?;
        }
        let id = JournalEntryId::from(id);
        if let Some(here) = journal::get(self.tx, &id)? {
            if here.project_id != project {
                return Err(other_project_error(one.number));
            }
            let is_same = super::compare_with_stored(self.tx, one)? == Verdict::Same;
            return Ok(if is_same { Verdict::Same } else { Verdict::LeftOut });
        }
        let deleted = line.text("ref_id").is_some_and(|of| self.carried.deleted.contains(&of.into()));
        if !is_redacted && (deleted || self.carried.redacted.contains_key(&id)) {
            return Ok(Verdict::LeftOut);
        }
        let chain = journal::chain_of_line(line, &journal::last_chain(self.tx, &project)?);
        line.kind().insert(self.tx, line, &[("chain", Stored::Blob(chain.to_vec()))])?;
        Ok(Verdict::New)
    }

    /// An answer with its texts. Its standing is folded from its events, once they are all here.
    fn import_answer(&mut self, one: &Numbered) -> Result<Verdict> {
        let line = &one.line;
        let (Some(id), Some(project)) = (line.text("answer_id"), line.project()) else { return Ok(Verdict::LeftOut) };
        let id = AnswerId::from(id);
        if self.carried.deleted_answers.contains_key(&id) {
            return Ok(Verdict::LeftOut);
        }
        if answers::project_of(self.tx, &id)?.is_some_and(|of| of != project) {
            return Err(other_project_error(one.number));
        }
        let verdict = super::compare_with_stored(self.tx, one)?;
        let here = line.kind().find(self.tx, line)?.and_then(|here| here.number("version"));
        let is_newer = verdict != Verdict::New && here < line.number("version");
        if verdict != Verdict::New && !is_newer {
            return Ok(if verdict == Verdict::Same { Verdict::Same } else { Verdict::LeftOut });
        }
        let key = question_key_of(&project, line.text("question").unwrap_or_default());
        if is_newer {
            line.kind().replace(self.tx, line)?;
            answers::set_question_key(self.tx, &id, &key)?;
            self.removed_rows.extend(answers::reindex(self.tx, &project, &id)?);
            answer_citations::delete_citations(self.tx, &project, &id)?;
        } else {
            if answers::count(self.tx, &project)? >= MAX_ANSWERS {
                return Ok(Verdict::LeftOut);
            }
            let created_at = line.number("created_at").unwrap_or_default();
            line.kind().insert(self.tx, line, &answers::derived_columns(&key, Time::from_millis(created_at)))?;
        }
        self.new_answers.insert(id.clone());
        self.judged.insert(id);
        Ok(if is_newer { Verdict::Newer } else { Verdict::New })
    }

    /// The citations of an answer come with it, or not at all.
    fn import_answer_citation(&mut self, one: &Numbered) -> Result<Verdict> {
        let id = AnswerId::from(one.line.text("answer_id").unwrap_or_default());
        if one.line.number("range_from") >= one.line.number("range_to") {
            return Err(refusal(one.number, Reason::BadValue, Some("range_to")));
        }
        match answers::project_of(self.tx, &id)? {
            None => Ok(Verdict::LeftOut),
            Some(of) if Some(&of) != one.line.project().as_ref() => Err(other_project_error(one.number)),
            Some(_) if self.new_answers.contains(&id) => self.insert_if_new(one),
            Some(_) => {
                let is_same = super::compare_with_stored(self.tx, one)? == Verdict::Same;
                Ok(if is_same { Verdict::Same } else { Verdict::LeftOut })
            }
        }
    }

    fn import_answer_event(&mut self, one: &Numbered) -> Result<Verdict> {
        let id = AnswerId::from(one.line.text("answer_id").unwrap_or_default());
        match answers::project_of(self.tx, &id)? {
            None => return Ok(Verdict::LeftOut),
            Some(of) if Some(&of) != one.line.project().as_ref() => return Err(other_project_error(one.number)),
            Some(_) => {}
        }
        let verdict = self.insert_if_new(one)?;
        if verdict == Verdict::New {
            self.judged.insert(id);
        }
        Ok(if verdict == Verdict::Conflicting { Verdict::LeftOut } else { verdict })
    }

    /// A question of the study. One whose answer the writer deleted here is not asked again.
    fn import_question(&self, one: &Numbered) -> Result<Verdict> {
        if let Some(here) = one.line.kind().find(self.tx, &one.line)?
            && here.project() != one.line.project()
        {
            return Err(other_project_error(one.number));
        }
        let is_deleted = |id| self.carried.deleted_answers.contains_key(&AnswerId::from(id));
        if one.line.text("answer_id").is_some_and(is_deleted) {
            return Ok(Verdict::LeftOut);
        }
        let verdict = self.insert_if_new(one)?;
        Ok(if verdict == Verdict::Conflicting { Verdict::LeftOut } else { verdict })
    }

    fn judge_answers(&self) -> Result<()> {
        let mut projects = BTreeSet::new();
        for id in &self.judged {
            let Some(mut stored) = answers::get(self.tx, id)? else { continue };
            let events = answer_events::list(self.tx, &stored.answer.project_id, id)?;
            fold_events(&mut stored, &events, self.rules);
            answers::update(self.tx, &stored)?;
            projects.insert(stored.answer.project_id);
        }
        projects.iter().try_for_each(|project| answer_citations::update_staleness(self.tx, project))
    }

    /// The episode in a line belongs to the line's project, as far as is known.
    fn is_own(&self, one: &Numbered, episode: &EpisodeId) -> Result<()> {
        let here = episodes::project_of(self.tx, episode)?;
        let of = here.as_ref().or_else(|| self.carried.episodes.get(episode));
        if of.is_some_and(|of| Some(of) != one.line.project().as_ref()) {
            Err(other_project_error(one.number))
        } else {
            Ok(())
        }
    }

    fn import_draft(&mut self, one: &Numbered) -> Result<Verdict> {
        let verdict = self.insert_if_new(one)?;
        if verdict == Verdict::New {
            self.drafted.extend(one.line.project());
        }
        Ok(verdict)
    }

    /// The marks of a chapter are imported together or not at all.
    fn import_origin(&mut self, one: &Numbered) -> Result<Verdict> {
        let text = |column: &str| one.line.text(column).unwrap_or_default().to_owned();
        if one.line.number("range_from") >= one.line.number("range_to") {
            return Err(super::reading::refusal(one.number, Reason::BadValue, Some("range_to")));
        }
        let (project, chapter) = (ProjectId::from(text("project_id")), ChapterId::from(text("chapter_id")));
        let marked = match self.marked.entry((project.clone(), chapter.clone())) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(unknown) => *unknown.insert(!origins::list(self.tx, &project, &chapter)?.is_empty()),
        };
        let verdict = super::compare_with_stored(self.tx, one)?;
        match verdict {
            Verdict::New if marked => Ok(Verdict::Conflicting),
            _ => self.insert_if_new(one),
        }
    }
}

/// Whether a trace whose words were erased contains none.
fn is_wordless(messages: &[Message], one: &Numbered) -> bool {
    let references: Vec<Reference> = one.line.record("refs").unwrap_or_default();
    let cut: Vec<CutItem> = one.line.record("cut").unwrap_or_default();
    messages.iter().all(|message| message.content.is_empty())
        && references.iter().all(|reference| reference.text.is_empty())
        && cut.iter().all(|item| item.text.is_empty())
}

/// Computed values are verified: the edit distance and the implicit signal.
fn is_computed(one: &Numbered) -> Result<()> {
    let line = &one.line;
    let signal: Option<ImplicitSignal> = line.named("implicit");
    let distance = line.real("edit_distance");
    let read = |distance| signal == Some(record::implicit_signal(Some(distance)));
    if distance.is_some_and(|distance| !read(distance)) && signal != Some(ImplicitSignal::DelayedNegative) {
        return Err(refusal(one.number, Reason::BadValue, Some("implicit")));
    }
    // A summary has no texts to compute it from.
    if line.number("compressed") == Some(1) { Ok(()) } else { is_distance(one.number, line, distance) }
}

fn is_distance(number: u32, line: &Line, distance: Option<f64>) -> Result<()> {
    let candidates: Vec<String> = line.record("candidates").unwrap_or_default();
    let chosen =
        line.number("selected_index").and_then(|at| usize::try_from(at).ok()).and_then(|at| candidates.get(at));
    let written = line.text("final_text").unwrap_or_default();
    // Compared exactly: it is the same computation.
    if chosen.map(|chosen| edit::distance(chosen, written)) == distance {
        Ok(())
    } else {
        Err(refusal(number, Reason::BadValue, Some("edit_distance")))
    }
}
