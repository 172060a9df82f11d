//! A story as a page: a heading a kind, a heading an entity, a list item a fact, below it its details and sentences.

use super::{
    LoreEntry, LoreFact,
    page_words::{
        ALSO, CERTAINTIES, Detail, KINDS, NAMED, PINNED, TITLE, VISIBILITIES, Word, chapter_words, detail_word, word,
    },
};
use crate::model::{Certainty, EntityKind, Language, Visibility};

/// The page of some entries; `title` is that of the book.
#[must_use]
pub(crate) fn page_of(title: &str, entries: &[LoreEntry], language: Language) -> String {
    let mut writer = PageWriter { language, page: String::new() };
    writer.push_line("", &format!("# {}", word(TITLE, language)));
    if !title.is_empty() {
        writer.push_line("", &format!("\n> {title}"));
    }
    for (kind, heading, _) in KINDS {
        let mut own = entries.iter().filter(|entry| entry.kind.unwrap_or(EntityKind::Thing) == kind).peekable();
        if own.peek().is_some() {
            writer.push_line("", &format!("\n## {}", word(heading, language)));
        }
        own.for_each(|entry| writer.push_entry(entry));
    }
    writer.page
}

struct PageWriter {
    language: Language,
    page: String,
}

impl PageWriter {
    fn push_line(&mut self, indent: &str, words: &str) {
        self.page.extend([indent, words, "\n"]);
    }

    fn push_entry(&mut self, entry: &LoreEntry) {
        self.push_line("", &format!("\n### {}\n", entry.name));
        let is_form = entry.forms.iter().any(|(form, _)| *form == entry.name);
        let others = entry.forms.iter().filter(|(form, since)| *form != entry.name || since.is_some());
        let others: Vec<(String, Option<u32>)> = others.cloned().collect();
        if !others.is_empty() {
            let heading = self.word(if is_form { ALSO } else { NAMED });
            self.push_line("", &format!("*{heading}{}{}*\n", self.colon(), self.joined(&others)));
        }
        let mut settings: Vec<&str> = Vec::new();
        if let Some(visibility) = entry.visibility.filter(|visibility| *visibility != usual_visibility(entry)) {
            settings.extend(VISIBILITIES.iter().find(|(one, _)| *one == visibility).map(|(_, one)| self.word(*one)));
        }
        if entry.is_pinned {
            settings.push(self.word(PINNED));
        }
        if !settings.is_empty() {
            self.push_line("", &format!("*{}*\n", settings.join(self.semicolon())));
        }
        for fact in &entry.facts {
            let attribute = escaped(&fact.attribute, &[':', '：']);
            self.push_fact(fact, &attribute, "");
            let at_first = detail_word(Detail::Before, self.language);
            fact.earlier.iter().for_each(|earlier| self.push_fact(earlier, at_first, "  "));
        }
    }

    /// Writes a fact behind a word, its attribute or the word for an earlier one.
    fn push_fact(&mut self, fact: &LoreFact, word: &str, indent: &str) {
        self.push_line(indent, &format!("- {word}{}{}", self.colon(), fact.value));
        if fact.certainty != Certainty::Told {
            let certainty = CERTAINTIES.iter().find(|(one, _)| *one == fact.certainty);
            self.push_detail(indent, Detail::Certainty, certainty.map_or("", |(_, one)| self.word(*one)));
        }
        if let Some(object) = &fact.object {
            self.push_detail(indent, Detail::Object, object);
        }
        if let Some(chapter) = fact.chapter {
            self.push_detail(indent, Detail::Chapter, &chapter_words(chapter, self.language));
        }
        if let Some(from) = &fact.valid_from {
            self.push_detail(indent, Detail::From, from);
        }
        if let Some(until) = &fact.valid_until {
            self.push_detail(indent, Detail::Until, until);
        }
        if !fact.knowers.is_empty() {
            let knowers: Vec<_> = fact.knowers.iter().map(|(name, chapter)| (name.clone(), Some(*chapter))).collect();
            self.push_detail(indent, Detail::Knowers, &self.joined(&knowers));
        }
        for (quote, chapter) in &fact.quotes {
            let quote = quote.split_whitespace().collect::<Vec<_>>().join(" ");
            let chapter = chapter.map(|number| self.in_brackets(&chapter_words(number, self.language)));
            self.push_line(indent, &format!("  > {quote}{}", chapter.unwrap_or_default()));
        }
    }

    fn push_detail(&mut self, indent: &str, detail: Detail, value: &str) {
        self.push_line(indent, &format!("  - {}{}{value}", detail_word(detail, self.language), self.colon()));
    }

    /// Names in one line, each with its chapter.
    fn joined(&self, names: &[(String, Option<u32>)]) -> String {
        let one = |(name, chapter): &(String, Option<u32>)| {
            let chapter = chapter.map(|number| self.in_brackets(&chapter_words(number, self.language)));
            format!("{}{}", escaped(name, &[';', '；', '(', '（', '*']), chapter.unwrap_or_default())
        };
        names.iter().map(one).collect::<Vec<_>>().join(self.semicolon())
    }

    fn word(&self, one: Word) -> &'static str {
        word(one, self.language)
    }

    fn colon(&self) -> &'static str {
        word(("：", ": "), self.language)
    }

    fn semicolon(&self) -> &'static str {
        word(("；", "; "), self.language)
    }

    fn in_brackets(&self, words: &str) -> String {
        match self.language {
            Language::Zh => format!("（{words}）"),
            Language::En => format!(" ({words})"),
        }
    }
}

/// The visibility that an entity of its kind has without a word.
pub(super) fn usual_visibility(entry: &LoreEntry) -> Visibility {
    if entry.kind == Some(EntityKind::WorldRule) { Visibility::Always } else { Visibility::AsOf }
}

/// A text with a backslash before each mark.
fn escaped(text: &str, marks: &[char]) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '\\' || marks.contains(&c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}
