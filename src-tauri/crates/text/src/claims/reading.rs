//! The words of a question as units that can be compared: synonyms in one form, without words that change nothing.

use std::ops::Range;

use super::{
    QuestionClass,
    lexicon::{self, Meaning, Place},
    phrases::Phrases,
    words::{Word, WordKind},
};

/// The way a unit is compared as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnitKind {
    Name,
    Number,
    Negation,
    Question,
    Word,
}

/// A word or a phrase in its shared form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unit {
    pub(crate) text: String,
    /// Bytes in the text.
    pub(crate) range: Range<usize>,
    pub(crate) kind: UnitKind,
    /// Whether it is an English verb in the past.
    pub(crate) is_past: bool,
}

impl Unit {
    /// Whether two units say the same, but for the time of a verb.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let is_word = self.kind == UnitKind::Word && other.kind == UnitKind::Word;
        self.text == other.text || (is_word && is_same_word(&self.text, &other.text))
    }
}

/// The time of an English verb.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tense {
    Past,
    Present,
}

/// The chapter that a question is about, wherever it names it: in chapter 9, 第九章里.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chapter {
    pub(crate) number: Unit,
    /// Bytes of the phrase.
    pub(crate) range: Range<usize>,
}

/// A question as units.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reading {
    pub(crate) units: Vec<Unit>,
    pub(crate) chapter: Option<Chapter>,
    /// The verb `do` that only asks, which is no unit: did Mei leave.
    pub(crate) asking_verb: Option<(Tense, Range<usize>)>,
    pub(crate) question: Option<QuestionClass>,
}

impl Reading {
    /// The table of the known names.
    pub(crate) fn names(known_names: &[&str]) -> Phrases<()> {
        Phrases::new(known_names.iter().map(|name| (*name, ())))
    }
}

/// English verbs before the subject of a question that yes or no answers.
const AUXILIARIES: &[&str] = &[
    "do", "does", "did", "is", "are", "was", "were", "am", "has", "have", "had", "can", "could", "will", "would",
    "should", "shall", "may", "might", "must",
];
/// Words after which `'s` is a verb.
const BEFORE_VERB: &[&str] =
    &["who", "what", "where", "when", "why", "how", "which", "it", "that", "there", "here", "he", "she"];
const PREPOSITIONS: &[&str] = &["in", "during"];
/// Words of a chapter in Chinese.
const CHAPTER_WORDS: &[&str] = &["章", "回", "节"];
/// Characters after a chapter that make it a part of something else: 第九章的, 第九章之前, 第九章和.
const AFTER_CHAPTER: &[&str] =
    &["的", "之", "以", "前", "后", "开", "结", "末", "到", "至", "和", "与", "及", "或", "跟", "同"];

/// Verbs with a statement or a question after them.
const CLAUSE_VERBS: &[&str] = &[
    "say", "tell", "know", "think", "believe", "hear", "see", "claim", "remember", "promise", "want", "try", "doubt",
    "suspect", "ask", "admit", "deny", "notice", "learn", "find", "that", "who", "which", "when", "where", "because",
    "while", "if", "before", "after", "until", "since", "知道", "说", "问", "告诉", "想", "认为", "觉得", "相信",
    "怀疑", "明白", "看", "听", "猜", "记得", "确定", "担心", "忘", "以为", "发现", "承认", "否认", "决定", "讨论",
    "关心", "在乎", "清楚", "证明", "解释",
];

/// Whether the words contain a question word; 吗 is none.
pub(super) fn has_question_word(words: &[Word]) -> bool {
    (0..words.len()).any(|at| {
        let rest = words.get(at..).unwrap_or_default();
        let (_, entry) = lexicon::phrases().at(rest).next().unzip();
        entry.is_some_and(|(meaning, _)| matches!(meaning, Meaning::Question(class) if *class != QuestionClass::YesNo))
    })
}

/// Whether the words contain a choice by negation: 是不是.
pub(super) fn has_choice(words: &[Word]) -> bool {
    (0..words.len()).any(|at| words.get(at..).and_then(negated_choice).is_some())
}

