//! The ordinary words of two and three characters.
//!
//! `ordinary.bin` is a Bloom filter of 68,009 words: the entries of two or three Han characters, in simplified
//! characters, of CC-CEDICT (edition of 7 November 2023) that have a reading in small letters, which is none of a
//! surname, and no reading as a proper name, those of places apart. It has 512 KiB bits and 5 hashes a word, which are
//! those of [`hashes`]; two in a hundred other strings pass for an ordinary word. CC-CEDICT is published by MDBG under
//! CC BY-SA 4.0 (<https://www.mdbg.net/chinese/dictionary?page=cc-cedict>), and so is `ordinary.bin`, which
//! `scripts/name-tables.mjs` makes.

const FILTER: &[u8; 65_536] = include_bytes!("ordinary.bin");
const HASHES: u32 = 5;

/// Whether a text is an ordinary word of two or three characters: 母亲, but not 闰土. Longer words are none of the
/// filter.
pub(crate) fn is_ordinary(text: &str) -> bool {
    matches!(text.chars().count(), 2 | 3) && hashes(text).all(|bit| FILTER[bit / 8] >> (bit % 8) & 1 == 1)
}

/// The bits of a word: FNV-1a over its characters, mixed, and stepped as in double hashing.
fn hashes(text: &str) -> impl Iterator<Item = usize> {
    let mut hash = text
        .chars()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, c| (hash ^ u64::from(u32::from(c))).wrapping_mul(0x0100_0000_01b3));
    hash ^= hash >> 32;
    hash = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash ^= hash >> 29;
    let (first, step) = (hash as u32, (hash >> 32) as u32 | 1);
    (0..HASHES).map(move |number| first.wrapping_add(number.wrapping_mul(step)) as usize % (FILTER.len() * 8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_words_are_told_from_names() {
        for word in ["母亲", "掌柜", "没有", "忽然", "石头", "老头子"] {
            assert!(is_ordinary(word), "{word}");
        }
        for name in ["闰土", "鲁镇", "子君", "母", "母亲的话", ""] {
            assert!(!is_ordinary(name), "{name}");
        }
    }
}
