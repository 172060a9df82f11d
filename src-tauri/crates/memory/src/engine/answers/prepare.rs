//! The start of a run: the answers that bear on its question, and the decision which of them it is given.
//!
//! The run is on disk before the prompt is handed out. A question that the engine asks itself starts with the answers
//! of this memory; those of a service are added while it runs.

use std::collections::BTreeSet;

use palimpsest_answers::{
    gate::{Match, Prepared, prepare_inject},
    standing::StandingRules,
};
use palimpsest_text::{excerpt, names::Search, questions::MatchKind};

use super::{
    checks::check_question,
    known_at::{is_answer_known_at, nearly_the_same},
    matches::{decided, handle, match_of, numbers_of},
    runs::MAX_RUN_MILLIS,
    search::{Found, Wanted, check_limits},
    service::ServiceFound,
    standing::with_posterior,
};
use crate::{
    context::{AnswerLine, answers_section},
    engine::{Engine, Visit, cards::check_known},
    error::Result,
    model::{
        Answer, AnswerMatch, AnswerRunState, ChapterId, InjectedAnswer, LeftOutAnswer, MatchDecision, PrepareAnswer,
        PreparedAnswer, ProjectId, Scope, ServiceMatches, Time,
    },
    retrieval::names::pairs,
    storage::{
        answer_events,
        answer_runs::{self, StoredMatch, StoredRun},
    },
};

/// The answers for a run, and the decisions on them.
struct FoundForRun {
    /// Those of this memory.
    found: Vec<Found>,
    prepared: Prepared,
    /// All of them as a run stores them.
    stored: Vec<StoredMatch>,
    service: Option<ServiceFound>,
    degraded_reason: Option<String>,
}

/// The start of a question that the engine asks itself.
pub(in crate::engine) struct StartedRun {
    /// The answers in its prompt, in their order.
    pub(in crate::engine) injected: Vec<InjectedAnswer>,
    /// The answer to the same question in the same words, if it may be shown.
    pub(in crate::engine) served: Option<Answer>,
    /// Answers to the same question or nearly the same, best first.
    pub(in crate::engine) nearly: Vec<AnswerMatch>,
    /// Why the search was less precise than possible.
    pub(in crate::engine) degraded_reason: Option<String>,
}

impl Engine {
    /// Finds the answers that bear on a question, decides which of them a run is given, and stores the run.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, `MEMORY_NOT_FOUND`, also for a position in no chapter of the book,
    /// `MEMORY_BACKPRESSURE`; `MEMORY_STORE_UNAVAILABLE`, also where the names to be hidden cannot be read: nothing may
    /// be sent then.
    pub fn prepare_answer(&self, args: &PrepareAnswer, order: &[ChapterId]) -> Result<PreparedAnswer> {
        let (open, run) = self.find_for_run(args, order, true)?;
        let query = args.query.trim();
        let config = self.answer_config_in_effect();
        let max_chars = config.prompt_inject.max_answer_chars;
        let FoundForRun { found, stored, .. } = &run;
        let shown: Vec<ShownWords<'_>> =
            stored.iter().filter(|one| one.handle.is_some()).filter_map(|one| shown_words(one, found)).collect();
        let (mut texts, mut shared): (Vec<&str>, Vec<&str>) = (vec![query], Vec::new());
        for one in &shown {
            let list = if one.is_of_all_books { &mut shared } else { &mut texts };
            list.extend([one.question, one.answer]);
        }
        let mask = self.mask_over(&args.project_id, &texts, &shared)?;
        let names_hidden = self.count_names_in(&args.project_id, &[texts, shared].concat())?;
        let hide = |one: &ShownWords<'_>, text: &str| {
            if one.is_of_all_books { mask.hide_shared(text) } else { mask.hide(text) }
        };
        let lines: Vec<AnswerLine> = shown
            .iter()
            .map(|one| AnswerLine {
                question: hide(one, one.question),
                answer: excerpt(&hide(one, one.answer), max_chars),
                level: one.matched.level,
                trust: f64::from(one.matched.trust_milli) / 1_000.0,
                is_on_trial: one.matched.decision == MatchDecision::Probation,
                is_of_service: one.matched.service.is_some(),
                has_meta: config.prompt_inject.include_meta_line,
            })
            .collect();
        let merged_prompt = answers_section(open.language, &lines, &mask.hide(query));

