//! Lorebooks of other programs: SillyTavern (world info, and the book of a character card), NovelAI, and entries as
//! Novelcrafter has them. The programs name the same things differently; all of their names are read everywhere.

use std::collections::BTreeSet;

use palimpsest_text::unseen;
use serde_json::{Map, Value};

use super::{LoreEntry, Lorebook, Unreadable, content, page_words::kind_of_word};
use crate::{
    model::{Language, Reason, Visibility},
    validate,
};

const NAMES: [&str; 4] = ["comment", "name", "displayName", "title"];
const FORM_FIELDS: [&str; 3] = ["key", "keys", "aliases"];
/// Those of them beside which the name of an entry is a title.
const KEYS: [&str; 2] = ["key", "keys"];
const CONTENTS: [&str; 4] = ["content", "text", "description", "entry"];
const KINDS: [&str; 3] = ["type", "kind", "category"];
/// Fields that put an entry into every prompt.
const ALWAYS: [&str; 3] = ["constant", "forceActivation", "alwaysIncludeInContext"];
/// Fields that keep an entry out of prompts.
const NEVER: [&str; 2] = ["disable", "noAutoInclude"];
/// Fields that keep an entry out of prompts where they are false.
const ENABLED: &str = "enabled";
/// The field for what other programs do not have.
const EXTENSIONS: &str = "extensions";

/// The entries of a lorebook.
///
/// # Errors
/// [`Reason::NotJson`], [`Reason::OtherFormat`], [`Reason::MissingField`], [`Reason::BadValue`].
pub(crate) fn read_json(text: &str, language: Language) -> Result<Lorebook, Unreadable> {
    let root: Value = serde_json::from_str(text).map_err(|error| Unreadable {
        item: u32::try_from(error.line()).unwrap_or(u32::MAX).max(1),
        reason: Reason::NotJson,
    })?;
    let entries = entries_of(&root).ok_or(Unreadable { item: 1, reason: Reason::OtherFormat })?;
    let categories = categories_of(&root);
    let mut ignored = BTreeSet::new();
    let mut book = Lorebook::default();
    for (item, entry) in (1_u32..).zip(entries) {
        let bad = |reason: Reason| Unreadable { item, reason };
        let fields = entry.as_object().ok_or_else(|| bad(Reason::BadValue))?;
        ignored.extend(fields.keys().filter(|field| !is_read(field)).cloned());
        let (entry, left_out) = read_entry(fields, &categories, item, language).map_err(bad)?;
        book.left_out += left_out;
        book.entries.push(entry);
    }
    book.ignored_fields = u32::try_from(ignored.len()).unwrap_or(u32::MAX);
    Ok(book)
}

/// The list of entries, wherever the program puts it.
fn entries_of(root: &Value) -> Option<Vec<&Value>> {
    match root {
        Value::Array(entries) => Some(entries.iter().collect()),
        Value::Object(fields) => {
            if let Some(entries) = fields.get("entries") {
                return listed(entries);
            }
            ["character_book", "data", "codex", "lorebook"].iter().find_map(|name| entries_of(fields.get(*name)?))
        }
        _ => None,
    }
}

fn listed(entries: &Value) -> Option<Vec<&Value>> {
    match entries {
        Value::Array(entries) => Some(entries.iter().collect()),
        Value::Object(entries) => {
            // The keys are numbers, which are sorted as text.
            let mut entries: Vec<(&String, &Value)> = entries.iter().collect();
            entries.sort_by_key(|(key, _)| (key.parse::<u64>().unwrap_or(u64::MAX), (*key).clone()));
            Some(entries.into_iter().map(|(_, entry)| entry).collect())
        }
        _ => None,
    }
}

/// The names of the categories of a NovelAI lorebook, by id.
fn categories_of(root: &Value) -> Vec<(String, String)> {
    let listed = root.get("categories").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let pair = |one: &Value| Some((one.get("id")?.as_str()?.to_owned(), one.get("name")?.as_str()?.to_owned()));
    listed.iter().filter_map(pair).collect()
}

fn is_read(field: &str) -> bool {
    let all = [&NAMES[..], &FORM_FIELDS, &CONTENTS, &KINDS, &ALWAYS, &NEVER, &[ENABLED, EXTENSIONS]];
    all.iter().any(|names| names.contains(&field))
}

