//! Normalization of text as SentencePiece does it before segmentation: by a table inside the model (here `nmt_nfkc`:
//! compatibility forms, control characters, all kinds of blanks), and by its treatment of blanks.
//!
//! The table is a double-array trie in the layout of darts-clone, from byte sequences to offsets into a list of
//! replacements. At each position the longest key wins; a character that no key begins with stays. Source:
//! SentencePiece, `normalizer.cc` (Kudo & Richardson 2018, arXiv:1808.06226).

use crate::files::Malformed;

/// Represents a blank inside pieces.
pub(crate) const SPACE: char = '\u{2581}';

/// Mask of the bit that is set in values and clear in nodes, and of the label of a node.
const LABEL_MASK: u32 = 0x8000_00ff;
/// Set where a key ends: the child under label 0 holds the value.
const HAS_LEAF_FLAG: u32 = 0x100;
/// Mask of the value in a value unit.
const VALUE_MASK: u32 = 0x7fff_ffff;

/// The table of replacements.
#[derive(Debug, Default)]
pub(crate) struct Charsmap {
    /// The double array.
    units: Vec<u32>,
    /// All replacements, each ended by a NUL.
    replacements: String,
}

/// Normalized text.
#[derive(Debug)]
pub(crate) struct Normalized {
    pub(crate) chars: Vec<char>,
    /// For each of `chars`, the byte offset in the original text of the character that it replaces; for a blank, the
    /// offset of the character after it, because a piece begins with the blank before its word. Never decreases.
    pub(crate) origins: Vec<usize>,
}

impl Charsmap {
    /// Reads the table: the length of the trie in bytes (32 bits, little endian), the trie, the replacements.
    pub(crate) fn parse(blob: &[u8]) -> Result<Self, Malformed> {
        let malformed = || Malformed::new("the table of normalisation");
        let (length, rest) = blob.split_first_chunk().ok_or_else(malformed)?;
        let length = u32::from_le_bytes(*length) as usize;
        let (trie, replacements) = rest.split_at_checked(length).ok_or_else(malformed)?;
        let (units, []) = trie.as_chunks() else {
            return Err(malformed());
        };
        let replacements = std::str::from_utf8(replacements).map_err(|_| malformed())?;
        Ok(Self {
            units: units.iter().map(|unit| u32::from_le_bytes(*unit)).collect(),
            replacements: replacements.to_owned(),
        })
    }

    /// `text`, normalized: replaced by the table, a blank put before it, runs of blanks made one, none left at the
    /// end, and every blank written as [`SPACE`]. Empty if nothing remains. Stops after about `limit` characters.
    pub(crate) fn normalize(&self, text: &str, limit: usize) -> Normalized {
        let mut normal = Normalized { chars: vec![SPACE], origins: vec![0] };
        let mut rest = text;
        let mut after_blank = true;
        while !rest.is_empty() && normal.chars.len() < limit {
            let origin = text.len() - rest.len();
            let (piece, read) = self.replace_first(rest);
            rest = &rest[read..];
            let piece = if after_blank { piece.trim_start_matches(' ') } else { piece };
            // A character that is removed, such as a control character, does not separate two blanks.
            if let Some(last) = piece.chars().next_back() {
                after_blank = last == ' ';
            }
            normal.chars.extend(piece.chars().map(|c| if c == ' ' { SPACE } else { c }));
            normal.origins.resize(normal.chars.len(), origin);
        }
        while normal.chars.last() == Some(&SPACE) {
            normal.chars.pop();
        }
        normal.origins.truncate(normal.chars.len());
        for at in (1..normal.chars.len()).rev() {
            if normal.chars[at - 1] == SPACE {
                normal.origins[at - 1] = normal.origins[at];
            }
        }
        normal
    }

    /// The replacement of the beginning of `rest`, and the number of bytes replaced. `rest` is not empty.
    fn replace_first<'t>(&'t self, rest: &'t str) -> (&'t str, usize) {
        let found = self.longest_key(rest).and_then(|(value, read)| {
            let (replacement, _) = self.replacements.get(value..)?.split_once('\0')?;
            Some((replacement, read))
        });
        found.unwrap_or_else(|| {
            let first = rest.chars().next().map_or(rest.len(), char::len_utf8);
            (&rest[..first], first)
        })
    }

    /// The value of the longest key that `rest` begins with, and the length of that key. Each step consumes a
    /// byte and checks bounds, so that a damaged trie finds nothing and does not loop.
    fn longest_key(&self, rest: &str) -> Option<(usize, usize)> {
        let mut found = None;
        let mut at = child_offset(*self.units.first()?);
        for (read, byte) in rest.bytes().enumerate() {
            at ^= usize::from(byte);
            let Some(&unit) = self.units.get(at) else { break };
            if unit & LABEL_MASK != u32::from(byte) {
                break;
            }
            at ^= child_offset(unit);
            if unit & HAS_LEAF_FLAG != 0
                && rest.is_char_boundary(read + 1)
                && let Some(value) = self.units.get(at)
            {
                found = Some(((value & VALUE_MASK) as usize, read + 1));
            }
        }
        found
    }
}