        let run_id = self.new_id();
        let acceptance = self.store_run(args, (&run_id, AnswerRunState::Prepared), &run)?;
        let served = served_of(&run.found, &run.prepared).map(|found| with_posterior(found.stored.clone(), acceptance));
        Ok(PreparedAnswer {
            run_id,
            injected: injected_answers(&run.stored),
            left_out: run
                .prepared
                .left_out
                .iter()
                .map(|(id, why)| LeftOutAnswer { answer_id: id.as_str().into(), why: why.as_str().to_owned() })
                .collect(),
            merged_prompt,
            names_hidden,
            served,
            nearly: nearly_the_same(query, run.found, acceptance),
            degraded: run.degraded_reason.is_some(),
            degraded_reason: run.degraded_reason,
            service: run.service.map(ServiceFound::into_matches),
        })
    }

    /// Finds the answers of this memory for a question that the engine asks itself, and stores its run under an id,
    /// unless `run` is `None`: then nothing is written. Its second part: whether the audit is noted later, with the
    /// answers of a service.
    ///
    /// # Errors
    /// Those of [`Engine::prepare_answer`].
    pub(in crate::engine) fn start_run(
        &self,
        args: &PrepareAnswer,
        order: &[ChapterId],
        run: Option<(&str, bool)>,
    ) -> Result<StartedRun> {
        let (_open, found) = self.find_for_run(args, order, false)?;
        let acceptance = match run {
            Some((run_id, true)) => {
                let (acceptance, expired) = self.store_unnoted_run(args, (run_id, AnswerRunState::Running), &found)?;
                self.answer_audit.note_runs(expired);
                acceptance
            }
            Some((run_id, false)) => self.store_run(args, (run_id, AnswerRunState::Running), &found)?,
            None => answer_events::acceptance(&*self.stores.episodes.open()?.reader()?, &args.project_id)?,
        };
        let served = served_of(&found.found, &found.prepared);
        Ok(StartedRun {
            injected: injected_answers(&found.stored),
            served: served.map(|found| with_posterior(found.stored.clone(), acceptance)),
            nearly: nearly_the_same(args.query.trim(), found.found, acceptance),
            degraded_reason: found.degraded_reason,
        })
    }

    /// Asks the connected service for answers to a question that is being answered, decides again over all answers, and
    /// stores that in its run; `None` where no service is asked, or the run is not under way any more.
    ///
    /// # Errors
    /// Those of [`Engine::prepare_answer`].
    pub(in crate::engine) fn add_answers_of_service(
        &self,
        args: &PrepareAnswer,
        order: &[ChapterId],
        run_id: &str,
    ) -> Result<Option<(Vec<InjectedAnswer>, ServiceMatches)>> {
        let (_open, run) = self.find_for_run(args, order, true)?;
        let FoundForRun { stored, service: Some(service), .. } = run else {
            self.answer_audit.note_runs(vec![run_id.to_owned()]);
            return Ok(None);
        };
        let is_under_way = self.stores.episodes.open()?.write("add the answers of a service to a run", |tx| {
            let is_running = |run: StoredRun| run.state == AnswerRunState::Running;
            if !answer_runs::get(tx, run_id)?.is_some_and(is_running) {
                return Ok(false);
            }
            answer_runs::replace_matches(tx, &args.project_id, run_id, &stored)?;
            Ok(true)
        })?;
        self.answer_audit.note_runs(vec![run_id.to_owned()]);
        Ok(is_under_way.then(|| (injected_answers(&stored), service.into_matches())))
    }

    /// Finds the answers that bear on a question, and decides which of them a run is given. A connected service is
    /// asked where `with_service`, and where the whole book may be known: what its answers rest on is not known here.
    fn find_for_run(
        &self,
        args: &PrepareAnswer,
        order: &[ChapterId],
        with_service: bool,
    ) -> Result<(Visit<'_>, FoundForRun)> {
        check_question("query", &args.query)?;
        let config = self.answer_config_in_effect();
        let (limit, min_score) = check_limits(args.limit, args.min_score, &config.memory)?;
        check_known(args.at.as_ref(), order)?;
        let open = self.visit(&args.project_id)?;
        let wanted = Wanted {
            project_id: &args.project_id,
            query: args.query.trim(),
            limit,
            min_score,
            kinds: &[],
            min_level: 0,
            with_blocked: true,
        };
        let (mut found, degraded_reason) =
            if config.memory.enabled { self.find_answers(&wanted)? } else { (Vec::new(), None) };
        if let Some(at) = &args.at {
            found.retain(|found| is_answer_known_at(&found.stored.answer, at, order));
        }
        let is_service_asked = with_service && args.at.is_none() && config.memory.enabled;
        let (open, service) =
            if is_service_asked { self.find_in_service(open, &wanted, &mut found)? } else { (open, None) };
        let max_chars = config.prompt_inject.max_answer_chars;
        let of_service = service.iter().flat_map(|service| service.stored_matches(max_chars));
        let measured: Vec<StoredMatch> = found.iter().map(numbers_of).chain(of_service).collect();
        let matches: Vec<Match> = measured.iter().map(match_of).collect();
        let prepared = prepare_inject(&matches, &config, self.clock.now().millis());
        let stored = decided(measured, &prepared);
        Ok((open, FoundForRun { found, prepared, stored, service, degraded_reason }))
    }

    /// Stores a run with the answers that it found; returns the share of validations in the book that passed.
    fn store_run(
        &self,
        args: &PrepareAnswer,
        (run_id, state): (&str, AnswerRunState),
        found: &FoundForRun,
    ) -> Result<(u32, u32)> {
        let (acceptance, mut noted) = self.store_unnoted_run(args, (run_id, state), found)?;
        noted.push(run_id.to_owned());
        self.answer_audit.note_runs(noted);
        Ok(acceptance)
    }

    /// Stores a run as [`Engine::store_run`] does, without a note for the audit; returns the share, and the ids of the
    /// runs that expired.
    fn store_unnoted_run(
        &self,
        args: &PrepareAnswer,
        (run_id, state): (&str, AnswerRunState),
        found: &FoundForRun,
    ) -> Result<((u32, u32), Vec<String>)> {
        let now = self.clock.now();
        let run = StoredRun {
            run_id: run_id.to_owned(),
            project_id: args.project_id.clone(),
            query: args.query.trim().to_owned(),
            kind: args.kind,
            state,
            prepared_at: now,
            ended_at: None,
            outcome_hash: None,
            completed: None,
        };
        let rules = StandingRules::from(&self.answer_config_in_effect().gatekeeper);
        self.stores.episodes.open()?.write("prepare a run", |tx| {
            let ended = answer_runs::expire(tx, Time::from_millis(now.millis().saturating_sub(MAX_RUN_MILLIS)))?;
            answer_runs::insert(tx, &run, &found.stored)?;
            self.note_reasked((tx, rules), &found.found, now)?;
            Ok((answer_events::acceptance(tx, &args.project_id)?, ended))
        })
    }

    /// Number of hidden names of a book that are in these texts.
    fn count_names_in(&self, project_id: &ProjectId, texts: &[&str]) -> Result<u32> {
        let search = Search::new(&pairs(&self.names_of(project_id)?));
        let found: BTreeSet<usize> = texts.iter().flat_map(|text| search.pairs_in(text)).collect();
        Ok(u32::try_from(found.len()).unwrap_or(u32::MAX))
    }
}

