//! The prompt of a question to the book: what was found for it, fenced, one line for each item, and the task.
//!
//! Pure, and the same for the same input. Names are hidden before, so that the budget counts what is sent.

use palimpsest_text::tokens::truncate_end;

use super::{
    Counts, Filling, LayerInputs,
    answers::{AnswerLine, answer_line, line_words},
    labels, render, story,
};
use crate::{
    model::{AssembledContext, DegradedReason, Language, Layer, LayerName, Recalled, Reference, ReferenceKind},
    ports::{Message, Role},
    story::StoryCard,
    working::tokens_of,
};

/// The shares of the tokens that are left for what was found, in hundredths. The passages get what others leave.
mod shares {
    pub(super) const BACKGROUND: u32 = 10;
    pub(super) const STORY: u32 = 20;
    pub(super) const ANSWERS: u32 = 15;
    pub(super) const JOURNAL: u32 = 8;
    pub(super) const PAST: u32 = 7;
    pub(super) const STEPS: u32 = 20;
}
/// Tokens that stay free for the seams between the parts.
const SEAMS: u32 = 32;

/// A passage of the book in the prompt of a question.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AskedPassage {
    /// Its number, from 1, by which the model names it: `P3`.
    pub number: u32,
    pub passage_id: String,
    /// Number of its chapter in the book, from 1.
    pub chapter: u32,
    pub text: String,
    /// 0..1.
    pub score: f64,
    pub matched_by: Vec<String>,
}

/// An answer in the prompt of a question. One that the run was given has a mark.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AskedAnswer {
    pub id: String,
    pub version: u32,
    /// The number of its mark `QA:1`.
    pub mark: Option<u32>,
    pub line: AnswerLine,
    /// Whether it is promoted: it may have names of other books in it.
    pub is_of_all_books: bool,
    /// 0..1.
    pub score: Option<f64>,
}

/// An entry of the journal in the prompt of a question.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AskedEntry {
    pub id: String,
    /// `YYYY-MM-DD`.
    pub day: String,
    pub content: String,
    /// 0..1.
    pub score: f64,
    pub matched_by: Vec<String>,
}

/// The card of an entity that a tool has read: more than the card of a prompt.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ReadCard {
    pub entity_id: String,
    pub version: u32,
    /// Its name, its facts and where the book mentions it, as the model is given them.
    pub parts: Vec<String>,
}

/// A step that has no memory behind it: a need that nothing was found for, or figures that were counted.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StepNote {
    /// The call or the need.
    pub step: String,
    pub lines: Vec<String>,
}

/// The input of the prompt of a question. Names are hidden in all texts.
#[derive(Debug)]
pub(crate) struct AskedIngredients<'a> {
    /// The language of the question.
    pub language: Language,
    /// The fixed instructions of the phase.
    pub instructions: String,
    /// The task in the last line.
    pub task: String,
    pub question: &'a str,
    pub selection: Option<&'a str>,
    /// The writer's words about the book; empty: none.
    pub background: &'a str,
    /// The most important first.
    pub cards: Vec<StoryCard>,
    pub read_cards: Vec<ReadCard>,
    /// The most important first; shown in the order of their numbers.
    pub passages: Vec<AskedPassage>,
    pub answers: Vec<AskedAnswer>,
    pub entries: Vec<AskedEntry>,
    pub recalled: Vec<Recalled>,
    pub steps: Vec<StepNote>,
    /// Maximum tokens of the prompt.
    pub budget_tokens: u32,
    pub degraded_reasons: Vec<DegradedReason>,
    pub counts: &'a Counts,
}

