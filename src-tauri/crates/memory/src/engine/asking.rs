//! Questions to the book: what is found for one, the prompts that it is asked with, and its end in the memory.
//!
//! Everything that is found is as of a position: no passage, card, answer, entry or episode from behind it comes into
//! an inquiry, so none can come into a prompt.

mod book;
mod end;
mod history;
mod interrupted;
mod memories;
mod prompt;
mod service_answers;
mod shown;

use std::ops::Range;

use palimpsest_asking::kind::guess_kind;
use palimpsest_text::{excerpt, names::Pair};

pub use self::{
    book::ToolResult,
    end::{ASK_SKILL, CitedStatement, EndedInquiry, InquiryEnd},
    memories::NeedSource,
    prompt::{InquiryPrompt, InquiryWords},
    service_answers::{ServiceAnswers, ServiceRequest},
};

use super::{
    Engine,
    answers::{QUESTION_BYTES, check_question, known_at::is_answer_known_at, language_of},
    cards::check_known,
};
use crate::{
    context::{AskedAnswer, AskedEntry, ReadCard, StepNote},
    error::{Code, Error, OrLog, Result},
    model::{
        Answer, AnswerKind, AnswerMatch, ChapterId, DegradedCode, DegradedReason, Language, Passage, Position,
        ProjectId, Reason, Recalled,
    },
    retrieval::names::pairs,
    storage::{answer_runs, passages, tagged_passages},
    validate,
};

/// Maximum characters of a selection in the question that the memory has.
const SELECTION_CHARS: usize = 200;

/// A question to ask.
#[derive(Debug, Clone)]
pub struct NewInquiry {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// 1..10,000 bytes.
    pub question: String,
    /// The book is known up to here; `None` for the whole book.
    pub at: Option<Position>,
    /// The selected text that the question is about, at most 100,000 bytes.
    pub selection: Option<String>,
    /// The subject of the question; `None` to guess it.
    pub kind: Option<AnswerKind>,
    /// Whether the writer asks again although there is an answer: none is served, and the new one is kept beside it.
    pub is_fresh: bool,
    /// Whether only the book is searched: no answer is served.
    pub is_book_alone: bool,
    /// Whether a connected answer service may be asked. It is where the position is in the last chapter with no text
    /// behind it, or `None`.
    pub is_service_asked: bool,
}

/// A question that is being answered, with what was found for it.
pub struct Inquiry {
    project_id: ProjectId,
    question: String,
    /// The question with the beginning of the selection: the words that are searched for, and that the memory has.
    question_about: String,
    selection: Option<String>,
    /// `None` if the book has no text behind it.
    at: Option<Position>,
    /// The position that was asked for, for the record.
    asked_at: Option<Position>,
    /// The chapters of the book.
    order: Vec<ChapterId>,
    /// The language of the question, in which it is answered.
    language: Language,
    kind: AnswerKind,
    is_kind_given: bool,
    is_fresh: bool,
    run_id: String,
    /// Whether the run is stored, so that its end can be.
    is_stored: bool,
    /// Whether a connected answer service is still to be asked.
    is_service_due: bool,
    /// Grows with each search: what was found later is more important.
    turn: u32,
    /// The chance that the book does not answer the question, 0..1; `None` before the first search.
    unanswerable: Option<f64>,
    /// The weight of each term of the question that the book has, by its code, sorted by code; empty before the first
    /// search.
    term_weights: Vec<(u32, f64)>,
    passages: Vec<FoundInBook>,
    read_cards: Vec<ReadCard>,
    answers: Vec<AskedAnswer>,
    /// The writer's words about the book; empty before the memory is loaded.
    background: String,
    /// The names of the domains that the found records belong to.
    domains: Vec<String>,
    entries: Vec<AskedEntry>,
    recalled: Vec<Recalled>,
    steps: Vec<StepNote>,
    degraded_reasons: Vec<DegradedReason>,
}

/// A passage that was found for a question.
#[derive(Debug, Clone)]
pub(super) struct FoundInBook {
    /// From 1.
    number: u32,
    /// Without the text behind the position.
    passage: Passage,
    /// Number of its chapter in the book, from 1.
    chapter: u32,
    /// 0..1.
    score: f64,
    matched_by: Vec<String>,
    /// The search that found it last.
    turn: u32,
}

/// An inquiry that has begun.
pub struct BegunInquiry {
    /// The inquiry, without passages yet.
    pub inquiry: Inquiry,
    /// The answer to the same question in the same words, if it may be shown: no model needs to be asked.
    pub served: Option<Answer>,
    /// Answers to the same question or nearly the same.
    pub nearly: Vec<AnswerMatch>,
}

