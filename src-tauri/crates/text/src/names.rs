//! Names that stay at home: replaced by aliases in what goes out, and put back in what comes in, piece by piece.
//!
//! The names of a book are the writer's; the aliases are too. [`Mask::over`] fits them to the texts that are about to be
//! sent, so that two things hold for these texts, whatever stands in them: no name is left, and putting the names back
//! gives the texts again. Where an alias does not do (it stands in a text already, or runs together with its
//! neighbours), it gets a number, and at last brackets.
//!
//! Names of scripts that put spaces between words are replaced as words: `Al` is not in `Also`. A plural or possessive
//! `s` may follow. A name in capitals is hidden by its alias in capitals.

use std::collections::HashMap;

use crate::language::is_han;

/// Numbers that an alias gets at most before it is put in brackets, and then again.
const NUMBERED_AT_MOST: u32 = 9;
/// How often all aliases are tried anew when they do not go together.
const ROUNDS: u32 = 12;

/// A name and what stands for it outside.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Pair {
    /// As the manuscript has it.
    pub name: String,
    /// As others read it.
    pub alias: String,
}

/// Names hidden and put back, for the texts it was made over.
#[derive(Debug, Clone, Default)]
pub struct Mask {
    hide: Replacer,
    restore: Replacer,
}

impl Mask {
    /// The mask that hides these names in these texts, and whatever a model makes of them. `None` when no aliases can be
    /// found that do: the texts must not be sent.
    #[must_use]
    pub fn over(pairs: &[Pair], texts: &[&str]) -> Option<Self> {
        let pairs = with_capitals(pairs);
        if pairs.is_empty() {
            return Some(Self::default());
        }
        let plural = pairs.iter().all(|pair| !pair.name.eq_ignore_ascii_case("s"));
        let names = Replacer::new(plural, pairs.iter().map(|pair| (pair.name.as_str(), "")));
        (0..ROUNDS).find_map(|round| {
            let mut taken: Vec<String> = Vec::with_capacity(pairs.len());
            for pair in &pairs {
                let free = |alias: &String| {
                    !taken.contains(alias)
                        && !names.finds_in(alias)
                        && !texts.iter().any(|text| text.contains(alias.as_str()))
                };
                let alias = variants(&pair.alias).skip(round as usize).find(free)?;
                taken.push(alias);
            }
            let both = || pairs.iter().map(|pair| pair.name.as_str()).zip(taken.iter().map(String::as_str));
            let mask = Self {
                hide: Replacer::new(plural, both()),
                restore: Replacer::new(plural, both().map(|(name, alias)| (alias, name))),
            };
            let holds = |text: &&str| {
                let hidden = mask.hide(text);
                !names.finds_in(&hidden) && mask.restore(&hidden) == **text
            };
            texts.iter().all(holds).then_some(mask)
        })
    }

    /// Hides nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.hide.pairs.is_empty()
    }

    /// A text as it may go out.
    #[must_use]
    pub fn hide(&self, text: &str) -> String {
        self.hide.all(text)
    }

    /// A text as the writer reads it.
    #[must_use]
    pub fn restore(&self, text: &str) -> String {
        self.restore.all(text)
    }

    /// Puts the names back in a text that comes in pieces.
    #[must_use]
    pub fn restorer(&self) -> Restorer<'_> {
        Restorer { replacer: &self.restore, waiting: String::new(), before: None }
    }
}

/// The pairs, and those of their names in capitals that differ; none twice, none empty, none that replaces a name by
/// itself.
fn with_capitals(pairs: &[Pair]) -> Vec<Pair> {
    let mut all: Vec<Pair> = Vec::new();
    let capitals = pairs.iter().map(|pair| Pair { name: pair.name.to_uppercase(), alias: pair.alias.to_uppercase() });
    for pair in pairs.iter().cloned().chain(capitals) {
        let fits = !pair.name.is_empty() && !pair.alias.is_empty();
        if fits && all.iter().all(|known| known.name != pair.name) {
            all.push(pair);
        }
    }
    all
}

