//! The types of the questions of a study.

/// The type of a question. The set is open: a model's type that is none of these is kept as its own word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum QuestionType {
    /// The order and the parts of the book.
    Structure,
    /// Events and their causes.
    Plot,
    /// Who knows something, and since when.
    KnowledgeFlow,
    /// Two entities and the relation between them.
    Relationship,
    /// The rules of the world of the book.
    WorldRule,
    /// Places of the book that may not agree.
    Continuity,
    /// The craft of the book.
    Craft,
    /// An entity and its facts.
    Entity,
}

/// Maximum characters of an unknown type.
const MAX_CHARS: usize = 40;

impl QuestionType {
    /// All types.
    pub const ALL: [Self; 8] = [
        Self::Structure,
        Self::Plot,
        Self::KnowledgeFlow,
        Self::Relationship,
        Self::WorldRule,
        Self::Continuity,
        Self::Craft,
        Self::Entity,
    ];

    /// The name on the wire and in the store.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Structure => "structure",
            Self::Plot => "plot",
            Self::KnowledgeFlow => "knowledgeFlow",
            Self::Relationship => "relationship",
            Self::WorldRule => "worldRule",
            Self::Continuity => "continuity",
            Self::Craft => "craft",
            Self::Entity => "entity",
        }
    }

    /// The name in the specification, which the readable copies use.
    #[must_use]
    pub fn alias(self) -> &'static str {
        match self {
            Self::Structure => "CODE_STRUCTURE",
            Self::Plot => "BUSINESS_LOGIC",
            Self::KnowledgeFlow => "DATA_FLOW",
            Self::Relationship => "DEPENDENCY",
            Self::WorldRule => "CONFIGURATION",
            Self::Continuity => "ERROR_ANALYSIS",
            Self::Craft => "BEST_PRACTICE",
            Self::Entity => "DOMAIN_KNOWLEDGE",
        }
    }

    /// The type of a name or an alias, in any case and with any separators; `None` if there is none.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let plain = |name: &str| name.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
        let wanted = plain(name);
        Self::ALL.into_iter().find(|one| plain(one.name()) == wanted || plain(one.alias()) == wanted)
    }
}

/// A type as it is stored: the name of a known one, or the word itself; `None` for a blank or long one.
#[must_use]
pub fn stored_type(word: &str) -> Option<String> {
    if let Some(known) = QuestionType::from_name(word) {
        return Some(known.name().to_owned());
    }
    let word = word.trim();
    let is_word = word.chars().count() <= MAX_CHARS && word.contains(char::is_alphabetic);
    (is_word && !word.contains(char::is_control)).then(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_the_specification_are_aliases() {
        for (alias, name) in [
            ("CODE_STRUCTURE", "structure"),
            ("BUSINESS_LOGIC", "plot"),
            ("DATA_FLOW", "knowledgeFlow"),
            ("DEPENDENCY", "relationship"),
            ("CONFIGURATION", "worldRule"),
            ("ERROR_ANALYSIS", "continuity"),
            ("BEST_PRACTICE", "craft"),
            ("DOMAIN_KNOWLEDGE", "entity"),
        ] {
            assert_eq!(stored_type(alias).as_deref(), Some(name));
            assert_eq!(QuestionType::from_name(name).map(QuestionType::alias), Some(alias));
        }
    }

    #[test]
    fn an_unknown_type_is_kept_as_a_word() {
        assert_eq!(stored_type(" foreshadowing ").as_deref(), Some("foreshadowing"));
        assert_eq!(stored_type("Knowledge flow").as_deref(), Some("knowledgeFlow"));
        assert_eq!(stored_type("伏笔").as_deref(), Some("伏笔"));
        for invalid in ["", " ", "7", "a\nb", &"x".repeat(41)] {
            assert_eq!(stored_type(invalid), None, "{invalid}");
        }
    }
}
