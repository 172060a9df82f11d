//! The matter of a rule in words: its feature and direction, read with a lexicon in both languages.
//!
//! A rule is split into words of the lexicon with their functions ([`vocabulary`]), these into clauses. A clause has a
//! meaning when it names one feature, says whether there should be more or less of it, and **contains no unknown
//! word**: in `don't let Zhou use long sentences` the name is unknown, so the clause is about something else than
//! sentences as such. No matter is better than a wrong one: the writer can correct it, and it takes part in conflicts.
//!
//! Opposites that two contradicting rules may name share one feature: long and short sentences, first and third person
//! (first person, more or less of it), ornate and plain (adjectives).

mod en;
#[cfg(test)]
mod tests;
mod vocabulary;
mod zh;

use palimpsest_text::{is_han, style::Feature};

use vocabulary::{Class, Measure, Unit, normal, tokens};

/// The recognised meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Understood {
    /// The style feature.
    pub feature: Feature,
    /// +1 for more of it, -1 for less.
    pub direction: i32,
    /// The scene type that the words name, if any: 动作场景, `in action scenes`. Speech as such is none: a rule for all
    /// speech applies in every scene.
    pub scene_type: Option<String>,
}

/// The matter of `rule`; `None` where it is not measurable, or more than one.
#[must_use]
pub fn understand(rule: &str) -> Option<Understood> {
    let text = normal(&without_figures(rule));
    let mut reading = Reading::default();
    for statement in tokens(&text).split(|class| *class == Class::Stop) {
        reading.statement(statement)?;
    }
    let mut found = reading.said.into_iter();
    let (feature, direction) = found.next()?;
    let one =
        found.all(|other| other == (feature, direction)) && reading.mentioned.iter().all(|other| *other == feature);
    let mut scenes = reading.scenes.into_iter();
    let scene_type = scenes.next();
    let one_place = scenes.all(|other| Some(&other) == scene_type.as_ref());
    (one && one_place).then_some(Understood { feature, direction, scene_type })
}

/// Removes the figures of [`super::wording`] and of a prompt: a parenthesis with a digit in it, `: 21 → 14 words, …`.
fn without_figures(rule: &str) -> String {
    let mut kept = String::with_capacity(rule.len());
    let mut rest = rule;
    while let Some(at) = rest.find(['（', '(']) {
        let Some(length) = rest[at..].find(['）', ')']) else { break };
        let inside = &rest[at..at + length];
        kept.push_str(&rest[..at]);
        if !inside.contains(|c: char| c.is_ascii_digit()) {
            kept.push('，');
            kept.extend(inside.chars().skip(1));
        }
        kept.push('，');
        rest = rest[at + length..].trim_start_matches(['）', ')']);
    }
    kept.push_str(rest);
    let figures = kept.match_indices(": ").find(|(at, _)| kept[at + 2..].starts_with(|c: char| c.is_ascii_digit()));
    if let Some((at, _)) = figures.filter(|(at, _)| *at > 0) {
        kept.truncate(at);
    }
    kept
}

/// The state of reading a rule.
#[derive(Default)]
struct Reading {
    said: Vec<(Feature, i32)>,
    /// Named without a clear direction.
    mentioned: Vec<Feature>,
    scenes: Vec<String>,
}

/// Words between two marks, and whether they are negated from outside.
#[derive(Default)]
struct Clause<'a> {
    words: Vec<&'a Class>,
    denied: bool,
}

#[derive(PartialEq, Eq)]
enum ClauseMeaning {
    /// One or more features, with directions.
    Wish,
    /// Nothing relevant.
    Nothing,
    /// Something that is not about style; `true` when it is an instruction of its own.
    Other(bool),
}

impl Reading {
    /// `None` when the statement is, also or only, about something that is not measurable.
    fn statement(&mut self, words: &[Class]) -> Option<()> {
        let clauses = clauses(words);
        let subjects: Vec<Option<Measure>> = clauses.iter().map(|clause| clause.subject()).collect();
        let mut wished = false;
        for (at, clause) in clauses.iter().enumerate() {
            // `short, punchy sentences`, 把长句子改成短的: the noun with the length is in a neighbouring clause.
            let subject = subjects[at]
                .or_else(|| subjects[..at].iter().rev().find_map(|subject| *subject))
                .or_else(|| subjects[at..].iter().find_map(|subject| *subject));
            match self.clause(clause, subject) {
                ClauseMeaning::Wish => wished = true,
                ClauseMeaning::Nothing => {}
                // A clause after an instruction says how or why: 少用副词，让动词自己说话.
                ClauseMeaning::Other(order) if order || !wished => return None,
                ClauseMeaning::Other(_) => {}
            }
        }
        Some(())
    }

