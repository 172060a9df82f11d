//! The study of a book: its state, its gaps and questions, and what it keeps. The decisions are those of
//! `palimpsest_knowledge`; a host calls the model and the tools.
//!
//! Invariant: the state is stored before its action, in one transaction with what the action before it has found. So a
//! kill repeats nothing that is counted, and keeps nothing twice.

mod changes;
mod commit;
mod comparing;
mod gaps;
mod prompts;
mod questions;
mod settings;

use palimpsest_knowledge::study::{Action, Book, Event, IDLE_MILLIS, Limits, Phase, State, StopReason, Work, next};

pub use self::{
    comparing::{ComparedPair, ComparedSentences, ComparisonPrompt},
    gaps::ChapterTitles,
    prompts::{StudyGapsPrompt, StudySummary},
    settings::StudyHost,
};

use super::{Engine, stores::Stores};
use crate::{
    error::{Code, Error, OrLog, Result},
    model::{Changed, ProjectId, QuestionId, RunStatus, StudyPhase, StudyState, StudyStopReason, Time, Topic},
    storage::{compared_pairs, journal, knowledge_settings::KnowledgeSettings, passages, runs, study as stored},
};

/// The surroundings of the study of a book, as its host knows them.
#[derive(Debug, Clone, Default)]
pub struct StudyAround {
    /// Whether the book is open.
    pub is_open: bool,
    /// The host of the model; `None` if no model is chosen.
    pub host: Option<String>,
    /// Start of the program: the writer counts as active then.
    pub started_at: Time,
    /// Whether the study of another book runs.
    pub is_other_running: bool,
}

/// A study after an event.
#[derive(Debug, Clone)]
pub struct AdvancedStudy {
    /// The next action of the host.
    pub action: Action,
    /// The state, for display.
    pub state: StudyState,
}

impl Engine {
    /// The progress of the study of a book.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, those of the stores.
    pub fn study_state(&self, project_id: &ProjectId) -> Result<StudyState> {
        let _open = self.visit(project_id)?;
        let settings = self.knowledge_settings(project_id)?;
        let text = stored::get(&*self.stores.episodes.open()?.reader()?, project_id)?;
        let mut state = state_of(text.as_deref());
        // A day without an event has used nothing.
        let day = self.clock.day();
        if state.day < day {
            state.day = day;
            (state.questions_today, state.explorations_today, state.comparisons_today) = (0, 0, 0);
        }
        Ok(shown_state(&state, &settings))
    }

    /// Applies an event to the study of a book: stores the state, and returns the next action. A question that fails is
    /// stored as failed in the same transaction. `jitter` belongs to [`Event::Failed`].
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, `MEMORY_STORE_UNAVAILABLE` while the book is cleared, those of the stores: nothing has
    /// changed then.
    pub fn advance_study(
        &self,
        project_id: &ProjectId,
        around: &StudyAround,
        event: &Event,
    ) -> Result<Changed<AdvancedStudy>> {
        let open = self.visit(project_id)?;
        let settings = self.knowledge_settings(project_id)?;
        let book = self.study_book(project_id, around, &settings)?;
        let (now, day) = (self.clock.now(), self.clock.day());
        let failure_id = self.new_id();
        let is_journal_kept = self.is_journal_kept(project_id);
        let sentences = match is_journal_kept {
            true => self.sentences_at_last_request(&open, &book.limits).or_log("look for compared sentences").flatten(),
            false => None,
        };
        let (state, action) = self.stores.episodes.open()?.write("advance a study", |tx| {
            let before = state_of(stored::get(tx, project_id)?.as_deref());
            let (state, action) = next(now.millis(), &day, &before, &book, event);
            if let Action::Fail { question, steps, kind } = &action {
                let failed = questions::FailedQuestion { project_id, question, steps: steps.len(), kind: *kind };
                let has_failed = questions::fail(tx, &failed, (&failure_id, now), (open.language, &book.hash))?;
                if has_failed && is_journal_kept {
                    journal::append(
                        tx,
                        &self.entry_of_failed_study((project_id, open.language), question, *kind, now),
                    )?;
                }
            }
            if let Action::GiveUpPair { pair } = &action {
                compared_pairs::upsert(tx, project_id, pair, &comparing::no_comparison(), now)?;
                if let Some(about) = &sentences {
                    journal::append(tx, &self.entry_of_comparison((project_id, open.language), about, None, now))?;
                }
            }
            if state != before {
                stored::upsert(tx, project_id, &state_json(&state)?, now)?;
            }
            Ok((state, action))
        })?;
        let advanced = AdvancedStudy { state: shown_state(&state, &settings), action };
        let mut topics = vec![Topic::Knowledge];
        match advanced.action {
            Action::Fail { .. } => topics.push(Topic::Journal),
            Action::GiveUpPair { .. } => topics.extend([Topic::Story, Topic::Journal]),
            _ => {}
        }
        Ok(Changed::new(advanced, Some(project_id.clone()), topics))
    }

    /// The question at work with its steps; `None` without one.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, those of the store.
    pub fn study_work(&self, project_id: &ProjectId) -> Result<Option<Work>> {
        let _open = self.visit(project_id)?;
        Ok(state_of(stored::get(&*self.stores.episodes.open()?.reader()?, project_id)?.as_deref()).work)
    }

    /// Whether the writer agreed to a study of the book: otherwise there is nothing to look at.
    ///
    /// # Errors
    /// Those of the store.
    pub fn is_studied(&self, project_id: &ProjectId) -> Result<bool> {
        Ok(self.knowledge_settings(project_id)?.agreed_host.is_some())
    }

