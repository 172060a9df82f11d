//! Restores names from aliases, also in streamed text. Aliases are matched in their exact spelling.

use std::collections::HashMap;

use super::folded::is_word;

/// Replaces strings by strings; at each position the longest match wins.
#[derive(Debug, Clone, Default)]
pub(super) struct Replacer {
    pairs: Vec<(String, String)>,
    /// Edges of the trie over the replaced strings: (node, character) to node. The root is 0.
    next: HashMap<(u32, char), u32>,
    nodes: Vec<Node>,
    /// Whether an `s` may follow. False if that letter is itself replaced: it would remain.
    plural: bool,
}

#[derive(Debug, Clone, Copy, Default)]
struct Node {
    /// The pair whose string ends here.
    pair: Option<usize>,
    /// Whether a longer string continues here.
    has_longer: bool,
}

/// Result of matching at a position of a text.
enum Lookup {
    /// The index of the matched pair.
    Match(usize),
    NoMatch,
    /// The following text decides.
    Undecided,
}

impl Replacer {
    /// Replaces the first string of each pair by its second. The first strings are distinct and not empty.
    pub(super) fn new(pairs: Vec<(String, String)>) -> Self {
        let plural = pairs.iter().all(|(from, _)| !from.eq_ignore_ascii_case("s"));
        let (mut next, mut nodes) = (HashMap::new(), vec![Node::default()]);
        for (number, (from, _)) in pairs.iter().enumerate() {
            let mut node = 0_u32;
            for c in from.chars() {
                if let Some(node) = nodes.get_mut(node as usize) {
                    node.has_longer = true;
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

    /// Matches the beginning of `rest`, after `before`. `whole`: no text follows `rest`.
    fn match_at(&self, before: Option<char>, rest: &str, whole: bool) -> Lookup {
        let Some(first) = rest.chars().next() else { return Lookup::NoMatch };
        if is_word(first) && before.is_some_and(is_word) {
            return Lookup::NoMatch;
        }
        let (mut node, mut longest) = (0_u32, Lookup::NoMatch);
        for (at, c) in rest.char_indices() {
            let Some(following) = self.next.get(&(node, c)) else { return longest };
            node = *following;
            let Some(Node { pair, .. }) = self.nodes.get(node as usize) else { return longest };
            if let Some(number) = *pair {
                match ends_word(c, &rest[at + c.len_utf8()..], self.plural, whole) {
                    Some(true) => longest = Lookup::Match(number),
                    Some(false) => {}
                    None => longest = Lookup::Undecided,
                }
            }
        }
        // The text ends inside the trie: a longer string may still come.
        let has_longer = self.nodes.get(node as usize).is_some_and(|node| node.has_longer);
        if has_longer && !whole { Lookup::Undecided } else { longest }
    }

    /// Replaces up to the first undecided position; returns the replaced text and that position. `before` is the last
    /// character in front of it.
    fn replace_decided(&self, text: &str, before: &mut Option<char>, whole: bool) -> (String, usize) {
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        while let Some(c) = text[at..].chars().next() {
            match self.match_at(*before, &text[at..], whole) {
                Lookup::Undecided => break,
                Lookup::Match(number) => {
                    let (from, to) = &self.pairs[number];
                    out.push_str(to);
                    at += from.len();
                    *before = from.chars().next_back();
                }
                Lookup::NoMatch => {
                    out.push(c);
                    at += c.len_utf8();
                    *before = Some(c);
                }
            }
        }
        (out, at)
    }

    pub(super) fn replace_all(&self, text: &str) -> String {
        if self.pairs.is_empty() {
            return text.to_owned();
        }
        self.replace_decided(text, &mut None, true).0
    }
}

/// Whether a string whose last character is `last` ends a word before `after`; `None` if more text is needed.
fn ends_word(last: char, after: &str, plural: bool, whole: bool) -> Option<bool> {
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

/// Restores names in streamed text. A possible beginning of an alias is held back until the next chunk.
#[derive(Debug)]
pub struct Restorer<'a> {
    replacer: &'a Replacer,
    held_back: String,
    before: Option<char>,
}

impl<'a> Restorer<'a> {
    pub(super) fn new(replacer: &'a Replacer) -> Self {
        Self { replacer, held_back: String::new(), before: None }
    }

    /// Adds a chunk and returns the text that is decided; may be empty.
    #[must_use]
    pub fn push(&mut self, chunk: &str) -> String {
        if self.replacer.pairs.is_empty() {
            return chunk.to_owned();
        }
        self.held_back.push_str(chunk);
        let (out, at) = self.replacer.replace_decided(&self.held_back, &mut self.before, false);
        self.held_back.drain(..at);
        out
    }

    /// Returns the text held back; no chunk may follow.
    #[must_use]
    pub fn finish(&mut self) -> String {
        let held_back = std::mem::take(&mut self.held_back);
        self.replacer.replace_decided(&held_back, &mut self.before, true).0
    }
}
