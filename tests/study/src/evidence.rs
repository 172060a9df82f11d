//! Conversion of an episode into rows of evidence, with the function that the program itself uses.

use palimpsest_learning::{Row, Spread};
use palimpsest_memory::{
    episodic::style::{Measured, Part},
    model::{Choice, Episode as Kept, ImplicitSignal, Scope, Time},
    semantic::evidence::{evidence_of, observe, table},
};
use palimpsest_text::{
    Language,
    style::{Feature, Features, VERSION},
};

/// One run of a skill and what the writer did with it, already measured.
pub struct Episode<'a> {
    pub order: i64,
    pub scene: Option<u16>,
    pub skill: Option<u16>,
    pub candidates: &'a [Features],
    /// The index of the accepted candidate; `None` if all were rejected.
    pub chosen: Option<usize>,
    /// The features of the final text, where the writer wrote; `None` where a candidate was taken unchanged or nothing
    /// was written.
    pub written: Option<&'a Features>,
    pub undone: bool,
}

/// The state that carries over from one episode of a book to the next.
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
        let measured = |part, features: &Features| Measured {
            part,
            version: VERSION,
            language: self.language,
            numbers: features.as_slice().to_vec(),
        };
        let candidates = (0..).zip(episode.candidates).map(|(n, features)| measured(Part::Candidate(n), features));
        let texts: Vec<Measured> =
            candidates.chain(episode.written.map(|written| measured(Part::Final, written))).collect();
        let Some(row) = evidence_of(&stored_episode(episode), &texts, &[], &self.spread) else { return Vec::new() };
        observe(&mut self.spread, &row);
        // Numbers of scenes and skills come from the study: the program derives them from a whole book.
        let rows = table(&[row]).rows.into_iter();
        rows.map(|row| Row { order: episode.order, scene: episode.scene, skill: episode.skill, ..row }).collect()
    }
}

/// The episode as the program stores it, without texts: the style vectors are sufficient.
fn stored_episode(episode: &Episode<'_>) -> Kept {
    Kept {
        id: "".into(),
        project_id: "".into(),
        chapter_id: "".into(),
        scope: Scope::Project,
        version: 1,
        created_at: Time::default(),
        skill_used: String::new(),
        scene_type: None,
        input_context: String::new(),
        candidates: Vec::new(),
        selected_index: episode
            .chosen
            .and_then(|chosen| u16::try_from(chosen).ok())
            .map_or(Choice::AllRejected, Choice::Taken),
        final_text: String::new(),
        explicit: None,
        implicit: if episode.undone { ImplicitSignal::DelayedNegative } else { ImplicitSignal::Neutral },
        implicit_weight: 0.0,
        edit_distance: episode.chosen.map(|_| if episode.written.is_some() { 0.5 } else { 0.0 }),
        importance: 0.0,
        recall_count: 0,
        last_recalled_at: None,
        user_confirmed: false,
        // Only style vectors remain of it; they determine whether an edit is a mere correction.
        compressed: true,
        summary: None,
        generation_id: None,
    }
}
