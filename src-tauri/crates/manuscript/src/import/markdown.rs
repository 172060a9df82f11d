//! Reads Markdown; its chapters are its headings, except those in fenced code.

use super::{Heading, Manuscript};
use crate::text;

pub(super) fn parse(text: &str) -> Manuscript {
    let matter = text::front_matter(text);
    let title = text.get(..matter).and_then(front_matter_title);
    let text = text.get(matter..).unwrap_or_default().to_owned();
    let mut headings = Vec::new();
    for (from, to, level) in text::headings(&text) {
        let line = text.get(from..to).unwrap_or_default();
        if let Some(title) = text::heading_title(line) {
            headings.push(Heading { from, to, level, title: title.to_owned() });
        }
    }
    Manuscript { title, text, headings, ..Manuscript::default() }
}

/// The title in the front matter; its other fields are not imported.
fn front_matter_title(matter: &str) -> Option<String> {
    let value = matter.lines().find_map(|line| line.strip_prefix("title:"))?.trim();
    let quoted = ['"', '\''].into_iter().find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote));
    crate::chapter_files::single_line(quoted.unwrap_or(value))
}
