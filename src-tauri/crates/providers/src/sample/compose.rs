//! Continues a passage with sentences from the bank, in a plausible order.

use std::collections::HashSet;

use palimpsest_text::{Language, count, scene, sentences};

use super::bank::{self, Line, SentenceKind};
use super::cast::{Cast, capitalize, default_things};
use super::prompt::Prompt;
use super::random::SeededRandom;
use super::rules::{Length, Style};

/// The manner of a candidate. The seed decides everything that the rules leave open, so that candidates differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Manner {
    shortest: u32,
    longest: u32,
    speech: Speech,
    /// `Some(false)`: no exclamation; `Some(true)`: one wanted.
    exclaim: Option<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Speech {
    No,
    OneExchange,
    TwoExchanges,
}

impl Manner {
    pub(super) fn for_seed(style: &Style, seed: u64, language: Language) -> Self {
        // Six manners: neighbouring seeds share neither length nor, mostly, speech.
        let (length, speaks) = match seed % 6 {
            0 => (0, true),
            1 => (2, false),
            2 => (1, true),
            3 => (0, false),
            4 => (2, true),
            _ => (1, false),
        };
        let (shortest, longest) = match (length, language) {
            (0, Language::Zh) => (0, 11),
            (0, Language::En) => (0, 8),
            (1, Language::Zh) => (13, 26),
            (1, Language::En) => (9, 19),
            (_, Language::Zh) => (27, u32::MAX),
            (_, Language::En) => (20, u32::MAX),
        };
        let (shortest, longest) = match style.sentences {
            None => (shortest, longest),
            // Every sentence below the limit keeps the average below it.
            Some(Length::Short(limit)) => (0, limit.unwrap_or(default_short(language)).saturating_sub(1).max(1)),
            Some(Length::Long(limit)) => (limit.unwrap_or(default_long(language)), u32::MAX),
        };
        let speech = match style.dialogue {
            Some(true) => Speech::TwoExchanges,
            Some(false) => Speech::No,
            None if speaks => Speech::OneExchange,
            None => Speech::No,
        };
        let exclaim = style.exclamation.or(matches!(seed % 5, 0 | 3).then_some(true));
        Self { shortest, longest, speech, exclaim }
    }
}

impl Manner {
    /// The number of characters or words by which `text` is too short or too long.
    fn length_error(self, text: &str) -> u32 {
        let n = count::words(text);
        self.shortest.saturating_sub(n) + n.saturating_sub(self.longest)
    }

    /// The preferred sentence length of a revision without a rule: short, long, or `None`.
    pub(super) fn lean(self) -> Option<Length> {
        match (self.shortest, self.longest) {
            (0, _) => Some(Length::Short(None)),
            (_, u32::MAX) => Some(Length::Long(None)),
            _ => None,
        }
    }
}

/// Without a number in the rule: an average below 15 characters or 12 words is short.
pub(super) fn default_short(language: Language) -> u32 {
    match language {
        Language::Zh => 15,
        Language::En => 12,
    }
}

/// Without a number in the rule: an average of 26 characters or 20 words is long.
pub(super) fn default_long(language: Language) -> u32 {
    match language {
        Language::Zh => 26,
        Language::En => 20,
    }
}

