//! The end of an inquiry in the memory: hits, validations, the candidate and the journal entry, in one transaction.

use std::collections::BTreeMap;

use palimpsest_answers::marks::without_marks;
use palimpsest_asking::tools::ToolCall;
use palimpsest_text::{excerpt, secrets::redact_secrets};

use super::{Inquiry, QuotedPassage, history::around_question, prompt::pick};
use crate::{
    engine::{
        Engine,
        answers::{
            OwnQuestion, ReadChapter,
            known_at::{AS_OF_CHAPTER, AS_OF_OFFSET},
        },
        traces::NewTrace,
    },
    error::{Code, Error, OrLog, Result},
    model::{
        Answer, AnswerArguments, AnswerDetails, AnswerOutcome, AssembleRequest, AssembledContext, Changed,
        CitationDraft, CompleteAnswer, ExplorationStep, JournalKind, Language, RunEnd, Time, ToolUse, Topic, Trace,
        WordedBy,
    },
    ports::ModelInfo,
    storage::journal::NewEntry,
    validate,
};

/// The skill of the trace of a question.
pub const ASK_SKILL: &str = "ask";
/// Maximum characters of the question, and of the answer, in an entry of the journal.
const ENTRY_CHARS: (usize, usize) = (300, 500);
/// Maximum characters of the name of a tool.
const MAX_TOOL_CHARS: usize = 90;
/// Maximum number of citations of an answer.
const MAX_CITATIONS: usize = 8;

/// A verified statement of an answer.
#[derive(Debug, Clone)]
pub struct CitedStatement {
    /// Its words, with names restored and without marks.
    pub text: String,
    /// The passages that it rests on.
    pub passages: Vec<QuotedPassage>,
}

/// The end of a run as its caller saw it.
#[derive(Debug, Clone)]
pub struct InquiryEnd {
    /// How it ended; anything but [`RunEnd::Itself`] and [`RunEnd::AfterResult`] keeps nothing.
    pub ended_by: RunEnd,
    /// The exit code of a program; 0 for a model that wrote its answer. Any other keeps nothing, and the answers that
    /// were used are validated as those of a run that failed.
    pub exit_code: i32,
    /// The end of what a program wrote about its errors; empty for a model.
    pub error_tail: String,
    /// The words to keep, with names restored and without marks and statements that could not be verified.
    pub answer: String,
    /// The words of the model with names restored and with all marks.
    pub words: String,
    /// The prompt with names restored: a line of it in `words` is an echo.
    pub prompt: String,
    /// The passages of the verified statements, in their order.
    pub citations: Vec<QuotedPassage>,
    /// The verified statements, in their order.
    pub statements: Vec<CitedStatement>,
    /// The calls of tools, and whether they worked.
    pub tools: Vec<(ToolCall, bool)>,
    /// The tools that a program used, and whether they worked.
    pub program_tools: Vec<(String, bool)>,
    /// Whether the model found nothing in the book that says so.
    pub not_in_book: bool,
    /// Whether no model was asked: the citations are the passages that were shown.
    pub is_book_alone: bool,
}

/// The outcome of an inquiry in the memory.
#[derive(Debug, Clone)]
pub struct EndedInquiry {
    /// The new answer, if one was kept.
    pub kept: Option<Answer>,
    /// Why none was, each in one word of the gatekeeper.
    pub why_not: Vec<String>,
}

impl Engine {
    /// Writes the trace of the prompt that a question is answered with. Its id is that of the run. `is_again`: a
    /// shorter prompt is sent in place of the one that was traced, and nothing was written yet.
    ///
    /// # Errors
    /// `MEMORY_STORE_UNAVAILABLE` after a clearing of the book; those of the store.
    pub fn begin_inquiry_trace(
        &self,
        inquiry: &Inquiry,
        context: &AssembledContext,
        (provider, seed): (ModelInfo, u32),
        is_again: bool,
    ) -> Result<Changed<Trace>> {
        // No clearing comes between this and the trace.
        let _open = self.visit(&inquiry.project_id)?;
        if !self.is_inquiry_open(inquiry)? {
            return Err(Error::new(Code::StoreUnavailable, "the memory of the book was cleared"));
        }
        let chapter = inquiry.searched_chapters().last().cloned().unwrap_or_else(|| "".into());
        let mut request = AssembleRequest::new(inquiry.project_id.clone(), chapter, ASK_SKILL, "");
        request.instruction = Some(inquiry.question.clone());
        let trace = NewTrace { request: &request, context, provider, seed };
        let generation_id = inquiry.run_id.as_str().into();
        if is_again {
            self.begin_trace_again(&generation_id, trace)
        } else {
            self.begin_trace_as(generation_id, trace, None)
        }
    }