/// Reads a question. `all` are its words, `words` those without fillers.
pub(crate) fn read_words(all: &[Word], words: &[Word], names: &Phrases<()>) -> Reading {
    let is_asked_by_particle =
        all.iter().any(|word| ["吗", "么"].contains(&word.text.as_str())) && all.len() > words.len();
    let mut reader = Reader {
        words,
        names,
        // Where all words begin with capitals, they show no names.
        has_small_letters: words
            .iter()
            .any(|word| word.kind == WordKind::Letters && !word.is_capital && word.text != "'s"),
        has_one_chapter: count_chapters(words) == 1,
        is_choice: false,
        asks_otherwise: is_asked_by_particle || has_question_word(words),
        is_inside_clause: false,
        reading: Reading::default(),
    };
    let mut at = 0;
    while at < words.len() {
        at += reader.read_at(at).max(1);
    }
    let mut reading = reader.finish();
    let begins_with_verb = words.first().is_some_and(|word| AUXILIARIES.contains(&word.text.as_str()));
    if reading.question.is_none() && (begins_with_verb || is_asked_by_particle) {
        reading.question = Some(QuestionClass::YesNo);
    }
    reading
}

fn count_chapters(words: &[Word]) -> usize {
    words.iter().filter(|word| word.text == "chapter" || CHAPTER_WORDS.contains(&word.text.as_str())).count()
}

struct Reader<'w> {
    words: &'w [Word],
    names: &'w Phrases<()>,
    has_small_letters: bool,
    has_one_chapter: bool,
    /// Whether the question asks by a negation: 是不是.
    is_choice: bool,
    /// Whether the question asks by a question word or a particle.
    asks_otherwise: bool,
    /// Whether a verb with a statement after it was read: 君知道梅来不来 does not ask whether Mei comes.
    is_inside_clause: bool,
    reading: Reading,
}

