//! The decision about the beginning of a draft, or of a line of it.

use palimpsest_text::{Language, control::PROMPT_TAGS, detect_or, is_han};

use crate::{
    Cut, Facts, Reason, Skill,
    filter::MAX_HELD_CHARS,
    judge::{is_listed, last_part},
    phrases::{
        Opening, advice, after_advice, after_word, asks_advice, asks_language, is_about_text, is_label, may_be_label,
        preamble, refusal, refuses,
    },
    prompt::{Likeness, PromptLines},
    words::folded,
};

/// Characters of a preamble, at most.
const MAX_PREAMBLE_CHARS: usize = 240;
/// Characters that tell a refusal from an apology in prose.
const MAX_REFUSAL_CHARS: usize = 160;
/// Letters without a character of the book's language that tell another language.
const FOREIGN_LETTERS: usize = 40;
/// The same for Han characters in an English book.
const FOREIGN_HAN: usize = 8;
/// Maximum characters of a label.
const MAX_LABEL_CHARS: usize = 30;
/// Maximum characters of a tag.
const MAX_TAG_CHARS: usize = 20;

/// A decision about held text. Sizes are in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decision {
    /// It depends on the text to come.
    Wait,
    /// It is prose.
    Show,
    /// The first bytes are cut.
    Cut(usize, Cut),
    /// The line is cut, also what is still to come of it.
    CutLine(Cut),
    /// Everything from here on is cut.
    Stop(Cut),
    /// The text is unusable.
    Unusable(Reason),
    /// A tag of the prompt: its bytes, and, if it opens a section of memories, its name.
    Tag(usize, Option<&'static str>),
}

/// The input of a decision.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Held<'a> {
    /// The text from the first character that is no white space.
    pub(crate) text: &'a str,
    /// Number of the characters of white space that are held before it.
    pub(crate) blank_chars: usize,
    /// Whether nothing comes after it.
    pub(crate) is_end: bool,
    /// Whether nothing was shown before it.
    pub(crate) is_start: bool,
    /// Whether a preamble was cut before it.
    pub(crate) had_preamble: bool,
}

impl Held<'_> {
    /// The first line, and whether it is complete.
    fn line(&self) -> (&str, bool) {
        match self.text.split_once('\n') {
            Some((line, _)) => (line.trim_end(), true),
            None => (self.text, self.is_end),
        }
    }

    fn is_longer_than(&self, chars: usize) -> bool {
        self.text.chars().nth(chars).is_some()
    }
}

/// The tag of a prompt at the beginning of a text: its bytes and its name, `Wait` while it may become one.
pub(crate) fn tag_at(text: &str, is_end: bool) -> Option<Decision> {
    if let Some(rest) = text.strip_prefix('[') {
        return bracketed_tag(rest, is_end);
    }
    let rest = text.strip_prefix('<')?;
    // Control words of chat templates.
    if rest.starts_with('|') {
        return Some(Decision::Stop(Cut::PromptEcho));
    }
    if rest.is_empty() {
        return (!is_end).then_some(Decision::Wait);
    }
    let (name, is_closing) = match rest.strip_prefix('/') {
        Some(name) => (name, true),
        None => (rest, false),
    };
    match name.split_once('>') {
        Some((name, _)) => {
            let tag = *PROMPT_TAGS.iter().find(|tag| **tag == name)?;
            let bytes = 2 + usize::from(is_closing) + name.len();
            let is_text = matches!(tag, "before" | "selection" | "after" | "book");
            Some(Decision::Tag(bytes, (!is_closing && !is_text).then_some(tag)))
        }
        None => {
            let may_be = name.len() <= MAX_TAG_CHARS && PROMPT_TAGS.iter().any(|tag| tag.starts_with(name));
            (may_be && !is_end).then_some(Decision::Wait)
        }
    }
}

/// A tag that is written in square brackets, after the bracket.
fn bracketed_tag(rest: &str, is_end: bool) -> Option<Decision> {
    let name = rest.strip_prefix('/').unwrap_or(rest);
    match name.split_once(']') {
        Some((name, _)) if PROMPT_TAGS.contains(&name) => {
            Some(Decision::Tag(1 + rest.len() - after_bracket(rest), None))
        }
        Some(_) => None,
        None => {
            let may_be = PROMPT_TAGS.iter().any(|tag| tag.starts_with(name));
            (may_be && !is_end).then_some(Decision::Wait)
        }
    }
}

