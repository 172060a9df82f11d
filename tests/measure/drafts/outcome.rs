//! The outcome of a run, from its events and from the texts as the model wrote them.

use std::time::Duration;

use palimpsest_drafts::{DraftFilter, Facts, Skill, Verdict, prompt_lines};
use palimpsest_text::{Language, count, paragraphs::unwrapped};

use crate::{
    plan::{Pair, Plan, is_of_asked_length},
    relay::Exchange,
    writer::Ran,
};

/// Minimum letters, or Han characters, of a line of the prompt that is searched for inside of lines.
const MIN_LETTERS: [usize; 2] = [24, 10];

/// A candidate at its end.
pub struct Card {
    /// The reason why the text of the first try is no draft.
    pub first_reason: Option<String>,
    /// The reason why there is no draft after a second try, if there was one.
    pub reason: Option<String>,
    /// Whether the model or the connection failed.
    pub has_failed: bool,
    /// The draft; empty without one.
    pub text: String,
}

impl Card {
    pub fn is_usable(&self) -> bool {
        self.reason.is_none() && !self.has_failed && !self.text.is_empty()
    }

    pub fn is_usable_at_once(&self) -> bool {
        self.is_usable() && self.first_reason.is_none()
    }
}

/// A run, reduced to what is counted.
pub struct Outcome {
    pub language: Language,
    pub skill: &'static str,
    /// The number of the pair in its language.
    pub pair: usize,
    pub has_memory: bool,
    pub cards: Vec<Card>,
    /// Number of texts of the first try that are drafts as the model wrote them: nothing to cut, no reason.
    pub usable_unfiltered: usize,
    /// Number of shown lines that repeat the prompt.
    pub prompt_lines_shown: usize,
    /// Number of rules and episodes in the prompt, without the rules of the program.
    pub memories: usize,
    pub first: Option<Duration>,
    /// The usable drafts, and those of them with between half and double of the length that was asked for.
    pub lengths: (usize, usize),
    /// Whether the first usable draft follows each rule of the set of the pair; `None` without a draft.
    pub followed: Option<Vec<bool>>,
}

impl Outcome {
    pub fn new(plan: &Plan, pair: usize, has_memory: bool, ran: &Ran, exchanges: &[Exchange]) -> Self {
        let (number, pair) = (pair, &plan.pairs[pair]);
        let position = |ended: &serde_json::Value| ended["candidate"].as_u64().unwrap_or_default();
        let mut ended: Vec<&serde_json::Value> = ran.ended.iter().collect();
        ended.sort_by_key(|ended| position(ended));
        let cards: Vec<Card> = ended
            .iter()
            .map(|ended| {
                let text = |value: &serde_json::Value| value.as_str().map(str::to_owned);
                let reason = text(&ended["unusable"]["reason"]);
                let retry = usize::try_from(position(ended)).ok().and_then(|at| ran.retries.get(at)?.clone());
                Card {
                    first_reason: retry.or_else(|| reason.clone()),
                    reason,
                    has_failed: !ended["error"].is_null(),
                    text: text(&ended["text"]).unwrap_or_default(),
                }
            })
            .collect();
        // Those of a second try have another prompt, and begin after the end of all first ones.
        let whole = || exchanges.iter().filter_map(|one| Some((one, one.complete_text()?)));
        let first_prompt = whole().next().map(|(one, _)| &one.messages);
        let raw = whole().filter(|(one, _)| Some(&one.messages) == first_prompt);
        let usable_unfiltered = raw.filter(|(one, text)| is_usable_unfiltered(plan.language, pair, one, text)).count();
        let shown = ran.chunks.iter().map(String::as_str).chain(cards.iter().map(|card| card.text.as_str()));
        let prompts: Vec<String> = exchanges.iter().flat_map(own_lines).collect();
        let drafts = || cards.iter().filter(|card| card.is_usable());
        let asked = pair.asked_words(plan.language);
        let fitting = drafts().filter(|card| is_of_asked_length(count::words(&card.text), asked)).count();
        let references = ran.started["memoryReferences"].as_array().into_iter().flatten();
        let is_memory = |one: &&serde_json::Value| {
            let is_built_in = one["id"].as_str().is_some_and(|id| id.starts_with("builtin:"));
            matches!(one["kind"].as_str(), Some("rule" | "episode")) && !is_built_in
        };
        Self {
            language: plan.language,
            skill: pair.skill,
            pair: number,
            has_memory,
            usable_unfiltered,
            prompt_lines_shown: shown.map(|text| count_prompt_lines(text, &prompts)).sum(),
            memories: references.filter(is_memory).count(),
            first: ran.first,
            lengths: (drafts().count(), fitting),
            followed: drafts().next().map(|card| plan.followed_rules(&card.text, pair.set)),
            cards,
        }
    }