impl Reader<'_> {
    /// Reads what is at a word; returns its number of words.
    fn read_at(&mut self, at: usize) -> usize {
        let rest = self.words.get(at..).unwrap_or_default();
        if let Some((length, ())) = self.names.at(rest).next() {
            self.add_unit(at, length, UnitKind::Name, None);
            return length + usize::from(self.is_owner_mark(at + length));
        }
        if let Some(length) = self.read_chapter(at) {
            return length;
        }
        if let Some(length) = self.read_choice(at) {
            return length;
        }
        if let Some((length, (meaning, text))) = lexicon::phrases().at(rest).next() {
            let is_name = length == 1 && self.is_capital_name(at);
            match meaning {
                _ if is_name => {}
                Meaning::Filler(place) => {
                    if self.is_filler(*place, at + length) {
                        return length;
                    }
                }
                Meaning::Question(class) => {
                    self.reading.question.get_or_insert(*class);
                    self.add_question(at, length, *class, text);
                    return length;
                }
                Meaning::Negation => {
                    self.add_unit(at, length, UnitKind::Negation, Some(text));
                    return length;
                }
                Meaning::Word => {
                    self.add_unit(at, length, UnitKind::Word, Some(text));
                    self.mark_past(at);
                    return length;
                }
            }
        }
        self.read_word(at);
        1
    }

    fn read_word(&mut self, at: usize) {
        let Some(word) = self.words.get(at) else { return };
        let text = word.text.as_str();
        match word.kind {
            WordKind::Number => self.add_unit(at, 1, UnitKind::Number, None),
            WordKind::Mark => self.add_unit(at, 1, UnitKind::Word, None),
            WordKind::Han if text.chars().all(super::numbers::is_numeral) => {
                self.add_unit(at, 1, UnitKind::Number, None)
            }
            WordKind::Han => self.add_unit(at, 1, UnitKind::Word, None),
            WordKind::Letters if self.is_capital_name(at) => self.add_unit(at, 1, UnitKind::Name, None),
            WordKind::Letters => {
                let do_tense = match text {
                    "did" => Some(Tense::Past),
                    "do" | "does" => Some(Tense::Present),
                    _ => None,
                };
                if let Some(tense) = do_tense.filter(|_| self.reading.asking_verb.is_none()) {
                    self.reading.asking_verb = Some((tense, word.range.clone()));
                    return;
                }
                let before = at.checked_sub(1).and_then(|at| self.words.get(at));
                let is_verb = text == "'s" && before.is_some_and(|word| BEFORE_VERB.contains(&word.text.as_str()));
                self.add_unit(at, 1, UnitKind::Word, Some(if is_verb { "be" } else { lemma(text) }));
                self.mark_past(at);
            }
        }
    }

    /// A choice by negation (是不是, 知道不知道, 去没去), or a question that ends with 没有.
    fn read_choice(&mut self, at: usize) -> Option<usize> {
        let rest = self.words.get(at..)?;
        if rest.first()?.kind != WordKind::Han {
            return None;
        }
        let text = |n: usize| rest.get(n).map(|word| word.text.as_str());
        let before = self.reading.units.last().map(|unit| unit.text.as_str());
        let is_tag = matches!(before, Some("了" | "过"))
            && (text(0) == Some("没") && (rest.len() == 1 || (text(1) == Some("有") && rest.len() == 2)));
        let is_or_not = text(0) == Some("是") && text(1) == Some("否");
        let is_main = !self.asks_otherwise && !self.is_inside_clause;
        if (is_tag || is_or_not) && is_main {
            self.is_choice = true;
            return Some(if is_tag { rest.len() } else { 2 });
        }
        if text(1) == Some("否") && ["能", "可", "会"].contains(&text(0)?) && is_main {
            self.is_choice = true;
            self.add_unit(at, 1, UnitKind::Word, None);
            return Some(2);
        }
        let (head, negation) = negated_choice(rest)?;
        self.is_choice = true;
        let length = 2 * head + 1;
        if !is_main {
            self.add_unit(at, length, UnitKind::Question, None);
            return Some(length);
        }
        let verb: String = rest.get(..head)?.iter().map(|word| word.text.as_str()).collect();
        // The phrase is read as its verb would be: 有没有 is 有.
        let shared =
            lexicon::phrases().at(rest.get(head + 1..)?).next().filter(|(_, (kind, _))| *kind == Meaning::Word);
        match shared {
            Some((words, (_, text))) if words > head => {
                self.add_unit(at, head + 1 + words, UnitKind::Word, Some(text));
                return Some(head + 1 + words);
            }
            Some((words, (_, text))) if words == head => self.add_unit(at, length, UnitKind::Word, Some(text)),
            _ => {
                for character in verb.chars() {
                    self.add_unit(at, length, UnitKind::Word, Some(character.encode_utf8(&mut [0; 4])));
                }
            }
        }
        // 去没去 asks about the past, as 去了吗 does.
        if negation == "没" && verb != "有" && rest.get(length).is_none_or(|word| word.text != "过") {
            self.add_unit(at, length, UnitKind::Word, Some("了"));
        }
        Some(length)
    }

    /// The chapter a question is about; only if it names one chapter, and not as a part of something else.
    fn read_chapter(&mut self, at: usize) -> Option<usize> {
        let rest = self.words.get(at..)?;
        let text = |n: usize| rest.get(n).map_or("", |word| word.text.as_str());
        let is_number = |n: usize| rest.get(n).is_some_and(|word| word.kind == WordKind::Number);
        // Further on, it may be the chapter of another verb: 君说梅在第九章走了.
        let is_before_verb = match self.reading.units.as_slice() {
            [] => true,
            [unit] => matches!(unit.kind, UnitKind::Name | UnitKind::Question),
            _ => false,
        };
        let (number, length) = if PREPOSITIONS.contains(&text(0)) {
            let article = usize::from(text(1) == "the");
            match (text(1 + article), text(2 + article)) {
                ("chapter", _) if is_number(2 + article) => (2 + article, 3 + article),
                (_, "chapter") if is_number(1 + article) => (1 + article, 3 + article),
                _ => return None,
            }
        } else {
            let begin = usize::from(text(0) == "在");
            let is_chapter = text(begin) == "第" && is_number(begin + 1) && CHAPTER_WORDS.contains(&text(begin + 2));
            if !is_chapter || !is_before_verb {
                return None;
            }
            let inside = match (text(begin + 3), text(begin + 4)) {
                ("里", "面" | "头") | ("之", "中") => 2,
                ("里" | "中" | "内", _) => 1,
                _ => 0,
            };
            (begin + 1, begin + 3 + inside)
        };
        let is_part =
            AFTER_CHAPTER.contains(&text(length)) || ["'s", "and", "or", "to", "-", ","].contains(&text(length));
        let is_english = PREPOSITIONS.contains(&text(0));
        let has_one_verb = at == 0 || (at + length == self.words.len() && !self.has_clause());
        if is_part || !self.has_one_chapter || (is_english && !has_one_verb) {
            return None;
        }
        let word = rest.get(number)?;
        let ordinal = word.text.trim_end_matches("th").to_owned();
        let number = Unit { text: ordinal, range: word.range.clone(), kind: UnitKind::Number, is_past: false };
        let range = rest.first()?.range.start..rest.get(length - 1)?.range.end;
        self.reading.chapter = Some(Chapter { number, range });
        Some(length)
    }

    /// Whether the English units after the first have a clause in them.
    fn has_clause(&self) -> bool {
        self.reading.units.iter().skip(1).any(|unit| CLAUSE_VERBS.contains(&unit.text.as_str()))
    }

    /// Whether 的 at a word only joins a name and what belongs to it: 梅的眼睛 is 梅眼睛.
    fn is_owner_mark(&self, at: usize) -> bool {
        let next = self.words.get(at + 1);
        self.words.get(at).is_some_and(|word| word.text == "的")
            && next.is_some_and(|next| {
                next.kind == WordKind::Han && !["是", "谁", "吗", "呢", "不"].contains(&next.text.as_str())
            })
    }

    fn is_capital_name(&self, at: usize) -> bool {
        self.words.get(at).is_some_and(|word| {
            let is_pronoun = word.text == "i" || word.text.starts_with("i'");
            self.has_small_letters && word.is_capital && !word.begins_sentence && !is_pronoun
        })
    }

    /// Adds the words at `at` as one unit; in their own form, if no other is given.
    fn add_unit(&mut self, at: usize, length: usize, kind: UnitKind, text: Option<&str>) {
        let words = self.words.get(at..(at + length).min(self.words.len())).unwrap_or_default();
        let (Some(first), Some(last)) = (words.first(), words.last()) else { return };
        let own = || {
            let separator = if first.kind == WordKind::Han { "" } else { " " };
            words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(separator)
        };
        let text = text.map_or_else(own, str::to_owned);
        let before = self.reading.units.last().map_or("", |unit| unit.text.as_str());
        self.is_inside_clause |= CLAUSE_VERBS.contains(&text.as_str())
            || (first.kind == WordKind::Han && CLAUSE_VERBS.contains(&format!("{before}{text}").as_str()));
        self.reading.units.push(Unit { text, range: first.range.start..last.range.end, kind, is_past: false });
    }

    fn add_question(&mut self, at: usize, length: usize, class: QuestionClass, text: &str) {
        use QuestionClass::{How, When, Where, Why};
        // 是什么时候死的 is 什么时候死的.
        if matches!(class, When | Where | Why | How) && self.reading.units.last().is_some_and(|unit| unit.text == "是")
        {
            self.reading.units.pop();
        }
        // 怎么 may ask why; in 怎么死的 it asks how.
        let is_way = text == "怎么" && self.words.last().is_some_and(|word| word.text == "的");
        self.add_unit(at, length, UnitKind::Question, Some(if is_way { "如何" } else { text }));
    }

    /// Marks the last unit as past, if the word is.
    fn mark_past(&mut self, at: usize) {
        let Some(word) = self.words.get(at).filter(|word| word.kind == WordKind::Letters) else { return };
        let text = word.text.as_str();
        let is_past = text.ends_with("ed")
            || ["was", "were", "had"].contains(&text)
            || lexicon::irregular(text).is_some()
            || lexicon::IRREGULAR_SYNONYMS.contains(&text);
        if let Some(unit) = self.reading.units.last_mut() {
            unit.is_past = is_past;
        }
    }

    /// Whether a phrase that ends before the word at `end` does not change the question there.
    fn is_filler(&self, place: Place, end: usize) -> bool {
        let last = self.reading.units.last();
        match place {
            Place::Anywhere => true,
            Place::Beginning => last.is_none(),
            Place::AfterQuestionWord => last.is_some_and(|unit| unit.kind == UnitKind::Question),
            Place::Emphasis => {
                let next = self.words.get(end).map_or("", |word| word.text.as_str());
                last.is_none_or(|unit| unit.kind == UnitKind::Name) && !["", "了", "过", "吗"].contains(&next)
            }
        }
    }

    fn finish(mut self) -> Reading {
        if self.is_choice {
            self.reading.question.get_or_insert(QuestionClass::YesNo);
        }
        // 是谁 at the beginning is 谁.
        let units = &self.reading.units;
        if let [first, second, _, ..] = units.as_slice()
            && first.text == "是"
            && second.text == "谁"
        {
            self.reading.units.remove(0);
        }
        // 谁是凶手 is 凶手是谁.
        let units = &mut self.reading.units;
        let count_who = units.iter().filter(|unit| unit.text == "谁").count();
        let begins_with_who = matches!(units.as_slice(), [who, be, _, ..] if who.text == "谁" && be.text == "是");
        if begins_with_who && count_who == 1 {
            units.rotate_left(2);
            let last = units.len() - 1;
            units.swap(last - 1, last);
        }
        self.reading
    }
}