/// A stretch of the book that a statement rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuotedPassage {
    /// Id of the chapter that it is in.
    pub chapter_id: ChapterId,
    /// Start in the chapter's text, in UTF-16 code units.
    pub from: u32,
    /// End, exclusive.
    pub to: u32,
    /// The words of the text.
    pub quote: String,
}

/// A chapter that a program reads whole, or up to the position.
#[derive(Clone, PartialEq, Eq)]
pub struct QuotedChapter {
    /// Id of the chapter.
    pub chapter_id: ChapterId,
    /// Its text; offsets in it are those of the chapter.
    pub text: String,
}

impl std::fmt::Debug for QuotedChapter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("QuotedChapter").field("chapter_id", &self.chapter_id).finish_non_exhaustive()
    }
}

impl Inquiry {
    /// UUID of the run and of its trace.
    #[must_use]
    pub fn run_id(&self) -> &str {
        &self.run_id
    }

    /// UUID of the book that is asked.
    #[must_use]
    pub fn project_id(&self) -> &ProjectId {
        &self.project_id
    }

    /// The question, trimmed.
    #[must_use]
    pub fn question(&self) -> &str {
        &self.question
    }

    /// The words that are searched for: the question, with the beginning of the selection that it is about.
    #[must_use]
    pub fn search_words(&self) -> &str {
        &self.question_about
    }

    /// The language of the question.
    #[must_use]
    pub fn language(&self) -> Language {
        self.language
    }

    /// The subject of the question.
    #[must_use]
    pub fn guessed_kind(&self) -> AnswerKind {
        self.kind
    }

    /// Whether the run is stored: if not, neither its answer nor a journal entry is.
    #[must_use]
    pub fn is_stored(&self) -> bool {
        self.is_stored
    }

    /// Number of kept answers with a mark, which the run was given.
    #[must_use]
    pub fn injected(&self) -> usize {
        self.answers.iter().filter(|answer| answer.mark.is_some()).count()
    }

    /// The parts of the memory that were unavailable.
    #[must_use]
    pub fn degraded_reasons(&self) -> &[DegradedReason] {
        &self.degraded_reasons
    }

    /// The position up to which the book is known; `None` if the book has no text behind it.
    #[must_use]
    pub fn known_until(&self) -> Option<&Position> {
        self.at.as_ref()
    }

    /// The text of a passage by its mark, such as `P3`.
    #[must_use]
    pub fn passage_text(&self, mark: &str) -> Option<&str> {
        self.find_marked(mark).map(|found| found.passage.text.as_str())
    }

    /// The marks of all passages.
    #[must_use]
    pub fn passage_marks(&self) -> Vec<String> {
        self.passages.iter().map(|found| mark_of(found.number)).collect()
    }

    /// The stretch of the book that these bytes of a passage are; `None` for an unknown mark or a range outside of it.
    #[must_use]
    pub fn quoted(&self, mark: &str, bytes: Range<usize>) -> Option<QuotedPassage> {
        let Passage { chapter_id, from, text, .. } = &self.find_marked(mark)?.passage;
        let units = |text: &str| u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX);
        let quote = text.get(bytes.clone())?;
        let from = from + units(text.get(..bytes.start)?);
        Some(QuotedPassage { chapter_id: chapter_id.clone(), from, to: from + units(quote), quote: quote.to_owned() })
    }

    /// The chance that the book does not answer the question, 0..1, by the passages that are nearest to it;
    /// `None` before the first search.
    #[must_use]
    pub fn unanswerable(&self) -> Option<f64> {
        self.unanswerable
    }

    /// The chapters up to the position, in the order of the book: those that were searched.
    #[must_use]
    pub fn searched_chapters(&self) -> &[ChapterId] {
        let last = self.at.as_ref().and_then(|at| self.order.iter().position(|chapter| *chapter == at.chapter_id));
        last.map_or(&self.order[..], |last| &self.order[..=last])
    }

    fn find_marked(&self, mark: &str) -> Option<&FoundInBook> {
        let number: u32 = mark.trim_start_matches(['P', 'p']).parse().ok()?;
        self.passages.iter().find(|found| found.number == number)
    }

    /// Notes that a part of the memory is unavailable, once.
    fn degrade(&mut self, code: DegradedCode, why: String) {
        if self.degraded_reasons.iter().all(|reason| reason.code != code) {
            self.degraded_reasons.push(DegradedReason::new(code, why));
        }
    }
}

/// The mark of a passage in a prompt.
fn mark_of(number: u32) -> String {
    format!("P{number}")
}