/// Continues the passage by three to six sentences (seven or eight when asked for more).
pub(super) fn continue_passage(prompt: &Prompt<'_>, style: &Style, seed: u64, random: &mut SeededRandom) -> String {
    let mut composer = Composer::new(prompt, prompt.before, prompt.before, style, seed);
    let wanted = match style.more_text {
        Some(true) => 7 + random.below(2),
        Some(false) => 3,
        None if composer.manner.longest < 15 => 5 + random.below(2),
        None if composer.manner.shortest >= 20 => 3 + random.below(2),
        None => 4 + random.below(2),
    };
    let mut beats: Vec<Beat> = match composer.manner.speech {
        Speech::No => vec![Beat::Narrate; wanted],
        Speech::OneExchange => {
            let mut beats = vec![Beat::Narrate; wanted.saturating_sub(2).max(1)];
            let at = 1 + random.below(beats.len());
            beats.splice(at..at, [Beat::Ask, Beat::Answer]);
            beats
        }
        Speech::TwoExchanges => vec![Beat::Narrate, Beat::Ask, Beat::Answer, Beat::Narrate, Beat::Remark, Beat::Ask],
    };
    if composer.manner.speech == Speech::TwoExchanges && wanted > 6 {
        beats.extend([Beat::Answer, Beat::Narrate]);
    }
    let mut text = String::new();
    for (at, beat) in beats.iter().enumerate() {
        let Some(sentence) = composer.write(*beat, at == 0, random) else {
            continue;
        };
        composer.append(&mut text, &sentence, *beat);
    }
    if composer.is_unfinished(prompt.before) {
        return uncapitalize(&text, &composer.cast, prompt.language);
    }
    text
}

/// Keeps the passage and inserts new sentences between its own.
pub(super) fn expand(prompt: &Prompt<'_>, style: &Style, seed: u64, random: &mut SeededRandom) -> String {
    let around = format!("{}\n{}", prompt.before, prompt.selection);
    let mut composer = Composer::new(prompt, prompt.selection, &around, style, seed);
    if composer.manner.speech == Speech::OneExchange {
        // An exchange between the writer's own lines would answer a question that was not asked.
        composer.manner.speech = Speech::No;
    }
    let passage = super::revise::apply_style(prompt.selection, style, prompt.language);
    let lines: Vec<&str> = passage.split('\n').collect();
    let all: usize = lines.iter().map(|line| sentences::split(line).len()).sum();
    let (mut written, mut added) = (0, 0);
    let mut out: Vec<String> = Vec::with_capacity(lines.len());
    for line in lines {
        let mut text = indent(line).to_owned();
        for sentence in sentences::split(line) {
            append_sentence(&mut text, sentence, prompt.language);
            written += 1;
            if line.starts_with('#') {
                continue;
            }
            // After every second sentence and after the last one; at least one, or nothing was expanded.
            let due = written == all || (written % 2 == 1 && random.happens(2, 3));
            if due && (added < 4 || written == all) {
                let beat = if composer.manner.speech == Speech::TwoExchanges { Beat::Remark } else { Beat::Narrate };
                if let Some(more) = composer.write(beat, added == 0, random) {
                    if beat == Beat::Remark {
                        text.push_str(composer.paragraph);
                        text.push_str(&more);
                    } else {
                        append_sentence(&mut text, &more, prompt.language);
                    }
                    added += 1;
                }
            }
        }
        out.push(text);
    }
    out.join("\n")
}

/// The role of the next sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Beat {
    Narrate,
    Ask,
    Answer,
    Remark,
}

/// A sentence that could come next.
struct Choice {
    line: &'static Line,
    text: String,
    /// Its distance from the wanted length.
    length_error: u32,
}

/// Chooses sentences from the bank.
struct Composer<'p> {
    language: Language,
    manner: Manner,
    cast: Cast,
    passage: &'p str,
    scene: Option<SentenceKind>,
    used: HashSet<&'static str>,
    last: Option<SentenceKind>,
    exclaimed: bool,
    person_shown: bool,
    paragraph: &'static str,
}

impl<'p> Composer<'p> {
    fn new(prompt: &Prompt<'_>, source: &str, passage: &'p str, style: &Style, seed: u64) -> Self {
        let scene = match scene::guess(source) {
            Some("action") => Some(SentenceKind::Action),
            Some("description") => Some(SentenceKind::Description),
            Some("monologue") => Some(SentenceKind::Monologue),
            Some("narration" | "transition") => Some(SentenceKind::Narration),
            _ => None,
        };
        Self {
            language: prompt.language,
            manner: Manner::for_seed(style, seed, prompt.language),
            cast: Cast::from_passage(source, prompt.language, style.person).or_from(passage, prompt.language),
            passage,
            scene,
            used: HashSet::new(),
            last: None,
            exclaimed: false,
            person_shown: false,
            // The separator of paragraphs in the passage.
            paragraph: if passage.contains('\n') && !passage.contains("\n\n") { "\n" } else { "\n\n" },
        }
    }