/// Whether words begin with a choice by negation: the number of words of its verb, and the negation.
fn negated_choice(words: &[Word]) -> Option<(usize, &str)> {
    let text = |n: usize| words.get(n).filter(|word| word.kind == WordKind::Han).map(|word| word.text.as_str());
    let is_idiom = matches!((text(0), text(1)), (Some("时" | "动"), Some("不")));
    [1, 2].into_iter().find_map(|head| {
        let negation = text(head).filter(|text| ["不", "没"].contains(text))?;
        let is_repeated = (0..head).all(|n| text(n).is_some() && text(n) == text(head + 1 + n));
        (is_repeated && !is_idiom && text(0) != Some(negation)).then_some((head, negation))
    })
}

/// An English word in the form that its irregular forms share.
fn lemma(word: &str) -> &str {
    match word {
        "is" | "are" | "was" | "were" | "am" => "be",
        "has" | "had" => "have",
        "an" => "a",
        _ => lexicon::irregular(word).unwrap_or(word),
    }
}

/// Whether two words are one, or one is the regular past of the other. Endings that may change a question are
/// compared: killing, killer and brothers are not kill and brother.
fn is_same_word(one: &str, other: &str) -> bool {
    one == other || is_past_of(one, other) || is_past_of(other, one)
}

fn is_past_of(past: &str, verb: &str) -> bool {
    const MIN_VERB_BYTES: usize = 3;
    let Some(stem) = past.strip_suffix("ed").filter(|_| verb.len() >= MIN_VERB_BYTES && verb.is_ascii()) else {
        return false;
    };
    let is_doubled = |rest: &str| rest.len() == 1 && verb.ends_with(rest);
    stem == verb
        || verb.strip_suffix('e') == Some(stem)
        || verb.strip_suffix('y').is_some_and(|begin| stem.strip_suffix('i') == Some(begin))
        || stem.strip_prefix(verb).is_some_and(is_doubled)
}

