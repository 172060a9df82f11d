//! Cards of a prompt: what the reader knows of an entity at a position.

use crate::model::{Certainty, EntityId};

/// A card: what the reader knows of an entity at the position of the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoryCard {
    pub entity_id: EntityId,
    /// Version of the accepted entity.
    pub version: u32,
    /// A form that the text has up to the position.
    pub name: String,
    /// Its other forms up to the position, the most frequent first.
    pub aliases: Vec<String>,
    /// The most important first.
    pub facts: Vec<CardFact>,
    /// Where the text mentions it last, for one that the chapter of the position does not mention.
    pub last_seen: Option<LastSeen>,
    /// Why it has a card.
    pub matched_by: CardReason,
}

/// A fact on a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CardFact {
    pub attribute: String,
    pub value: String,
    pub certainty: Certainty,
    /// Whether a character that is present knows it, or it is no secret.
    pub is_known_here: bool,
}

/// A chapter by its number in the book, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LastSeen {
    pub chapter: u32,
}

/// Why an entity has a card in a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CardReason {
    /// The writer pinned it, or it is a rule of the world.
    Pinned,
    /// The selection or the last sentences before the position name it.
    Named,
    /// The last two passages before the position name it.
    Present,
    /// A fact relates it to one of these.
    Related,
    /// A passage of the book that stands out in meaning for the text around the position names it.
    Meaning,
}

impl CardReason {
    /// The name in `matchedBy` of a reference.
    pub(crate) fn wire_name(self) -> &'static str {
        match self {
            Self::Pinned => "pinned",
            Self::Named => "named",
            Self::Present => "present",
            Self::Related => "related",
            Self::Meaning => "meaning",
        }
    }
}
