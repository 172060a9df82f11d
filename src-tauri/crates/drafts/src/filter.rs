//! The streaming filter.

use std::{
    collections::{HashMap, hash_map::DefaultHasher},
    hash::{Hash, Hasher},
};

use crate::{
    Cut, Facts, Reason, Skill, Verdict,
    decide::{Decision, Held, decide, tag_at},
    judge::{judge, still_repeats},
    prompt::PromptLines,
    repeats::{Passage, Repeated, Repetition},
    words::{is_sentence_end, plain_words},
};

/// Maximum characters that are held back after the first piece was shown.
pub const MAX_HELD_CHARS: usize = 240;
/// Minimum words of a sentence that counts as repeated.
const MIN_SENTENCE_WORDS: usize = 6;
/// The time that a sentence occurs in a draft from which on the draft is a loop.
const LOOP_COUNT: u32 = 4;

/// The end of a filtered text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filtered {
    /// The last piece to show.
    pub rest: String,
    /// The whole draft: all pieces, without quotes around the whole.
    pub draft: String,
    /// The verdict on it.
    pub verdict: Verdict,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Nothing was shown.
    Start,
    /// Before the first character of a line, after something was shown.
    LineStart,
    /// Inside a line that is shown.
    Inside,
    /// Inside a line that is cut; nothing was shown.
    CutLine { is_start: bool },
    /// Everything to come is cut.
    Stopped,
}

/// A filter of one draft.
#[derive(Debug)]
pub struct DraftFilter<'a> {
    facts: Facts<'a>,
    prompt: PromptLines,
    passage: Passage,
    repetition: Repetition,
    phase: Phase,
    /// Text that is not decided.
    held: String,
    shown: String,
    /// Bytes of `shown` that were returned.
    returned: usize,
    cuts: Vec<Cut>,
    reason: Option<Reason>,
    /// The section of memories that the text has opened.
    section: Option<&'static str>,
    /// Whether a fence was opened before the draft.
    is_fenced: bool,
    /// The number of each sentence of the shown text, by hash.
    sentences: HashMap<u64, u32>,
    /// Bytes of `shown` before the sentence under way.
    sentence_start: usize,
}

impl<'a> DraftFilter<'a> {
    /// A filter for a draft of the run with these facts.
    #[must_use]
    pub fn new(facts: Facts<'a>) -> Self {
        let passage = match facts.skill {
            Skill::Continue => [facts.before, facts.selection].concat(),
            Skill::Revise | Skill::Condense => facts.before.to_owned(),
            Skill::Other => String::new(),
        };
        Self {
            prompt: PromptLines::new(facts.prompt_lines),
            passage: Passage::new(&passage),
            facts,
            repetition: Repetition::default(),
            phase: Phase::Start,
            held: String::new(),
            shown: String::new(),
            returned: 0,
            cuts: Vec::new(),
            reason: None,
            section: None,
            is_fenced: false,
            sentences: HashMap::new(),
            sentence_start: 0,
        }
    }

    /// Takes the next piece of the text; returns what can be shown of it and of earlier pieces.
    pub fn push(&mut self, piece: &str) -> String {
        for c in piece.chars() {
            self.held.push(c);
            self.advance(false);
        }
        self.take()
    }

    /// Number of characters that are held back.
    #[must_use]
    pub fn held_chars(&self) -> usize {
        self.held.chars().count()
    }

