//! From what happened in an episode to rows of evidence: the adapter between texts and the statistics.
//!
//! The same as the program's own: features measured in the book's language; standardised by the spread over the candidates of
//! **earlier** episodes, pooled with the shipped table; a choice is evidence when there was something to choose from, an
//! edit when the text was changed, a text of one's own when all were rejected; an undo turns the choice round and
//! leaves the edit.

use palimpsest_learning::{Kind, Row, Spread, evidence};
use palimpsest_text::{
    Language,
    style::{Feature, Features, spread},
};

/// One run of a skill and what the writer did with it, already measured.
pub struct Episode<'a> {
    pub order: i64,
    pub scene: Option<u16>,
    pub skill: Option<u16>,
    pub candidates: &'a [Features],
    /// None: all were rejected.
    pub chosen: Option<usize>,
    /// What stood there in the end, where the writer wrote; none where a candidate was taken unchanged or nothing was
    /// written.
    pub written: Option<&'a Features>,
    pub undone: bool,
}

/// What is carried from one episode of a book to the next.
pub struct Book {
    language: Language,
    spread: Spread,
}

impl Book {
    pub fn new(language: Language) -> Self {
        Self { language, spread: Spread::new(Feature::COUNT) }
    }

    /// The rows of the next episode.
    pub fn record(&mut self, episode: &Episode<'_>) -> Vec<Row> {
        let deviations = self.spread.deviations(spread(self.language).as_slice());
        for candidate in episode.candidates {
            self.spread.observe(candidate.as_slice());
        }
        let values: Vec<&[f32]> = episode.candidates.iter().map(Features::as_slice).collect();
        let mut told: Vec<(Kind, evidence::Evidence)> = Vec::new();
        match (episode.chosen, episode.written) {
            (Some(chosen), written) => {
                if values.len() > 1 {
                    let rejected: Vec<&[f32]> =
                        values.iter().enumerate().filter(|(at, _)| *at != chosen).map(|(_, values)| *values).collect();
                    let choice = evidence::choice(values[chosen], &rejected, &deviations);
                    told.push(if episode.undone { (Kind::Undo, choice.undone()) } else { (Kind::Choice, choice) });
                }
                if let Some(after) = written {
                    told.push((Kind::Edit, evidence::edit(values[chosen], after.as_slice(), &deviations)));
                }
            }
            (None, Some(own)) => told.push((Kind::Own, evidence::own_text(own.as_slice(), &values, &deviations))),
            (None, None) => {}
        }
        // What mends a typo or a name moves no feature, and says nothing.
        let speaks = told.into_iter().filter(|(_, evidence)| !evidence.is_silent());
        speaks
            .map(|(kind, evidence)| Row {
                order: episode.order,
                scene: episode.scene,
                skill: episode.skill,
                kind,
                a: evidence.a,
                dz: evidence.dz,
            })
            .collect()
    }
}
