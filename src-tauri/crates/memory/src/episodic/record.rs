//! Conversion of an editor's report to an episode: everything that can be computed is computed here, and not taken from
//! the editor.

use palimpsest_text::{count, edit};

use crate::{
    error::{Error, Result},
    model::{ChapterId, Choice, Episode, EpisodeDraft, EpisodeId, ImplicitSignal, ProjectId, Scope, SkillWeight, Time},
};

/// Maximum edit distance of a minor edit.
const MAX_MINOR_EDIT: f64 = 0.20;
/// Minimum edit distance of a rewrite.
const MIN_REWRITE: f64 = 0.60;
/// The maximum absolute weight of a signal.
const MAX_SIGNAL_WEIGHT: f64 = 1.5;
/// Minimum words of an own text, after a rejection, that counts as work.
const MIN_OWN_WORDS: u32 = 100;
/// Gain of importance for a remark.
const REMARK_GAIN: f64 = 0.2;

/// The signal for an edit distance; `None` if all were rejected.
#[must_use]
pub fn implicit_signal(edit_distance: Option<f64>) -> ImplicitSignal {
    match edit_distance {
        None => ImplicitSignal::StrongNegative,
        Some(0.0) => ImplicitSignal::StrongPositive,
        Some(d) if d < MAX_MINOR_EDIT => ImplicitSignal::WeakPositive,
        Some(d) if d > MIN_REWRITE => ImplicitSignal::WeakNegative,
        Some(_) => ImplicitSignal::Neutral,
    }
}

/// The weight of a signal, fixed by the owner.
#[must_use]
pub fn weight(signal: ImplicitSignal) -> f64 {
    match signal {
        ImplicitSignal::StrongPositive => 1.0,
        ImplicitSignal::WeakPositive => 0.5,
        ImplicitSignal::Neutral => 0.0,
        ImplicitSignal::WeakNegative => -0.5,
        ImplicitSignal::StrongNegative => -1.0,
        ImplicitSignal::DelayedNegative => -MAX_SIGNAL_WEIGHT,
    }
}

/// Weight per use of a skill in a scene type, fixed by the owner: it orders the offered skills and is no evidence about
/// texts.
pub const SCENE_SKILL_PREFERENCE: f64 = 0.1;
/// The built-in skills, in the order in which they are offered without any use.
const SKILLS: [&str; 6] = ["continue", "polish", "rewrite", "expand", "condense", "ask"];

/// All skills, the most used first. `uses` has the number of uses of each.
#[must_use]
pub fn ordered_skills(uses: Vec<(String, u32)>) -> Vec<SkillWeight> {
    let unused = SKILLS.iter().filter(|skill| uses.iter().all(|(used, _)| used != *skill));
    let mut all: Vec<(String, u32)> = unused.map(|skill| ((*skill).to_owned(), 0)).collect();
    all.extend(uses);
    let place = |skill: &str| SKILLS.iter().position(|known| *known == skill).unwrap_or(SKILLS.len());
    all.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| place(&a.0).cmp(&place(&b.0))).then_with(|| a.0.cmp(&b.0)));
    // Divided and not multiplied, so that three tenths are exactly 0.3.
    let weight = |uses: u32| f64::from(uses) / (1.0 / SCENE_SKILL_PREFERENCE);
    all.into_iter().map(|(skill, uses)| SkillWeight { skill, weight: weight(uses) }).collect()
}

/// The episode after an undo. An episode that is undone already does not change.
#[must_use]
pub fn undone(episode: Episode) -> Episode {
    let (implicit, had) = (ImplicitSignal::DelayedNegative, episode.implicit_weight);
    let implicit_weight = weight(implicit);
    let importance = episode.importance + share_of_signal(implicit_weight) - share_of_signal(had);
    Episode { implicit, implicit_weight, importance: importance.clamp(0.0, 1.0), ..episode }
}

