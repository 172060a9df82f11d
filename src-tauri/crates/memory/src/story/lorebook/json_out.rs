//! Entries as lorebooks of other programs.

use serde_json::{Value, json};

use super::{LoreEntry, content, page_words::kind_id};
use crate::model::{EntityKind, Language, Visibility};

/// A lorebook (world info) of SillyTavern.
pub(crate) fn silly_tavern(entries: &[LoreEntry], language: Language) -> Value {
    let entry = |(number, entry): (usize, &LoreEntry)| {
        let value = json!({
            "uid": number,
            "key": form_names(entry).collect::<Vec<_>>(),
            "keysecondary": [],
            "comment": entry.name,
            "content": content::content_of(&entry.facts, language),
            "constant": is_always(entry),
            "vectorized": false,
            "selective": false,
            "selectiveLogic": 0,
            "addMemo": true,
            "order": 100,
            "position": 0,
            "disable": entry.visibility == Some(Visibility::Hidden),
            "excludeRecursion": true,
            "preventRecursion": true,
            "probability": 100,
            "useProbability": true,
            "depth": 4,
            "group": "",
            "extensions": own(entry),
        });
        (number.to_string(), value)
    };
    let entries: serde_json::Map<String, Value> = entries.iter().enumerate().map(entry).collect();
    json!({ "entries": entries })
}

/// Entries as a codex of Novelcrafter has them.
pub(crate) fn novelcrafter(entries: &[LoreEntry], language: Language) -> Value {
    let entry = |entry: &LoreEntry| {
        let aliases: Vec<&str> = form_names(entry).filter(|form| *form != entry.name).collect();
        json!({
            "type": codex_type(entry.kind),
            "name": entry.name,
            "aliases": aliases,
            "tags": [],
            "description": content::content_of(&entry.facts, language),
            "alwaysIncludeInContext": is_always(entry),
            "noAutoInclude": entry.visibility == Some(Visibility::Hidden),
            "extensions": own(entry),
        })
    };
    json!({ "entries": entries.iter().map(entry).collect::<Vec<_>>() })
}

fn form_names(entry: &LoreEntry) -> impl Iterator<Item = &str> {
    entry.forms.iter().map(|(form, _)| form.as_str())
}

fn is_always(entry: &LoreEntry) -> bool {
    entry.is_pinned || entry.visibility == Some(Visibility::Always)
}

/// The fields that other programs do not have.
fn own(entry: &LoreEntry) -> Value {
    json!({ "palimpsest": { "kind": entry.kind.map(kind_id) } })
}

fn codex_type(kind: Option<EntityKind>) -> &'static str {
    match kind {
        Some(EntityKind::Character) => "character",
        Some(EntityKind::Place) => "location",
        Some(EntityKind::Thing) => "object",
        Some(EntityKind::Thread) => "subplot",
        Some(EntityKind::WorldRule) => "lore",
        Some(EntityKind::Faction | EntityKind::Event) | None => "other",
    }
}
