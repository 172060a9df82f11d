//! The lines of a text, and what in them speaks against a paragraph that continues in the next line.

use crate::language::is_han;

/// A line of a text, as ranges of bytes of that text.
#[derive(Debug, Clone)]
pub(super) struct Line<'t> {
    /// Start of the words, after the indentation and the signs of a quotation.
    pub start: usize,
    /// End of the words, before white space at the end of the line.
    pub end: usize,
    /// The words, without white space around them.
    pub words: &'t str,
    /// Columns of the indentation; a full-width character has two.
    pub indent: usize,
    /// Number of `>` signs before the words.
    pub quotes: usize,
    /// Columns of the words.
    pub width: usize,
    /// A line of Markdown that never belongs to a paragraph: a heading, a rule, a table, code, front matter.
    pub is_structural: bool,
    /// The first line of an item of a list.
    pub is_item: bool,
    /// The line continues an item of a list, so that its indentation begins no paragraph.
    pub continues_item: bool,
    /// Two spaces or a backslash at its end: the next line stays a line of its own.
    pub is_hard: bool,
}

impl Line<'_> {
    pub(super) fn is_blank(&self) -> bool {
        self.words.is_empty()
    }

    /// Whether the line ends a sentence or a clause.
    pub(super) fn is_finished(&self) -> bool {
        self.words.trim_end_matches(['*', '_']).ends_with(|c: char| {
            !(c.is_alphanumeric() || matches!(c, '，' | '、' | '；' | ',' | ';' | '-' | '—' | '–' | '‐'))
        })
    }

    /// Columns of the first word, which a wrapped line above had no room for.
    pub(super) fn first_word_width(&self) -> usize {
        let mut width = 0;
        for c in self.words.chars() {
            if c.is_whitespace() || (width > 0 && is_wide(c)) {
                break;
            }
            width += columns(c);
            if is_wide(c) {
                break;
            }
        }
        width
    }
}

/// The lines of a text. Line ends are LF, CR, CRLF, and the separators of Unicode.
pub(super) fn lines(text: &str) -> Vec<Line<'_>> {
    let mut found: Vec<Line<'_>> = Vec::new();
    let mut at = 0;
    let mut fence: Option<&str> = None;
    let mut is_front_matter = text.starts_with("---\n") || text.starts_with("---\r");
    for raw in text.split_inclusive('\n').flat_map(|line| line.split_inclusive(['\r', '\u{2028}', '\u{2029}'])) {
        // The LF of a CRLF is a rest of its line.
        if raw == "\n" && at > 0 && text[..at].ends_with('\r') {
            at += raw.len();
            continue;
        }
        let mut line = parse_line(text, at, raw, found.last());
        let mark = ["```", "~~~"].into_iter().find(|mark| line.words.starts_with(mark));
        let is_inside_fence = fence.is_some();
        match (fence, mark) {
            (None, Some(_)) => fence = mark,
            (Some(open), Some(close)) if open == close => fence = None,
            _ => {}
        }
        if is_front_matter && !found.is_empty() && matches!(line.words, "---" | "...") {
            line.is_structural = true;
            is_front_matter = false;
        }
        line.is_structural |= is_inside_fence || fence.is_some() || is_front_matter;
        found.push(line);
        at += raw.len();
    }
    found
}

fn parse_line<'t>(text: &'t str, at: usize, raw: &str, above: Option<&Line<'_>>) -> Line<'t> {
    let content = raw.trim_end_matches(['\n', '\r', '\u{2028}', '\u{2029}']);
    let is_separator = raw.ends_with(['\u{2028}', '\u{2029}']);
    let mut rest = content;
    let (mut indent, mut quotes) = (0, 0);
    while let Some(c) = rest.chars().next() {
        if c == '>' {
            quotes += 1;
            indent = 0;
        } else if c.is_whitespace() {
            indent += if c == '\t' { 4 } else { columns(c) };
        } else {
            break;
        }
        rest = &rest[c.len_utf8()..];
    }
    let words = rest.trim_end();
    let start = at + content.len() - rest.len();
    let end = start + words.len();
    let is_hard = is_separator || rest.ends_with("  ") || words.ends_with('\\');
    let is_item = is_list_item(words);
    let continues_item = !is_item
        && indent > 0
        && above.is_some_and(|above| !above.is_blank() && (above.is_item || above.continues_item));
    Line {
        start,
        end,
        words: &text[start..end],
        indent,
        quotes,
        width: words.chars().map(columns).sum(),
        is_structural: is_structural(words),
        is_item,
        continues_item,
        is_hard,
    }
}

fn is_structural(words: &str) -> bool {
    let level = words.len() - words.trim_start_matches('#').len();
    let is_heading = (1..=6).contains(&level) && words[level..].starts_with(char::is_whitespace);
    // A rule, the line under a heading, a break between scenes.
    let is_rule = !words.is_empty()
        && words.chars().all(|c| {
            matches!(c, '*' | '-' | '_' | '=' | '~' | '#' | '·' | '•' | '＊' | '⁂' | '※') || c.is_whitespace()
        });
    is_heading || is_rule || words.starts_with('|') || words.starts_with("<!--")
}

fn is_list_item(words: &str) -> bool {
    let digits = words.bytes().take_while(u8::is_ascii_digit).count();
    let after = |mark: &[char]| words[digits..].strip_prefix(mark).is_some_and(|rest| rest.starts_with([' ', '\t']));
    if digits == 0 { after(&['-', '*', '+']) } else { digits < 4 && after(&['.', ')']) }
}

/// Columns of a character in a text of fixed width.
pub(super) fn columns(c: char) -> usize {
    if is_wide(c) { 2 } else { 1 }
}

/// Whether a character belongs to a script without spaces between words: Han, kana, and their punctuation.
pub(super) fn is_wide(c: char) -> bool {
    is_han(c)
        || matches!(u32::from(c), 0x2E80..=0x303F | 0x3040..=0x30FF | 0xFE30..=0xFE4F | 0xFF01..=0xFF60 | 0xFFE0..=0xFFE6)
}

/// Whether a mark is used in Chinese and in English, so that the text beside it decides.
pub(super) fn is_shared_mark(c: char) -> bool {
    matches!(c, '“' | '”' | '‘' | '’' | '…' | '—' | '·' | '*' | '_')
}

/// Marks that never begin a line that was not wrapped.
pub(super) fn is_closing_mark(c: char) -> bool {
    matches!(c, '，' | '。' | '、' | '；' | '：' | '？' | '！' | '）' | '》' | '」' | '』' | '】' | '”' | '’')
}