/// The prompt of a question. Items that do not fit are left out and noted as cut.
pub(crate) fn asked_prompt(ingredients: AskedIngredients<'_>) -> AssembledContext {
    let AskedIngredients { language, instructions, task, question, selection, counts, .. } = ingredients;
    let (left_out, withheld) = Default::default();
    let inputs = LayerInputs { counts, left_out: &left_out, withheld: &withheld };
    let selected = selection.map(str::trim).filter(|text| !text.is_empty());
    let selection = selected.map_or(String::new(), |text| render::section("selection", &render::fenced(text)));
    let question = render::section("question", &render::fenced_line(question));
    let fixed = [instructions.as_str(), &selection, &question, &task].iter().map(|part| tokens_of(part)).sum::<u32>();
    let room = ingredients.budget_tokens.saturating_sub(fixed + SEAMS);
    let share = |hundredths: u32| room / 100 * hundredths;

    let background_text = background_section(language, ingredients.background, share(shares::BACKGROUND));
    let mut settings = Filling::new(inputs, LayerName::Settings, share(shares::STORY));
    let cards = ingredients.read_cards.iter().map(read_card_reference);
    let cards = cards.chain(ingredients.cards.iter().map(|card| story::card_reference(language, counts, card)));
    let story_text = settings.section("story", render::story_header(language), share(shares::STORY), cards);

    let mut retrieved = Filling::new(inputs, LayerName::Retrieved, 0);
    let answers = ingredients.answers.iter().map(|answer| answer_reference(language, answer));
    let answers_text = retrieved.section("answers", answers_header(language), share(shares::ANSWERS), answers);
    let entries = ingredients.entries.iter().map(entry_reference);
    let journal_text = retrieved.section("journal", journal_header(language), share(shares::JOURNAL), entries);
    let recalled = ingredients.recalled.into_iter().filter(|found| !found.episode.compressed);
    let recalled = recalled.map(|found| render::episode_reference(language, found));
    let past_text = retrieved.section("past", render::past_header(language), share(shares::PAST), recalled);
    let steps_text = steps_section(language, &ingredients.steps, share(shares::STEPS));

    let story_text = background_text + &story_text;
    let used = [&story_text, &answers_text, &journal_text, &past_text, &steps_text];
    let used = used.iter().map(|text| tokens_of(text)).sum::<u32>();
    let before_passages = retrieved.references.len();
    let mut passages = ingredients.passages;
    retrieved.budget = room.saturating_sub(used);
    let lines = retrieved.fill(
        retrieved.budget.saturating_sub(tokens_of(&render::section("book", book_header(language)))),
        passages.iter().map(|passage| passage_reference(language, passage)),
    );
    // In the order of their numbers, which is not that of their importance.
    passages.sort_by_key(|passage| passage.number);
    let number_of = |reference: &Reference| {
        passages.iter().find(|passage| passage.passage_id == reference.id).map(|passage| passage.number)
    };
    retrieved.references[before_passages..].sort_by_key(number_of);
    let book_text = if lines.is_empty() {
        String::new()
    } else {
        let lines: Vec<&str> = retrieved.references[before_passages..].iter().map(|one| one.text.as_str()).collect();
        render::section("book", &format!("{}\n{}", book_header(language), lines.join("\n")))
    };

    let retrieved_text = [book_text, answers_text, journal_text, past_text].concat();
    let immediate_text = [steps_text, selection, question, task].concat();
    let user = [story_text.as_str(), retrieved_text.as_str(), immediate_text.as_str()].concat();
    let messages = vec![
        Message { role: Role::System, content: instructions.clone() },
        Message { role: Role::User, content: user },
    ];
    let retrieved_budget = room.saturating_sub(settings.budget);
    let layer = |layer, text: String, budget_tokens| Layer { layer, tokens: tokens_of(&text), text, budget_tokens };
    let layers = vec![
        layer(LayerName::Rules, instructions, ingredients.budget_tokens),
        layer(LayerName::Settings, story_text, settings.budget),
        layer(LayerName::Retrieved, retrieved_text, retrieved_budget),
        layer(LayerName::Immediate, immediate_text, ingredients.budget_tokens),
    ];
    let total_tokens = layers.iter().map(|layer| layer.tokens).sum();
    let (mut references, mut cut) = (settings.references, settings.cut);
    // In the order of their sections.
    let books = retrieved.references.split_off(before_passages);
    references.extend(books.into_iter().chain(retrieved.references));
    cut.extend(retrieved.cut);
    AssembledContext {
        language,
        scene_type: None,
        layers,
        references,
        cut,
        messages,
        total_tokens,
        memory_degraded: !ingredients.degraded_reasons.is_empty(),
        degraded_reasons: ingredients.degraded_reasons,
    }
}

