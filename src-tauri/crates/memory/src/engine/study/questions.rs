//! The questions of a study: taken, accepted from a model, failed, and tried again.

use std::collections::BTreeMap;

use palimpsest_knowledge::{
    failures::{self as rules, FailureKind},
    gaps::Gap,
    replies::{ProposedQuestion, check_questions},
    signature::{AskedQuestion, COMPARED_QUESTIONS, is_duplicate, question_signature},
    study::{Event, Question},
};
use palimpsest_text::{Language as TextLanguage, secrets::contains_secret};

use super::{
    ChapterTitles, StudyGapsPrompt,
    gaps::{gap_kind, question_type, template_signature, type_name},
};
use crate::{
    engine::{Engine, knowledge::pure_failure, knowledge::wire_status},
    error::{OrLog, Result},
    model::{
        ChapterId, Failure, FailureId, GapKind, Language, OperationType, ProjectId, QuestionId, QuestionState,
        QuestionType, StudyQuestion, Time,
    },
    storage::{
        Tx, answers, deletions, failures,
        questions::{self, StoredQuestion},
    },
};

/// Maximum number of failures that are looked at for a retry.
const RETRIED: u32 = 50;
/// Maximum number of stale records that are looked at, and of those of other programs that are asked again at once.
const MAX_STALE: u32 = 1_000;
const STALE_AT_ONCE: usize = 20;
/// Priority of the question of a stale record.
const STALE_PRIORITY: u8 = 9;
/// The name of the book's hash in the context of a failure: another one means that a chapter has changed.
const BOOK: &str = "book";
/// The name of the number of steps in the context of a failure.
const STEPS: &str = "steps";

/// A question that failed.
pub(super) struct FailedQuestion<'a> {
    pub(super) project_id: &'a ProjectId,
    pub(super) question: &'a Question,
    pub(super) steps: usize,
    pub(super) kind: FailureKind,
}