    fn clause(&mut self, clause: &Clause<'_>, subject: Option<Measure>) -> ClauseMeaning {
        let mut scenes: Vec<String> = Vec::new();
        for (at, class) in clause.words.iter().enumerate() {
            match class {
                Class::Scene(scene) => scenes.push(scene.clone()),
                Class::Lead(scene) if at == 0 => scenes.push((*scene).to_owned()),
                _ => {}
            }
        }
        let said = clause.requested_features(subject);
        let named = !said.is_empty() || clause.has(|class| matches!(class, Class::Thing(_)));
        if clause.is_known() {
            self.scenes.extend(scenes);
            if !named {
                return ClauseMeaning::Nothing;
            }
            self.said.extend(said.iter().copied());
            self.mentioned.extend(clause.things());
            return if said.is_empty() { ClauseMeaning::Nothing } else { ClauseMeaning::Wish };
        }
        if named && scenes.is_empty() {
            self.mentioned.extend(clause.things().chain(said.iter().map(|(feature, _)| *feature)));
            return ClauseMeaning::Nothing;
        }
        ClauseMeaning::Other(named || clause.denied || clause.has(|class| matches!(class, Class::Less | Class::Must)))
    }
}

fn clauses(words: &[Class]) -> Vec<Clause<'_>> {
    let mut clauses = vec![Clause::default()];
    for (at, class) in words.iter().enumerate() {
        let Some(last) = clauses.last_mut() else { break };
        match class {
            Class::End => clauses.push(Clause::default()),
            Class::Not => clauses.push(Clause { denied: true, ..Clause::default() }),
            Class::Into => {
                // `split long sentences into short ones`: one negation is enough.
                last.denied ^= !last.has(|class| *class == Class::Less);
                clauses.push(Clause::default());
            }
            // 多用短句少用长句: a verb between two nouns belongs to the second.
            Class::Less | Class::Do | Class::More if last.has(is_topic) && topic_follows(&words[at..]) => {
                clauses.push(Clause { words: vec![class], denied: false });
            }
            class => last.words.push(class),
        }
    }
    clauses
}

fn is_topic(class: &Class) -> bool {
    matches!(class, Class::Says(..) | Class::Thing(_))
}

fn topic_follows(words: &[Class]) -> bool {
    let ends = |class: &&Class| !matches!(class, Class::End | Class::Not | Class::Into);
    words.iter().take_while(ends).any(is_topic)
}

impl Clause<'_> {
    fn has(&self, is: impl Fn(&Class) -> bool) -> bool {
        self.words.iter().any(|class| is(class))
    }

    fn things(&self) -> impl Iterator<Item = Feature> {
        self.words.iter().filter_map(|class| if let Class::Thing(feature) = class { Some(*feature) } else { None })
    }

    /// The measure of its subjects, if they are of one kind.
    fn subject(&self) -> Option<Measure> {
        let subjects = || {
            self.words
                .iter()
                .filter_map(|class| if let Class::Subject(measure) = class { Some(*measure) } else { None })
        };
        subjects().next().filter(|first| subjects().all(|other| other == *first))
    }

    /// Whether every word is known.
    fn is_known(&self) -> bool {
        let unknown = |(at, class): (usize, &&Class)| {
            matches!(class, Class::Unknown) || (at > 0 && matches!(class, Class::Lead(_)))
        };
        !self.words.iter().enumerate().any(unknown)
    }

    /// The features it names, with the requested directions.
    fn requested_features(&self, subject: Option<Measure>) -> Vec<(Feature, i32)> {
        let denials = self.words.iter().filter(|class| matches!(class, Class::Less)).count() + usize::from(self.denied);
        let turn = if denials % 2 == 1 { -1 } else { 1 };
        let mut said: Vec<(Feature, i32)> = Vec::new();
        for class in &self.words {
            match class {
                Class::Says(feature, sign) => said.push((*feature, sign * turn)),
                Class::Thing(feature) => said.extend(self.amount(turn).map(|direction| (*feature, direction))),
                _ => {}
            }
        }
        let things = !said.is_empty() || self.things().next().is_some();
        said.extend(self.length(subject, turn, things));
        let sized = || self.has(|class| matches!(class, Class::Quality(_) | Class::Too(_) | Class::Extreme(_)));
        if said.is_empty() && !things && self.has(|class| *class == Class::Speech) && !sized() {
            said.extend(self.amount(turn).map(|direction| (Feature::DialogueShare, direction)));
        }
        said
    }

    /// More or less of a thing.
    fn amount(&self, turn: i32) -> Option<i32> {
        let has = |wanted: &[Class]| self.has(|class| wanted.contains(class));
        if has(&[Class::TooMany, Class::Cap]) {
            Some(-1)
        } else if has(&[Class::TooFew]) {
            Some(1)
        } else {
            (turn < 0 || self.denied || has(&[Class::Do, Class::Must, Class::More, Class::Less, Class::Floor]))
                .then_some(turn)
        }
    }

    /// Longer or shorter.
    fn length(&self, subject: Option<Measure>, turn: i32, things: bool) -> Option<(Feature, i32)> {
        let feature = match subject {
            Some(Measure::Sentence) => Feature::SentenceLength,
            Some(Measure::Paragraph) => Feature::ParagraphLength,
            Some(Measure::Word) => Feature::WordLength,
            Some(Measure::Passage) | None => Feature::Length,
        };
        let own = self.subject().is_some();
        let mut found: Vec<(Feature, i32)> = Vec::new();
        for class in &self.words {
            match class {
                Class::Quality(sign) => found.push((feature, sign * turn)),
                Class::Too(sign) => found.push((feature, -sign)),
                Class::Extreme(1) if feature == Feature::SentenceLength => found.push((Feature::LongSentences, turn)),
                Class::Extreme(_) if feature == Feature::SentenceLength => found.push((Feature::ShortSentences, turn)),
                Class::Extreme(sign) => found.push((feature, sign * turn)),
                Class::Cap if own && !things && self.has_length_unit(feature) => found.push((feature, -turn)),
                Class::Floor if own && !things && self.has_length_unit(feature) => found.push((feature, turn)),
                _ => {}
            }
        }
        // 对话要短: speech is short, not a sentence.
        let first = *found.first().filter(|_| subject.is_some() || !self.has(|class| *class == Class::Speech))?;
        found.iter().all(|other| *other == first).then_some(first)
    }

    /// Whether a number has the unit of such a length.
    fn has_length_unit(&self, feature: Feature) -> bool {
        let by_sentences = matches!(feature, Feature::ParagraphLength | Feature::Length);
        let by_words = by_sentences || feature == Feature::SentenceLength;
        self.has(|class| match class {
            Class::Number(Unit::Words) => by_words,
            Class::Number(Unit::Sentences) => by_sentences,
            _ => false,
        })
    }
}