    /// Whether a study is at work on a question: a run of distillation that is due waits for its end, as a study waits
    /// for that of a run.
    pub(super) fn is_studying(&self) -> bool {
        let states = || stored::states(&*self.stores.episodes.open()?.reader()?);
        let states: Option<Vec<String>> = states().or_log("look for studies");
        states.is_some_and(|states| states.iter().any(|text| state_of(Some(text)).phase.is_active()))
    }

    fn study_book(&self, project_id: &ProjectId, around: &StudyAround, settings: &KnowledgeSettings) -> Result<Book> {
        let is_agreed = settings.agreed_host.is_some() && settings.agreed_host == around.host;
        Ok(Book {
            limits: limits_of(settings),
            is_agreed: is_agreed || around.host.is_none() && settings.agreed_host.is_some(),
            is_on: settings.is_study_on,
            is_open: around.is_open,
            is_paused: self.is_learning_paused(),
            has_model: around.host.is_some(),
            is_idle: self.is_editor_idle(project_id, around.started_at),
            is_other_running: around.is_other_running || is_distilling(&self.stores),
            is_limit_reached: self.usage().requests_left() == Some(0),
            has_own_question: self.has_own_question(project_id)?,
            hash: self.book_hash(project_id)?,
        })
    }

    fn is_editor_idle(&self, project_id: &ProjectId, started_at: Time) -> bool {
        let active_at = self.learning.active_at(project_id).unwrap_or(started_at).max(started_at);
        self.clock.now().millis().saturating_sub(active_at.millis()) >= IDLE_MILLIS
    }

    /// Changes with the text of any analyzed chapter.
    fn book_hash(&self, project_id: &ProjectId) -> Result<String> {
        let db = self.stores.episodes.open()?;
        let chapters = passages::analyzed_chapters(&*db.reader()?, project_id, palimpsest_reader::passages::VERSION)?;
        let mut lines: Vec<String> = chapters.iter().map(|(id, hash)| format!("{id} {hash}")).collect();
        lines.sort_unstable();
        Ok(blake3::hash(lines.join("\n").as_bytes()).to_hex().to_string())
    }
}

/// Whether a run of distillation is under way: a study waits for it.
fn is_distilling(stores: &Stores) -> bool {
    let running = || runs::in_status(&*stores.rules.open()?.reader()?, RunStatus::Running);
    running().or_log("look for runs").is_some_and(|running| !running.is_empty())
}

fn limits_of(settings: &KnowledgeSettings) -> Limits {
    if settings.is_deep { Limits::deep() } else { Limits::default() }
}

fn state_of(text: Option<&str>) -> State {
    text.map(State::from_json).unwrap_or_default()
}

fn state_json(state: &State) -> Result<String> {
    state.to_json().map_err(|error| {
        Error::new(Code::StoreUnavailable, "the state of a study that cannot be stored").caused_by(error)
    })
}

/// The state of a study whose stored one cannot be read.
pub(super) fn idle_study(settings: &KnowledgeSettings) -> StudyState {
    shown_state(&State::default(), settings)
}

/// The state as the interface has it.
fn shown_state(state: &State, settings: &KnowledgeSettings) -> StudyState {
    let limits = limits_of(settings);
    let question = state.work.as_ref().and_then(|work| work.question.as_ref());
    StudyState {
        is_enabled: settings.is_study_on,
        is_deep: settings.is_deep,
        agreed_host: settings.agreed_host.clone(),
        current_phase: shown_phase(state.phase),
        stop_reason: state.stop_reason.map(shown_reason),
        question_id: question.map(|question| QuestionId::from(question.id.as_str())),
        question: question.map(|question| question.text.clone()),
        step: state.work.as_ref().map_or(0, |work| work.begun_steps),
        max_steps: limits.steps,
        consecutive_errors: state.consecutive_errors,
        last_error: state.last_error.clone(),
        backoff_until: state.back_off_until.map(Time::from_millis),
        questions_today: state.questions_today,
        max_questions: limits.questions_per_day,
        explorations_today: state.explorations_today,
        max_explorations: limits.explorations_per_day,
        comparisons_today: state.comparisons_today,
        max_comparisons: limits.comparisons_per_day,
        // Nothing else lets them wait without a reason to stop.
        is_comparison_waiting: state.is_comparing && state.phase == Phase::Idle && state.stop_reason.is_none(),
        last_reset_date: state.day.clone(),
        total_questions_explored: state.total_explored,
        version: settings.version,
    }
}

fn shown_phase(phase: Phase) -> StudyPhase {
    match phase {
        Phase::Idle => StudyPhase::Idle,
        Phase::Checking => StudyPhase::Checking,
        Phase::Comparing => StudyPhase::Comparing,
        Phase::GeneratingQuestion => StudyPhase::GeneratingQuestion,
        Phase::Exploring => StudyPhase::Exploring,
        Phase::Summarizing => StudyPhase::Summarizing,
        Phase::Committing => StudyPhase::Committing,
        Phase::BackingOff => StudyPhase::BackingOff,
        Phase::Stopped => StudyPhase::Stopped,
    }
}

fn shown_reason(reason: StopReason) -> StudyStopReason {
    match reason {
        StopReason::User => StudyStopReason::User,
        StopReason::NoKey => StudyStopReason::NoKey,
        StopReason::FullyLearned => StudyStopReason::FullyLearned,
        StopReason::Duplicates => StudyStopReason::Duplicates,
        StopReason::Quota => StudyStopReason::Quota,
        StopReason::Unchanged => StudyStopReason::Unchanged,
        StopReason::Error => StudyStopReason::Error,
        StopReason::NoModel => StudyStopReason::NoModel,
        StopReason::Paused => StudyStopReason::Paused,
        StopReason::BookClosed => StudyStopReason::BookClosed,
    }
}
