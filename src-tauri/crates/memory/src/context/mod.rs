//! From memories and a passage to a prompt: layers, budgets, and a record of everything that was left out.
//!
//! Pure: the caller has gathered the rules, the episodes and the working items. The same input gives the same prompt,
//! to the byte.

mod answers;
mod asking;
mod budget;
mod counts;
mod labels;
mod leave_out;
mod mask;
mod render;
mod story;
mod task;
mod variety;

use std::collections::{HashMap, HashSet};

use crate::{
    error::Result,
    model::{
        AssembleRequest, AssembledContext, CutItem, CutReason, DegradedReason, Language, Layer, LayerName, Recalled,
        Reference, ReferenceKind, WorkingItem,
    },
    ports::{Message, Role},
    semantic::rules::Applicable,
    story::StoryCard,
    working::tokens_of,
};

pub(crate) use answers::{AnswerLine, answers_section};
pub(crate) use asking::{AskedAnswer, AskedEntry, AskedIngredients, AskedPassage, ReadCard, StepNote, asked_prompt};
pub(crate) use budget::MAX_BUDGET;
pub use budget::{DEFAULT_BUDGET, MIN_BUDGET};
pub(crate) use counts::Counts;
pub(crate) use leave_out::without;
pub(crate) use mask::mask;
pub(crate) use render::{exchange, fenced, instruction_in};
pub(crate) use story::BookPassage;
pub use task::{asked_words, plainer_prompt};
pub(crate) use variety::{Varied, varied};

/// The input of a prompt.
#[derive(Debug)]
pub(crate) struct Ingredients<'a> {
    /// The passage and the task.
    pub request: &'a AssembleRequest,
    /// The language of the project.
    pub language: Language,
    /// The scene type, given or detected.
    pub scene_type: Option<String>,
    /// The rules that apply. Without any, the built-in ones are used.
    pub rules: Applicable,
    /// The episodes relevant to the passage, best first.
    pub recalled: Vec<Recalled>,
    /// The cards of entities as of the position, most important first.
    pub cards: Vec<StoryCard>,
    /// The passages of the book before the position, best first.
    pub passages: Vec<BookPassage>,
    /// The working items of the project, most important first.
    pub working: Vec<WorkingItem>,
    /// The parts of the memory that could not be read.
    pub degraded_reasons: Vec<DegradedReason>,
    /// Cached token counts of earlier prompts' lines.
    pub counts: &'a Counts,
    /// References that the writer excluded.
    pub left_out: &'a HashSet<String>,
    /// References of recalled episodes that are not sent, and why.
    pub withheld: &'a HashMap<String, CutReason>,
    /// The length of a continuation that the writer keeps, in words or Han characters; `None` without a habit.
    pub usual_words: Option<u32>,
}

/// The input of every layer.
#[derive(Clone, Copy)]
struct LayerInputs<'a> {
    counts: &'a Counts,
    left_out: &'a HashSet<String>,
    withheld: &'a HashMap<String, CutReason>,
}

/// A layer being filled.
struct Filling<'a> {
    inputs: LayerInputs<'a>,
    layer: LayerName,
    budget: u32,
    references: Vec<Reference>,
    cut: Vec<CutItem>,
}

impl<'a> Filling<'a> {
    fn new(inputs: LayerInputs<'a>, layer: LayerName, budget: u32) -> Self {
        Self { inputs, layer, budget, references: Vec::new(), cut: Vec::new() }
    }

    /// A section with the items that fit into `share` tokens; empty without any.
    fn section(&mut self, tag: &str, header: &str, share: u32, items: impl IntoIterator<Item = Reference>) -> String {
        let room = share.saturating_sub(tokens_of(&render::section(tag, header)));
        let lines = self.fill(room, items);
        if lines.is_empty() {
            return String::new();
        }
        render::section(tag, &format!("{header}\n{}", lines.join("\n")))
    }

    /// Takes lines in order while they fit into `room` tokens, and notes those that do not. A smaller one that comes
    /// later may still fit.
    fn fill(&mut self, mut room: u32, items: impl IntoIterator<Item = Reference>) -> Vec<String> {
        let mut lines = Vec::new();
        for item in items {
            let cost = self.inputs.counts.count_tokens(&item.text) + 1; // and its line break
            let kept_out = if self.inputs.left_out.contains(&item.reference_id) {
                Some(CutReason::NotHere)
            } else {
                let withheld = self.inputs.withheld.get(&item.reference_id).copied();
                withheld.or((cost > room).then_some(CutReason::Budget))
            };
            let Some(reason) = kept_out else {
                room -= cost;
                lines.push(item.text.clone());
                self.references.push(item);
                continue;
            };
            self.cut.push(CutItem {
                kind: render::kind_name(item.kind).into(),
                id: item.id,
                layer: self.layer,
                text: item.text,
                tokens: cost,
                reason,
            });
        }
        lines
    }

