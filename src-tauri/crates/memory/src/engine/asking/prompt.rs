//! The prompts of an inquiry, with the names of the book hidden.

use palimpsest_text::{excerpt, names::Mask};

use super::{FoundInBook, Inquiry};
use crate::{
    context::{AskedAnswer, AskedIngredients, AskedPassage, MAX_BUDGET, MIN_BUDGET, asked_prompt},
    engine::Engine,
    error::{OrLog, Result},
    model::{AssembledContext, Language, Position},
    story::StoryCard,
    validate,
};

/// The program's own words in a prompt.
#[derive(Debug, Clone)]
pub struct InquiryWords {
    /// The fixed instructions.
    pub instructions: String,
    /// The task, the last line.
    pub task: String,
}

/// The text to send to a model, and the way back from it.
#[derive(Debug)]
pub struct InquiryPrompt {
    /// The text to send, with the names of the book hidden.
    pub context: AssembledContext,
    /// Restores the names.
    pub mask: Mask,
}

impl Engine {
    /// Makes a prompt of all that was found so far, within `budget_tokens`.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT` for a budget out of range; `MEMORY_STORE_UNAVAILABLE` where the names to be hidden
    /// cannot be read: nothing may be sent then.
    pub fn inquiry_prompt(&self, inquiry: &Inquiry, words: &InquiryWords, budget_tokens: u32) -> Result<InquiryPrompt> {
        validate::within("budgetTokens", budget_tokens, MIN_BUDGET, MAX_BUDGET)?;
        let _open = self.visit(&inquiry.project_id)?;
        let mut cards = self.cards_of_inquiry(inquiry);
        let mut question = inquiry.question.clone();
        let mut selection = inquiry.selection.clone();
        let mut background = inquiry.background.clone();
        let mut passages: Vec<AskedPassage> = by_importance(&inquiry.passages).map(asked_passage).collect();
        let (mut answers, mut entries) = (inquiry.answers.clone(), inquiry.entries.clone());
        let (mut recalled, mut steps) = (inquiry.recalled.clone(), inquiry.steps.clone());
        let mut read_cards = inquiry.read_cards.clone();

        let mut texts: Vec<&mut String> = vec![&mut question, &mut background];
        texts.extend(&mut selection);
        texts.extend(passages.iter_mut().map(|passage| &mut passage.text));
        let mut shared: Vec<&mut String> = Vec::new();
        for answer in &mut answers {
            let list = if answer.is_of_all_books { &mut shared } else { &mut texts };
            list.extend([&mut answer.line.question, &mut answer.line.answer]);
        }
        texts.extend(entries.iter_mut().map(|entry| &mut entry.content));
        texts.extend(read_cards.iter_mut().flat_map(|card| &mut card.parts));
        texts.extend(steps.iter_mut().flat_map(|note| std::iter::once(&mut note.step).chain(&mut note.lines)));
        for StoryCard { name, aliases, facts, .. } in &mut cards {
            texts.push(name);
            texts.extend(aliases);
            texts.extend(facts.iter_mut().flat_map(|fact| [&mut fact.attribute, &mut fact.value]));
        }
        for found in &mut recalled {
            let episode = &mut found.episode;
            texts.extend([&mut episode.skill_used, &mut episode.input_context, &mut episode.final_text]);
            texts.extend(&mut episode.candidates);
            texts.extend([&mut episode.scene_type, &mut episode.explicit, &mut episode.summary].into_iter().flatten());
        }
        let mask = {
            let own: Vec<&str> = texts.iter().map(|text| text.as_str()).collect();
            let shared: Vec<&str> = shared.iter().map(|text| text.as_str()).collect();
            self.mask_over(&inquiry.project_id, &own, &shared)?
        };
        if !mask.is_empty() {
            texts.into_iter().for_each(|text| *text = mask.hide(text));
            shared.into_iter().for_each(|text| *text = mask.hide_shared(text));
        }
        let form = self.answer_config_in_effect().prompt_inject;
        for AskedAnswer { line, .. } in &mut answers {
            // Names are hidden before: half of a name is not found.
            line.answer = excerpt(&line.answer, form.max_answer_chars);
            line.has_meta = form.include_meta_line;
        }
        let context = asked_prompt(AskedIngredients {
            language: inquiry.language,
            instructions: words.instructions.clone(),
            task: words.task.clone(),
            question: &question,
            selection: selection.as_deref(),
            background: &background,
            cards,
            read_cards,
            passages,
            answers,
            entries,
            recalled,
            steps,
            budget_tokens,
            degraded_reasons: inquiry.degraded_reasons.clone(),
            counts: &self.token_counts,
        });
        Ok(InquiryPrompt { context, mask })
    }

    /// The cards of the entities that the question, the selection, the passages and the domains of the records name, as
    /// of the position; none where they cannot be read.
    fn cards_of_inquiry(&self, inquiry: &Inquiry) -> Vec<StoryCard> {
        let end = || {
            let last = inquiry.order.last()?;
            Some(Position { chapter_id: last.clone(), offset: u32::MAX })
        };
        let Some(at) = inquiry.at.clone().or_else(end) else { return Vec::new() };
        let asked = format!("{}\n{}", inquiry.question, inquiry.selection.as_deref().unwrap_or_default());
        let domains = inquiry.domains.iter().map(String::as_str);
        let passages = by_importance(&inquiry.passages).map(|found| found.passage.text.as_str());
        let passages: Vec<&str> = domains.chain(passages).collect();
        let cards = self.cards_around(&inquiry.project_id, (&inquiry.order, &at), &asked, &passages);
        let mut cards = cards.or_log("make the cards of a question").unwrap_or_default();
        cards.retain(|card| inquiry.read_cards.iter().all(|read| read.entity_id != card.entity_id.as_str()));
        cards
    }
}

/// The passages of the last search first, and of one search the best.
fn by_importance(passages: &[FoundInBook]) -> impl Iterator<Item = &FoundInBook> {
    let mut sorted: Vec<&FoundInBook> = passages.iter().collect();
    sorted.sort_by(|a, b| b.turn.cmp(&a.turn).then(b.score.total_cmp(&a.score)).then(a.number.cmp(&b.number)));
    sorted.into_iter()
}

fn asked_passage(found: &FoundInBook) -> AskedPassage {
    AskedPassage {
        number: found.number,
        passage_id: found.passage.passage_id.clone(),
        chapter: found.chapter,
        text: found.passage.text.clone(),
        score: found.score,
        matched_by: found.matched_by.clone(),
    }
}

/// The words of a question in a journal entry or a step, for both languages.
pub(super) fn pick(language: Language, zh: &str, en: &str) -> String {
    match language {
        Language::Zh => zh.to_owned(),
        Language::En => en.to_owned(),
    }
}