/// An alias and what it becomes when it does not do; at last, when its own words are the trouble, a number alone.
fn variants(alias: &str) -> impl Iterator<Item = String> {
    let plain = alias.to_owned();
    let (numbered, bracketed) = (alias.to_owned(), alias.to_owned());
    std::iter::once(plain)
        .chain((2..=NUMBERED_AT_MOST).map(move |n| format!("{numbered}{n}")))
        .chain((1..=99).map(move |n| format!("〔{bracketed}{n}〕")))
        .chain((1..=9_999).map(|n| format!("〔{n}〕")))
}

/// Replaces strings by strings: at each place the longest that stands there.
#[derive(Debug, Clone, Default)]
struct Replacer {
    /// Longest first.
    pairs: Vec<(String, String)>,
    /// Which of them begin with a character.
    by_first: HashMap<char, Vec<usize>>,
    /// An `s` may follow. Not where that letter is a name itself: it would be left alone.
    plural: bool,
}

/// What stands at a place of a text.
enum Found {
    /// One of the strings: its number.
    Match(usize),
    /// None of them.
    Nothing,
    /// What comes next decides.
    Undecided,
}

impl Replacer {
    fn new<'a>(plural: bool, pairs: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let mut pairs: Vec<(String, String)> =
            pairs.filter(|(from, _)| !from.is_empty()).map(|(from, to)| (from.to_owned(), to.to_owned())).collect();
        pairs.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then_with(|| a.0.cmp(&b.0)));
        let mut by_first: HashMap<char, Vec<usize>> = HashMap::new();
        for (number, (from, _)) in pairs.iter().enumerate() {
            if let Some(first) = from.chars().next() {
                by_first.entry(first).or_default().push(number);
            }
        }
        Self { pairs, by_first, plural }
    }

    /// What stands at the beginning of `rest`, after `before`. `whole`: nothing comes after `rest`.
    fn at(&self, before: Option<char>, rest: &str, whole: bool) -> Found {
        let Some(first) = rest.chars().next() else { return Found::Nothing };
        for &number in self.by_first.get(&first).into_iter().flatten() {
            let from = self.pairs[number].0.as_str();
            if is_word(first) && before.is_some_and(is_word) {
                continue;
            }
            match rest.strip_prefix(from) {
                Some(after) => match ends_a_word(from, after, self.plural, whole) {
                    Some(true) => return Found::Match(number),
                    Some(false) => {}
                    None => return Found::Undecided,
                },
                None if !whole && from.starts_with(rest) => return Found::Undecided,
                None => {}
            }
        }
        Found::Nothing
    }

    /// Replaces as far as it is decided; gives back the replaced part, and where the undecided one begins. `before` is
    /// the last character in front of what is undecided.
    fn run(&self, text: &str, before: &mut Option<char>, whole: bool) -> (String, usize) {
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        while let Some(c) = text[at..].chars().next() {
            match self.at(*before, &text[at..], whole) {
                Found::Undecided => break,
                Found::Match(number) => {
                    let (from, to) = &self.pairs[number];
                    out.push_str(to);
                    at += from.len();
                    *before = from.chars().next_back();
                }
                Found::Nothing => {
                    out.push(c);
                    at += c.len_utf8();
                    *before = Some(c);
                }
            }
        }
        (out, at)
    }

    fn all(&self, text: &str) -> String {
        if self.pairs.is_empty() {
            return text.to_owned();
        }
        self.run(text, &mut None, true).0
    }

    fn finds_in(&self, text: &str) -> bool {
        let mut before = None;
        text.char_indices().any(|(at, c)| {
            let found = matches!(self.at(before, &text[at..], true), Found::Match(_));
            before = Some(c);
            found
        })
    }
}

