//! The streaming filter.

use crate::{
    Cut, Facts, Reason, Skill, Verdict,
    decide::{Decision, Held, decide, tag_at},
    judge::{judge, still_repeats},
    loops::{Loops, repeated_end, whole_sentences},
    prompt::PromptLines,
    repeats::{Passage, Repeated, Repetition},
    tasks::TaskWords,
    words::{Word, WordReader, plain_words},
};

/// Maximum characters that are held back after the first piece was shown.
pub const MAX_HELD_CHARS: usize = 240;
/// Minimum words of a text that is a draft although a loop or the task follows it.
const MIN_KEPT_WORDS: usize = 30;
/// Maximum bytes that are held back because they may be words of the task.
const MAX_TASK_BYTES: usize = MAX_HELD_CHARS / 2;
/// Maximum lines and tags of the prompt before a draft.
const MAX_ECHOES: usize = 12;

/// The end of a filtered text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filtered {
    /// The last piece to show.
    pub rest: String,
    /// The whole draft: all pieces, without quotes around the whole, and without the repetitions of a loop.
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
    /// Lines and tags of the prompt that were cut.
    echoes: usize,
    /// The section of memories that the text has opened.
    section: Option<&'static str>,
    /// Whether a fence was opened before the draft.
    is_fenced: bool,
    /// The words of the shown text.
    reader: WordReader,
    /// The search for a loop in the shown text.
    loops: Loops,
    /// The search for words of the task in the shown text.
    tasks: TaskWords,
    /// The byte of `shown` from which on it is a loop or the task, and which of them.
    end: Option<(usize, Cut)>,
}

impl<'a> DraftFilter<'a> {
    /// A filter for a draft of the run with these facts.
    #[must_use]
    pub fn new(facts: Facts<'a>) -> Self {
        let passage = match facts.skill {
            Skill::Continue => [facts.before, facts.selection].concat(),
            Skill::Polish | Skill::Rewrite | Skill::Condense => facts.before.to_owned(),
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
            echoes: 0,
            section: None,
            is_fenced: false,
            reader: WordReader::default(),
            loops: Loops::default(),
            tasks: TaskWords::new(facts.task),
            end: None,
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
        self.held.chars().count() + self.shown[self.returned..].chars().count()
    }

    /// Whether something was shown.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        !self.shown.is_empty()
    }

    /// Whether everything to come is cut: the model need not go on.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.phase == Phase::Stopped
    }

    /// Ends the text. `is_complete` is false for a text that was stopped: the whole is then not judged, only what has
    /// been recognized so far.
    #[must_use]
    pub fn finish(mut self, is_complete: bool) -> Filtered {
        self.advance(true);
        // Blocks too long to be recognized while the text grows. Other skills may write refrains.
        let may_repeat = self.facts.skill == Skill::Other || repeated_end(self.facts.selection).is_some();
        if is_complete && self.end.is_none() && !may_repeat {
            self.end = repeated_end(&self.shown).map(|start| (start, Cut::Loop));
        }
        self.cut_end();
        let rest = self.shown.get(self.returned..).unwrap_or_default().to_owned();
        let draft = self.without_quotes();
        let reason = self.reason.or_else(|| {
            let has_no_words = plain_words(&draft).is_empty();
            match has_no_words {
                true if self.cuts.contains(&Cut::PromptEcho) => Some(Reason::PromptEcho),
                true if self.cuts.contains(&Cut::Repetition) => Some(Reason::RepeatsPassage),
                true => Some(Reason::Empty),
                // Words of the task after a draft tell nothing about the draft.
                false if self.echoes > 0 && still_repeats(&draft, &self.facts) => Some(Reason::PromptEcho),
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
        // The words of the task were held back; the repetitions of a loop were shown, as they came.
        let end = match self.end {
            Some((start, Cut::PromptEcho)) => start,
            Some(_) => self.shown.len(),
            None => self.tasks.held_from(self.reader.growing()).unwrap_or(self.shown.len()),
        };
        // Nothing so long is the task.
        let is_too_long = self.end.is_none() && self.shown.len() - end > MAX_TASK_BYTES;
        let end = if is_too_long { self.shown.len() } else { end.max(self.returned) };
        let piece = self.shown[self.returned..end].to_owned();
        self.returned = end;
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
                // Before the line end is shown: a loop that ends there ends the draft.
                self.phase = Phase::Inside;
                self.show(blank);
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
        if self.echoes > MAX_ECHOES && self.shown.is_empty() {
            // A model that repeats so much repeats all of it, which can take a minute.
            self.reason = Some(Reason::PromptEcho);
            self.held.clear();
            self.phase = Phase::Stopped;
        }
        true
    }

    fn cut(&mut self, bytes: usize, cut: Cut) {
        self.held.drain(..bytes);
        self.echoes += usize::from(cut == Cut::PromptEcho);
        self.repetition = if self.cuts.contains(&Cut::Repetition) || cut == Cut::Repetition {
            Repetition::after_another()
        } else {
            Repetition::default()
        };
        self.cuts.push(cut);
    }

    fn stop(&mut self, cut: Cut) {
        self.held.clear();
        self.echoes += usize::from(cut == Cut::PromptEcho);
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
        let new = self.reader.read(&self.shown);
        let looped = self.loops.read(&self.shown, &new).map(|start| (start, Cut::Loop));
        self.end = self.task_start(&new).map(|start| (start, Cut::PromptEcho)).or(looped);
        if self.end.is_some() {
            self.held.clear();
            self.phase = Phase::Stopped;
        }
    }

    fn task_start(&mut self, new: &[Word]) -> Option<usize> {
        new.iter().find_map(|word| self.tasks.add(word))
    }

    /// Cuts a loop or the task, and the sentence in which it begins; with too little text before it, the draft is
    /// unusable.
    fn cut_end(&mut self) {
        let Some((start, cut)) = self.end else { return };
        let kept = whole_sentences(&self.shown[..start]);
        let has_enough = plain_words(kept).len() >= MIN_KEPT_WORDS;
        if !has_enough {
            self.reason.get_or_insert(if cut == Cut::Loop { Reason::Loop } else { Reason::PromptEcho });
        }
        self.shown.truncate(kept.len());
        self.cuts.push(cut);
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
    // `"Go," he said. "Now."`: the first quote inside closes, where one inside of a wrapped text opens.
    let is_closing = |at: usize| inner[..at].ends_with(|before: char| !before.is_whitespace());
    if open == close && inner.find(open).is_some_and(is_closing) {
        return None;
    }
    let is_expected = match facts.skill {
        Skill::Polish | Skill::Rewrite | Skill::Condense => !facts.selection.contains([open, '“', '"', '「']),
        Skill::Continue => had_preamble || inner.contains(['“', '「', '"']),
        Skill::Other => false,
    };
    is_expected.then_some(inner)
}