/// Whether two rules say the same in the same, or trivially different, words: with the same matter, or with the same
/// words except for order, marks and function words. Recognises no paraphrase.
#[must_use]
pub fn restates(a: &str, b: &str) -> bool {
    match (understand(a), understand(b)) {
        (Some(a), Some(b)) => a == b,
        (None, None) => {
            let (a, b) = (gist(a), gist(b));
            !a.is_empty() && a == b
        }
        _ => false,
    }
}

/// Whether a rule is a prohibition.
#[must_use]
pub fn forbids(rule: &str) -> bool {
    gist(rule).iter().any(|word| word == "不")
}

/// The words of a rule without order, marks and function words; every form of prohibition is one word.
fn gist(rule: &str) -> Vec<String> {
    const FORBIDDEN_ZH: &str = "不可以 不允许 不应该 不应当 绝对不 永远不 不要 不能 不可 不得 不许 不准 不该 不应 切勿 禁止 避免 绝不 从不 决不 别 勿 莫";
    const LITTLE_ZH: &str =
        "应该 应当 必须 一定 务必 需要 始终 总是 一直 永远 尽量 请 要 应 须 得 会 都 也 就 的 了 地 着 吧";
    const FORBIDDEN_EN: &[&str] =
        &["don't", "dont", "not", "never", "no", "avoid", "mustn't", "shouldn't", "can't", "cannot", "won't"];
    const LITTLE_EN: &[&str] = &[
        "a", "an", "the", "please", "always", "should", "must", "be", "is", "are", "do", "to", "of", "that", "make",
        "sure", "has", "have", "will", "may", "can", "shall", "ever",
    ];
    let mut text = normal(rule);
    for word in FORBIDDEN_ZH.split_whitespace() {
        text = text.replace(word, "不");
    }
    for word in LITTLE_ZH.split_whitespace() {
        text = text.replace(word, "");
    }
    let mut gist = Vec::new();
    for word in text.split(|c: char| !(c.is_alphanumeric() || c == '\'')) {
        let (han, latin): (Vec<char>, Vec<char>) = word.chars().partition(|c| is_han(*c));
        gist.extend(han.into_iter().map(String::from));
        let word = String::from_iter(latin);
        let word = word.trim_matches('\'');
        if FORBIDDEN_EN.contains(&word) {
            gist.push("不".to_owned());
        } else if !word.is_empty() && !LITTLE_EN.contains(&word) {
            gist.push(word.to_owned());
        }
    }
    gist.sort_unstable();
    gist
}
