//! The vocabulary of pieces, and the most likely segmentation of text into them.
//!
//! A unigram language model: each piece has a log probability, and the segmentation with the largest sum is chosen
//! (Viterbi; Kudo 2018, arXiv:1804.10959). A character that is no piece by itself counts as one unknown token.

use std::collections::VecDeque;
use std::ops::Range;

/// The token of a character outside the vocabulary.
pub(crate) const UNKNOWN: u32 = 0;

/// The log probability of an unknown character below that of the least likely piece; SentencePiece's `kUnkPenalty`.
const UNKNOWN_PENALTY: f64 = 10.0;

/// Marks a node where no piece ends. The unknown token is made of no text, so its number is free.
const NO_TOKEN: u32 = UNKNOWN;

/// A piece of text with its token and its log probability.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Piece<'m> {
    pub(crate) text: &'m str,
    pub(crate) token: u32,
    pub(crate) score: f32,
}

/// All pieces as a trie over characters. Nodes lie in breadth-first order, so that the children of a node are
/// neighbours, in order of their labels; node 0 is the root.
#[derive(Debug)]
pub(crate) struct Vocabulary {
    /// The character that leads to each node.
    labels: Vec<char>,
    /// The token that ends at each node, or [`NO_TOKEN`], and its log probability.
    ends: Vec<(u32, f32)>,
    /// The index of the first child of each node; its children end at the first child of the next node.
    children: Vec<u32>,
    /// The log probability of an unknown character.
    unknown: f64,
}

impl Vocabulary {
    /// Builds the trie; empty pieces and those of token [`UNKNOWN`] are never found. `least` is the lowest log
    /// probability in the model. Memory is 16 bytes for each distinct beginning of a piece.
    pub(crate) fn new(mut pieces: Vec<Piece<'_>>, least: f32) -> Self {
        pieces.sort_by_key(|piece| piece.text);
        let mut vocabulary = Self {
            labels: vec!['\0'],
            ends: vec![(NO_TOKEN, 0.0)],
            children: Vec::new(),
            unknown: f64::from(least) - UNKNOWN_PENALTY,
        };
        // A node is a range of the sorted pieces that agree in their first `read` bytes.
        let mut nodes: VecDeque<(Range<usize>, usize)> = VecDeque::from([(0..pieces.len(), 0)]);
        while let Some((range, read)) = nodes.pop_front() {
            let node = vocabulary.children.len();
            vocabulary.children.push(vocabulary.labels.len() as u32);
            let mut at = range.start;
            while at < range.end {
                let rest = |piece: &Piece<'_>| piece.text[read..].chars().next();
                let Some(label) = rest(&pieces[at]) else {
                    // The piece ends at this node; it sorts before all longer ones.
                    vocabulary.ends[node] = (pieces[at].token, pieces[at].score);
                    at += 1;
                    continue;
                };
                let end = at + pieces[at..range.end].partition_point(|piece| rest(piece) == Some(label));
                vocabulary.labels.push(label);
                vocabulary.ends.push((NO_TOKEN, 0.0));
                nodes.push_back((at..end, read + label.len_utf8()));
                at = end;
            }
        }
        vocabulary.children.push(vocabulary.labels.len() as u32);
        vocabulary
    }

    fn child(&self, node: usize, label: char) -> Option<usize> {
        let (start, end) = (self.children[node] as usize, self.children[node + 1] as usize);
        self.labels[start..end].binary_search(&label).ok().map(|at| start + at)
    }

