//! Tags of words, and the labels of characters that they come from.

use crate::files::{Malformed, entries};

/// Number of labels that the network scores.
pub(crate) const LABELS: usize = 59;

/// The first labels have names; the others are never best.
const NAMED_LABELS: usize = 49;

/// The part of speech of a word, or the kind of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tag {
    /// `PER`: the name of a person.
    Person,
    /// `LOC`: the name of a place.
    Location,
    /// `ORG`: the name of an organization.
    Organization,
    /// `TIME`: a date or a time.
    Time,
    /// `n`.
    Noun,
    /// `nz`: a name of another kind.
    ProperNoun,
    /// `nw`: the title of a work.
    Title,
    /// `v`.
    Verb,
    /// `vd`: a verb that is used as an adverb.
    AdverbialVerb,
    /// `vn`: a verb that is used as a noun.
    NominalVerb,
    /// `a`.
    Adjective,
    /// `ad`: an adjective that is used as an adverb.
    AdverbialAdjective,
    /// `an`: an adjective that is used as a noun.
    NominalAdjective,
    /// `d`.
    Adverb,
    /// `f`: a word of direction or position, such as 上.
    Direction,
    /// `r`.
    Pronoun,
    /// `s`: a noun of place, such as 门口.
    PlaceNoun,
    /// `m`: a number or quantity.
    Number,
    /// `q`.
    Measure,
    /// `p`.
    Preposition,
    /// `c`.
    Conjunction,
    /// `u`: an auxiliary word, such as 的.
    Auxiliary,
    /// `xc`: another function word, such as 吗.
    FunctionWord,
    /// `w`: a punctuation mark or a space.
    Punctuation,
    /// `O`: none of the others.
    Other,
}

impl Tag {
    /// The name in the model's files and in the papers about it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Person => "PER",
            Self::Location => "LOC",
            Self::Organization => "ORG",
            Self::Time => "TIME",
            Self::Noun => "n",
            Self::ProperNoun => "nz",
            Self::Title => "nw",
            Self::Verb => "v",
            Self::AdverbialVerb => "vd",
            Self::NominalVerb => "vn",
            Self::Adjective => "a",
            Self::AdverbialAdjective => "ad",
            Self::NominalAdjective => "an",
            Self::Adverb => "d",
            Self::Direction => "f",
            Self::Pronoun => "r",
            Self::PlaceNoun => "s",
            Self::Number => "m",
            Self::Measure => "q",
            Self::Preposition => "p",
            Self::Conjunction => "c",
            Self::Auxiliary => "u",
            Self::FunctionWord => "xc",
            Self::Punctuation => "w",
            Self::Other => "O",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            // The second name is older.
            "PER" | "nr" => Self::Person,
            "LOC" | "ns" => Self::Location,
            "ORG" | "nt" => Self::Organization,
            "TIME" | "t" => Self::Time,
            "n" => Self::Noun,
            "nz" => Self::ProperNoun,
            "nw" => Self::Title,
            "v" => Self::Verb,
            "vd" => Self::AdverbialVerb,
            "vn" => Self::NominalVerb,
            "a" => Self::Adjective,
            "ad" => Self::AdverbialAdjective,
            "an" => Self::NominalAdjective,
            "d" => Self::Adverb,
            "f" => Self::Direction,
            "r" => Self::Pronoun,
            "s" => Self::PlaceNoun,
            "m" => Self::Number,
            "q" => Self::Measure,
            "p" => Self::Preposition,
            "c" => Self::Conjunction,
            "u" => Self::Auxiliary,
            "xc" => Self::FunctionWord,
            "w" => Self::Punctuation,
            "O" => Self::Other,
            _ => return None,
        })
    }
}

/// The meaning of a label: the tag of a word, and the position of the character in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Label {
    pub(crate) tag: Tag,
    /// Whether the character continues the word before it, whatever the tag of that word. Otherwise it begins one.
    pub(crate) is_continuation: bool,
}

/// The meanings of all labels.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Labels([Label; LABELS]);

impl Labels {
    /// Reads the names of the labels. Some numbers stand twice, with an older and a newer name of the same tag.
    pub(crate) fn parse(contents: &[u8]) -> Result<Self, Malformed> {
        let mut labels = [None; LABELS];
        for entry in entries(contents) {
            let (number, name) = entry?;
            let slot = number.parse().ok().and_then(|number: usize| labels.get_mut(number));
            let slot = slot.ok_or_else(|| Malformed::new("a label is out of range"))?;
            let (tag, position) = name.split_once('-').unwrap_or((name, "B"));
            let tag = Tag::from_name(tag).filter(|_| matches!(position, "B" | "I"));
            let tag = tag.ok_or_else(|| Malformed::new(format!("label {number}: unknown name")))?;
            *slot = Some(Label { tag, is_continuation: position == "I" });
        }
        if labels[..NAMED_LABELS].contains(&None) {
            return Err(Malformed::new("a label is missing"));
        }
        let unnamed = Label { tag: Tag::Other, is_continuation: false };
        Ok(Self(labels.map(|label| label.unwrap_or(unnamed))))
    }

    pub(crate) fn get(&self, label: u8) -> Label {
        self.0[usize::from(label)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines for all named labels: nouns, with `O` as the last.
    fn nouns() -> String {
        (0..NAMED_LABELS - 1).map(|label| format!("{label}\tn-{}\n", ["B", "I"][label % 2])).collect::<String>()
            + "48\tO\n"
    }

    #[test]
    fn the_later_of_two_lines_names_the_label() {
        let labels = Labels::parse(format!("{}16\tPER-B\n17\tPER-I\n", nouns()).as_bytes()).unwrap();
        assert_eq!(labels.get(14), Label { tag: Tag::Noun, is_continuation: false });
        assert_eq!(labels.get(16), Label { tag: Tag::Person, is_continuation: false });
        assert_eq!(labels.get(17), Label { tag: Tag::Person, is_continuation: true });
        for other in [48, 49, 58] {
            assert_eq!(labels.get(other), Label { tag: Tag::Other, is_continuation: false });
        }
    }

    #[test]
    fn unknown_missing_and_impossible_labels_are_refused() {
        for line in ["59\tn-B", "x\tn-B", "0\tzz-B", "0\tn-X", "0\t"] {
            assert!(Labels::parse(format!("{}{line}\n", nouns()).as_bytes()).is_err(), "{line}");
        }
        assert!(Labels::parse(nouns().replace("\n7\tn-I\n", "\n").as_bytes()).is_err());
        assert!(Labels::parse(b"").is_err());
    }

    #[test]
    fn a_name_leads_back_to_its_tag() {
        for name in "PER LOC ORG TIME n nz nw v vd vn a ad an d f r s m q p c u xc w O".split(' ') {
            assert_eq!(Tag::from_name(name).unwrap().name(), name);
        }
    }
}