/// A character of a script that puts spaces between words: there a name ends where its word does.
fn is_word(c: char) -> bool {
    c.is_alphanumeric() && !is_han(c) && !matches!(c, '\u{3040}'..='\u{30FF}')
}

/// Whether `from` ends as a word does before `after`; `None` when that is not known yet.
fn ends_a_word(from: &str, after: &str, plural: bool, whole: bool) -> Option<bool> {
    if !from.chars().next_back().is_some_and(is_word) {
        return Some(true);
    }
    let mut next = after.chars();
    match next.next() {
        None => whole.then_some(true),
        Some('s' | 'S') if plural => match next.next() {
            None => whole.then_some(true),
            Some(c) => Some(!is_word(c)),
        },
        Some(c) => Some(!is_word(c)),
    }
}

/// Puts names back in pieces: what may be the beginning of an alias waits for the next piece.
#[derive(Debug)]
pub struct Restorer<'a> {
    replacer: &'a Replacer,
    waiting: String,
    before: Option<char>,
}

impl Restorer<'_> {
    /// As much as is decided with this piece; may be empty.
    #[must_use]
    pub fn push(&mut self, piece: &str) -> String {
        if self.replacer.pairs.is_empty() {
            return piece.to_owned();
        }
        self.waiting.push_str(piece);
        let (out, at) = self.replacer.run(&self.waiting, &mut self.before, false);
        self.waiting.drain(..at);
        out
    }

    /// What still waits: nothing more comes.
    #[must_use]
    pub fn finish(&mut self) -> String {
        let waiting = std::mem::take(&mut self.waiting);
        self.replacer.run(&waiting, &mut self.before, true).0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pairs(list: &[(&str, &str)]) -> Vec<Pair> {
        list.iter().map(|(name, alias)| Pair { name: (*name).into(), alias: (*alias).into() }).collect()
    }

    fn mask(list: &[(&str, &str)], texts: &[&str]) -> Mask {
        Mask::over(&pairs(list), texts).unwrap()
    }

    #[test]
    fn names_go_out_as_aliases_and_come_back_as_names() {
        let text = "老周没有看陈默。“陈默，”他说，“水尺呢？”";
        let mask = mask(&[("老周", "甲"), ("陈默", "乙")], &[text]);
        assert_eq!(mask.hide(text), "甲没有看乙。“乙，”他说，“水尺呢？”");
        assert_eq!(mask.restore("乙把水尺递给甲。"), "陈默把水尺递给老周。");
    }

    #[test]
    fn the_longest_name_goes_first() {
        let text = "张三丰不是张三。";
        let mask = mask(&[("张三", "甲"), ("张三丰", "乙")], &[text]);
        assert_eq!(mask.hide(text), "乙不是甲。");
    }

    #[test]
    fn a_latin_name_is_a_word_with_its_possessive_plural_and_capitals() {
        let text = "Also, Al's boat. The Als and ALBERT; AL! al Al2 Al走了";
        let mask = mask(&[("Al", "Bo")], &[text]);
        assert_eq!(mask.hide(text), "Also, Bo's boat. The Bos and ALBERT; BO! al Al2 Bo走了");
        assert_eq!(mask.restore("Bob and Bo, BO'S"), "Bob and Al, AL'S");
    }

    #[test]
    fn an_alias_that_stands_in_the_text_already_gets_a_number_and_the_text_comes_back() {
        let text = "林一认识老周，不认识林一2。";
        let mask = mask(&[("老周", "林一")], &[text]);
        assert_eq!(mask.hide(text), "林一认识林一3，不认识林一2。");
        assert_eq!(mask.restore("林一和林一3走了。"), "林一和老周走了。");
    }

    #[test]
    fn an_alias_that_runs_together_with_its_neighbours_into_a_name_is_put_in_brackets() {
        let text = "丁张三来了。";
        let mask = mask(&[("张三", "一"), ("丁一", "乙")], &[text]);
        assert_eq!(mask.hide(text), "丁〔一1〕来了。");
        assert_eq!(mask.restore("〔一1〕走了，〔乙1〕没有。"), "张三走了，丁一没有。");
    }

    #[test]
    fn without_names_nothing_changes() {
        let mask = mask(&[], &["老周"]);
        assert!(mask.is_empty());
        assert_eq!((mask.hide("老周"), mask.restorer().push("老")), ("老周".into(), "老".into()));
    }

    #[test]
    fn a_stream_waits_only_for_what_may_become_an_alias() {
        let mask = mask(&[("老周", "林先生"), ("Anna", "Beth")], &[]);
        let mut restorer = mask.restorer();
        assert_eq!(restorer.push("他对林"), "他对");
        assert_eq!(restorer.push("先"), "");
        assert_eq!(restorer.push("生说，林"), "老周说，");
        assert_eq!(restorer.push("子里，Bet"), "林子里，");
        assert_eq!(restorer.push("h"), "", "Bethany may follow");
        assert_eq!(restorer.push("s"), "", "and now Bethsaida");
        assert_eq!(restorer.push(" and Beth"), "Annas and ");
        assert_eq!(restorer.finish(), "Anna");
    }

    /// Names and aliases from few letters, so that they collide, overlap and run together as often as can be.
    fn collisions() -> impl Strategy<Value = Vec<Pair>> {
        let word = "[张三丰一丁]{1,3}|[Aabs]{1,3}";
        proptest::collection::vec((word, word), 1..5).prop_map(|list| {
            let mut kept: Vec<Pair> = Vec::new();
            for (name, alias) in list {
                if kept.iter().all(|pair| pair.name != name && pair.alias != alias) {
                    kept.push(Pair { name, alias });
                }
            }
            kept
        })
    }

    proptest! {
        #[test]
        fn whatever_the_names_the_text_comes_back_and_none_of_them_goes_out(
            pairs in collisions(), texts in proptest::collection::vec("[张三丰一丁Aabs2〔〕 ，]{0,16}", 1..4)
        ) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let mask = Mask::over(&pairs, &texts);
            prop_assert!(mask.is_some(), "brackets and numbers are enough");
            let mask = mask.unwrap();
            for text in texts {
                let hidden = mask.hide(text);
                prop_assert_eq!(mask.restore(&hidden), text);
                for pair in &pairs {
                    let latin = pair.name.is_ascii();
                    prop_assert!(latin || !hidden.contains(&pair.name), "{} in {}", pair.name, hidden);
                    let words = hidden.split(|c: char| !is_word(c));
                    let plural = pairs.iter().all(|pair| pair.name != "s");
                    let stem = |word: &'_ str| word.strip_suffix(['s', 'S']).map(str::to_owned).filter(|_| plural);
                    let is_name = |word: &str| word == pair.name || stem(word).is_some_and(|stem| stem == pair.name);
                    prop_assert!(!latin || !words.into_iter().any(is_name), "{} in {}", pair.name, hidden);
                }
            }
        }

        #[test]
        fn however_a_stream_is_cut_it_is_restored_as_the_whole_is(
            pairs in collisions(), text in "[张三丰一丁Aabs2〔〕 ，]{0,24}", cuts in proptest::collection::vec(0_usize..24, 0..8)
        ) {
            let mask = Mask::over(&pairs, &[]);
            prop_assert!(mask.is_some());
            let mask = mask.unwrap();
            let chars: Vec<char> = text.chars().collect();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(chars.len())).collect();
            cuts.extend([0, chars.len()]);
            cuts.sort_unstable();
            let mut restorer = mask.restorer();
            let mut out = String::new();
            for pair in cuts.windows(2) {
                out += &restorer.push(&chars[pair[0]..pair[1]].iter().collect::<String>());
            }
            out += &restorer.finish();
            prop_assert_eq!(out, mask.restore(&text));
        }
    }
}
