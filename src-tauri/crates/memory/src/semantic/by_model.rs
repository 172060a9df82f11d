//! Words by a model: its input, and the checks of its answer.
//!
//! A model may reword measured patterns, propose rules that it reads out of the writer's remarks, and classify rules in
//! words. It sets no number, no scope and no evidence. An answer is accepted as a whole or not at all: where one
//! sentence is invented, the others are no better.
//!
//! All text of the writer's is sent as one JSON document between tags, with every `<` written as an escape: no text can
//! close the fence. Ids are short names that replace the caller's.

mod checks;
mod journal_facts;
mod prompt;
pub mod restated;
pub mod summaries;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use palimpsest_text::{single_spaced, style::Feature};
use serde::{Deserialize, de::DeserializeOwned, de::IgnoredAny};
use serde_json::{Value, json};

use prompt::{pattern_id, remark_id, rule_id};

use super::lexicon;
use crate::{
    model::{Category, EpisodeId, Language, RuleId},
    ports::Message,
};

/// Maximum bytes of an answer.
const MAX_ANSWER_BYTES: usize = 64 * 1024;
/// Maximum number of proposals in one answer.
const MAX_PROPOSALS: usize = 8;
/// Marks a rule that is not measurable.
const NONE: &str = "none";

/// The input of a model in one run. Names on the project's map must be hidden in all texts; fencing is done here.
pub struct Question<'a> {
    /// The language of the project.
    pub language: Language,
    /// Patterns to be worded.
    pub patterns: Vec<ToWord>,
    /// Remarks of the writer.
    pub remarks: Vec<Remark<'a>>,
    /// Rules in words without a known matter.
    pub unplaced: Vec<ToPlace<'a>>,
    /// Rules that the writer deleted: not to be proposed again.
    pub declined: Vec<&'a str>,
}

/// A pattern to be worded.
pub struct ToWord {
    /// The style feature.
    pub feature: Feature,
    /// +1 more, -1 less.
    pub direction: i32,
    /// The template's words: a sentence may contain only the numbers in them.
    pub template: String,
    /// The proposed and the final texts.
    pub examples: Vec<(String, String)>,
}

/// A remark of the writer.
pub struct Remark<'a> {
    /// UUID of the remark.
    pub episode_id: EpisodeId,
    /// The words.
    pub text: &'a str,
}

/// A rule in words.
pub struct ToPlace<'a> {
    /// UUID of the rule whose matter is asked.
    pub rule_id: RuleId,
    /// Its words.
    pub text: &'a str,
}

/// An accepted answer.
#[derive(Clone, PartialEq)]
pub struct Words {
    /// One a pattern, in order.
    pub worded: Vec<String>,
    /// Rules that the model reads out of remarks.
    pub proposals: Vec<Proposal>,
    /// The matter of each rule in words; `None` for a rule that is not measurable.
    pub placed: Vec<(RuleId, Option<(Feature, i32)>)>,
}

/// A rule that a model reads out of remarks: a question to the writer.
#[derive(Clone, PartialEq, Eq)]
pub struct Proposal {
    /// The rule.
    pub text: String,
    /// The group under which it is listed.
    pub category: Category,
    /// The remarks it rests on, by episode: at least one, none twice.
    pub episodes: Vec<EpisodeId>,
}

/// Why an answer was rejected. Contains none of its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unbelievable {
    /// Not JSON, or more than one document.
    NotJson,
    /// JSON of another shape.
    Shape,
    /// A requested item is missing, or a list is empty.
    Missing,
    /// An item is answered twice.
    Twice,
    /// An id that was not given.
    InventedId,
    /// A proposal without a citation.
    Uncited,
    /// An unknown category.
    Category,
    /// An unknown feature, or a direction without one.
    Feature,
    /// Another language than the project's.
    Language,
    /// A number that was not given.
    InventedNumber,
    /// A name that was not given.
    InventedName,
    /// Too short, too long, or too many.
    Length,
    /// More than one line, or markup.
    Markup,
    /// An instruction to the reader instead of a rule of style.
    Order,
    /// Contradicts the measured pattern, or is about another one.
    Contradiction,
    /// Repeats a passage of the manuscript.
    Quoted,
    /// Leaves out what was done, or what came of it.
    Incomplete,
}