/// The distance of the children of a node from it, as an exclusive or.
fn child_offset(unit: u32) -> usize {
    ((unit >> 10) << ((unit & 0x200) >> 6)) as usize
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A table that makes `Ａ` (three bytes) `a`, a tab a blank, and U+0007 nothing. Nodes at every step have their
    /// children at an offset of their own, far enough apart that no two overlap.
    pub(crate) fn table() -> Vec<u8> {
        let keys: [(&str, u32); 3] = [("Ａ", 0), ("\t", 2), ("\u{7}", 4)];
        let mut units = vec![0_u32; 5 << 10];
        let mut blocks = 1;
        units[0] = 256 << 10;
        for (key, value) in keys {
            let mut at = 0;
            for byte in key.bytes() {
                let parent = at ^ child_offset(units[at]);
                at = parent ^ usize::from(byte);
                blocks += 1;
                // The offset leads to the beginning of a block of its own.
                units[at] = ((at ^ (blocks * 256)) as u32) << 10 | u32::from(byte);
            }
            let child = at ^ child_offset(units[at]);
            units[at] |= HAS_LEAF_FLAG;
            units[child] = !VALUE_MASK | value;
        }
        let trie: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        [&(trie.len() as u32).to_le_bytes(), trie.as_slice(), b"a\0 \0\0"].concat()
    }

    fn normal(text: &str) -> String {
        Charsmap::parse(&table()).unwrap().normalize(text, 1000).chars.into_iter().collect()
    }

    #[test]
    fn the_longest_key_is_replaced_and_other_characters_stay() {
        assert_eq!(normal("ＡＢ雨"), "▁aＢ雨");
        assert_eq!(normal("a\u{7}b"), "▁ab");
    }

    #[test]
    fn blanks_are_one_and_none_is_left_at_either_end() {
        assert_eq!(normal("  the \t tide  "), "▁the▁tide");
        assert_eq!(normal("a \u{7} b"), "▁a▁b");
    }

    #[test]
    fn blanks_normalize_to_an_empty_text() {
        for text in ["", " ", " \t ", "\u{7}", " \u{7} "] {
            assert_eq!(normal(text), "", "{text:?}");
        }
    }

    #[test]
    fn long_text_is_read_no_further_than_asked() {
        let map = Charsmap::parse(&table()).unwrap();
        assert_eq!(map.normalize(&"潮".repeat(1_000_000), 50).chars.len(), 50);
    }

    #[test]
    fn the_origin_of_a_character_is_where_its_replaced_text_begins_and_of_a_blank_that_of_the_next() {
        let normal = Charsmap::parse(&table()).unwrap().normalize("  \u{7}Ａb \t雨\u{7}雨 ", 1000);
        assert_eq!(normal.chars, ['▁', 'a', 'b', '▁', '雨', '雨']);
        assert_eq!(normal.origins, [3, 3, 6, 9, 9, 13]);
    }

    #[test]
    fn a_table_that_is_cut_off_is_refused() {
        let whole = table();
        for length in [0, 3, 4, 100, whole.len() - 6] {
            assert!(Charsmap::parse(&whole[..length]).is_err(), "{length}");
        }
        assert!(Charsmap::parse(&[5, 0, 0, 0, 1, 2, 3, 4, 5]).is_err(), "no whole number of units");
        assert!(Charsmap::parse(&[0, 0, 0, 0, 0xff]).is_err(), "not UTF-8");
        assert!(Charsmap::parse(&[0xff; 8]).is_err(), "longer than the file");
    }

    proptest! {
        #[test]
        fn any_table_and_any_text_end_without_panic(
            units in prop::collection::vec(any::<u32>(), 0..600), replacements in "\\PC{0,20}", text in "\\PC{0,40}",
        ) {
            let map = Charsmap { units, replacements };
            let normal = map.normalize(&text, 100);
            prop_assert_eq!(normal.chars.len(), normal.origins.len());
            prop_assert!(normal.origins.is_sorted());
            prop_assert!(normal.origins.iter().all(|&origin| text.is_char_boundary(origin)));
        }

        #[test]
        fn a_flipped_bit_in_the_table_is_refused_or_harmless(bit in 0usize..(5 << 15), text in "[Ａ\t\u{7}a雨 ]{0,20}") {
            let mut table = table();
            let byte = bit / 8 % table.len();
            table[byte] ^= 1 << (bit % 8);
            if let Ok(map) = Charsmap::parse(&table) {
                map.normalize(&text, 100);
            }
        }
    }
}
