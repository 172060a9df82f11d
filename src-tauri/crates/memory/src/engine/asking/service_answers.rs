//! The kept answers that a question is given: those of this memory at its start, and those of a team's service, which
//! is asked while the question is under way.

use crate::{
    context::{AnswerLine, AskedAnswer},
    engine::{
        Engine,
        knowledge::{RecordWords, words_of_record},
    },
    error::{OrLog, Result},
    model::{
        Answer, AnswerArguments, AnswerOrigin, ChapterId, DegradedCode, InjectedAnswer, Language, PrepareAnswer, Scope,
        ServiceMatch, ServiceMatches,
    },
};

use super::{Inquiry, prompt::pick};

/// A question for the answer service. It is independent of its inquiry, which can end while the service is slow.
pub struct ServiceRequest {
    prepare: PrepareAnswer,
    order: Vec<ChapterId>,
    run_id: String,
}

/// The answers of the service and of this memory for a question.
pub struct ServiceAnswers {
    injected: Vec<InjectedAnswer>,
    service: ServiceMatches,
}

impl Inquiry {
    /// The request to the answer service, once; `None` where none is to be asked.
    pub fn take_service_request(&mut self) -> Option<ServiceRequest> {
        if !std::mem::take(&mut self.is_service_due) || !self.is_stored {
            return None;
        }
        Some(ServiceRequest { prepare: self.preparation(), order: self.order.clone(), run_id: self.run_id.clone() })
    }

    /// The search for the answers of the run.
    pub(super) fn preparation(&self) -> PrepareAnswer {
        PrepareAnswer {
            project_id: self.project_id.clone(),
            query: self.question_about.clone(),
            kind: self.kind,
            limit: None,
            min_score: None,
            at: self.at.clone(),
        }
    }
}

impl Engine {
    /// Asks the answer service for a question, and stores in its run which answers it is given; `None` where no service
    /// is connected, or the question has ended. Waits for the service.
    ///
    /// # Errors
    /// Those of [`Engine::prepare_answer`].
    pub fn ask_answer_service(&self, request: &ServiceRequest) -> Result<Option<ServiceAnswers>> {
        let ServiceRequest { prepare, order, run_id } = request;
        let added = self.add_answers_of_service(prepare, order, run_id)?;
        Ok(added.map(|(injected, service)| ServiceAnswers { injected, service }))
    }

    /// Gives a question the answers of the service, in place of those that it had.
    pub fn take_service_answers(&self, inquiry: &mut Inquiry, found: &ServiceAnswers) {
        if found.service.reason.is_some() {
            inquiry.note_service_failure();
        }
        inquiry.answers.clear();
        self.give_answers(inquiry, &found.injected, &found.service.matches);
    }

    /// Gives a question these answers, each with its mark.
    pub(super) fn give_answers(&self, inquiry: &mut Inquiry, injected: &[InjectedAnswer], of_service: &[ServiceMatch]) {
        for (injected, mark) in injected.iter().zip(1_u32..) {
            if let Some(found) = of_service.iter().find(|one| one.answer_id == injected.answer_id) {
                inquiry.answers.push(service_answer(found, mark, injected.is_probation));
                continue;
            }
            let given =
                AnswerArguments { project_id: inquiry.project_id.clone(), answer_id: injected.answer_id.clone() };
            if let Some(answer) = self.answer(&given).or_log("read an answer of a run") {
                let asked = asked_answer(inquiry.language, &answer, Some(mark), injected.is_probation, None);
                inquiry.answers.extend(asked);
            }
        }
    }
}

impl Inquiry {
    /// Notes that the answer service did not serve.
    pub fn note_service_failure(&mut self) {
        let why = "the answer service was not reached, or refused";
        self.degrade(DegradedCode::AnswerServiceUnavailable, why.to_owned());
    }
}

/// An answer as a prompt has it. A learning record that the writer has not kept comes with its quotes in place of its
/// answer; `None` if it has none.
pub(super) fn asked_answer(
    language: Language,
    answer: &Answer,
    mark: Option<u32>,
    is_on_trial: bool,
    score: Option<f64>,
) -> Option<AskedAnswer> {
    let words = match answer.origin {
        AnswerOrigin::Studied => match words_of_record(answer)? {
            RecordWords::Answer(words) => words,
            RecordWords::Quotes(quotes) => pick(language, "书里写到：", "The book says: ") + &quotes,
        },
        _ => answer.answer.clone(),
    };
    Some(AskedAnswer {
        id: answer.answer_id.to_string(),
        version: answer.version,
        mark,
        line: AnswerLine {
            question: answer.question.clone(),
            answer: words,
            level: answer.validation_level,
            trust: answer.trust,
            is_on_trial,
            is_of_service: false,
            has_meta: true,
        },
        is_of_all_books: answer.scope == Scope::Global,
        score,
    })
}

/// An answer of a team's service as a prompt has it.
fn service_answer(found: &ServiceMatch, mark: u32, is_on_trial: bool) -> AskedAnswer {
    AskedAnswer {
        id: found.answer_id.to_string(),
        version: 1,
        mark: Some(mark),
        line: AnswerLine {
            question: found.question.clone(),
            answer: found.answer.clone(),
            level: found.validation_level,
            trust: found.trust,
            is_on_trial,
            is_of_service: true,
            has_meta: true,
        },
        is_of_all_books: false,
        score: Some(found.score),
    }
}