    /// Ends an inquiry. Once; an inquiry that is not stored leaves nothing.
    ///
    /// # Errors
    /// Those of [`Engine::complete_answer`]: nothing is stored then.
    pub fn end_inquiry(
        &self,
        inquiry: &Inquiry,
        end: &InquiryEnd,
        read: ReadChapter<'_>,
    ) -> Result<Changed<EndedInquiry>> {
        if !inquiry.is_stored {
            let why_not = vec!["unstored".to_owned()];
            return Ok(Changed::new(EndedInquiry { kept: None, why_not }, Some(inquiry.project_id.clone()), []));
        }
        let draft = |cited: &QuotedPassage| CitationDraft {
            chapter_id: cited.chapter_id.clone(),
            from: cited.from,
            quote: cited.quote.clone(),
        };
        let citations: Vec<CitationDraft> = end.citations.iter().take(MAX_CITATIONS).map(draft).collect();
        let outcome = AnswerOutcome {
            exit_code: end.exit_code,
            ended_by: end.ended_by,
            answer: end.answer.clone(),
            tools: tool_uses(end),
            output_tail: String::new(),
            error_tail: end.error_tail.clone(),
            citations,
            details: details_of(inquiry, end, self.clock.now()),
            basis: if end.not_in_book { inquiry.searched_chapters().to_vec() } else { Vec::new() },
            not_in_book: end.not_in_book,
        };
        let args = CompleteAnswer { project_id: inquiry.project_id.clone(), run_id: inquiry.run_id.clone(), outcome };
        let entry = |kept: Option<&str>| self.entry_of(inquiry, kept, &|| entry_words(inquiry, end));
        let question = OwnQuestion {
            entry: &entry,
            is_fresh: inquiry.is_fresh,
            words: &end.words,
            prompt: &end.prompt,
            statements: &end.statements,
        };
        let completed = self.complete_run(&args, &inquiry.order, read, Some(&question))?;
        let kept = completed.value.candidate_id.clone().and_then(|answer_id| {
            let kept = self.answer(&AnswerArguments { project_id: inquiry.project_id.clone(), answer_id });
            kept.or_log("read the answer of a question")
        });
        let ended = EndedInquiry { kept, why_not: completed.value.why_not };
        Ok(Changed::new(ended, Some(inquiry.project_id.clone()), [Topic::Answers, Topic::Journal]))
    }

    /// Ends an inquiry that a kept answer answered: a hit of that answer, and an entry of the journal.
    ///
    /// # Errors
    /// Those of the store: nothing is stored then.
    pub fn end_served(&self, inquiry: &Inquiry, served: &Answer) -> Result<Changed<()>> {
        let entry = self.entry_of(inquiry, Some(served.answer_id.as_str()), &|| served_words(inquiry, served));
        self.complete_served((&inquiry.project_id, &inquiry.run_id), &served.answer_id, entry.as_ref())?;
        Ok(Changed::new((), Some(inquiry.project_id.clone()), [Topic::Answers, Topic::Journal]))
    }

    /// The entry of the journal about a question; `None` where no journal is kept.
    fn entry_of(&self, inquiry: &Inquiry, kept: Option<&str>, words: &dyn Fn() -> String) -> Option<NewEntry> {
        if !self.is_journal_kept(&inquiry.project_id) {
            return None;
        }
        let now = self.clock.now();
        Some(NewEntry {
            id: self.ids.next(now).into(),
            project_id: inquiry.project_id.clone(),
            at: now,
            kind: JournalKind::Ask,
            ref_id: Some(kept.unwrap_or(&inquiry.run_id).to_owned()),
            content: words(),
            worded_by: WordedBy::Template,
            salt: self.salt(now),
        })
    }
}

