//! Reads `sp.model`, a SentencePiece model in a protocol buffer, and tokenizes text with it.
//!
//! Only five fields of three messages are needed, so they are read by hand (`sentencepiece_model.proto`:
//! `ModelProto`, `TrainerSpec`, `NormalizerSpec`). A model with another algorithm is refused.

use crate::charsmap::Charsmap;
use crate::files::Malformed;
use crate::vocabulary::{Piece, UNKNOWN, Vocabulary};

/// The mark of the beginning.
const BEGINNING: u32 = 1;
/// The mark of the end.
const END: u32 = 2;

/// The most pieces of a vocabulary: the network has 17 × 7,530 tokens.
const MAX_PIECES: usize = crate::network::VOCABULARY_SIZE;
/// The longest piece in characters (`max_sentencepiece_length`); bounds the text that is read for a number of tokens.
const MAX_PIECE_CHARS: usize = 16;

/// The tokenizer.
#[derive(Debug)]
pub(crate) struct SentencePiece {
    charsmap: Charsmap,
    vocabulary: Vocabulary,
}

/// The tokens of a text.
#[derive(Debug, PartialEq)]
pub(crate) struct Tokens {
    /// The mark of the beginning, at least one token, the mark of the end.
    pub(crate) ids: Vec<u32>,
    /// The byte offset in the text at which each token between the marks begins, without the blank before it. Never
    /// decreases. Empty if the text is blank and its only token stands for it.
    pub(crate) starts: Vec<usize>,
}

impl SentencePiece {
    /// Reads the model. Memory stays within some twenty times its length.
    pub(crate) fn parse(model: &[u8]) -> Result<Self, Malformed> {
        let mut pieces = Vec::new();
        let mut kinds = Vec::new();
        let mut least = 0.0_f32;
        let mut charsmap = None;
        for field in Fields(model) {
            match field? {
                (1, Value::Bytes(message)) => {
                    let token = u32::try_from(kinds.len()).ok().filter(|_| kinds.len() < MAX_PIECES);
                    let token = token.ok_or_else(|| Malformed::new("more pieces than the network knows"))?;
                    let (piece, kind) = parse_piece(message, token)?;
                    least = least.min(piece.score);
                    kinds.push(kind);
                    // No text is tokenized to a mark.
                    if kind == PieceKind::Normal {
                        pieces.push(piece);
                    }
                }
                (2, Value::Bytes(message)) => check_trainer(message)?,
                (3, Value::Bytes(message)) => charsmap = Some(parse_normalizer(message)?),
                _ => {}
            }
        }
        if !matches!(kinds[..], [PieceKind::Unknown, PieceKind::Mark, PieceKind::Mark, ..]) {
            return Err(Malformed::new("the vocabulary does not begin with the marks"));
        }
        let charsmap = charsmap.ok_or_else(|| Malformed::new("no table of normalisation"))?;
        Ok(Self { charsmap, vocabulary: Vocabulary::new(pieces, least) })
    }

