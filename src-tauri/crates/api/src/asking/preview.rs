//! The preview of a question: the prompt of its first request with the hidden names replaced, and nothing sent.

use palimpsest_asking::{
    cognition::{Action, Event, State, next},
    reply::reply_tools,
};
use palimpsest_memory::{
    BegunInquiry, DEFAULT_BUDGET, Error, Inquiry, InquiryWords, NeedSource, NewInquiry, model::AssembledContext,
};

use super::{
    AskedQuestion,
    requests::{answer_words, program_words, reply_budget, reply_words, text_language},
    wire::{AskPreview, AskedOf, RunAsk},
};
use crate::{
    Api,
    error::{ApiError, OrLog},
    models::AskingModel,
};

impl Api {
    /// The prompt of the first request of a question; `null` where nothing would be sent. Nothing is stored, and no
    /// service is asked.
    pub(crate) fn ask_preview(&self, args: RunAsk) -> Result<AskPreview, ApiError> {
        let AskedQuestion { new, order, program, model, .. } = self.asked_question(args)?;
        let new = NewInquiry { is_service_asked: false, ..new };
        let BegunInquiry { mut inquiry, served, .. } = self.engine.preview_inquiry(new, &order)?;
        let asked_of = AskedOf::new(served.is_some(), program.as_ref(), model.as_ref());
        let context = match (&asked_of, &model) {
            (AskedOf::Kept | AskedOf::Book, _) => None,
            (AskedOf::Program { .. }, _) => Some(self.program_preview(&mut inquiry)?),
            (AskedOf::Model { .. }, Some(model)) => self.model_preview(&mut inquiry, model)?,
            (AskedOf::Model { .. }, None) => None,
        };
        Ok(AskPreview { asked_of, context })
    }

    /// The prompt of a program. It hides the names itself, over the prompt and its copy of the book together: their
    /// aliases may be others.
    fn program_preview(&self, inquiry: &mut Inquiry) -> Result<AssembledContext, ApiError> {
        self.load_for_preview(inquiry).or_log("load the knowledge of a book for a preview");
        let is_about_book = self.engine.refine_inquiry(inquiry);
        let words = program_words(inquiry.language(), is_about_book);
        self.preview_of(inquiry, &words, DEFAULT_BUDGET)
    }

    /// The first prompt of the loop of a model.
    fn model_preview(&self, inquiry: &mut Inquiry, model: &AskingModel) -> Result<Option<AssembledContext>, ApiError> {
        let question = inquiry.search_words().to_owned();
        let (mut found, mut has_failed) = (0, false);
        for source in NeedSource::ALL {
            let recalled = match source {
                NeedSource::Answers => self.load_for_preview(inquiry),
                _ => self.engine.recall_for(inquiry, source, &question),
            };
            match recalled.or_log("search for the preview of a question") {
                Some(count) => found += count,
                None => has_failed |= source == NeedSource::Book,
            }
        }
        let is_about_book = self.engine.refine_inquiry(inquiry);
        let event = if has_failed { Event::RecallFailed } else { Event::Recalled { found } };
        let (state, action) = next(&State::new(self.loop_limits()), &event);
        let budget = model.prompt_tokens();
        let context = match action {
            Action::AskForReply => {
                let tools = reply_tools(state.phase(), text_language(inquiry.language()));
                let words = reply_words(&state, inquiry.language());
                self.preview_of(inquiry, &words, reply_budget(budget, model, &tools))?
            }
            Action::WriteAnswer => {
                self.preview_of(inquiry, &answer_words(inquiry.language(), is_about_book), budget)?
            }
            _ => return Ok(None),
        };
        Ok(Some(context))
    }

    /// Loads what the memory knows for a question. The order of the records is that of the search: no model is asked.
    fn load_for_preview(&self, inquiry: &mut Inquiry) -> Result<usize, Error> {
        let (limit, _) = self.records_to_rerank(None);
        self.engine.load_for_inquiry(inquiry, limit, &|records| records)
    }

    fn preview_of(&self, inquiry: &Inquiry, words: &InquiryWords, budget: u32) -> Result<AssembledContext, ApiError> {
        Ok(self.engine.inquiry_prompt(inquiry, words, budget)?.context)
    }
}