    /// Whether something was shown.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        !self.shown.is_empty()
    }

    /// Ends the text. `is_complete` is false for a text that was stopped: the whole is then not judged, only what has
    /// been recognized so far.
    #[must_use]
    pub fn finish(mut self, is_complete: bool) -> Filtered {
        self.advance(true);
        let rest = self.take();
        let draft = self.without_quotes();
        let reason = self.reason.or_else(|| {
            let has_no_words = plain_words(&draft).is_empty();
            match has_no_words {
                true if self.cuts.contains(&Cut::PromptEcho) => Some(Reason::PromptEcho),
                true if self.cuts.contains(&Cut::Repetition) => Some(Reason::RepeatsPassage),
                true => Some(Reason::Empty),
                false if self.cuts.contains(&Cut::PromptEcho) && still_repeats(&draft, &self.facts) => {
                    Some(Reason::PromptEcho)
                }
                false if self.cuts.contains(&Cut::Repetition) && still_repeats(&draft, &self.facts) => {
                    Some(Reason::RepeatsPassage)
                }
                false if is_complete => judge(&draft, &self.facts),
                false => None,
            }
        });
        let verdict = match reason {
            Some(reason) => Verdict::Unusable(reason),
            None => {
                self.cuts.sort_unstable();
                self.cuts.dedup();
                Verdict::Usable(self.cuts)
            }
        };
        Filtered { rest, draft, verdict }
    }

    fn take(&mut self) -> String {
        let piece = self.shown[self.returned..].to_owned();
        self.returned = self.shown.len();
        piece
    }

    fn advance(&mut self, is_end: bool) {
        while !self.held.is_empty() && self.step(is_end) {}
    }

    /// Decides about the beginning of the held text; returns whether there was a decision.
    fn step(&mut self, is_end: bool) -> bool {
        match self.phase {
            Phase::Stopped => {
                self.held.clear();
                true
            }
            Phase::CutLine { is_start } => {
                match self.held.find('\n') {
                    Some(at) => {
                        self.held.drain(..=at);
                        self.phase = if is_start { Phase::Start } else { Phase::LineStart };
                        if !is_start {
                            // The line end before the line is gone with it, the one after it stays.
                            self.held.insert(0, '\n');
                        }
                    }
                    None => self.held.clear(),
                }
                true
            }
            Phase::Inside => self.step_inside(is_end),
            Phase::Start | Phase::LineStart => self.step_line(is_end),
        }
    }

    fn step_inside(&mut self, is_end: bool) -> bool {
        let Some(first) = self.held.chars().next() else { return false };
        if first.is_whitespace() {
            // A line end begins with the white space before it.
            let run = self.held.len() - self.held.trim_start().len();
            if self.held[..run].contains('\n') {
                self.phase = Phase::LineStart;
                return true;
            }
            let is_over = run < self.held.len() || is_end || self.held.chars().nth(MAX_HELD_CHARS - 1).is_some();
            if is_over {
                self.show(run);
            }
            return is_over;
        }
        match tag_at(&self.held, is_end) {
            Some(Decision::Wait) => false,
            Some(_) => {
                self.stop(Cut::PromptEcho);
                true
            }
            None => {
                self.show(first.len_utf8());
                true
            }
        }
    }

    fn step_line(&mut self, is_end: bool) -> bool {
        let is_start = self.phase == Phase::Start;
        let blank = self.held.len() - self.held.trim_start().len();
        if blank == self.held.len() {
            let is_over = is_end || (!is_start && self.held.chars().nth(MAX_HELD_CHARS - 1).is_some());
            if is_over {
                self.show(blank);
            }
            return is_over;
        }
        let text = &self.held[blank..];
        let had_preamble = self.cuts.contains(&Cut::Preamble);
        let mut decision = match self.section {
            Some(section) => in_section(section, text, is_end),
            None => decide(
                Held { text, blank_chars: self.held[..blank].chars().count(), is_end, is_start, had_preamble },
                &self.facts,
                &self.prompt,
            ),
        };
        if is_start && self.section.is_none() && matches!(decision, Decision::Show | Decision::Wait) {
            decision = match self.repetition.compare(&self.passage, text, is_end) {
                Repeated::Open if !is_end => Decision::Wait,
                Repeated::Bytes(bytes) => Decision::Cut(bytes, Cut::Repetition),
                Repeated::Open | Repeated::Nothing => decision,
            };
        }
        match decision {
            Decision::Wait if !is_end => return false,
            Decision::Wait | Decision::Show => {
                self.show(blank);
                self.phase = Phase::Inside;
            }
            Decision::Cut(bytes, cut) => self.cut(blank + bytes, cut),
            Decision::CutLine(cut) => {
                if cut == Cut::Fence {
                    if self.is_fenced && !is_start {
                        self.stop(Cut::Fence);
                        return true;
                    }
                    self.is_fenced |= is_start;
                }
                self.cut(blank, cut);
                self.phase = Phase::CutLine { is_start };
            }
            Decision::Stop(cut) => self.stop(cut),
            Decision::Unusable(reason) => {
                self.reason = Some(reason);
                self.phase = Phase::Stopped;
            }
            Decision::Tag(bytes, section) => {
                self.section = section;
                self.cut(blank + bytes, Cut::PromptEcho);
            }
        }
        true
    }

    fn cut(&mut self, bytes: usize, cut: Cut) {
        self.held.drain(..bytes);
        self.repetition = if self.cuts.contains(&Cut::Repetition) || cut == Cut::Repetition {
            Repetition::after_another()
        } else {
            Repetition::default()
        };
        self.cuts.push(cut);
    }

    fn stop(&mut self, cut: Cut) {
        self.held.clear();
        self.cuts.push(cut);
        self.phase = Phase::Stopped;
    }

    /// Shows the first bytes of the held text.
    fn show(&mut self, bytes: usize) {
        let text: String = self.held.drain(..bytes).collect();
        // White space before the draft is shown only if nothing was cut there.
        if self.shown.is_empty() && !self.cuts.is_empty() && text.trim().is_empty() {
            return;
        }
        self.shown.push_str(&text);
        if text.ends_with(is_sentence_end) {
            self.count_sentence();
        }
    }

    fn count_sentence(&mut self) {
        let words = plain_words(&self.shown[self.sentence_start..]);
        self.sentence_start = self.shown.len();
        if words.len() < MIN_SENTENCE_WORDS {
            return;
        }
        let mut hasher = DefaultHasher::new();
        words.hash(&mut hasher);
        let count = self.sentences.entry(hasher.finish()).or_default();
        *count += 1;
        if *count >= LOOP_COUNT {
            self.reason = Some(Reason::Loop);
            self.phase = Phase::Stopped;
        }
    }

    /// The shown text without quotes around the whole.
    fn without_quotes(&mut self) -> String {
        let text = self.shown.trim();
        if let Some(inner) = unquoted(text, &self.facts, self.cuts.contains(&Cut::Preamble)) {
            let inner = inner.to_owned();
            self.cuts.push(Cut::Quotes);
            return inner;
        }
        self.shown.clone()
    }
}

