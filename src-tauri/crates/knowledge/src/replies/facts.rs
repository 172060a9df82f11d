//! The facts of a summary.

use std::collections::HashSet;

use palimpsest_text::{
    is_han,
    terms::{index_terms, query_terms},
};
use serde_json::{Map, Value};

use super::{Check, FoundQuote, MAX_ATTRIBUTE_CHARS, MAX_VALUE_CHARS, handle_number, line};
use crate::failures::FailureKind;

/// The certainties of a fact.
pub(super) const CERTAINTIES: [&str; 4] = ["told", "said", "believed", "planned"];
/// Maximum entities that know a fact.
const MAX_KNOWN_BY: usize = 12;

/// An entity that a fact may be about.
#[derive(Debug, Clone, Copy)]
pub struct KnownEntity<'a> {
    /// Its id.
    pub id: &'a str,
    /// All its names in the text.
    pub names: &'a [String],
}

/// A fact whose quote the code found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedFact {
    /// Id of the entity.
    pub entity_id: String,
    /// On one line.
    pub attribute: String,
    /// On one line.
    pub value: String,
    /// `told`, `said`, `believed` or `planned`.
    pub certainty: String,
    /// Ids of the entities that know it there.
    pub known_by: Vec<String>,
    /// Where the book says so.
    pub quote: FoundQuote,
}

impl CheckedFact {
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.entity_id == other.entity_id && self.attribute == other.attribute && self.value == other.value
    }
}

/// The fact of an item, and whether its passage was corrected. `None` if it is about an unknown name, if no quote was
/// found, if the passage does not name the entity, or if the quote has no word of the value.
pub(super) fn check_fact(
    check: &Check<'_>,
    item: &Map<String, Value>,
) -> Result<Option<(CheckedFact, bool)>, FailureKind> {
    let known_by = known_by(check, item)?;
    let Some(entity) = named_entity(check, item.get("entity").or_else(|| item.get("entry")))? else { return Ok(None) };
    let (attribute, value) = (line(item, "attribute", MAX_ATTRIBUTE_CHARS), line(item, "value", MAX_VALUE_CHARS));
    let (Some(attribute), Some(value)) = (attribute, value) else { return Ok(None) };
    let Some((quote, is_corrected)) = check.find_quote(item, &value)? else { return Ok(None) };
    let passage = check.text_of(&quote.passage);
    let is_named = entity.names.iter().any(|name| !name.is_empty() && passage.contains(name.as_str()));
    if !is_named || !has_word_of(&value, passage.get(quote.range.clone()).unwrap_or_default()) {
        return Ok(None);
    }
    // Neither a word of the model's own nor a missing one makes a fact more certain than the text does.
    let certainty = match item.get("certainty").and_then(Value::as_str).map(|word| word.trim().to_lowercase()) {
        None => CERTAINTIES[0],
        Some(word) => CERTAINTIES.into_iter().find(|known| *known == word).unwrap_or(CERTAINTIES[1]),
    };
    let fact = CheckedFact {
        entity_id: entity.id.to_owned(),
        attribute,
        value,
        certainty: certainty.to_owned(),
        known_by,
        quote,
    };
    Ok(Some((fact, is_corrected)))
}

/// The entity of a name; `None` for a name that no entity has. No prompt has handles of entities: one is refused.
fn named_entity<'c>(
    check: &'c Check<'_>,
    value: Option<&Value>,
) -> Result<Option<&'c super::KnownEntity<'c>>, FailureKind> {
    if let Some(Value::String(name)) = value {
        let name = name.trim();
        let named = check.entities.iter().find(|entity| entity.names.iter().any(|known| known == name));
        if named.is_some() || !name.starts_with(['E', 'e']) {
            return Ok(named);
        }
    }
    if handle_number(value, 'E').is_some() { Err(FailureKind::UnknownId) } else { Ok(None) }
}

fn known_by(check: &Check<'_>, item: &Map<String, Value>) -> Result<Vec<String>, FailureKind> {
    let mut ids = Vec::new();
    for value in item.get("knownBy").and_then(Value::as_array).into_iter().flatten().take(MAX_KNOWN_BY) {
        let id = named_entity(check, Some(value))?.map(|entity| entity.id.to_owned());
        ids.extend(id.filter(|id| !ids.contains(id)));
    }
    Ok(ids)
}

/// Whether a quote has a word of a value. Words in two scripts are not compared.
fn has_word_of(value: &str, quote: &str) -> bool {
    let is_han_text = quote.contains(is_han);
    let words: Vec<String> =
        query_terms(value).into_iter().filter(|word| word.contains(is_han) == is_han_text).collect();
    let terms: HashSet<String> = index_terms(quote).into_iter().collect();
    let characters: HashSet<char> = quote.chars().filter(|c| is_han(*c)).collect();
    words.is_empty()
        || words.iter().any(|word| terms.contains(word))
        // A short Chinese value is paraphrased by single characters: 灰 for 灰色的.
        || words.iter().any(|word| word.chars().count() <= 2 && word.chars().any(|c| characters.contains(&c)))
}