    fn write(&mut self, beat: Beat, first: bool, random: &mut SeededRandom) -> Option<String> {
        let kinds: &[SentenceKind] = match beat {
            Beat::Narrate => {
                &[SentenceKind::Action, SentenceKind::Description, SentenceKind::Monologue, SentenceKind::Narration]
            }
            Beat::Ask => &[SentenceKind::Question],
            Beat::Answer => &[SentenceKind::Reply],
            Beat::Remark => &[SentenceKind::Remark],
        };
        let thing = self.thing(random);
        // Every line has its own random numbers: a rule that excludes some lines does not change those of the others.
        let draw = random.next();
        let mut open: Vec<Choice> = bank::lines(self.language)
            .iter()
            .filter(|line| kinds.contains(&line.kind) && self.cast.surroundings.contains(&line.surroundings))
            .filter(|line| !self.used.contains(line.text))
            .filter(|line| self.manner.exclaim != Some(false) || !exclaims(line.text))
            .map(|line| (line, self.cast.fill(line.text, thing, self.language)))
            .filter(|(_, text)| !self.passage.contains(text.as_str()))
            .map(|(line, text)| {
                let text = self.add_speech_marks(beat, text, &mut SeededRandom::for_item(draw, line.text));
                Choice { line, length_error: self.manner.length_error(&text), text }
            })
            .collect();
        self.narrow(&mut open, beat, first);
        // The right length, or the nearest to it.
        let nearest = open.iter().map(|choice| choice.length_error).min()?;
        let rank = |line: &Line| {
            let mut draws = SeededRandom::for_item(draw.wrapping_add(1), line.text);
            // A sentence of the passage's own kind counts three times in the draw.
            let own = if self.scene == Some(line.kind) { 3 } else { 1 };
            (0..own).map(|_| draws.next()).max()
        };
        let Choice { line, text, .. } =
            open.into_iter().filter(|choice| choice.length_error == nearest).max_by_key(|choice| rank(choice.line))?;
        self.used.insert(line.text);
        self.last = Some(line.kind);
        self.exclaimed |= exclaims(&text);
        self.person_shown |= beat == Beat::Narrate && line.text.to_lowercase().contains("{p}");
        Some(self.lengthen(text, beat, random))
    }

    /// Removes sentences that do not fit, unless none would remain.
    fn narrow(&self, open: &mut Vec<Choice>, beat: Beat, first: bool) {
        let mut keep = |wanted: &dyn Fn(&Line) -> bool| {
            if open.iter().any(|choice| choice.length_error == 0 && wanted(choice.line)) {
                open.retain(|choice| wanted(choice.line));
            }
        };
        if beat == Beat::Narrate {
            // The first sentence shows the person of the narration.
            if first || !self.person_shown {
                keep(&|line| line.text.to_lowercase().contains("{p}"));
            } else {
                keep(&|line| Some(line.kind) != self.last || line.kind == SentenceKind::Action);
            }
        }
        if !self.exclaimed && self.manner.exclaim == Some(true) && !first {
            keep(&|line| exclaims(line.text));
        } else if self.exclaimed {
            keep(&|line| !exclaims(line.text));
        }
    }

    fn thing(&self, random: &mut SeededRandom) -> &'static str {
        let things: &[&'static str] =
            if self.cast.things.is_empty() { default_things(self.language) } else { &self.cast.things };
        things.get(random.below(things.len())).copied().unwrap_or_default()
    }

