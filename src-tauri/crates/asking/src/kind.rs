//! The subject of a question, guessed from its words.

/// The subject of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// What the book says.
    Canon,
    /// General knowledge.
    Research,
    /// How to write.
    Craft,
    /// What the writer has decided or is to decide.
    Decision,
    /// Something to do.
    Task,
}

/// The subject of a question. `names_entity`: it names an entity of the book. `best_score`: the score of the best
/// passage for it, 0..1; `None` if nothing was searched.
#[must_use]
pub fn guess_kind(_question: &str, _names_entity: bool, _best_score: Option<f64>) -> Kind {
    Kind::Canon
}