/// Bytes after the closing bracket.
fn after_bracket(rest: &str) -> usize {
    rest.split_once(']').map_or(0, |(_, after)| after.len())
}

/// Decides about the beginning of a line.
pub(crate) fn decide(held: Held<'_>, facts: &Facts<'_>, prompt: &PromptLines) -> Decision {
    let (line, is_complete) = held.line();
    let is_bounded = !held.is_start && held.is_longer_than(MAX_HELD_CHARS.saturating_sub(held.blank_chars + 1));
    let is_complete = is_complete || is_bounded;
    if let Some(decision) = tag_at(held.text, held.is_end) {
        return match decision {
            Decision::Tag(..) if !held.is_start => Decision::Stop(Cut::PromptEcho),
            decision => decision,
        };
    }
    // Marks without a word may be the beginning of anything.
    if held.is_longer_than(MAX_HELD_CHARS) && !held.text.chars().any(char::is_alphanumeric) {
        return Decision::Show;
    }
    let mut waits = false;
    match prompt.compare(line, is_complete) {
        Likeness::Same if held.is_start => return Decision::CutLine(Cut::PromptEcho),
        Likeness::Same => return Decision::Stop(Cut::PromptEcho),
        Likeness::Open => waits = true,
        Likeness::Other => {}
    }
    if let Some(header) = prompt.header_of(line).filter(|_| !waits) {
        return if held.is_start {
            Decision::Cut(header.len(), Cut::PromptEcho)
        } else {
            Decision::Stop(Cut::PromptEcho)
        };
    }
    if facts.skill == Skill::Other {
        return if waits { Decision::Wait } else { Decision::Show };
    }
    // The note on a rule is at the end of its line.
    waits |= !is_complete && is_listed(line);
    for found in [mark_line(held, line, is_complete, facts), spoken_line(held, line, is_complete, facts)] {
        match found {
            Some(Decision::Wait) => waits = true,
            Some(decision) => return decision,
            None => {}
        }
    }
    if held.is_start {
        match foreign_start(held, facts) {
            Some(Decision::Wait) => waits = true,
            Some(decision) => return decision,
            None => {}
        }
    }
    if waits { Decision::Wait } else { Decision::Show }
}

/// Fences, headings and rules of Markdown.
fn mark_line(held: Held<'_>, line: &str, is_complete: bool, facts: &Facts<'_>) -> Option<Decision> {
    if line.starts_with('`') {
        if line.starts_with("```") {
            return Some(Decision::CutLine(Cut::Fence));
        }
        return (!is_complete && "```".starts_with(line)).then_some(Decision::Wait);
    }
    if line.starts_with('#') && !facts.has_headings {
        let marks = line.len() - line.trim_start_matches('#').len();
        let rest = &line[marks..];
        if rest.is_empty() && !is_complete {
            return Some(Decision::Wait);
        }
        if marks <= 6 && rest.starts_with([' ', '\u{3000}']) {
            if !is_complete {
                return Some(Decision::Wait);
            }
            let is_meta = is_about_text(&folded(rest)) && !held.is_start;
            return Some(if is_meta { Decision::Stop(Cut::AfterWord) } else { Decision::CutLine(Cut::Heading) });
        }
    }
    // The rule under a preamble.
    if held.is_start && held.had_preamble && !line.is_empty() && line.chars().all(|c| matches!(c, '-' | '*' | '—')) {
        return Some(if is_complete { Decision::CutLine(Cut::Preamble) } else { Decision::Wait });
    }
    None
}