/// The writer's words about the book, their beginning where not all fit.
fn background_section(language: Language, background: &str, share: u32) -> String {
    let header = labels::pick(language, "[作者写的本书背景]", "[The writer's words about the book]");
    let room = share.saturating_sub(tokens_of(&render::section("background", header)));
    let words = truncate_end(background.trim(), room as usize);
    if words.is_empty() {
        return String::new();
    }
    render::section("background", &format!("{header}\n{}", render::fenced(words)))
}

/// The line above the passages.
fn book_header(language: Language) -> &'static str {
    labels::pick(language, "[书里的原文]", "[Passages of the book]")
}

/// The line above the answers.
fn answers_header(language: Language) -> &'static str {
    labels::pick(
        language,
        "[以前的问答。用到带标记的，就在那句话后面写上它的标记，例如 [QA:1]]",
        "[Earlier answers. After a sentence that uses one with a mark, write its mark, for example [QA:1]]",
    )
}

/// The line above the entries of the journal.
fn journal_header(language: Language) -> &'static str {
    labels::pick(language, "[流水里的记录]", "[Entries of the journal]")
}

/// The words of a text of the book on one line: they cannot look like the mark of another passage.
fn passage_words(text: &str) -> String {
    render::fenced_line(text).replace("[P", "⟨P").replace("[p", "⟨p").replace("【P", "⟨P")
}

fn passage_reference(language: Language, passage: &AskedPassage) -> Reference {
    let words = passage_words(&passage.text);
    let AskedPassage { number, chapter, .. } = passage;
    let text = match language {
        Language::Zh => format!("P{number}（第 {chapter} 章）：{words}"),
        Language::En => format!("P{number} (ch. {chapter}): {words}"),
    };
    Reference {
        reference_id: format!("passage:{}", passage.passage_id),
        kind: ReferenceKind::Passage,
        id: passage.passage_id.clone(),
        version: 1,
        layer: LayerName::Retrieved,
        text,
        score: Some(passage.score),
        matched_by: passage.matched_by.clone(),
    }
}

fn answer_reference(language: Language, answer: &AskedAnswer) -> Reference {
    Reference {
        reference_id: format!("answer:{}", answer.id),
        kind: ReferenceKind::Answer,
        id: answer.id.clone(),
        version: answer.version,
        layer: LayerName::Retrieved,
        text: answer_line(language, answer.mark, &answer.line),
        score: answer.score,
        matched_by: Vec::new(),
    }
}

fn entry_reference(entry: &AskedEntry) -> Reference {
    Reference {
        reference_id: format!("entry:{}", entry.id),
        kind: ReferenceKind::Entry,
        id: entry.id.clone(),
        version: 1,
        layer: LayerName::Retrieved,
        text: format!("- {} {}", entry.day, line_words(&entry.content)),
        score: Some(entry.score),
        matched_by: entry.matched_by.clone(),
    }
}

/// The card on one line. Its parts were worded by the engine from words that are fenced here.
fn read_card_reference(card: &ReadCard) -> Reference {
    let parts: Vec<String> = card.parts.iter().map(|part| render::card_words(part)).collect();
    Reference {
        reference_id: format!("entity:{}", card.entity_id),
        kind: ReferenceKind::Entity,
        id: card.entity_id.clone(),
        version: card.version,
        layer: LayerName::Settings,
        text: format!("- {}", parts.join("; ")),
        score: None,
        matched_by: vec!["asked".into()],
    }
}

/// The steps so far, in order; where not all fit, the latest ones.
fn steps_section(language: Language, steps: &[StepNote], share: u32) -> String {
    let header = labels::pick(language, "[已经做过的]", "[Done so far]");
    let mut room = share.saturating_sub(tokens_of(&render::section("steps", header)));
    let mut kept: Vec<String> = Vec::new();
    for note in steps.iter().rev() {
        let lines: Vec<String> = note.lines.iter().map(|line| render::card_words(line)).collect();
        let arrow = if lines.is_empty() { "" } else { " → " };
        let line = format!("- {}{arrow}{}", render::card_words(&note.step), lines.join("; "));
        let cost = tokens_of(&line) + 1;
        if cost > room {
            break;
        }
        room -= cost;
        kept.push(line);
    }
    if kept.is_empty() {
        return String::new();
    }
    kept.reverse();
    render::section("steps", &format!("{header}\n{}", kept.join("\n")))
}