    /// Notes the tokens that a part of the passage lost when it was shortened.
    fn note_passage(&mut self, part: &str, whole: &str, tokens: u32, trimmed: &str) {
        if trimmed.len() == whole.len() {
            return;
        }
        let lost = tokens.saturating_sub(tokens_of(trimmed));
        if lost > 0 {
            self.cut.push(CutItem {
                kind: part.into(),
                id: String::new(),
                layer: self.layer,
                text: String::new(),
                tokens: lost,
                reason: CutReason::Budget,
            });
        }
    }
}

/// Assembles the prompt.
///
/// # Errors
/// `MEMORY_INVALID_ARGUMENT` when the selection or the instruction alone is larger than the budget: a model must not be
/// asked to polish half of the selection.
pub(crate) fn assemble(ingredients: Ingredients<'_>) -> Result<AssembledContext> {
    let Ingredients {
        request,
        language,
        scene_type,
        rules,
        recalled,
        cards,
        passages,
        working,
        degraded_reasons,
        counts,
        left_out,
        withheld,
        usual_words,
    } = ingredients;
    let inputs = LayerInputs { counts, left_out, withheld };
    let shares = budget::shares(request.budget_tokens.unwrap_or(DEFAULT_BUDGET));

    let selection = request.selection.as_deref().unwrap_or_default();
    let words = asked_words(language, &request.skill, selection, scene_type.as_deref(), usual_words);
    let sentence = task::task_sentence(language, &request.skill, words);
    let instructions = task::instructions(language, sentence.as_deref());
    let has_wish = request.instruction.as_deref().is_some_and(|wish| !wish.trim().is_empty());
    let task = task::task_line(language, &request.skill, sentence.as_deref(), has_wish);
    let mut settings = Filling::new(inputs, LayerName::Settings, shares.settings + shares.story);
    let settings_text = settings_section(&mut settings, language, rules, shares.settings);
    let story_text = story_section(&mut settings, language, &cards, shares.story);
    let settings_text = [settings_text, story_text].concat();
    let settings_tokens = counts.count_tokens(&settings_text);

    let mut retrieved = Filling::new(inputs, LayerName::Retrieved, shares.retrieved);
    let past_share = budget::past_share(shares.retrieved, !passages.is_empty());
    let past_text = past_section(&mut retrieved, language, recalled, past_share);
    let left = shares.retrieved.saturating_sub(tokens_of(&past_text));
    let book_text = book_section(&mut retrieved, language, passages, left.min(budget::book_share(shares.retrieved)));
    let retrieved_text = [past_text, book_text].concat();
    let retrieved_tokens = tokens_of(&retrieved_text);

    // The text around the position gets what the memories do not use.
    let unused = (settings.budget + retrieved.budget).saturating_sub(settings_tokens + retrieved_tokens);
    let (immediate_text, immediate) = immediate_layer(inputs, request, working, task, shares.immediate + unused)?;

    let user = [settings_text.as_str(), retrieved_text.as_str(), immediate_text.as_str()].concat();
    let messages = vec![
        Message { role: Role::System, content: instructions.clone() },
        Message { role: Role::User, content: user },
    ];
    let layer = |layer, tokens, text, budget_tokens| Layer { layer, tokens, text, budget_tokens };
    // The first two are the same in one prompt after another.
    let layers = vec![
        layer(LayerName::Rules, counts.count_tokens(&instructions), instructions, shares.rules),
        layer(LayerName::Settings, settings_tokens, settings_text, settings.budget),
        layer(LayerName::Retrieved, retrieved_tokens, retrieved_text, retrieved.budget),
        layer(LayerName::Immediate, tokens_of(&immediate_text), immediate_text, immediate.budget),
    ];
    // Summed over the layers and not counted again over the messages: counting is most of the time of a prompt, and
    // every layer ends its line.
    let total_tokens = layers.iter().map(|layer| layer.tokens).sum();
    let mut references = Vec::new();
    let mut cut = Vec::new();
    for filling in [settings, retrieved, immediate] {
        references.extend(filling.references);
        cut.extend(filling.cut);
    }
    Ok(AssembledContext {
        language,
        scene_type,
        layers,
        references,
        cut,
        messages,
        total_tokens,
        memory_degraded: !degraded_reasons.is_empty(),
        degraded_reasons,
    })
}