/// Sentences to the writer: labels, preambles, refusals, advice, after-words.
fn spoken_line(held: Held<'_>, line: &str, is_complete: bool, facts: &Facts<'_>) -> Option<Decision> {
    let text = folded(line);
    if text.is_empty() {
        return (!is_complete).then_some(Decision::Wait);
    }
    if !held.is_start {
        return match after_word(&text, is_complete) {
            Opening::Open => Some(Decision::Wait),
            Opening::Begins if is_complete => is_about_text(&text).then_some(Decision::Stop(Cut::AfterWord)),
            Opening::Begins => Some(Decision::Wait),
            Opening::None => None,
        };
    }
    let mut waits = false;
    // A label: `续写：`, `**Polished version:**`.
    let colon = line.find([':', '：']);
    let label = match colon {
        Some(at) => &line[..at],
        None => line,
    };
    if !held.is_longer_than(MAX_LABEL_CHARS) || colon.is_some_and(|at| at <= 3 * MAX_LABEL_CHARS) {
        if (colon.is_some() || is_complete) && is_label(&folded(label)) {
            let bytes = colon.map_or(line.len(), |at| {
                let after = &held.text[at..];
                let marks = after.trim_start_matches([':', '：', '*', '_', ']', '】']);
                at + after.len() - marks.len()
            });
            return Some(Decision::Cut(bytes, Cut::Preamble));
        }
        waits |= !is_complete && colon.is_none() && may_be_label(&text);
    }
    if let Some(found) = refused(held, facts) {
        if found != Decision::Wait {
            return Some(found);
        }
        waits = true;
    }
    match preamble(&text, is_complete) {
        Opening::Open => waits = true,
        Opening::Begins if is_complete || colon.is_some() => {
            let end = colon.filter(|at| is_about_text(&folded(&line[..*at])));
            if let Some(at) = end {
                let after = &held.text[at..];
                let marks = after.trim_start_matches([':', '：', '*', '_']);
                return Some(Decision::Cut(at + after.len() - marks.len(), Cut::Preamble));
            }
            let is_short = line.chars().count() <= MAX_PREAMBLE_CHARS;
            // Without a colon, only before another paragraph.
            if is_complete && !held.is_end && is_short && is_about_text(&text) && !line.contains(['“', '"', '「']) {
                return Some(Decision::CutLine(Cut::Preamble));
            }
            waits |= !is_complete && line.chars().count() <= MAX_PREAMBLE_CHARS;
        }
        Opening::Begins => waits |= !held.is_longer_than(MAX_PREAMBLE_CHARS),
        Opening::None => {}
    }
    if !asks_advice(facts.instruction) {
        match advice(&text, is_complete) {
            Opening::Open => waits = true,
            Opening::Begins if is_complete || line.chars().count() > MAX_PREAMBLE_CHARS => {
                // A sentence that announces a draft is a preamble.
                if is_about_text(after_advice(&text)) {
                    return Some(match line.trim_end().ends_with([':', '：']) {
                        true => Decision::CutLine(Cut::Preamble),
                        false if is_prose_too(facts) => return waits.then_some(Decision::Wait),
                        false => Decision::Unusable(Reason::Advice),
                    });
                }
            }
            Opening::Begins => waits = true,
            Opening::None => {}
        }
    }
    waits.then_some(Decision::Wait)
}

/// Whether the passage itself speaks about texts, so that a sentence about one may be prose.
fn is_prose_too(facts: &Facts<'_>) -> bool {
    let around = folded(last_part(facts.before)) + &folded(facts.selection);
    is_about_text(&around)
}

fn refused(held: Held<'_>, facts: &Facts<'_>) -> Option<Decision> {
    let text = folded(held.text.trim_start_matches("- "));
    if facts.selection.trim_start().starts_with(held.text.trim()) && facts.skill.is_revision() {
        return None;
    }
    match refusal(&text, held.is_end) {
        Opening::Open => Some(Decision::Wait),
        Opening::Begins if refuses(&text) => Some(Decision::Unusable(Reason::Refusal)),
        Opening::Begins => (!held.is_end && !held.is_longer_than(MAX_REFUSAL_CHARS)).then_some(Decision::Wait),
        Opening::None => None,
    }
}

/// Another language at the beginning.
fn foreign_start(held: Held<'_>, facts: &Facts<'_>) -> Option<Decision> {
    let around = if facts.skill.is_revision() { facts.selection } else { last_part(facts.before) };
    if asks_language(facts.instruction) || detect_or(around, facts.language) != facts.language {
        return None;
    }
    let han = held.text.chars().filter(|c| is_han(*c)).count();
    let letters = held.text.chars().filter(|c| c.is_alphabetic() && !is_han(*c)).count();
    let (own, foreign, enough) = match facts.language {
        Language::Zh => (han, letters, FOREIGN_LETTERS),
        Language::En => (letters, han, FOREIGN_HAN),
    };
    if own > 0 {
        None
    } else if foreign >= enough {
        Some(Decision::Unusable(Reason::WrongLanguage))
    } else {
        (!held.is_end && (foreign > 0 || held.text.chars().all(|c| !c.is_alphanumeric()))).then_some(Decision::Wait)
    }
}