/// The episode after a remark. Earlier remarks stay; a repeated one adds nothing.
#[must_use]
pub fn remarked(episode: Episode, words: &str) -> Episode {
    let words = words.trim();
    let (explicit, gain) = match &episode.explicit {
        None => (words.to_owned(), REMARK_GAIN),
        Some(had) if had == words || had.ends_with(&format!("\n{words}")) => (had.clone(), 0.0),
        Some(had) => (format!("{had}\n{words}"), 0.0),
    };
    Episode { explicit: Some(explicit), importance: (episode.importance + gain).min(1.0), ..episode }
}

/// A remark or signal without a passage.
#[derive(Debug)]
pub struct RemarkDraft {
    /// UUID of the project.
    pub project_id: ProjectId,
    /// Id of the chapter.
    pub chapter_id: ChapterId,
    /// Name of the skill that ran, such as `continue`.
    pub skill_used: String,
    /// The scene type, if known.
    pub scene_type: Option<String>,
    /// The text.
    pub words: String,
    /// Whether it speaks for or against what was written.
    pub signal: ImplicitSignal,
}

/// An episode of words alone. It has no candidates: none of its text is prose of the writer or a model, so it is no
/// evidence of style. It names no generation, because it is not the result of one.
#[must_use]
pub fn remark_episode(said: RemarkDraft, id: EpisodeId, now: Time) -> Episode {
    let implicit_weight = weight(said.signal);
    Episode {
        id,
        project_id: said.project_id,
        chapter_id: said.chapter_id,
        scope: Scope::Project,
        version: 1,
        created_at: now,
        skill_used: said.skill_used,
        scene_type: said.scene_type,
        input_context: String::new(),
        candidates: Vec::new(),
        selected_index: Choice::AllRejected,
        final_text: String::new(),
        explicit: Some(said.words),
        implicit: said.signal,
        implicit_weight,
        edit_distance: None,
        importance: importance(implicit_weight, true, false),
        recall_count: 0,
        last_recalled_at: None,
        user_confirmed: false,
        compressed: false,
        summary: None,
        generation_id: None,
    }
}

/// The importance of an episode, 0..1: 0.2, more with a strong signal, with remarks, and with the writer's own text.
#[must_use]
pub fn importance(weight: f64, has_words: bool, worked: bool) -> f64 {
    let words = if has_words { REMARK_GAIN } else { 0.0 };
    let work = if worked { 0.2 } else { 0.0 };
    (0.2 + share_of_signal(weight) + words + work).min(1.0)
}

fn share_of_signal(weight: f64) -> f64 {
    0.4 * weight.abs() / MAX_SIGNAL_WEIGHT
}

/// The draft with the index that matches its `selected_text`.
///
/// # Errors
/// `MEMORY_INVALID_ARGUMENT` when the text matches no candidate, or several others.
pub fn settle_selection(mut draft: EpisodeDraft) -> Result<EpisodeDraft> {
    let Some(text) = draft.selected_text.take() else { return Ok(draft) };
    let text = text.trim();
    let indexed = draft.choice().taken().and_then(|index| draft.candidates.get(index));
    if indexed.is_some_and(|candidate| candidate.trim() == text) {
        return Ok(draft);
    }
    let mut meant = (0..).zip(&draft.candidates).filter(|(_, candidate)| candidate.trim() == text);
    match (meant.next(), meant.next()) {
        (Some((index, _)), None) => Ok(EpisodeDraft { selected_index: index, ..draft }),
        (None, _) => Err(Error::invalid("selectedText", "not the text of a candidate")),
        _ => Err(Error::invalid("selectedText", "the text of several candidates, none of them the one selected")),
    }
}