fn settings_section(filling: &mut Filling<'_>, language: Language, rules: Applicable, share: u32) -> String {
    let builtin = rules.rules.is_empty();
    let items: Vec<Reference> = if builtin {
        render::builtin_rules(language)
    } else {
        rules.rules.iter().map(|rule| render::rule_reference(language, rule)).collect()
    };
    let section = filling.section("settings", render::settings_header(language, builtin), share, items);
    for rule in &rules.overruled {
        let reference = render::rule_reference(language, rule);
        filling.cut.push(CutItem {
            kind: render::kind_name(ReferenceKind::Rule).into(),
            id: reference.id,
            layer: LayerName::Settings,
            tokens: filling.inputs.counts.count_tokens(&reference.text),
            text: reference.text,
            reason: CutReason::Overruled,
        });
    }
    section
}

fn story_section(filling: &mut Filling<'_>, language: Language, cards: &[StoryCard], share: u32) -> String {
    let counts = filling.inputs.counts;
    let items = cards.iter().map(|card| story::card_reference(language, counts, card));
    filling.section("story", render::story_header(language), share, items)
}

fn past_section(filling: &mut Filling<'_>, language: Language, recalled: Vec<Recalled>, share: u32) -> String {
    // A compressed episode has only a summary: it is evidence, but no example.
    let items = recalled
        .into_iter()
        .filter(|found| !found.episode.compressed)
        .map(|found| render::episode_reference(language, found));
    filling.section("past", render::past_header(language), share, items)
}

fn book_section(filling: &mut Filling<'_>, language: Language, passages: Vec<BookPassage>, share: u32) -> String {
    let items = passages.into_iter().map(|passage| story::passage_reference(language, passage));
    filling.section("book", render::book_header(language), share, items)
}

fn immediate_layer<'a>(
    inputs: LayerInputs<'a>,
    request: &AssembleRequest,
    working: Vec<WorkingItem>,
    task: String,
    budget: u32,
) -> Result<(String, Filling<'a>)> {
    let mut filling = Filling::new(inputs, LayerName::Immediate, budget);
    let optional = |tag, text: &Option<String>| match text.as_deref().filter(|text| !text.trim().is_empty()) {
        Some(text) => render::section(tag, &render::fenced(text)),
        None => String::new(),
    };
    let selection = optional("selection", &request.selection);
    let wish = optional("wish", &request.instruction);

    // Parts that cannot be shortened come first; the others share the remainder.
    let wish_cost = tokens_of(&wish);
    let fixed = tokens_of(&task) + wish_cost + tokens_of(&selection) + budget::SEAMS;
    let Some(free) = budget.checked_sub(fixed) else {
        let field = if tokens_of(&selection) >= wish_cost { "selection" } else { "instruction" };
        return Err(crate::error::Error::invalid(field, "larger than the budget of the prompt"));
    };

    let lines =
        filling.fill(budget::portion(free, budget::WORKING_SHARE), working.iter().map(render::working_reference));
    let working_text = if lines.is_empty() { String::new() } else { render::section("working", &lines.join("\n")) };
    let left = free.saturating_sub(tokens_of(&working_text));

    let before_whole = render::fenced(&request.before);
    let after_whole = render::fenced(request.after.as_deref().unwrap_or_default());
    let (before_tokens, after_tokens) = (tokens_of(&before_whole), tokens_of(&after_whole));
    let around = budget::around(left, before_tokens, after_tokens);
    let before = match around.before < before_tokens {
        true => palimpsest_text::tokens::truncate_start(&before_whole, around.before as usize),
        false => &before_whole,
    };
    let after = match around.after < after_tokens {
        true => palimpsest_text::tokens::truncate_end(&after_whole, around.after as usize),
        false => &after_whole,
    };
    filling.note_passage("before", &before_whole, before_tokens, before);
    filling.note_passage("after", &after_whole, after_tokens, after);
    let passage = |tag, text: &str| {
        if text.is_empty() { String::new() } else { render::section(tag, text) }
    };

    let text = [working_text, passage("before", before), selection, passage("after", after), wish, task].concat();
    Ok((text, filling))
}