    /// Whether a usable card is shown first: the window picks one if there is one.
    pub fn is_usable_shown(&self) -> bool {
        self.cards.iter().any(Card::is_usable)
    }
}

/// Whether the text of a model is a draft without any filter.
fn is_usable_unfiltered(language: Language, pair: &Pair, exchange: &Exchange, text: &str) -> bool {
    let lines: Vec<String> = exchange.messages.iter().flat_map(|(_, content)| prompt_lines(content)).collect();
    let (before, selection) = (unwrapped(&pair.before), unwrapped(&pair.selection));
    let facts = Facts {
        skill: Skill::of_name(pair.skill),
        language,
        before: &before,
        selection: &selection,
        instruction: "",
        prompt_lines: &lines,
        task: &lines,
        has_headings: false,
    };
    let mut filter = DraftFilter::new(facts);
    filter.push(text);
    matches!(filter.finish(true).verdict, Verdict::Usable(cuts) if cuts.is_empty())
}

/// The lines of a prompt that are the program's. A prompt without sections has the text of the book in the message of
/// the user, and the task in its last line; the beginning of an answer is text of the book.
fn own_lines(exchange: &Exchange) -> Vec<String> {
    let lines = exchange.messages.iter().map(|(role, content)| {
        let has_sections = content.contains("<before>") || content.contains("<selection>");
        match role.as_str() {
            "assistant" => Vec::new(),
            "user" if !has_sections => content.lines().last().map(str::to_owned).into_iter().collect(),
            _ => prompt_lines(content),
        }
    });
    lines.flatten().collect()
}

/// Number of lines of a shown text that are a line of the prompt or contain a long one. This does not use the
/// comparison of the filter, which it checks.
fn count_prompt_lines(text: &str, prompts: &[String]) -> usize {
    let repeats = |line: &str| {
        let found = letters_of(line);
        prompts.iter().any(|prompt| {
            let known = letters_of(prompt);
            let is_han = known.chars().any(palimpsest_text::is_han);
            let is_long = known.chars().count() >= MIN_LETTERS[usize::from(is_han)];
            line == prompt || (is_long && found.contains(&known))
        })
    };
    text.lines().map(str::trim).filter(|line| !line.is_empty() && repeats(line)).count()
}

fn letters_of(line: &str) -> String {
    line.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shown_line_of_the_prompt_is_counted_and_prose_is_not() {
        let prompts = ["<settings>", "- Keep sentences short (confidence: 1.00)", "[任务] 续写"].map(str::to_owned);
        for (text, should) in [
            ("Rain fell.\n<settings>\nHe ran.", 1),
            ("Well: keep sentences short (confidence 1.00), it said.\n[任务] 续写", 2),
            ("Keep sentences short, she said. 她又续写了一段。", 0),
        ] {
            assert_eq!(count_prompt_lines(text, &prompts), should, "{text}");
        }
    }

    #[test]
    fn the_text_of_the_book_is_no_line_of_the_program() {
        let message = |role: &str, content: &str| (role.to_owned(), content.to_owned());
        let mut exchange = Exchange::default();
        exchange.messages = vec![message("user", "Go on."), message("assistant", "Night fell.\n\nIt rained.")];
        assert_eq!(own_lines(&exchange), ["Go on."]);
    }

    #[test]
    fn a_text_is_usable_without_a_filter_only_if_nothing_has_to_be_cut() {
        let pair = Pair {
            skill: "continue",
            before: "雨夜里，她合上手稿，听见楼下有人敲门。".into(),
            selection: String::new(),
            set: 0,
            seed: 0,
        };
        let is_usable = |text| is_usable_unfiltered(Language::Zh, &pair, &Exchange::default(), text);
        assert!(is_usable("门外没有人。台阶上只有一只湿透的信封。"));
        assert!(!is_usable("以下是续写：\n门外没有人。台阶上只有一只湿透的信封。"));
        assert!(!is_usable("抱歉，我无法协助完成这个请求。"));
    }
}