    /// The tokens of `text` between the two marks; `limit` counts the marks, and is at least three.
    pub(crate) fn tokenize(&self, text: &str, limit: usize) -> Tokens {
        let normal = self.charsmap.normalize(text, limit * MAX_PIECE_CHARS);
        let mut segments = self.vocabulary.segment(&normal.chars);
        segments.truncate(limit - 2);
        let starts = segments.iter().map(|&(start, _)| normal.origins[start]).collect();
        let mut ids = Vec::with_capacity(segments.len().max(1) + 2);
        ids.push(BEGINNING);
        ids.extend(segments.iter().map(|&(_, token)| token));
        if segments.is_empty() {
            ids.push(UNKNOWN);
        }
        ids.push(END);
        Tokens { ids, starts }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PieceKind {
    Normal,
    Unknown,
    /// Beginning, end, and reserved pieces.
    Mark,
}

/// `SentencePiece`: piece 1, score 2, type 3.
fn parse_piece(message: &[u8], token: u32) -> Result<(Piece<'_>, PieceKind), Malformed> {
    let mut piece = Piece { text: "", token, score: 0.0 };
    let mut kind = PieceKind::Normal;
    for field in Fields(message) {
        match field? {
            (1, Value::Bytes(text)) => {
                piece.text = std::str::from_utf8(text).map_err(|_| Malformed::new("a piece is not UTF-8"))?;
            }
            (2, Value::Fixed32(score)) => piece.score = f32::from_le_bytes(score),
            (3, Value::Varint(1)) => kind = PieceKind::Normal,
            (3, Value::Varint(2)) => kind = PieceKind::Unknown,
            (3, Value::Varint(_)) => kind = PieceKind::Mark,
            _ => {}
        }
    }
    if !piece.score.is_finite() {
        return Err(Malformed::new("a score is not a number"));
    }
    if kind == PieceKind::Normal && piece.text.is_empty() {
        return Err(Malformed::new("a piece is empty"));
    }
    Ok((piece, kind))
}

/// `TrainerSpec`: model_type 3, of which only unigram (1, the default) is known here.
fn check_trainer(message: &[u8]) -> Result<(), Malformed> {
    for field in Fields(message) {
        if let (3, Value::Varint(kind)) = field?
            && kind != 1
        {
            return Err(Malformed::new("not a unigram model"));
        }
    }
    Ok(())
}

/// `NormalizerSpec`: precompiled_charsmap 2; add_dummy_prefix 3, remove_extra_whitespaces 4 and escape_whitespaces 5
/// are true unless they say otherwise.
fn parse_normalizer(message: &[u8]) -> Result<Charsmap, Malformed> {
    let mut charsmap = Charsmap::default();
    for field in Fields(message) {
        match field? {
            (2, Value::Bytes(table)) => charsmap = Charsmap::parse(table)?,
            (3..=5, Value::Varint(0)) => return Err(Malformed::new("blanks are to be treated in another way")),
            _ => {}
        }
    }
    Ok(charsmap)
}

/// The value of a field.
#[derive(Debug, PartialEq)]
enum Value<'m> {
    Varint(u64),
    Bytes(&'m [u8]),
    Fixed32([u8; 4]),
    Fixed64,
}

/// The fields of a message in order, each with its number. Ends after the first error.
struct Fields<'m>(&'m [u8]);

impl<'m> Iterator for Fields<'m> {
    type Item = Result<(u64, Value<'m>), Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let field = self.read_field();
        if field.is_none() {
            self.0 = &[];
        }
        Some(field.ok_or_else(|| Malformed::new("cut off, or no protocol buffer")))
    }
}

impl<'m> Fields<'m> {
    fn read_field(&mut self) -> Option<(u64, Value<'m>)> {
        let key = self.read_varint()?;
        let value = match key & 7 {
            0 => Value::Varint(self.read_varint()?),
            1 => {
                self.read_bytes(8)?;
                Value::Fixed64
            }
            2 => {
                let length = self.read_varint()?;
                Value::Bytes(self.read_bytes(usize::try_from(length).ok()?)?)
            }
            5 => Value::Fixed32(self.read_bytes(4)?.try_into().ok()?),
            _ => return None,
        };
        Some((key >> 3, value))
    }

    /// Seven bits a byte, lowest first, at most ten bytes.
    fn read_varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn read_bytes(&mut self, length: usize) -> Option<&'m [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bytes(field: u8, contents: &[u8]) -> Vec<u8> {
        let length = contents.len();
        // Two or three bytes of length: the tables here are some ten thousand bytes long.
        let length = [length as u8 | 0x80, (length >> 7) as u8 | 0x80, (length >> 14) as u8];
        [&[field << 3 | 2], length.as_slice(), contents].concat()
    }

    fn piece(text: &str, score: f32, kind: u8) -> Vec<u8> {
        let message = [bytes(1, text.as_bytes()), vec![2 << 3 | 5], score.to_le_bytes().to_vec(), vec![3 << 3, kind]];
        bytes(1, &message.concat())
    }

    fn marks() -> Vec<u8> {
        [piece("<unk>", 0.0, 2), piece("<s>", 0.0, 3), piece("</s>", 0.0, 3)].concat()
    }

