//! Cues: the style features that a word is counted for, and lookup tables for lists of such words.

use std::collections::HashMap;

macro_rules! cues {
    ($($variant:ident),+ $(,)?) => {
        /// A class of words that is counted, or that a rule looks up.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Cue { $($variant),+ }
        impl Cue {
            pub(super) const ALL: [Self; Self::COUNT] = [$(Self::$variant),+];
            pub(super) const COUNT: usize = [$(stringify!($variant)),+].len();
        }
    };
}

cues!(
    Action,
    TimeShift,
    Adverb,
    Adjective,
    Hedge,
    Simile,
    Sight,
    Sound,
    Body,
    Conjunction,
    Negation,
    Past,
    Present,
    Speech,
    First,
    Second,
    Third,
    Emotion,
    Thought,
    Abstract,
    Archaic,
    Colloquial,
    Intensifier,
    Cliche,
    Four,
    Name,
    // Not counted, only looked up by rules.
    NotManner,
    NotAdjective,
    NotAbstract,
    NotPast,
);

/// A set of cues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Cues(u32);

impl Cues {
    pub(super) const NONE: Self = Self(0);

    pub(super) const fn single(cue: Cue) -> Self {
        Self(1 << cue as u32)
    }

    pub(super) const fn has(self, cue: Cue) -> bool {
        self.0 & Self::single(cue).0 != 0
    }

    pub(super) const fn with(self, cue: Cue) -> Self {
        Self(self.0 | Self::single(cue).0)
    }

    pub(super) const fn without(self, cue: Cue) -> Self {
        self.difference(Self::single(cue))
    }

    pub(super) const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) const fn difference(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub(super) const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

/// The cues found at one word, and the number of words they cover (0: inside an earlier hit).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Hit {
    pub(super) cues: Cues,
    pub(super) words: usize,
}

/// A list of words for one cue; `None` for words that only prevent shorter ones from being found inside them.
pub(super) type List = (Option<Cue>, &'static str);

/// Han words by their first character, longest first.
pub(super) struct Dictionary {
    by_first: HashMap<char, Vec<(&'static str, usize, Cues)>>,
}

impl Dictionary {
    pub(super) fn new(lists: &[List]) -> Self {
        let mut words: HashMap<&'static str, Cues> = HashMap::new();
        for (cue, list) in lists {
            for word in list.split_whitespace() {
                let cues = words.entry(word).or_default();
                *cues = cue.map_or(*cues, |cue| cues.with(cue));
            }
        }
        let mut by_first: HashMap<char, Vec<(&'static str, usize, Cues)>> = HashMap::new();
        for (word, cues) in words {
            if let Some(first) = word.chars().next() {
                by_first.entry(first).or_default().push((word, word.chars().count(), cues));
            }
        }
        for entries in by_first.values_mut() {
            entries.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        }
        Self { by_first }
    }

    /// The longest word `text` starts with, its length in characters, and its cues.
    pub(super) fn longest(&self, text: &str) -> Option<(&'static str, usize, Cues)> {
        let entries = self.by_first.get(&text.chars().next()?)?;
        entries.iter().find(|(word, _, _)| text.starts_with(word)).copied()
    }
}

/// English words, and phrases by their first word.
pub(super) struct Vocabulary {
    words: HashMap<String, Cues>,
    phrases: HashMap<&'static str, Vec<(Vec<&'static str>, Cues)>>,
}

impl Vocabulary {
    /// Entries of the lists: `word`; `word~` with its regular inflections (-s -ed -ing); `word~~` with the last letter
    /// doubled in them; `two_words` is a phrase.
    pub(super) fn new(lists: &[List]) -> Self {
        let mut words: HashMap<String, Cues> = HashMap::new();
        let mut phrases: HashMap<&'static str, Vec<(Vec<&'static str>, Cues)>> = HashMap::new();
        for (cue, list) in lists {
            let cues = cue.map_or(Cues::NONE, Cues::single);
            for entry in list.split_whitespace() {
                let parts: Vec<&'static str> = entry.split('_').collect();
                if let [first, _, ..] = parts.as_slice() {
                    phrases.entry(first).or_default().push((parts, cues));
                } else if let Some(stem) = entry.strip_suffix("~~") {
                    for word in inflect(stem, true) {
                        let word_cues = words.entry(word).or_default();
                        *word_cues = word_cues.union(cues);
                    }
                } else if let Some(stem) = entry.strip_suffix('~') {
                    for word in inflect(stem, false) {
                        let word_cues = words.entry(word).or_default();
                        *word_cues = word_cues.union(cues);
                    }
                } else {
                    let word_cues = words.entry(entry.to_owned()).or_default();
                    *word_cues = word_cues.union(cues);
                }
            }
        }
        for entries in phrases.values_mut() {
            entries.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then(a.0.cmp(&b.0)));
        }
        Self { words, phrases }
    }

    pub(super) fn word(&self, word: &str) -> Cues {
        self.words.get(word).copied().unwrap_or_default()
    }

    /// The longest phrase `words` begin with: its number of words and its cues.
    pub(super) fn phrase(&self, words: &[String]) -> Option<(usize, Cues)> {
        let entries = self.phrases.get(words.first()?.as_str())?;
        let begins = |phrase: &[&str]| phrase.len() <= words.len() && phrase.iter().zip(words).all(|(p, w)| p == w);
        entries.iter().find(|(phrase, _)| begins(phrase)).map(|(phrase, cues)| (phrase.len(), *cues))
    }
}