impl Engine {
    /// Begins to answer a question: finds the answers that bear on it and stores the run. `order` are the chapters of
    /// the book. Without `episodes.db` the question can be asked, and nothing of it is kept.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`; `MEMORY_NOT_FOUND`, also for a position in no chapter of the book;
    /// `MEMORY_BACKPRESSURE`; `MEMORY_STORE_UNAVAILABLE` with the reason `namesUnread`: nothing may be sent then.
    pub fn begin_inquiry(&self, new: NewInquiry, order: &[ChapterId]) -> Result<BegunInquiry> {
        self.new_inquiry(new, order, true)
    }

    /// Begins an inquiry as [`Engine::begin_inquiry`] does, and stores nothing.
    ///
    /// # Errors
    /// Those of [`Engine::begin_inquiry`].
    pub fn preview_inquiry(&self, new: NewInquiry, order: &[ChapterId]) -> Result<BegunInquiry> {
        self.new_inquiry(new, order, false)
    }

    fn new_inquiry(&self, new: NewInquiry, order: &[ChapterId], is_stored: bool) -> Result<BegunInquiry> {
        check_question("question", &new.question)?;
        new.selection.as_deref().map_or(Ok(()), |text| validate::text("selection", text, validate::TEXT))?;
        check_known(new.at.as_ref(), order)?;
        let open = self.visit(&new.project_id)?;
        let names = self.names_of(&new.project_id).map_err(|error| {
            let mut unread = Error::new(Code::StoreUnavailable, "the names to be hidden cannot be read");
            unread.details = Some(crate::error::Details { reason: Some(Reason::NamesUnread), ..Default::default() });
            unread.caused_by(error)
        })?;
        let question = new.question.trim().to_owned();
        let at = new.at.clone().filter(|at| self.has_text_after(&new.project_id, at, order));
        let (canon, _) = self.canon(&new.project_id);
        let forms = canon.entities.iter().flat_map(|entity| entity.names.iter().map(|name| name.name.as_str()));
        let names_entity =
            forms.chain(names.iter().map(|hidden| hidden.name.as_str())).any(|form| question.contains(form));
        let kind =
            new.kind.unwrap_or_else(|| kind_of(guess_kind(&question, names_entity || new.selection.is_some(), None)));
        let selection = new.selection.filter(|text| !text.trim().is_empty());
        let question_about = question_about(&question, selection.as_deref());
        let mut inquiry = Inquiry {
            project_id: new.project_id,
            language: language_of(&question, open.language),
            question,
            question_about,
            selection,
            at,
            asked_at: new.at.clone(),
            order: order.to_vec(),
            kind,
            is_kind_given: new.kind.is_some(),
            is_fresh: new.is_fresh,
            run_id: String::new(),
            is_stored: false,
            // The window can only say whether the question knows the last chapter.
            is_service_due: new.is_service_asked
                && new.at.as_ref().is_none_or(|at| order.last() == Some(&at.chapter_id)),
            turn: 0,
            unanswerable: None,
            term_weights: Vec::new(),
            passages: Vec::new(),
            read_cards: Vec::new(),
            answers: Vec::new(),
            background: String::new(),
            domains: Vec::new(),
            entries: Vec::new(),
            recalled: Vec::new(),
            steps: Vec::new(),
            degraded_reasons: Vec::new(),
        };
        drop(open);
        let run_id = self.new_id();
        let is_noted_later = inquiry.is_service_due;
        match self.start_run(&inquiry.preparation(), order, is_stored.then_some((run_id.as_str(), is_noted_later))) {
            Ok(started) => {
                inquiry.run_id = run_id;
                inquiry.is_stored = is_stored;
                if let Some(reason) = started.degraded_reason {
                    inquiry.degrade(DegradedCode::PastUnavailable, reason);
                }
                self.give_answers(&mut inquiry, &started.injected, &[]);
                let served = started.served.filter(|_| !new.is_fresh && !new.is_book_alone);
                Ok(BegunInquiry { inquiry, served, nearly: started.nearly })
            }
            Err(error) if error.code == Code::StoreUnavailable => {
                let error = self.stores.episodes.examine(error);
                inquiry.run_id = self.new_id();
                inquiry.degrade(DegradedCode::AnswerUnkept, format!("the answer is not kept: {}", error.message));
                Ok(BegunInquiry { inquiry, served: None, nearly: Vec::new() })
            }
            Err(error) => Err(error),
        }
    }

