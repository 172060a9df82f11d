//! Aliases that become names again, also in text that comes in pieces. Aliases are found as they are spelled.

use std::collections::HashMap;

use super::folded::is_word;

/// Replaces strings by strings: at each place the longest that stands there.
#[derive(Debug, Clone, Default)]
pub(super) struct Replacer {
    pairs: Vec<(String, String)>,
    /// The trie over the strings that are replaced: the node that a character leads to. The root is 0.
    next: HashMap<(u32, char), u32>,
    /// For each node the pair whose string ends there, and whether a longer string begins with it.
    nodes: Vec<Node>,
    /// An `s` may follow. Not where that letter is replaced itself: it would be left alone.
    plural: bool,
}

#[derive(Debug, Clone, Copy, Default)]
struct Node {
    pair: Option<usize>,
    goes_on: bool,
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
    /// Replaces the first string of each pair by its second. None of the first is empty or stands twice.
    pub(super) fn new(pairs: Vec<(String, String)>) -> Self {
        let plural = pairs.iter().all(|(from, _)| !from.eq_ignore_ascii_case("s"));
        let (mut next, mut nodes) = (HashMap::new(), vec![Node::default()]);
        for (number, (from, _)) in pairs.iter().enumerate() {
            let mut node = 0_u32;
            for c in from.chars() {
                if let Some(node) = nodes.get_mut(node as usize) {
                    node.goes_on = true;
                }
                node = *next.entry((node, c)).or_insert_with(|| {
                    nodes.push(Node::default());
                    u32::try_from(nodes.len() - 1).unwrap_or(u32::MAX)
                });
            }
            if let Some(node) = nodes.get_mut(node as usize) {
                node.pair = Some(number);
            }
        }
        Self { pairs, next, nodes, plural }
    }

    /// What stands at the beginning of `rest`, after `before`. `whole`: nothing comes after `rest`.
    fn at(&self, before: Option<char>, rest: &str, whole: bool) -> Found {
        let Some(first) = rest.chars().next() else { return Found::Nothing };
        if is_word(first) && before.is_some_and(is_word) {
            return Found::Nothing;
        }
        let (mut node, mut longest) = (0_u32, Found::Nothing);
        for (at, c) in rest.char_indices() {
            let Some(following) = self.next.get(&(node, c)) else { return longest };
            node = *following;
            let Some(Node { pair, .. }) = self.nodes.get(node as usize) else { return longest };
            if let Some(number) = *pair {
                match ends_a_word(c, &rest[at + c.len_utf8()..], self.plural, whole) {
                    Some(true) => longest = Found::Match(number),
                    Some(false) => {}
                    None => longest = Found::Undecided,
                }
            }
        }
        // The text ends inside the trie: a longer string may still come.
        let goes_on = self.nodes.get(node as usize).is_some_and(|node| node.goes_on);
        if goes_on && !whole { Found::Undecided } else { longest }
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

    pub(super) fn all(&self, text: &str) -> String {
        if self.pairs.is_empty() {
            return text.to_owned();
        }
        self.run(text, &mut None, true).0
    }
}

/// Whether a string whose last character is `last` ends as a word does before `after`; `None` when that is not known yet.
fn ends_a_word(last: char, after: &str, plural: bool, whole: bool) -> Option<bool> {
    if !is_word(last) {
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

impl<'a> Restorer<'a> {
    pub(super) fn new(replacer: &'a Replacer) -> Self {
        Self { replacer, waiting: String::new(), before: None }
    }

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
