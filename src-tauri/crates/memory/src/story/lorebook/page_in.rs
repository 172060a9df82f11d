//! Reads a story from a page, line by line. Text that belongs to no entity is skipped; text below an entity that is no
//! list item is its note.

use super::{
    LoreEntry, LoreFact, Lorebook, Unreadable, content,
    page_words::{
        ALSO, CERTAINTIES, Detail, NAMED, PINNED, VISIBILITIES, chapter_of, detail_of, is_word, kind_of_word,
    },
};
use crate::{
    model::{EntityKind, Language, Reason},
    validate::{FORM_CHARS, STORY_TIME_CHARS, VALUE_CHARS},
};

/// The entries of a page.
///
/// # Errors
/// [`Reason::UnknownCategory`] for an entity below no heading of a kind, [`Reason::BrokenLine`] for a detail without
/// its fact or that is none, [`Reason::BadValue`], [`Reason::TooLong`], each with its line.
pub(crate) fn read_page(page: &str, language: Language) -> Result<Lorebook, Unreadable> {
    let mut reading = Reading { entries: Vec::new(), kind: None, language };
    for (item, line) in (1_u32..).zip(page.lines()) {
        reading.read_line(line).map_err(|reason| Unreadable { item, reason })?;
        if let Some(entry) = reading.entries.last_mut().filter(|entry| entry.item == 0) {
            entry.item = item;
        }
    }
    Ok(Lorebook { entries: reading.entries, ..Lorebook::default() })
}

struct Reading {
    entries: Vec<LoreEntry>,
    /// The kind of the heading above.
    kind: Option<EntityKind>,
    language: Language,
}

impl Reading {
    fn read_line(&mut self, line: &str) -> Result<(), Reason> {
        let text = line.trim();
        if let Some(name) = text.strip_prefix("### ") {
            return self.begin_entry(name.trim());
        }
        if let Some(heading) = text.strip_prefix("## ") {
            self.kind = Some(kind_of_word(heading).ok_or(Reason::UnknownCategory)?);
            return Ok(());
        }
        if text.is_empty() || text.starts_with('#') {
            return Ok(());
        }
        let language = self.language;
        let Some(entry) = self.entries.last_mut() else { return Ok(()) };
        let indent = indent_of(line);
        if let Some(quote) = text.strip_prefix('>') {
            let fact = fact_at(entry, indent).ok_or(Reason::BrokenLine)?;
            fact.quotes.push(with_chapter(quote.trim()));
            return Ok(());
        }
        match ["- ", "* ", "+ "].iter().find_map(|bullet| text.strip_prefix(bullet)) {
            Some(words) if indent == 0 => entry.facts.push(fact_of(words.trim(), language)?),
            Some(words) => detail_line(entry, indent, words.trim())?,
            None => match text.strip_prefix('*').and_then(|text| text.strip_suffix('*')) {
                Some(settings) if read_settings(entry, settings)? => {}
                _ => entry.facts.extend(content::facts_of(text, language)),
            },
        }
        Ok(())
    }

    fn begin_entry(&mut self, name: &str) -> Result<(), Reason> {
        let kind = self.kind.ok_or(Reason::UnknownCategory)?;
        if name.is_empty() {
            return Err(Reason::BadValue);
        }
        if name.chars().count() > FORM_CHARS {
            return Err(Reason::TooLong);
        }
        let forms = vec![(name.to_owned(), None)];
        self.entries.push(LoreEntry { kind: Some(kind), name: name.to_owned(), forms, ..LoreEntry::default() });
        Ok(())
    }
}

/// Columns before the text: a tab is two.
fn indent_of(line: &str) -> usize {
    line.chars().take_while(|c| c.is_whitespace()).map(|c| if c == '\t' { 2 } else { 1 }).sum()
}

/// The fact that a line belongs to: the last one, or from four columns on the last one that it replaced.
fn fact_at(entry: &mut LoreEntry, indent: usize) -> Option<&mut LoreFact> {
    let fact = entry.facts.last_mut()?;
    if indent >= 4 && !fact.earlier.is_empty() { fact.earlier.last_mut() } else { Some(fact) }
}

fn fact_of(words: &str, language: Language) -> Result<LoreFact, Reason> {
    let Some((attribute, value)) = split_at_colon(words) else {
        let notes = content::facts_of(words, language);
        return notes.into_iter().next().filter(|note| note.value == words).ok_or(Reason::TooLong);
    };
    if !content::is_attribute_length(&attribute) || value.chars().count() > VALUE_CHARS {
        return Err(Reason::TooLong);
    }
    if attribute.trim().is_empty() || value.is_empty() {
        return Err(Reason::BadValue);
    }
    Ok(LoreFact::new(attribute, value))
}