    /// Ends the run of an inquiry that will not be asked, such as one that the limit of the day refused.
    pub fn drop_inquiry(&self, inquiry: &Inquiry) {
        if inquiry.is_stored {
            self.expire_run(&inquiry.run_id).or_log("end a run that was refused");
        }
    }

    /// Whether the run of an inquiry is still there: a clearing of the book deletes it.
    ///
    /// # Errors
    /// Those of the store.
    pub fn is_inquiry_open(&self, inquiry: &Inquiry) -> Result<bool> {
        if !inquiry.is_stored {
            return Ok(true);
        }
        Ok(answer_runs::get(&*self.stores.episodes.open()?.reader()?, &inquiry.run_id)?.is_some())
    }

    /// The hidden names of a book, for a program that hides them itself.
    ///
    /// # Errors
    /// `MEMORY_STORE_UNAVAILABLE` where they cannot be read: nothing may be sent then.
    pub fn hidden_pairs(&self, project_id: &ProjectId) -> Result<Vec<Pair>> {
        Ok(pairs(&self.names_of(project_id)?))
    }

    /// The text of a chapter of a book in another editor, as far as its passages have it; between them are line breaks,
    /// so that offsets are those of the chapter.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, those of the store.
    pub fn text_of_passages(&self, project_id: &ProjectId, chapter_id: &ChapterId) -> Result<String> {
        let _open = self.visit(project_id)?;
        let passages = tagged_passages::in_chapter(&*self.stores.episodes.open()?.reader()?, project_id, chapter_id)?;
        let (mut text, mut units) = (String::new(), 0);
        for passage in passages {
            let gap = (passage.from as usize).saturating_sub(units);
            text.extend(std::iter::repeat_n('\n', gap));
            text.push_str(&passage.text);
            units += gap + passage.text.encode_utf16().count();
        }
        Ok(text)
    }

    /// Guesses the subject of a question again with what was found for it; one that the caller gave stays. Returns
    /// whether the question is about the book.
    pub fn refine_inquiry(&self, inquiry: &mut Inquiry) -> bool {
        if !inquiry.is_kind_given && inquiry.kind != AnswerKind::Canon {
            let named = || -> Result<bool> {
                let project = self.visit(&inquiry.project_id)?;
                let found = self.names_at(&project, inquiry.at.as_ref(), &inquiry.order)?;
                let mut forms = found.names.entities.iter().flat_map(|entity| &entity.forms);
                Ok(forms.any(|form| inquiry.question.contains(form.as_str())))
            };
            let names_entity = named().or_log("find names in a question").unwrap_or(false);
            let best = inquiry.passages.iter().map(|found| found.score).max_by(f64::total_cmp);
            let names_entity = names_entity || inquiry.selection.is_some();
            inquiry.kind = kind_of(guess_kind(&inquiry.question, names_entity, best));
        }
        inquiry.kind == AnswerKind::Canon
    }

    /// Whether the book has text behind a position. Where that cannot be read it is assumed.
    fn has_text_after(&self, project_id: &ProjectId, at: &Position, order: &[ChapterId]) -> bool {
        let known = || -> Result<bool> {
            let db = self.stores.episodes.open()?;
            let reader = db.reader()?;
            let later = order.iter().skip_while(|chapter| **chapter != at.chapter_id).skip(1);
            for chapter in later {
                if !passages::in_chapter(&reader, project_id, chapter)?.is_empty() {
                    return Ok(true);
                }
            }
            let here = tagged_passages::in_chapter(&reader, project_id, &at.chapter_id)?;
            let last = here.last().map(|last| last.from + u32::try_from(last.text.encode_utf16().count()).unwrap_or(0));
            Ok(last.is_some_and(|end| end > at.offset))
        };
        known().or_log("read the end of a book").unwrap_or(true)
    }
}

/// A question with the beginning of the selection that it is about: the same words about another selection are another
/// question.
fn question_about(question: &str, selection: Option<&str>) -> String {
    let Some(selection) = selection else { return question.to_owned() };
    let selection = selection.split_whitespace().collect::<Vec<_>>().join(" ");
    let about = format!("{question} “{}”", excerpt(&selection, SELECTION_CHARS));
    if about.len() <= QUESTION_BYTES { about } else { question.to_owned() }
}

fn kind_of(guessed: palimpsest_asking::kind::Kind) -> AnswerKind {
    use palimpsest_asking::kind::Kind;
    match guessed {
        Kind::Canon => AnswerKind::Canon,
        Kind::Research => AnswerKind::Research,
        Kind::Craft => AnswerKind::Craft,
        Kind::Decision => AnswerKind::Decision,
        Kind::Task => AnswerKind::Task,
    }
}
