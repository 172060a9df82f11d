//! Reads Markdown; its chapters are its headings, except those in fenced code.

use palimpsest_text::paragraphs::{replace_breaks, soft_breaks};

use super::proposals::{self, Line};
use super::{Heading, Manuscript, SectionKind};
use crate::text;

pub(super) fn parse(text: &str, join_lines: bool) -> Manuscript {
    let matter = text::front_matter(text);
    let title = text.get(..matter).and_then(front_matter_title);
    let text = text.get(matter..).unwrap_or_default();
    let breaks = soft_breaks(text);
    let wrapped_lines = proposals::count_wrapped(&breaks);
    let text = if join_lines { replace_breaks(text, &breaks).into_owned() } else { text.to_owned() };
    let mut headings = Vec::new();
    for (from, to, level) in text::headings(&text) {
        let line = text.get(from..to).unwrap_or_default();
        if let Some(title) = text::heading_title(line) {
            headings.push(Heading { from, to, level, title: title.to_owned(), kind: SectionKind::Heading });
        }
    }
    // A text with headings of Markdown has no others.
    if headings.is_empty() {
        let mut at = 0;
        let mut lines = Vec::new();
        for line in text.split('\n') {
            lines.push(Line { from: at, to: at + line.len(), raw: line });
            at += line.len() + 1;
        }
        proposals::add(&lines, &mut headings);
    }
    Manuscript { title, text, headings, wrapped_lines, ..Manuscript::default() }
}

/// The title in the front matter; its other fields are not imported.
fn front_matter_title(matter: &str) -> Option<String> {
    let value = matter.lines().find_map(|line| line.strip_prefix("title:"))?.trim();
    let quoted = ['"', '\''].into_iter().find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote));
    crate::chapter_files::single_line(quoted.unwrap_or(value))
}
