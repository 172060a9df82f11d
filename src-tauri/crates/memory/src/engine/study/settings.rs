//! The writer's agreement to a study, and its estimate.

use palimpsest_knowledge::prompts::SHOWN_QUESTIONS;
use palimpsest_text::tokens;

use super::{ChapterTitles, gaps, limits_of};
use crate::{
    context::DEFAULT_BUDGET,
    engine::Engine,
    error::{Error, OrLog, Result},
    model::{Changed, ChapterId, ProjectId, SetStudy, StudyEstimate, StudyState, Topic},
    storage::{
        knowledge_settings::{self, KnowledgeSettings},
        passages,
    },
};

/// Number of gaps in an estimate.
const SHOWN_GAPS: usize = 10;
/// Tokens of the replies of one question, about: the steps are short.
const STEP_REPLY_TOKENS: u32 = 120;
/// Tokens of the reply with questions, and of a summary, about.
const LONG_REPLY_TOKENS: u32 = 1_000;
/// Tokens of a comparison of two long sentences with its reply, at most.
const COMPARISON_TOKENS: u32 = 2_500;
/// Tokens of a line with an earlier question, about.
const QUESTION_LINE_TOKENS: u32 = 40;

/// The model of a study.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StudyHost {
    /// Name of the model.
    pub model: String,
    /// Host and port.
    pub host: String,
    /// Whether that is this machine.
    pub is_local: bool,
    /// Maximum tokens of a prompt.
    pub prompt_tokens: u32,
}

impl Engine {
    /// Switches the study of a book on or off. `host` is that of the chosen model.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT` where it is switched on without an agreement to that host, `MEMORY_NOT_FOUND`,
    /// `MEMORY_STALE_VERSION`, those of the stores.
    pub fn set_study(&self, args: &SetStudy, host: Option<&str>) -> Result<Changed<StudyState>> {
        if args.is_enabled && (host.is_none() || args.agreed_host.as_deref() != host) {
            return Err(Error::invalid("agreedHost", "is not the host of the model"));
        }
        {
            let _open = self.visit(&args.project_id)?;
            let now = self.clock.now();
            self.stores.rules.open()?.write("set a study", |tx| {
                let stored = knowledge_settings::get(tx, &args.project_id)?;
                if stored.version != args.version {
                    return Err(Error::stale_version(stored.version));
                }
                let is_new = stored.version == 0;
                let changed = KnowledgeSettings {
                    is_study_on: args.is_enabled,
                    is_deep: args.is_deep.unwrap_or(stored.is_deep),
                    agreed_host: args.agreed_host.clone().filter(|_| args.is_enabled).or(stored.agreed_host.clone()),
                    agreed_at: if args.is_enabled { Some(now) } else { stored.agreed_at },
                    version: stored.version.saturating_add(1),
                    created_at: if is_new { now } else { stored.created_at },
                    updated_at: now,
                    ..stored
                };
                knowledge_settings::upsert(tx, &args.project_id, &changed)
            })?;
        }
        let state = self.study_state(&args.project_id)?;
        Ok(Changed::new(state, Some(args.project_id.clone()), [Topic::Knowledge]))
    }

    /// The cost of studying a book, at most. Without a model it has the gaps alone.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, those of the stores.
    pub fn study_estimate(
        &self,
        project_id: &ProjectId,
        (order, titles): (&[ChapterId], ChapterTitles<'_>),
        model: Option<&StudyHost>,
    ) -> Result<StudyEstimate> {
        let found = self.open_gaps(project_id, (order, titles))?;
        let open = self.visit(project_id)?;
        let limits = limits_of(&self.knowledge_settings(project_id)?);
        let passages = passages::count(&*self.stores.episodes.open()?.reader()?, project_id)?;
        let budget = model.map_or(DEFAULT_BUDGET, |model| model.prompt_tokens);
        let question_lines = found.open.iter().take(SHOWN_GAPS).map(|gap| tokens::count(&gap.question(found.language)));
        let question_lines = u32::try_from(question_lines.sum::<usize>()).unwrap_or(u32::MAX);
        let shown = u32::try_from(SHOWN_QUESTIONS).unwrap_or(u32::MAX);
        let generating = question_lines + 2 * shown * QUESTION_LINE_TOKENS + LONG_REPLY_TOKENS;
        // A prompt has the whole exploration, and no more than the model reads.
        let prompt = budget.min(limits.tokens);
        let exploring = limits.steps * (prompt + STEP_REPLY_TOKENS);
        let summary = limits.summaries * (prompt + LONG_REPLY_TOKENS);
        let requests = 1 + limits.steps + limits.summaries;
        let pairs = self.waiting_pairs(project_id, order).or_log("look for pairs of sentences").unwrap_or_default();
        let tokens_per_question = generating + exploring + summary;
        Ok(StudyEstimate {
            model: model.map(|model| model.model.clone()),
            host: model.map(|model| model.host.clone()),
            is_local: model.is_some_and(|model| model.is_local),
            gaps: u32::try_from(found.open.len()).unwrap_or(u32::MAX),
            top_gaps: found.open.iter().take(SHOWN_GAPS).map(|gap| gaps::shown_gap(gap, found.language)).collect(),
            pairs: u32::try_from(pairs.len()).unwrap_or(u32::MAX),
            requests_per_question: requests,
            tokens_per_question,
            requests_per_day: requests.saturating_mul(limits.questions_per_day) + limits.comparisons_per_day,
            tokens_per_day: tokens_per_question
                .saturating_mul(limits.questions_per_day)
                .saturating_add(limits.comparisons_per_day * COMPARISON_TOKENS),
            passages,
            names_hidden: !self.names_of(&open.project_id)?.is_empty(),
        })
    }
}