fn inflect(stem: &str, doubled: bool) -> [String; 4] {
    let hissing = ["s", "x", "z", "ch", "sh"].iter().any(|end| stem.ends_with(end));
    let mut before_y = stem.chars().rev();
    let consonant_y = before_y.next() == Some('y') && before_y.next().is_some_and(|c| !"aeiou".contains(c));
    let bare = stem.strip_suffix(if consonant_y { 'y' } else { 'e' }).unwrap_or(stem);
    let double = if doubled { stem.chars().next_back().map_or(String::new(), String::from) } else { String::new() };
    let third = if consonant_y {
        format!("{bare}ies")
    } else if hissing {
        format!("{stem}es")
    } else {
        format!("{stem}s")
    };
    let past = if consonant_y { format!("{bare}ied") } else { format!("{bare}{double}ed") };
    // `see` keeps its e; `flee` too.
    let going = if consonant_y || stem.ends_with("ee") { format!("{stem}ing") } else { format!("{bare}{double}ing") };
    [stem.to_owned(), third, past, going]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn english_verbs_are_inflected() {
        assert_eq!(inflect("grab", true), ["grab", "grabs", "grabbed", "grabbing"]);
        assert_eq!(inflect("seize", false), ["seize", "seizes", "seized", "seizing"]);
        assert_eq!(inflect("worry", false), ["worry", "worries", "worried", "worrying"]);
        assert_eq!(inflect("push", false), ["push", "pushes", "pushed", "pushing"]);
        assert_eq!(inflect("sway", false), ["sway", "sways", "swayed", "swaying"]);
    }

    #[test]
    fn the_longest_word_wins() {
        let dictionary = Dictionary::new(&[(Some(Cue::Negation), "不"), (None, "不过")]);
        assert_eq!(dictionary.longest("不过他"), Some(("不过", 2, Cues::NONE)));
        assert_eq!(dictionary.longest("不走"), Some(("不", 1, Cues::single(Cue::Negation))));
        assert_eq!(dictionary.longest("走"), None);
    }

    #[test]
    fn a_set_holds_every_cue() {
        const { assert!(Cue::COUNT <= 32) };
        assert!(Cues::NONE.with(Cue::NotPast).has(Cue::NotPast));
        assert!(!Cues::single(Cue::Action).without(Cue::Action).has(Cue::Action));
    }
}