fn read_entry(
    fields: &Map<String, Value>,
    categories: &[(String, String)],
    item: u32,
    language: Language,
) -> Result<(LoreEntry, u32), Reason> {
    let words = |names: &[&str]| -> Result<Option<String>, Reason> {
        for name in names {
            match fields.get(*name) {
                None | Some(Value::Null) => {}
                Some(Value::String(words)) if words.trim().is_empty() => {}
                Some(Value::String(words)) => return Ok(Some(seen(words))),
                Some(_) => return Err(Reason::BadValue),
            }
        }
        Ok(None)
    };
    let is_set = |names: &[&str]| names.iter().any(|name| fields.get(*name).and_then(Value::as_bool) == Some(true));
    let mut all_forms = Vec::new();
    for name in FORM_FIELDS {
        all_forms.extend(keys_in(fields.get(name))?);
    }
    let title = words(&NAMES)?.map(|name| name.split_whitespace().collect::<Vec<_>>().join(" "));
    let (mut forms, mut left_out): (Vec<String>, u32) = (Vec::new(), 0);
    for form in all_forms {
        if is_pattern(&form) || form.chars().count() > validate::FORM_CHARS || forms.len() == validate::FORMS {
            left_out += 1;
        } else if !forms.contains(&form) {
            forms.push(form);
        }
    }
    let name = title.or_else(|| forms.first().cloned()).ok_or(Reason::MissingField)?;
    let name: String = name.chars().take(validate::FORM_CHARS).collect();
    // Beside keys the name is a title for people; beside aliases it is a form.
    let has_keys = KEYS.iter().any(|field| fields.get(*field).is_some_and(|keys| !keys.is_null()));
    if forms.is_empty() || (!has_keys && !forms.contains(&name)) {
        forms.insert(0, name.clone());
    }
    let forms = forms.into_iter().map(|form| (form, None)).collect();
    let kind = fields.get(EXTENSIONS).and_then(|own| own.get("palimpsest")?.get("kind")?.as_str().map(str::to_owned));
    let kind = match kind {
        Some(kind) => Some(kind),
        None => words(&KINDS)?,
    };
    let category = kind.as_ref().and_then(|id| categories.iter().find(|(known, _)| known == id));
    let kind = category.map(|(_, name)| name).or(kind.as_ref()).and_then(|word| kind_of_word(word));
    let is_disabled = is_set(&NEVER) || fields.get(ENABLED).and_then(Value::as_bool) == Some(false);
    let visibility = match (is_disabled, is_set(&ALWAYS)) {
        (true, _) => Some(Visibility::Hidden),
        (false, true) => Some(Visibility::Always),
        (false, false) => None,
    };
    let facts = content::facts_of(&words(&CONTENTS)?.unwrap_or_default(), language);
    Ok((LoreEntry { item, kind, name, forms, visibility, is_pinned: false, facts }, left_out))
}

/// The forms in a list, or in a text with commas.
fn keys_in(value: Option<&Value>) -> Result<Vec<String>, Reason> {
    let clean = |form: &str| seen(form).split_whitespace().collect::<Vec<_>>().join(" ");
    let forms: Vec<String> = match value {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::String(forms)) => forms.split([',', '，', '、']).map(clean).collect(),
        Some(Value::Array(forms)) => {
            let texts: Option<Vec<&str>> = forms.iter().map(Value::as_str).collect();
            texts.ok_or(Reason::BadValue)?.into_iter().map(clean).collect()
        }
        Some(_) => return Err(Reason::BadValue),
    };
    Ok(forms.into_iter().filter(|form| !form.is_empty()).collect())
}

/// Whether a form is a regular expression: `/…/` with flags.
fn is_pattern(form: &str) -> bool {
    let Some(inner) = form.strip_prefix('/') else { return false };
    inner.rsplit_once('/').is_some_and(|(_, flags)| flags.chars().all(|flag| flag.is_ascii_alphabetic()))
}

/// A text without characters that a writer cannot see: a model would read them.
fn seen(text: &str) -> String {
    text.chars().filter(|c| !unseen::is_unseen(*c)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::EntityKind;

    fn read(json: &str) -> Lorebook {
        read_json(json, Language::En).unwrap_or_else(|bad| panic!("{bad:?}"))
    }

    #[test]
    fn entries_of_silly_tavern_are_read_in_their_order() {
        let book = read(
            r#"{"entries": {
                "10": {"uid": 10, "key": ["Harwick"], "comment": "", "content": "A port.", "order": 1},
                "2": {"uid": 2, "key": ["Mara", "/mar[ia]/i"], "keysecondary": ["x"], "comment": "Mara Venn",
                    "content": "age: 40", "constant": true, "disable": false}
            }}"#,
        );
        let names: Vec<&str> = book.entries.iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!(names, ["Mara Venn", "Harwick"]);
        assert_eq!(book.entries[0].forms, [("Mara".to_owned(), None)]);
        assert_eq!(book.entries[0].visibility, Some(Visibility::Always));
        assert_eq!(book.entries[0].facts[0].attribute, "age");
        assert_eq!((book.left_out, book.ignored_fields), (1, 3), "the pattern; uid, order, keysecondary");
    }

    #[test]
    fn the_book_of_a_character_card_and_entries_of_other_programs_are_read() {
        let card = r#"{"spec": "chara_card_v2", "data": {"name": "x", "character_book": {"entries":
            [{"keys": ["Pike"], "content": "A clerk.", "enabled": false}]}}}"#;
        assert_eq!(read(card).entries[0].visibility, Some(Visibility::Hidden));
        let codex = r#"[{"type": "location", "name": "Harwick", "aliases": "the port, the town",
            "description": "A port.", "tags": ["north"]}]"#;
        let harwick = &read(codex).entries[0];
        assert_eq!((harwick.kind, harwick.forms.len()), (Some(EntityKind::Place), 3));
        let novel_ai = r#"{"lorebookVersion": 5, "entries": [{"text": "Tall.", "displayName": "Mara", "keys": ["Mara"],
            "category": "c1"}], "categories": [{"id": "c1", "name": "Characters"}]}"#;
        assert_eq!(read(novel_ai).entries[0].kind, Some(EntityKind::Character));
    }

    #[test]
    fn a_file_that_is_no_lorebook_is_refused_with_its_place() {
        let reason = |json: &str| read_json(json, Language::En).unwrap_err();
        assert_eq!(reason("{\n\"entries\": [").reason, Reason::NotJson);
        assert_eq!(reason("{\n\"entries\": [").item, 2);
        assert_eq!(reason("{\"chapters\": []}").reason, Reason::OtherFormat);
        assert_eq!(
            reason("[{\"name\": \"a\"}, {\"content\": \"b\"}]"),
            Unreadable { item: 2, reason: Reason::MissingField }
        );
        assert_eq!(reason("[{\"name\": 7}]"), Unreadable { item: 1, reason: Reason::BadValue });
        assert_eq!(reason("[7]"), Unreadable { item: 1, reason: Reason::BadValue });
    }
}