/// The words of an answer in a prompt, before names are hidden.
struct ShownWords<'a> {
    matched: &'a StoredMatch,
    question: &'a str,
    answer: &'a str,
    /// Whether it is promoted: it may have names of other books in it.
    is_of_all_books: bool,
}

fn shown_words<'a>(matched: &'a StoredMatch, found: &'a [Found]) -> Option<ShownWords<'a>> {
    let (question, answer, is_of_all_books) = match &matched.words {
        Some((question, answer)) => (question, answer, false),
        None => {
            let own = found.iter().find(|found| found.stored.answer.answer_id == matched.answer_id)?;
            let Answer { question, answer, scope, .. } = &own.stored.answer;
            (question, answer, *scope == Scope::Global)
        }
    };
    Some(ShownWords { matched, question, answer, is_of_all_books })
}

/// The answer to the same question in the same words, if the gate lets it be shown.
fn served_of<'a>(found: &'a [Found], prepared: &Prepared) -> Option<&'a Found> {
    let is_served = |found: &&Found| {
        let answer_id = found.stored.answer.answer_id.as_str();
        found.question.kind == MatchKind::Exact && prepared.injected.iter().any(|id| id == answer_id)
    };
    found.iter().find(is_served)
}

/// The answers in the prompt, in its order.
fn injected_answers(found: &[StoredMatch]) -> Vec<InjectedAnswer> {
    let injected = |one: &StoredMatch| {
        Some(InjectedAnswer {
            answer_id: one.answer_id.clone(),
            handle: handle(one.handle?),
            is_probation: one.decision == MatchDecision::Probation,
            is_of_service: one.service.is_some(),
        })
    };
    found.iter().filter_map(injected).collect()
}