fn detail_line(entry: &mut LoreEntry, indent: usize, words: &str) -> Result<(), Reason> {
    let (name, value) = split_at_colon(words).ok_or(Reason::BrokenLine)?;
    let detail = detail_of(&name).ok_or(Reason::BrokenLine)?;
    if value.is_empty() {
        return Err(Reason::BadValue);
    }
    let longest = if matches!(detail, Detail::From | Detail::Until) { STORY_TIME_CHARS } else { VALUE_CHARS };
    if detail != Detail::Knowers && value.chars().count() > longest {
        return Err(Reason::TooLong);
    }
    if detail == Detail::Before {
        let fact = entry.facts.last_mut().ok_or(Reason::BrokenLine)?;
        fact.earlier.push(LoreFact::new(fact.attribute.clone(), value));
        return Ok(());
    }
    let fact = fact_at(entry, indent).ok_or(Reason::BrokenLine)?;
    let value = value.to_owned();
    match detail {
        Detail::Certainty => {
            let certainty = CERTAINTIES.iter().find(|(_, word)| is_word(*word, &value));
            fact.certainty = certainty.map(|(certainty, _)| *certainty).ok_or(Reason::BadValue)?;
        }
        Detail::Object => fact.object = Some(value),
        Detail::Chapter => fact.chapter = Some(chapter_of(&value).ok_or(Reason::BadValue)?),
        Detail::From => fact.valid_from = Some(value),
        Detail::Until => fact.valid_until = Some(value),
        Detail::Knowers => {
            for (name, chapter) in names_of(&value)? {
                fact.knowers.push((name, chapter.ok_or(Reason::BadValue)?));
            }
        }
        Detail::Before => {}
    }
    Ok(())
}

/// Reads a line about the names or the settings of an entity; returns whether it is one.
fn read_settings(entry: &mut LoreEntry, line: &str) -> Result<bool, Reason> {
    if let Some((heading, names)) = split_at_colon(line) {
        let is_also = is_word(ALSO, &heading);
        if is_also || is_word(NAMED, &heading) {
            let names = names_of(names)?;
            // The name itself is listed where it is known from a chapter on, and where it is no form.
            if !is_also || names.iter().any(|(name, _)| *name == entry.name) {
                entry.forms.retain(|(form, _)| *form != entry.name);
            }
            entry.forms.extend(names);
            return Ok(true);
        }
    }
    let settings: Vec<&str> = line.split([';', '；']).map(str::trim).collect();
    let visibility = |one: &str| VISIBILITIES.iter().find(|(_, word)| is_word(*word, one)).map(|(found, _)| *found);
    if settings.iter().any(|one| !is_word(PINNED, one) && visibility(one).is_none()) {
        return Ok(false);
    }
    for setting in settings {
        match visibility(setting) {
            Some(visibility) => entry.visibility = Some(visibility),
            None => entry.is_pinned = true,
        }
    }
    Ok(true)
}

/// The words before and after the first colon without a backslash.
fn split_at_colon(words: &str) -> Option<(String, &str)> {
    let (at, colon) = first_unescaped(words, &[':', '：'])?;
    Some((unescaped(words[..at].trim()), words[at + colon.len_utf8()..].trim()))
}

/// Names in one line, each with its chapter.
fn names_of(line: &str) -> Result<Vec<(String, Option<u32>)>, Reason> {
    let mut names = Vec::new();
    let mut rest = line;
    loop {
        let end = first_unescaped(rest, &[';', '；']);
        let (one, next) = end.map_or((rest, None), |(at, mark)| (&rest[..at], Some(&rest[at + mark.len_utf8()..])));
        let (name, chapter) = match first_unescaped(one, &['(', '（']) {
            Some((at, bracket)) => {
                let words = one[at + bracket.len_utf8()..].trim().trim_end_matches([')', '）']);
                (&one[..at], Some(chapter_of(words).ok_or(Reason::BadValue)?))
            }
            None => (one, None),
        };
        let name = unescaped(name.trim());
        if name.is_empty() {
            return Err(Reason::BadValue);
        }
        if name.chars().count() > FORM_CHARS {
            return Err(Reason::TooLong);
        }
        names.push((name, chapter));
        let Some(next) = next else { return Ok(names) };
        rest = next;
    }
}

/// A quote, and the number of the chapter in brackets at its end.
fn with_chapter(quote: &str) -> (String, Option<u32>) {
    let inner = quote.strip_suffix([')', '）']);
    let chapter = inner.and_then(|inner| inner.rfind(['(', '（']).map(|at| (at, inner)));
    let found = chapter.and_then(|(at, inner)| {
        let words = inner[at..].trim_start_matches(['(', '（']);
        Some((quote[..at].trim_end().to_owned(), chapter_of(words)?))
    });
    found.map_or_else(|| (quote.to_owned(), None), |(quote, number)| (quote, Some(number)))
}

/// The first of some marks without a backslash before it, and its place.
fn first_unescaped(text: &str, marks: &[char]) -> Option<(usize, char)> {
    let mut is_escaped = false;
    for (at, c) in text.char_indices() {
        match (is_escaped, c) {
            (true, _) => is_escaped = false,
            (false, '\\') => is_escaped = true,
            (false, c) if marks.contains(&c) => return Some((at, c)),
            (false, _) => {}
        }
    }
    None
}

fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        plain.extend(if c == '\\' { chars.next() } else { Some(c) });
    }
    plain
}

#[cfg(test)]
mod tests;