/// The uses of tools by their names, which are cut to the length that is stored.
fn tool_uses(end: &InquiryEnd) -> Vec<ToolUse> {
    let own = end.tools.iter().map(|(call, ok)| (call.tool().name(), *ok));
    let of_program = end.program_tools.iter().map(|(name, ok)| (name.as_str(), *ok));
    let named = |name: &str| {
        let cut = excerpt(name, MAX_TOOL_CHARS);
        // A program may send any text as a name, and a refused one would lose the answer.
        if validate::line("tools", &cut, MAX_TOOL_CHARS + 1).is_ok() { cut } else { "tool".to_owned() }
    };
    own.chain(of_program).map(|(name, ok)| ToolUse { name: named(name), ok }).collect()
}

/// The rest of the record of an answer: how far the book was known, and the steps.
fn details_of(inquiry: &Inquiry, end: &InquiryEnd, now: Time) -> AnswerDetails {
    let mut metadata = BTreeMap::new();
    if let Some(at) = &inquiry.asked_at {
        metadata.insert(AS_OF_CHAPTER.to_owned(), at.chapter_id.to_string());
        metadata.insert(AS_OF_OFFSET.to_owned(), at.offset.to_string());
    }
    let step = |(call, ok): &(ToolCall, bool)| ExplorationStep {
        tool_name: call.tool().name().to_owned(),
        parameters: BTreeMap::from([("subject".to_owned(), call.subject())]),
        result_summary: if *ok { "ok" } else { "failed" }.to_owned(),
        timestamp: now,
    };
    AnswerDetails { exploration_path: end.tools.iter().take(100).map(step).collect(), metadata, ..Default::default() }
}

/// A text in one line of the journal, without secrets.
fn in_one_line(text: &str, chars: usize) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    excerpt(&redact_secrets(&text), chars)
}

/// The beginning of an entry about a question.
pub(super) fn asked_words(language: Language, question: &str) -> String {
    let (open, close) = around_question(language);
    format!("{open}{}{close}", in_one_line(question, ENTRY_CHARS.0))
}

/// One line on a question that a kept answer answered.
fn served_words(inquiry: &Inquiry, served: &Answer) -> String {
    let (answer, day) = (in_one_line(&served.answer, ENTRY_CHARS.1), served.created_at.day());
    let outcome = match inquiry.language {
        Language::Zh => format!("用了 {day} 记下的答案：“{answer}”。"),
        Language::En => format!(" Answered with the answer kept on {day}: “{answer}”."),
    };
    asked_words(inquiry.language, &inquiry.question) + &outcome
}

/// One line on a question and its answer.
fn entry_words(inquiry: &Inquiry, end: &InquiryEnd) -> String {
    let language = inquiry.language;
    // A mark has a meaning in its own prompt alone.
    let answer = in_one_line(&without_marks(&end.answer), ENTRY_CHARS.1);
    let mut chapters: Vec<u32> = end.citations.iter().map(|cited| inquiry.chapter_number(&cited.chapter_id)).collect();
    chapters.sort_unstable();
    chapters.dedup();
    let listed: Vec<String> = chapters.iter().map(ToString::to_string).collect();
    let outcome = match end.ended_by {
        _ if end.is_book_alone => match (language, listed.is_empty()) {
            (Language::Zh, true) => "没有问模型，书里也没有找到。".to_owned(),
            (Language::Zh, false) => format!("没有问模型，原文在第 {} 章。", listed.join("、")),
            (Language::En, true) => " No model was asked, and no passage was found.".to_owned(),
            (Language::En, false) => format!(" No model was asked; passages in chapters {}.", listed.join(", ")),
        },
        RunEnd::Cancelled => pick(language, "停掉了，没有答案。", " Stopped before an answer."),
        RunEnd::Itself | RunEnd::AfterResult if end.not_in_book => match language {
            Language::Zh => format!("书里没有写到（看过 {} 章）。", inquiry.searched_chapters().len()),
            Language::En => {
                format!(" The book does not say ({} chapters searched).", inquiry.searched_chapters().len())
            }
        },
        RunEnd::Itself | RunEnd::AfterResult if !answer.is_empty() => match (language, listed.is_empty()) {
            (Language::Zh, true) => format!("答“{answer}”。"),
            (Language::Zh, false) => format!("答“{answer}”，引第 {} 章。", listed.join("、")),
            (Language::En, true) => format!(" Answered “{answer}”."),
            (Language::En, false) => format!(" Answered “{answer}”, citing chapters {}.", listed.join(", ")),
        },
        _ => pick(language, "没有答案。", " No answer."),
    };
    asked_words(language, &inquiry.question) + &outcome
}