/// The episode of a validated draft: its index is that of a candidate or -1.
#[must_use]
pub fn choice_episode(draft: EpisodeDraft, id: EpisodeId, now: Time) -> Episode {
    let choice = draft.choice();
    let chosen = choice.taken().and_then(|index| draft.candidates.get(index));
    let edit_distance = chosen.map(|candidate| edit::distance(candidate, &draft.final_text));
    let implicit = implicit_signal(edit_distance);
    let implicit_weight = weight(implicit);
    let worked = match edit_distance {
        Some(distance) => distance > MIN_REWRITE,
        None => count::words(&draft.final_text) >= MIN_OWN_WORDS,
    };
    Episode {
        id,
        project_id: draft.project_id,
        chapter_id: draft.chapter_id,
        scope: Scope::Project,
        version: 1,
        created_at: draft.occurred_at.unwrap_or(now),
        skill_used: draft.skill_used,
        scene_type: draft.scene_type,
        input_context: draft.input_context,
        candidates: draft.candidates,
        selected_index: choice,
        final_text: draft.final_text,
        importance: importance(implicit_weight, draft.explicit.is_some(), worked),
        explicit: draft.explicit,
        implicit,
        implicit_weight,
        edit_distance,
        recall_count: 0,
        last_recalled_at: None,
        user_confirmed: false,
        compressed: false,
        summary: None,
        generation_id: draft.generation_id,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(candidates: &[&str], selected: i32, final_text: &str) -> EpisodeDraft {
        EpisodeDraft {
            project_id: "p".into(),
            chapter_id: "c".into(),
            skill_used: "continue".into(),
            scene_type: None,
            input_context: String::new(),
            candidates: candidates.iter().map(|&c| c.into()).collect(),
            selected_index: selected,
            selected_text: None,
            final_text: final_text.into(),
            explicit: None,
            generation_id: None,
            occurred_at: None,
        }
    }

    fn recorded(candidates: &[&str], selected: i32, final_text: &str) -> Episode {
        choice_episode(draft(candidates, selected, final_text), "e".into(), Time::from_millis(0))
    }

    #[test]
    fn the_writers_edit_is_derived_from_the_texts() {
        // (candidate taken or none, final text) -> (signal, weight, distance)
        let ten = "一二三四五六七八九十";
        let cases: [(i32, &str, ImplicitSignal, f64, Option<f64>); 7] = [
            (0, ten, ImplicitSignal::StrongPositive, 1.0, Some(0.0)),
            (0, "一二三四五六七八九X", ImplicitSignal::WeakPositive, 0.5, Some(0.1)),
            (0, "一二三四五六七八XX", ImplicitSignal::Neutral, 0.0, Some(0.2)),
            (0, "一二三四XXXXXX", ImplicitSignal::Neutral, 0.0, Some(0.6)),
            (0, "一二三XXXXXXX", ImplicitSignal::WeakNegative, -0.5, Some(0.7)),
            (-1, "", ImplicitSignal::StrongNegative, -1.0, None),
            (-1, "我自己写。", ImplicitSignal::StrongNegative, -1.0, None),
        ];
        for (selected, final_text, signal, weight, distance) in cases {
            let episode = recorded(&[ten], selected, final_text);
            assert_eq!(episode.implicit, signal, "{final_text}");
            assert!((episode.implicit_weight - weight).abs() < 1e-12, "{final_text}");
            match (episode.edit_distance, distance) {
                (Some(is), Some(should)) => {
                    assert!((is - should).abs() < 1e-9, "{final_text}: {is}")
                }
                (is, should) => assert_eq!(is, should),
            }
        }
    }

    #[test]
    fn a_family_emoji_is_one_character_to_the_writer_and_to_the_distance() {
        let episode = recorded(&["一👨‍👩‍👧三四五"], 0, "一👩三四五");
        assert!((episode.edit_distance.unwrap() - 0.2).abs() < 1e-9);
    }

    #[test]
    fn importance_grows_with_signal_words_and_work() {
        assert!((importance(0.0, false, false) - 0.2).abs() < 1e-12);
        assert!((importance(1.0, false, false) - 0.466_666_7).abs() < 1e-6);
        assert!((importance(-1.5, true, true) - 1.0).abs() < 1e-12);
        let rewritten = recorded(&["abcdefghij"], 0, "0123456789");
        assert!((rewritten.importance - (0.2 + 0.4 * 0.5 / 1.5 + 0.2)).abs() < 1e-9);
    }
}