    fn model() -> Vec<u8> {
        let pieces = [piece("▁", -3.0, 1), piece("▁tide", -5.0, 1), piece("潮", -4.0, 1), piece("<", -8.0, 1)].concat();
        let normaliser = bytes(3, &bytes(2, &crate::charsmap::tests::table()));
        [marks(), pieces, bytes(2, &[3 << 3, 1]), normaliser].concat()
    }

    #[test]
    fn text_becomes_tokens_between_the_marks() {
        let made = SentencePiece::parse(&model()).unwrap();
        assert_eq!(made.tokenize("tide  潮", 100).ids, [1, 4, 3, 5, 2]);
    }

    #[test]
    fn a_token_begins_at_its_first_character_that_is_no_blank() {
        let made = SentencePiece::parse(&model()).unwrap();
        assert_eq!(
            made.tokenize(" tide  潮潮", 100),
            Tokens { ids: vec![1, 4, 3, 5, 5, 2], starts: vec![1, 7, 7, 10] }
        );
    }

    #[test]
    fn marks_are_never_made_from_text() {
        let made = SentencePiece::parse(&model()).unwrap();
        assert_eq!(made.tokenize("<s>", 100).ids, [1, 3, 6, 0, 0, 2]);
    }

    #[test]
    fn empty_text_is_one_unknown_token() {
        let made = SentencePiece::parse(&model()).unwrap();
        assert_eq!(made.tokenize(" ", 100).ids, [1, 0, 2]);
    }

    #[test]
    fn long_text_is_cut_at_the_limit_and_still_marked() {
        let made = SentencePiece::parse(&model()).unwrap();
        let tokens = made.tokenize(&"潮".repeat(100_000), 10).ids;
        assert_eq!(tokens, [1, 3, 5, 5, 5, 5, 5, 5, 5, 2]);
    }

    #[test]
    fn a_model_of_another_kind_is_refused() {
        let refused = |changed: Vec<u8>| SentencePiece::parse(&changed).unwrap_err();
        assert_eq!(refused([model(), bytes(2, &[3 << 3, 2])].concat()), Malformed::new("not a unigram model"));
        let blanks = Malformed::new("blanks are to be treated in another way");
        assert_eq!(refused([model(), bytes(3, &[4 << 3, 0])].concat()), blanks);
        assert_eq!(refused(marks()), Malformed::new("no table of normalisation"));
        let marks = Malformed::new("the vocabulary does not begin with the marks");
        assert_eq!(refused(model()[marks_length()..].to_vec()), marks);
        assert_eq!(refused(Vec::new()), marks);
    }

    fn marks_length() -> usize {
        marks().len()
    }

    #[test]
    fn pieces_that_cannot_be_are_refused() {
        let with = |piece: Vec<u8>| SentencePiece::parse(&[model(), piece].concat());
        assert!(with(piece("", -1.0, 1)).is_err());
        assert!(with(piece("a", f32::NAN, 1)).is_err());
        assert!(with(bytes(1, &bytes(1, &[0xff]))).is_err());
        assert!(with(piece("a", -1.0, 1)).is_ok());
        assert!(with(piece("a", -1.0, 1).repeat(MAX_PIECES)).is_err());
    }

    proptest! {
        #[test]
        fn random_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
            prop_assert!(SentencePiece::parse(&bytes).is_err());
        }

        #[test]
        fn a_model_that_is_cut_off_is_refused(share in 0.0..1.0f64) {
            let whole = model();
            let length = (whole.len() as f64 * share) as usize;
            prop_assert!(SentencePiece::parse(&whole[..length]).is_err());
        }

        #[test]
        fn flipped_bits_are_refused_or_harmless(bits in prop::collection::vec(0usize..1200, 1..4), text in "\\PC{0,20}") {
            let mut model = model();
            for bit in bits {
                model[bit / 8] ^= 1 << (bit % 8);
            }
            if let Ok(made) = SentencePiece::parse(&model) {
                let tokens = made.tokenize(&text, 20).ids;
                prop_assert!((3..=20).contains(&tokens.len()));
                prop_assert!(tokens.iter().all(|&token| (token as usize) < MAX_PIECES));
            }
        }
    }
}