/// Inside a section of memories that the text repeats: everything up to its end is cut.
fn in_section(section: &str, text: &str, is_end: bool) -> Decision {
    match tag_at(text, is_end) {
        Some(Decision::Tag(bytes, _)) if text.starts_with("</") => Decision::Tag(bytes, None),
        Some(Decision::Wait) => Decision::Wait,
        _ => match text.find(&format!("</{section}>")) {
            Some(at) => Decision::Cut(at, Cut::PromptEcho),
            None => Decision::CutLine(Cut::PromptEcho),
        },
    }
}

/// The pairs of quotes that a model sets around a draft.
const QUOTES: [(char, char); 5] = [('“', '”'), ('"', '"'), ('「', '」'), ('『', '』'), ('‘', '’')];

/// The text between quotes around the whole, if they are not speech. A text that is one speech as a whole looks the
/// same: quotes are cut only where the text that is replaced has none, or after a preamble.
fn unquoted<'t>(text: &'t str, facts: &Facts<'_>, had_preamble: bool) -> Option<&'t str> {
    let (open, close) = *QUOTES.iter().find(|(open, _)| text.starts_with(*open))?;
    let inner = text.strip_prefix(open)?.strip_suffix(close)?;
    // `“走吧。”他说。“好。”` begins and ends with quotes that are not of one pair.
    let mut depth = 0_i32;
    for c in inner.chars() {
        if open != close && c == open {
            depth += 1;
        } else if open != close && c == close {
            depth -= 1;
        }
        if depth < 0 {
            return None;
        }
    }
    // Speech in paragraphs that each open a quote, of which the last one closes.
    if depth != 0 {
        return None;
    }
    let is_expected = match facts.skill {
        Skill::Revise | Skill::Condense => !facts.selection.contains([open, '“', '"', '「']),
        Skill::Continue => had_preamble || inner.contains(['“', '「', '"']),
        Skill::Other => false,
    };
    is_expected.then_some(inner)
}