#[cfg(test)]
mod tests {
    use super::{super::words::split_words, *};

    fn have_same_units(one: &str, other: &str) -> bool {
        let [one, other] = [one, other].map(|text| {
            let words = split_words(text);
            read_words(&words, &words, &Reading::names(&["Mei", "Jun", "梅", "君"])).units
        });
        one.len() == other.len() && one.iter().zip(&other).all(|(one, other)| one.is_same(other))
    }

    #[test]
    fn questions_of_one_meaning_have_the_same_units() {
        for (one, other) in [
            ("Who killed Mei?", "Who did kill Mei?"),
            ("Who's the man?", "Who is the man?"),
            ("When did Mei die?", "At what time did Mei pass away?"),
            ("In chapter nine, whom did Jun love?", "Who did Jun love in the ninth chapter?"),
            ("梅什么时候死的", "梅何时去世的"),
            ("谁在第九章杀了君", "在第九章里谁杀死了君"),
            ("梅知不知道", "梅知道不知道"),
            ("梅是否知道", "梅知道"),
            ("梅走了没有", "梅走了"),
            ("梅的眼睛", "梅眼睛"),
            ("梅的哥哥是谁", "谁是梅的哥哥"),
        ] {
            assert!(have_same_units(one, other), "{one} {other}");
        }
    }

    #[test]
    fn an_ending_that_changes_the_question_stays() {
        for (one, other) in [
            ("Why was Mei killing?", "Why was Mei killed?"),
            ("the killer", "the killed"),
            ("Mei's brothers", "Mei's brother"),
            ("Who was killed?", "Who killed?"),
            ("梅去没去", "梅去不去"),
            ("谁死了", "谁死"),
        ] {
            assert!(!have_same_units(one, other), "{one} {other}");
        }
    }
}