impl Unbelievable {
    /// A short name for a log.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotJson => "notJson",
            Self::Shape => "shape",
            Self::Missing => "missing",
            Self::Twice => "twice",
            Self::InventedId => "inventedId",
            Self::Uncited => "uncited",
            Self::Category => "category",
            Self::Feature => "feature",
            Self::Language => "language",
            Self::InventedNumber => "inventedNumber",
            Self::InventedName => "inventedName",
            Self::Length => "length",
            Self::Markup => "markup",
            Self::Order => "order",
            Self::Contradiction => "contradiction",
            Self::Quoted => "quoted",
            Self::Incomplete => "incomplete",
        }
    }
}

/// The messages to send.
#[must_use]
pub fn messages(question: &Question<'_>) -> Vec<Message> {
    prompt::messages(question)
}

/// The JSON schema of the answer: closed objects in which everything is required, as strict interfaces want it.
#[must_use]
pub fn answer_schema() -> Value {
    let text = json!({ "type": "string" });
    let list = |fields: &[(&str, &Value)]| {
        let names: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
        let properties: serde_json::Map<String, Value> =
            fields.iter().map(|(name, kind)| ((*name).to_owned(), (*kind).clone())).collect();
        json!({
            "type": "array",
            "items": { "type": "object", "additionalProperties": false, "required": names, "properties": properties },
        })
    };
    let features: Vec<&str> = Feature::ALL.iter().map(|feature| feature.as_str()).chain([NONE]).collect();
    let one_of = |names: &[&str]| json!({ "type": "string", "enum": names });
    let category = one_of(&["style", "structure", "character", "pacing", "vocabulary"]);
    let ids = json!({ "type": "array", "items": text });
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["patterns", "proposals", "rules"],
        "properties": {
            "patterns": list(&[("id", &text), ("sentence", &text)]),
            "proposals": list(&[("rule", &text), ("category", &category), ("evidence", &ids)]),
            "rules": list(&[("id", &text), ("feature", &one_of(&features)), ("direction", &one_of(&["more", "less", NONE]))]),
        },
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    patterns: Vec<Worded>,
    proposals: Vec<Proposed>,
    rules: Vec<Placed>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Worded {
    id: String,
    sentence: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Proposed {
    rule: String,
    category: String,
    evidence: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Placed {
    id: String,
    feature: String,
    direction: String,
}

/// Reads an answer: all of it is accepted, or nothing.
///
/// # Errors
/// The first check that fails.
pub fn parse_answer(question: &Question<'_>, answer: &str) -> Result<Words, Unbelievable> {
    let Answer { patterns, proposals, rules } = from_json(answer)?;

    let worded = one_each(patterns, question.patterns.len(), pattern_id, |one| &one.id)?;
    let worded = worded.into_iter().zip(&question.patterns);
    let worded = worded.map(|(one, pattern)| worded_well(question.language, pattern, one.sentence));
    let worded = worded.collect::<Result<_, _>>()?;

    let placed = one_each(rules, question.unplaced.len(), rule_id, |one| &one.id)?;
    let placed =
        placed.iter().zip(&question.unplaced).map(|(one, rule)| Ok((rule.rule_id.clone(), parse_placement(one)?)));
    let placed = placed.collect::<Result<_, _>>()?;

    Ok(Words { worded, proposals: proposed(question, proposals)?, placed })
}

fn from_json<T: DeserializeOwned>(answer: &str) -> Result<T, Unbelievable> {
    if answer.len() > MAX_ANSWER_BYTES {
        return Err(Unbelievable::Length);
    }
    let answer = answer.trim();
    serde_json::from_str::<IgnoredAny>(answer).map_err(|_| Unbelievable::NotJson)?;
    serde_json::from_str(answer).map_err(|_| Unbelievable::Shape)
}

/// The items with ids 1, 2, … `asked`, in that order: each once, and no other.
fn one_each<T>(
    answers: Vec<T>,
    asked: usize,
    id: fn(usize) -> String,
    of: impl Fn(&T) -> &str,
) -> Result<Vec<T>, Unbelievable> {
    let mut by_id: HashMap<String, T> = HashMap::new();
    let known: HashSet<String> = (0..asked).map(id).collect();
    for answer in answers {
        let name = of(&answer).to_owned();
        if !known.contains(&name) {
            return Err(Unbelievable::InventedId);
        }
        if by_id.insert(name, answer).is_some() {
            return Err(Unbelievable::Twice);
        }
    }
    (0..asked).map(|at| by_id.remove(&id(at)).ok_or(Unbelievable::Missing)).collect()
}

fn worded_well(language: Language, pattern: &ToWord, sentence: String) -> Result<String, Unbelievable> {
    let sentence = sentence.trim();
    // The unchanged template is valid.
    if sentence == pattern.template {
        return Ok(single_spaced(sentence));
    }
    checks::check_sentence(language, sentence, &[&pattern.template])?;
    match lexicon::understand(sentence) {
        Some(said) if kin(said.feature, said.direction) != kin(pattern.feature, pattern.direction) => {
            Err(Unbelievable::Contradiction)
        }
        _ => Ok(single_spaced(sentence)),
    }
}

/// Features that are expressed in the same words: one representative, with its direction.
fn kin(feature: Feature, direction: i32) -> (Feature, i32) {
    match feature {
        Feature::Length | Feature::LongSentences => (Feature::SentenceLength, direction),
        Feature::ShortSentences => (Feature::SentenceLength, -direction),
        Feature::ParagraphDensity => (Feature::ParagraphLength, -direction),
        Feature::DialogueTurns => (Feature::DialogueShare, direction),
        Feature::ThirdPerson => (Feature::FirstPerson, -direction),
        other => (other, direction),
    }
}

fn parse_placement(answer: &Placed) -> Result<Option<(Feature, i32)>, Unbelievable> {
    let direction = match answer.direction.as_str() {
        "more" => 1,
        "less" => -1,
        NONE if answer.feature == NONE => return Ok(None),
        _ => return Err(Unbelievable::Feature),
    };
    Feature::parse(&answer.feature).map(|feature| Some((feature, direction))).ok_or(Unbelievable::Feature)
}

fn proposed(question: &Question<'_>, answers: Vec<Proposed>) -> Result<Vec<Proposal>, Unbelievable> {
    if answers.len() > MAX_PROPOSALS {
        return Err(Unbelievable::Length);
    }
    let known: HashMap<String, &Remark<'_>> =
        question.remarks.iter().enumerate().map(|(at, remark)| (remark_id(at), remark)).collect();
    let mut proposals: Vec<Proposal> = Vec::new();
    for answer in answers {
        if answer.evidence.is_empty() {
            return Err(Unbelievable::Uncited);
        }
        let cited = answer.evidence.iter().map(|id| known.get(id).copied().ok_or(Unbelievable::InventedId));
        let cited = cited.collect::<Result<Vec<_>, _>>()?;
        let text = answer.rule.trim();
        let given: Vec<&str> = cited.iter().map(|remark| remark.text).collect();
        checks::check_sentence(question.language, text, &given)?;
        let text = single_spaced(text);
        let category = Value::String(answer.category);
        let category: Category = serde_json::from_value(category).map_err(|_| Unbelievable::Category)?;
        // Two proposals that say the same are merged.
        let same = proposals.iter().position(|other| lexicon::restates(&other.text, &text));
        let at = same.unwrap_or(proposals.len());
        if same.is_none() {
            proposals.push(Proposal { text, category, episodes: Vec::new() });
        }
        for remark in cited {
            if !proposals[at].episodes.contains(&remark.episode_id) {
                proposals[at].episodes.push(remark.episode_id.clone());
            }
        }
    }
    Ok(proposals)
}
