//! The questions of a study: listed, added by the writer, and dropped.

use palimpsest_knowledge::signature::question_signature;

use crate::{
    engine::Engine,
    error::{Code, Error, Result},
    model::{
        AddQuestion, Changed, ChapterId, ProjectId, QuestionArguments, QuestionId, QuestionList, QuestionState,
        QuestionType, StudyQuestion, Topic,
    },
    storage::questions::{self, StoredQuestion},
    validate,
};

/// Maximum characters of a question.
const QUESTION_CHARS: usize = 2_000;
/// Maximum number of questions of a book that are still to be asked.
const MAX_QUEUED: u32 = 1_000;
/// Maximum number of other questions of a list.
const MAX_SETTLED: u32 = 200;
/// The urgency of a question of the writer's.
const HIGHEST_PRIORITY: u8 = 10;

impl Engine {
    /// The questions of a book: those to be asked in their order, then the others.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, those of the store.
    pub fn study_questions(&self, project_id: &ProjectId) -> Result<QuestionList> {
        let _open = self.visit(project_id)?;
        let db = self.stores.episodes.open()?;
        let reader = db.reader()?;
        let reader = reader.snapshot()?;
        let mut found = questions::queued(&reader, project_id, MAX_QUEUED)?;
        found.extend(questions::settled(&reader, project_id, MAX_SETTLED)?);
        Ok(QuestionList { questions: found.into_iter().map(|stored| stored.question).collect() })
    }

    /// Adds a question of the writer's, which is asked next. The same one that is still to be asked is returned as it
    /// is. A question that was dropped or refused may be asked again: it is the writer who wants it.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, `MEMORY_NOT_FOUND`, `MEMORY_CAPACITY_EXCEEDED`, those of the store.
    pub fn add_question(&self, args: &AddQuestion, order: &[ChapterId]) -> Result<Changed<StudyQuestion>> {
        super::check_study_question("question", &args.question, QUESTION_CHARS)?;
        let _open = self.visit(&args.project_id)?;
        let words = args.question.trim();
        let known = self.known_entities(&args.project_id, order);
        let ids: Vec<&str> = known.named_in(words).iter().map(|entity| entity.entity_id.as_str()).collect();
        let signature = question_signature(words, &ids);
        let now = self.clock.now();
        let question_id = QuestionId::from(self.ids.next(now));
        let question = self.stores.episodes.open()?.write("add a question", |tx| {
            let same = questions::by_signature(tx, &args.project_id, &signature)?;
            let is_waiting =
                |one: &StoredQuestion| one.question.state == QuestionState::Queued && one.question.gap.is_none();
            if let Some(same) = same.into_iter().find(is_waiting) {
                return Ok(same.question);
            }
            if questions::queued(tx, &args.project_id, MAX_QUEUED)?.len() >= MAX_QUEUED as usize {
                return Err(Error::new(Code::CapacityExceeded, format!("{MAX_QUEUED} questions are to be asked")));
            }
            let question = StudyQuestion {
                question_id: question_id.clone(),
                question: words.to_owned(),
                question_type: args.question_type.unwrap_or(QuestionType::Plot),
                gap: None,
                priority: HIGHEST_PRIORITY,
                state: QuestionState::Queued,
                answer_id: None,
                created_at: now,
            };
            let (project_id, signature) = (args.project_id.clone(), signature.clone());
            questions::upsert(
                tx,
                &StoredQuestion { project_id, question: question.clone(), signature, updated_at: now },
            )?;
            Ok(question)
        })?;
        Ok(Changed::new(question, Some(args.project_id.clone()), [Topic::Knowledge]))
    }

    /// Drops a question: it is not asked.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT` for one that is answered; `MEMORY_NOT_FOUND`, `MEMORY_SCOPE_DENIED`, those of the
    /// store.
    pub fn drop_question(&self, args: &QuestionArguments) -> Result<Changed<QuestionList>> {
        validate::identity("questionId", args.question_id.as_str())?;
        let now = self.clock.now();
        {
            let _open = self.visit(&args.project_id)?;
            self.stores.episodes.open()?.write("drop a question", |tx| {
                let stored = questions::get(tx, &args.question_id)?;
                let mut stored = stored.ok_or_else(|| Error::not_found("questionId", "question"))?;
                if stored.project_id != args.project_id {
                    return Err(Error::scope_denied("question"));
                }
                if stored.question.state == QuestionState::Answered {
                    return Err(Error::invalid("questionId", "is answered: its record can be refused"));
                }
                stored.question.state = QuestionState::Dropped;
                stored.updated_at = now;
                questions::upsert(tx, &stored)
            })?;
        }
        let questions = self.study_questions(&args.project_id)?;
        Ok(Changed::new(questions, Some(args.project_id.clone()), [Topic::Knowledge]))
    }
}