    /// The likeliest tokens of `text`, each with the index of its first character, in order; of two equally likely
    /// segmentations the one whose last piece begins earlier. Time is the length of the text times the length of the
    /// longest piece.
    pub(crate) fn segment(&self, text: &[char]) -> Vec<(usize, u32)> {
        // For each position: the score of the best segmentation up to it, the start and the token of its last piece.
        let mut best = vec![(f64::NEG_INFINITY, 0, UNKNOWN); text.len() + 1];
        best[0].0 = 0.0;
        for start in 0..text.len() {
            let before = best[start].0;
            let mut improve = |end: usize, score: f64, token| {
                if score > best[end].0 {
                    best[end] = (score, start, token);
                }
            };
            let mut has_own_piece = false;
            let mut node = 0;
            for (at, &label) in text.iter().enumerate().skip(start) {
                let Some(next) = self.child(node, label) else { break };
                node = next;
                let (token, score) = self.ends[node];
                if token != NO_TOKEN {
                    improve(at + 1, before + f64::from(score), token);
                    has_own_piece |= at == start;
                }
            }
            if !has_own_piece {
                improve(start + 1, before + self.unknown, UNKNOWN);
            }
        }
        let mut tokens = Vec::new();
        let mut end = text.len();
        while end > 0 {
            let (_, start, token) = best[end];
            tokens.push((start, token));
            end = start;
        }
        tokens.reverse();
        tokens
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn vocabulary(pieces: &[(&'static str, f32)]) -> Vocabulary {
        let numbered = pieces.iter().zip(1..).map(|(&(text, score), token)| Piece { text, token, score }).collect();
        Vocabulary::new(numbered, pieces.iter().map(|piece| piece.1).fold(0.0, f32::min))
    }

    fn cut(vocabulary: &Vocabulary, text: &str) -> Vec<u32> {
        let tokens = vocabulary.segment(&text.chars().collect::<Vec<_>>());
        tokens.into_iter().map(|(_, token)| token).collect()
    }

    #[test]
    fn the_likeliest_cut_wins_over_the_longest_piece() {
        let known = vocabulary(&[("a", -1.0), ("b", -1.0), ("ab", -3.0), ("c", -1.0), ("bc", -1.5)]);
        assert_eq!(cut(&known, "ab"), [1, 2]);
        assert_eq!(cut(&known, "abc"), [1, 5]);
    }

    #[test]
    fn an_unknown_character_is_one_token_each_and_costs_more_than_any_piece() {
        let known = vocabulary(&[("潮", -2.0), ("潮水", -30.0)]);
        assert_eq!(cut(&known, "潮雨雨"), [1, 0, 0]);
        assert_eq!(cut(&known, "潮水"), [2], "-30 is better than -2 - 40");
        assert_eq!(cut(&known, ""), [0; 0]);
    }

    #[test]
    fn a_character_that_is_only_the_beginning_of_pieces_is_unknown_alone() {
        let known = vocabulary(&[("雨夜", -1.0), ("夜", -2.0)]);
        assert_eq!(cut(&known, "雨夜雨"), [1, 0]);
    }

    #[test]
    fn pieces_that_share_beginnings_and_piece_twins_are_all_found() {
        let known =
            vocabulary(&[("t", -9.0), ("ti", -5.0), ("tide", -1.0), ("tides", -1.5), ("tide", -1.0), ("s", -9.0)]);
        assert_eq!(cut(&known, "tides"), [4]);
        assert!(matches!(cut(&known, "tide")[..], [3 | 5]));
        assert_eq!(cut(&known, "ti"), [2]);
    }

    #[test]
    fn an_empty_vocabulary_recognises_no_piece() {
        assert_eq!(cut(&Vocabulary::new(Vec::new(), 0.0), "ab"), [0, 0]);
    }

    /// All cuts of `text`, tried one by one.
    fn naive(pieces: &[(String, f32)], unknown: f64, text: &[char]) -> f64 {
        if text.is_empty() {
            return 0.0;
        }
        let known = |length: usize| {
            let start: String = text[..length].iter().collect();
            pieces.iter().filter(|piece| piece.0 == start).map(|piece| f64::from(piece.1)).reduce(f64::max)
        };
        let alone = known(1).unwrap_or(unknown) + naive(pieces, unknown, &text[1..]);
        (2..=text.len())
            .filter_map(|length| Some(known(length)? + naive(pieces, unknown, &text[length..])))
            .fold(alone, f64::max)
    }

    proptest! {
        #[test]
        fn the_cut_is_as_likely_as_the_best_of_all(
            pieces in prop::collection::btree_map("[ab雨]{1,3}", -9.0f32..-0.5, 1..12), text in "[ab雨c]{0,9}",
        ) {
            let pieces: Vec<(String, f32)> = pieces.into_iter().collect();
            let numbered = pieces.iter().zip(1..).map(|((text, score), token)| Piece { text, token, score: *score });
            let least = pieces.iter().map(|piece| piece.1).fold(0.0, f32::min);
            let known = Vocabulary::new(numbered.collect(), least);
            let text: Vec<char> = text.chars().collect();
            let (starts, tokens): (Vec<usize>, Vec<u32>) = known.segment(&text).into_iter().unzip();
            let score: f64 = tokens.iter().map(|&token| match token {
                UNKNOWN => known.unknown,
                token => f64::from(pieces[token as usize - 1].1),
            }).sum();
            prop_assert!((score - naive(&pieces, known.unknown, &text)).abs() < 1e-4, "{:?}", tokens);
            let mut length = 0;
            for (&start, &token) in starts.iter().zip(&tokens) {
                prop_assert_eq!(start, length);
                length += match token {
                    UNKNOWN => 1,
                    token => pieces[token as usize - 1].0.chars().count(),
                };
            }
            prop_assert_eq!(length, text.len());
        }
    }
}