impl Engine {
    /// The questions in the queue and the gaps of a book. Questions that failed and may be tried again, and those of
    /// records whose cited text has changed, are put into the queue.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, those of the stores.
    pub fn check_study(
        &self,
        project_id: &ProjectId,
        (order, titles): (&[ChapterId], ChapterTitles<'_>),
    ) -> Result<Event> {
        let found = self.open_gaps(project_id, (order, titles))?;
        let _open = self.visit(project_id)?;
        let hash = self.book_hash(project_id)?;
        let now = self.clock.now();
        let new_ids: Vec<String> = (0..STALE_AT_ONCE).map(|_| self.new_id()).collect();
        let queued = self.stores.episodes.open()?.write("look for questions", |tx| {
            retry(tx, project_id, &hash, now)?;
            ask_stale_again(tx, project_id, &new_ids, now)?;
            questions::queued(tx, project_id, 1)
        })?;
        let pairs = self.waiting_pairs(project_id, order).or_log("look for pairs of sentences");
        let pair = pairs.and_then(|pairs| pairs.into_iter().next());
        Ok(Event::Checked { queued: queued.len(), open_gaps: found.open.len(), gaps: found.all, pair })
    }

    /// Whether a question of the writer's is to be asked.
    pub(super) fn has_own_question(&self, project_id: &ProjectId) -> Result<bool> {
        let db = self.stores.episodes.open()?;
        // The writer's own come first.
        let first = questions::queued(&*db.reader()?, project_id, 1)?;
        Ok(first.first().is_some_and(|one| one.question.gap.is_none()))
    }

    /// The first question of the queue; `None` if it is empty.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, those of the store.
    pub fn first_study_question(&self, project_id: &ProjectId) -> Result<Option<Question>> {
        let _open = self.visit(project_id)?;
        let db = self.stores.episodes.open()?;
        Ok(questions::queued(&*db.reader()?, project_id, 1)?.into_iter().next().map(as_question))
    }

    /// Puts the template of the first gap into the queue; the first question of the queue is returned, `None` without a
    /// gap.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, those of the stores.
    pub fn study_template(
        &self,
        project_id: &ProjectId,
        (order, titles): (&[ChapterId], ChapterTitles<'_>),
    ) -> Result<Option<Question>> {
        let found = self.open_gaps(project_id, (order, titles))?;
        let templates: Vec<ProposedQuestion> = found
            .open
            .iter()
            .enumerate()
            .take(1)
            .map(|(gap, of)| ProposedQuestion {
                gap,
                question: of.question(found.language),
                question_type: of.question_type().name().to_owned(),
                priority: of.priority,
            })
            .collect();
        self.put_questions(project_id, (&found.open, found.language), &templates)?;
        self.first_study_question(project_id)
    }

    /// Reads the questions of a model's reply, with names restored, and puts those that were not asked before into the
    /// queue. The event has the first question of the queue, or none if all had been asked. A reply without a readable
    /// question is stored as a failure, and the event refuses it.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, those of the stores.
    pub fn accept_study_questions(
        &self,
        project_id: &ProjectId,
        prompt: &StudyGapsPrompt,
        (reply, limit): (&str, usize),
    ) -> Result<Event> {
        let proposed = check_questions(reply, &prompt.gaps, prompt.language, limit);
        self.note_questions(project_id, prompt.language, proposed.as_ref().err().copied())?;
        let proposed = match proposed {
            Ok(proposed) => proposed,
            Err(kind) => return Ok(Event::Refused(kind)),
        };
        self.put_questions(project_id, (&prompt.gaps, prompt.language), &proposed)?;
        Ok(Event::Questions(self.first_study_question(project_id)?))
    }

    /// Notes that the model was asked for questions: that its reply was refused, or that an earlier failure is over.
    fn note_questions(
        &self,
        project_id: &ProjectId,
        language: TextLanguage,
        refused: Option<FailureKind>,
    ) -> Result<()> {
        let _open = self.visit(project_id)?;
        let (now, failure_id) = (self.clock.now(), self.new_id());
        let operation = match language {
            TextLanguage::Zh => "就书里的空白提问",
            TextLanguage::En => "ask about the gaps of the book",
        };
        let signature = question_signature(operation, &[]);
        let known = {
            let db = self.stores.episodes.open()?;
            failures::of_operation(&*db.reader()?, project_id, (OperationType::StudyQuestion, &signature))?
        };
        let failure = match (refused, known) {
            (None, None) => return Ok(()),
            (None, Some(known)) if known.status == wire_status(rules::FailureStatus::Recovered) => return Ok(()),
            (None, Some(known)) => {
                let after = rules::after_success(pure_failure(&known));
                Failure { status: wire_status(after.status), ..known }
            }
            (Some(kind), known) => {
                let after = known.as_ref().map_or_else(|| first_failure(now), |known| failed_again(known, now));
                Failure {
                    failure_id: known.map_or_else(|| FailureId::from(failure_id.as_str()), |known| known.failure_id),
                    project_id: project_id.clone(),
                    operation_type: OperationType::StudyQuestion,
                    operation: operation.to_owned(),
                    signature,
                    error: kind.name().to_owned(),
                    context: BTreeMap::new(),
                    failed_at: Time::from_millis(after.failed_at),
                    retry_count: after.retry_count,
                    status: wire_status(after.status),
                    avoid_strategy: Some(kind.avoid_strategy(language).to_owned()),
                }
            }
        };
        self.stores.episodes.open()?.write("note a request for questions", |tx| failures::upsert(tx, &failure))
    }

    fn put_questions(
        &self,
        project_id: &ProjectId,
        (gaps, language): (&[Gap], TextLanguage),
        proposed: &[ProposedQuestion],
    ) -> Result<()> {
        let _open = self.visit(project_id)?;
        let asked = {
            let db = self.stores.episodes.open()?;
            questions::latest_questions(
                &*db.reader()?,
                project_id,
                u32::try_from(COMPARED_QUESTIONS).unwrap_or(u32::MAX),
            )?
        };
        let vectors = self.question_vectors(&asked, proposed);
        let now = self.clock.now();
        let mut fresh = Vec::new();
        for (number, one) in proposed.iter().enumerate() {
            let Some(gap) = gaps.get(one.gap) else { continue };
            let ids: Vec<&str> = gap.entity_ids.iter().map(String::as_str).collect();
            let signature = question_signature(&one.question, &ids);
            let cosines = asked.iter().enumerate().map(|(at, earlier)| AskedQuestion {
                signature: &earlier.signature,
                cosine: cosine(&vectors, number, proposed.len() + at),
            });
            // The writer's own question names no entities.
            let same_words = question_signature(&one.question, &[]);
            let is_known = is_duplicate(&signature, &cosines.collect::<Vec<_>>())
                || asked.iter().any(|earlier| question_signature(&earlier.question.question, &[]) == same_words);
            let rules = self.stores.rules.open()?;
            let is_refused = deletions::is_question_deleted(&*rules.reader()?, project_id, &one.question)?;
            if !is_known && !is_refused && !contains_secret(&one.question) {
                fresh.push((one, gap, signature, self.new_id(), self.new_id()));
            }
        }
        self.stores.episodes.open()?.write("put questions into the queue", |tx| {
            let asked = questions::signatures(tx, project_id)?;
            for (one, gap, signature, id, template_id) in &fresh {
                let operation = (OperationType::StudyExploration, signature.as_str());
                let known = failures::of_operation(tx, project_id, operation)?;
                let has_failed =
                    rules::has_failed_before(&known.iter().map(pure_failure).collect::<Vec<_>>(), now.millis());
                if has_failed || asked.contains(signature) {
                    continue;
                }
                let question = StudyQuestion {
                    question_id: QuestionId::from(id.as_str()),
                    question: one.question.clone(),
                    question_type: type_of(one, gap),
                    gap: Some(gap_kind(gap)),
                    priority: one.priority,
                    state: QuestionState::Queued,
                    answer_id: None,
                    created_at: now,
                };
                insert(tx, project_id, question.clone(), signature.clone(), now)?;
                // The gap is asked about, in whatever words: a row without words marks its template as asked.
                let template = template_signature(gap, language);
                if template != *signature && !asked.contains(&template) {
                    let question_id = QuestionId::from(template_id.as_str());
                    let state = QuestionState::Dropped;
                    let marker = StudyQuestion { question_id, question: String::new(), state, ..question };
                    insert(tx, project_id, marker, template, now)?;
                }
            }
            Ok(())
        })
    }

    /// The vectors of new questions and of those that were asked; empty without an encoder.
    fn question_vectors(&self, asked: &[StoredQuestion], proposed: &[ProposedQuestion]) -> Vec<Option<Vec<f32>>> {
        let new = proposed.iter().map(|one| one.question.as_str());
        let texts: Vec<&str> = new.chain(asked.iter().map(|one| one.question.question.as_str())).collect();
        self.retrieval.vectors_of(&texts)
    }
}

/// The cosine of two unit vectors; `None` where one is missing.
fn cosine(vectors: &[Option<Vec<f32>>], one: usize, other: usize) -> Option<f32> {
    let (one, other) = (vectors.get(one)?.as_ref()?, vectors.get(other)?.as_ref()?);
    let product = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    let length = (product(one, one) * product(other, other)).sqrt();
    (length > 0.0).then(|| product(one, other) / length)
}

fn insert(tx: &Tx<'_>, project_id: &ProjectId, question: StudyQuestion, signature: String, now: Time) -> Result<()> {
    let stored = StoredQuestion { project_id: project_id.clone(), question, signature, updated_at: now };
    questions::upsert(tx, &stored)
}

/// A type that is not known is that of the gap.
fn type_of(one: &ProposedQuestion, gap: &Gap) -> QuestionType {
    question_type(&one.question_type)
        .or_else(|| question_type(gap.question_type().name()))
        .unwrap_or(QuestionType::Plot)
}

fn as_question(stored: StoredQuestion) -> Question {
    Question {
        id: stored.question.question_id.to_string(),
        text: stored.question.question,
        question_type: type_name(stored.question.question_type).to_owned(),
        signature: stored.signature,
        is_own: stored.question.gap.is_none(),
    }
}

/// Stores that a question failed, and returns whether it did: one that the writer has dropped in the meantime stays
/// dropped.
pub(super) fn fail(
    tx: &Tx<'_>,
    failed: &FailedQuestion<'_>,
    (failure_id, now): (&str, Time),
    (language, book_hash): (Language, &str),
) -> Result<bool> {
    let FailedQuestion { project_id, question, steps, kind } = failed;
    let Some(mut stored) = questions::get(tx, &QuestionId::from(question.id.as_str()))? else { return Ok(false) };
    if stored.question.state != QuestionState::Queued {
        return Ok(false);
    }
    let operation = (OperationType::StudyExploration, question.signature.as_str());
    let known = failures::of_operation(tx, project_id, operation)?;
    let after = known.as_ref().map_or_else(|| first_failure(now), |known| failed_again(known, now));
    let mut context = BTreeMap::from([(STEPS.to_owned(), steps.to_string())]);
    // Where the text has changed in the middle of it, it is asked again at once.
    if *kind != FailureKind::TextChanged {
        context.insert(BOOK.to_owned(), book_hash.to_owned());
    }
    failures::upsert(
        tx,
        &Failure {
            failure_id: known.map_or_else(|| FailureId::from(failure_id), |known| known.failure_id),
            project_id: (*project_id).clone(),
            operation_type: OperationType::StudyExploration,
            operation: stored.question.question.clone(),
            signature: question.signature.clone(),
            error: kind.name().to_owned(),
            context,
            failed_at: Time::from_millis(after.failed_at),
            retry_count: after.retry_count,
            status: wire_status(after.status),
            avoid_strategy: Some(kind.avoid_strategy(text_language(language)).to_owned()),
        },
    )?;
    (stored.question.state, stored.updated_at) = (QuestionState::Failed, now);
    questions::upsert(tx, &stored)?;
    Ok(true)
}

fn first_failure(now: Time) -> rules::Failure {
    rules::Failure { status: rules::FailureStatus::Pending, failed_at: now.millis(), retry_count: 0 }
}

fn failed_again(known: &Failure, now: Time) -> rules::Failure {
    rules::after_failure(pure_failure(known), now.millis())
}

/// Puts questions that failed and may be tried again into the queue.
fn retry(tx: &Tx<'_>, project_id: &ProjectId, book_hash: &str, now: Time) -> Result<()> {
    for failure in failures::open_ones(tx, project_id, RETRIED)? {
        let has_changed = failure.context.get(BOOK).is_none_or(|hash| hash != book_hash);
        let pure = pure_failure(&failure);
        let is_question = failure.operation_type == OperationType::StudyExploration;
        if !is_question || !rules::can_retry(&pure, has_changed, now.millis()) {
            continue;
        }
        let asked = questions::by_signature(tx, project_id, &failure.signature)?;
        let Some(mut stored) = asked.into_iter().find(|one| one.question.state == QuestionState::Failed) else {
            continue;
        };
        let begun = rules::begin_retry(pure);
        failures::upsert(
            tx,
            &Failure { status: wire_status(begun.status), retry_count: begun.retry_count, ..failure },
        )?;
        (stored.question.state, stored.updated_at) = (QuestionState::Queued, now);
        questions::upsert(tx, &stored)?;
    }
    Ok(())
}

/// Puts the questions of records whose cited text has changed into the queue. A record that was asked again has no
/// question of its own any more: the new record took it.
fn ask_stale_again(tx: &Tx<'_>, project_id: &ProjectId, new_ids: &[String], now: Time) -> Result<()> {
    let mut new_ids = new_ids.iter();
    for record in answers::stale_records(tx, project_id, MAX_STALE)? {
        let answer = record.answer;
        let again = |question: StudyQuestion| StudyQuestion {
            gap: Some(GapKind::StaleRecord),
            priority: STALE_PRIORITY,
            state: QuestionState::Queued,
            ..question
        };
        if let Some(asked) = questions::of_answer(tx, project_id, &answer.answer_id)? {
            if asked.question.state == QuestionState::Answered {
                questions::upsert(tx, &StoredQuestion { question: again(asked.question), updated_at: now, ..asked })?;
            }
            continue;
        }
        // Another program saved it, or a later record answers its question.
        let signature = question_signature(&answer.question, &[]);
        if answers::is_renewed(tx, project_id, &answer.answer_id)?
            || !questions::by_signature(tx, project_id, &signature)?.is_empty()
        {
            continue;
        }
        let Some(id) = new_ids.next() else { break };
        let question = StudyQuestion {
            question_id: QuestionId::from(id.as_str()),
            question: answer.question,
            question_type: answer.details.question_type.unwrap_or(QuestionType::Plot),
            gap: None,
            priority: STALE_PRIORITY,
            state: QuestionState::Queued,
            answer_id: Some(answer.answer_id),
            created_at: now,
        };
        insert(tx, project_id, again(question), signature, now)?;
    }
    Ok(())
}

/// Stores that a question was answered: its failure, if it had one, is recovered.
pub(super) fn recover(tx: &Tx<'_>, project_id: &ProjectId, question: &Question) -> Result<()> {
    let operation = (OperationType::StudyExploration, question.signature.as_str());
    if let Some(failure) = failures::of_operation(tx, project_id, operation)? {
        let after = rules::after_success(pure_failure(&failure));
        failures::upsert(tx, &Failure { status: wire_status(after.status), ..failure })?;
    }
    Ok(())
}

pub(super) fn text_language(language: Language) -> TextLanguage {
    match language {
        Language::Zh => TextLanguage::Zh,
        Language::En => TextLanguage::En,
    }
}