    /// Adds quotation marks and, mostly, a speech tag to speech.
    fn add_speech_marks(&self, beat: Beat, text: String, random: &mut SeededRandom) -> String {
        if beat == Beat::Narrate {
            return text;
        }
        let asks = beat == Beat::Ask;
        let speaker = if asks { "{p}" } else { "{o}" };
        match self.language {
            Language::Zh => {
                let tag = match (asks, random.below(4)) {
                    (true, 0 | 1) => "问。",
                    (false, 0) => "说。",
                    (false, 1) => "低声说。",
                    _ => return format!("“{text}”"),
                };
                self.cast.fill(&format!("“{text}”{speaker}{tag}"), "", self.language)
            }
            Language::En => {
                let tag = match (asks, random.below(4)) {
                    (true, 0 | 1) => "asked",
                    (false, 0 | 1) => "said",
                    _ => return format!("“{text}”"),
                };
                // Before a tag a full stop inside the quotes becomes a comma; other marks stay.
                let text = text.strip_suffix('.').map_or_else(|| text.clone(), |said| format!("{said},"));
                self.cast.fill(&format!("“{text}” {speaker} {tag}."), "", self.language)
            }
        }
    }

    /// Joins further sentences if the longest of the bank is too short.
    fn lengthen(&mut self, mut text: String, beat: Beat, random: &mut SeededRandom) -> String {
        while beat == Beat::Narrate && count::words(&text) < self.manner.shortest && self.used.len() < 40 {
            let before = self.manner;
            self.manner.shortest = before.shortest - count::words(&text);
            let more = self.write(beat, false, random);
            self.manner = before;
            let Some(more) = more else { break };
            text = join(&text, &more, &self.cast, self.language);
        }
        text
    }

    fn append(&self, text: &mut String, sentence: &str, beat: Beat) {
        if !text.is_empty() && (beat != Beat::Narrate || text.ends_with('”')) {
            text.push_str(self.paragraph);
        }
        append_sentence(text, sentence, self.language);
    }

    /// Whether the passage ends inside a sentence.
    fn is_unfinished(&self, before: &str) -> bool {
        before.chars().next_back().is_some_and(|c| c.is_alphanumeric() || matches!(c, ',' | '，' | '、' | ' '))
            && before.trim_end().ends_with(|c: char| c.is_alphanumeric() || matches!(c, ',' | '，' | '、'))
            && !before.lines().next_back().is_some_and(|line| line.starts_with('#'))
    }
}

/// The leading white space of a line; Chinese paragraphs are often indented by two ideographic spaces.
pub(super) fn indent(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}

/// Appends a sentence to a line, with a space if the script needs one.
pub(super) fn append_sentence(line: &mut String, sentence: &str, language: Language) {
    let latin = line.ends_with(|c: char| c.is_ascii_graphic()) && sentence.starts_with(|c: char| c.is_ascii_graphic());
    let spaced = language == Language::En || latin;
    if spaced && !line.is_empty() && !line.ends_with(char::is_whitespace) {
        line.push(' ');
    }
    line.push_str(sentence);
}

fn exclaims(text: &str) -> bool {
    text.contains(['!', '！'])
}

/// Two sentences as one.
pub(super) fn join(first: &str, second: &str, cast: &Cast, language: Language) -> String {
    let bare = first.trim_end_matches(['。', '.', '！', '!', '？', '?']);
    match language {
        Language::Zh => format!("{bare}，{second}"),
        Language::En => format!("{bare}, and {}", uncapitalize(second, cast, language)),
    }
}

/// Lowers the first letter, unless the first word keeps its capital.
pub(super) fn uncapitalize(text: &str, cast: &Cast, language: Language) -> String {
    let word: String = text.chars().take_while(|c| c.is_alphabetic()).collect();
    let keeps = word == "I" || word.is_empty() || language == Language::Zh || cast.is_named(&word);
    if keeps {
        return text.to_owned();
    }
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |c| c.to_lowercase().chain(chars).collect())
}

/// Capitalizes the first letter, also after quotation marks.
pub(super) fn recapitalize(text: &str) -> String {
    let at = text.find(|c: char| c.is_alphabetic()).unwrap_or(0);
    format!("{}{}", &text[..at], capitalize(&text[at..]))
}
