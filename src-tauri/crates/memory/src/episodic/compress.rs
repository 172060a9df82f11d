//! Compression: an episode becomes a summary, made of its own words, without a model.
//!
//! The inputs of learning are retained: the style vectors, and the beginnings of the draft and of the final text.

use palimpsest_text::{excerpt, tokens};

use super::{
    limits::{EXCERPT_CHARS, SUMMARY_TOKENS},
    style::{self, Measured},
    wording::{feature, pick, scene, skill},
};
use crate::model::{Episode, ImplicitSignal, Language};

/// Maximum tokens of a custom skill or scene name.
const MAX_NAME_TOKENS: usize = 16;
/// Maximum tokens of the writer's remark.
const MAX_REMARK_TOKENS: usize = 48;
/// Token reserve for quotation marks and token boundaries.
const RESERVED_TOKENS: usize = 8;

/// The retained texts of a compressed episode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retained {
    /// The summary: at most [`SUMMARY_TOKENS`], in the language of the project.
    pub summary: String,
    /// The beginning of the draft: the taken candidate, or else the first.
    pub draft: String,
    /// The beginning of the final text.
    pub written: String,
}

/// The retained texts of an uncompressed episode.
#[must_use]
pub fn compress(episode: &Episode, measured: &[Measured], language: Language) -> Retained {
    let draft = excerpt(episode.proposed().unwrap_or_default(), EXCERPT_CHARS);
    let written = excerpt(&episode.final_text, EXCERPT_CHARS);
    let summary = summarise(episode, measured, language, &draft, &written);
    Retained { summary, draft, written }
}

/// Builds the summary of an episode from its retained texts.
#[must_use]
pub fn summarise(episode: &Episode, measured: &[Measured], language: Language, draft: &str, written: &str) -> String {
    let zh = language == Language::Zh;
    let mut summary = String::new();
    if let Some(name) = &episode.scene_type {
        summary.push_str(short(scene(language, name), MAX_NAME_TOKENS));
        summary.push_str(pick(language, "·", " · "));
    }
    summary.push_str(short(skill(language, &episode.skill_used), MAX_NAME_TOKENS));
    let is_remark = draft.is_empty() && written.is_empty() && episode.is_remark_only();
    let deed = if is_remark { habit(language, episode) } else { deed(language, episode) };
    let weight = episode.implicit_weight;
    summary.push_str(&if zh {
        format!("：{deed}（权重 {weight:+.1}）。")
    } else {
        format!(": {deed} (weight {weight:+.1}).")
    });
    if let Some(words) = &episode.explicit {
        let words = excerpt(words, EXCERPT_CHARS);
        let words = short(&words, MAX_REMARK_TOKENS);
        summary.push_str(&if zh {
            format!("作者说：“{words}”。")
        } else {
            format!(" The writer said: “{words}”.")
        });
    }
    let preferred = style::preferred(episode, measured);
    for (more, zh_head, en_head) in [(true, "偏多：", " More: "), (false, "偏少：", " Less: ")] {
        let names: Vec<&str> = preferred
            .iter()
            .filter(|(_, is_more)| *is_more == more)
            .map(|(side, _)| feature(language, *side))
            .collect();
        if !names.is_empty() {
            summary.push_str(pick(language, zh_head, en_head));
            summary.push_str(&names.join(pick(language, "、", ", ")));
            summary.push_str(pick(language, "。", "."));
        }
    }
    // The two beginnings share the remaining tokens; one that needs less leaves them to the other.
    let same = draft == written;
    let mut quotes = vec![(pick(language, "文本：", " Text: "), written)];
    if !same && !draft.is_empty() {
        quotes = vec![(pick(language, "草稿：", " Draft: "), draft)];
        if !written.is_empty() {
            quotes.push((pick(language, "定稿：", " Final: "), written));
        }
    }
    quotes.retain(|(_, text)| !text.is_empty());
    let mut left = quotes.len();
    for (head, text) in quotes {
        let free = SUMMARY_TOKENS.saturating_sub(tokens::count(&summary));
        let text = short(text, (free / left).saturating_sub(RESERVED_TOKENS));
        left -= 1;
        if !text.is_empty() {
            summary.push_str(&format!("{head}“{text}”"));
        }
    }
    short(&summary, SUMMARY_TOKENS).to_owned()
}

fn short(text: &str, max: usize) -> &str {
    tokens::truncate_end(text, max)
}

fn habit(language: Language, episode: &Episode) -> &'static str {
    if episode.implicit_weight < 0.0 {
        pick(language, "一再不要", "avoided again and again")
    } else {
        pick(language, "一再如此", "done again and again")
    }
}

fn deed(language: Language, episode: &Episode) -> &'static str {
    let own = !episode.final_text.trim().is_empty();
    match episode.implicit {
        ImplicitSignal::StrongPositive => pick(language, "原样采用", "taken as it was"),
        ImplicitSignal::WeakPositive => pick(language, "稍改后采用", "taken with small changes"),
        ImplicitSignal::Neutral => pick(language, "改动后采用", "taken and changed"),
        ImplicitSignal::WeakNegative => pick(language, "大幅改写", "rewritten"),
        ImplicitSignal::StrongNegative if own => pick(language, "全部放弃，自己写", "all rejected, written instead"),
        ImplicitSignal::StrongNegative => pick(language, "全部放弃", "all rejected"),
        ImplicitSignal::DelayedNegative => pick(language, "采用后撤销", "taken and undone later"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        episodic::record,
        model::{EpisodeDraft, Time},
    };

    fn episode(candidates: &[&str], selected_index: i32, final_text: &str) -> Episode {
        let draft = EpisodeDraft {
            project_id: "p".into(),
            chapter_id: "c".into(),
            skill_used: "continue".into(),
            scene_type: Some("action".into()),
            input_context: "雨夜。".into(),
            candidates: candidates.iter().map(|&text| text.into()).collect(),
            selected_index,
            selected_text: None,
            final_text: final_text.into(),
            explicit: None,
            generation_id: None,
            occurred_at: None,
        };
        record::choice_episode(draft, "e".into(), Time::default())
    }

    fn retained(episode: &Episode, language: Language) -> Retained {
        compress(episode, &style::measure(episode, language), language)
    }

    #[test]
    fn a_summary_says_scene_skill_signal_preference_and_how_both_texts_begin() {
        let long = "他慢慢地走过那条长长的、湿漉漉的、仿佛没有尽头的走廊，心里想着许多许多年以前的那些事情。";
        let kept = retained(&episode(&[long], 0, "他走过走廊。停下。听。没有人。"), Language::Zh);
        for part in ["动作·续写：", "（权重 ", "偏多：", "短句", "草稿：“他慢慢地", "定稿：“他走过走廊"]
        {
            assert!(kept.summary.contains(part), "{part}: {}", kept.summary);
        }
        assert_eq!(kept.draft, long);
    }

    #[test]
    fn a_summary_is_in_the_language_of_the_book() {
        let kept = retained(&episode(&["The door was shut."], 0, "The door was shut."), Language::En);
        assert_eq!(kept.summary, "action · continue: taken as it was (weight +1.0). Text: “The door was shut.”");
    }

    #[test]
    fn an_undo_counts_in_favour_of_the_rejected_candidates() {
        let long = "雨一直下着，落在屋顶上，落在巷子里，落在那些没有人再去打扫的台阶和门槛上，好像永远不会停。";
        let short = "雨停了！天亮！他走！";
        let taken = episode(&[long, short], 0, long);
        let undone = record::undone(taken.clone());
        let preferred = |episode: &Episode| style::preferred(episode, &style::measure(episode, Language::Zh));
        let turned: Vec<_> = preferred(&taken).into_iter().map(|(side, more)| (side, !more)).collect();
        assert!(!turned.is_empty());
        assert_eq!(preferred(&undone), turned);
    }

    proptest! {
        #[test]
        fn no_summary_is_longer_than_it_may_be(
            draft in "\\PC{1,600}", written in "\\PC{0,600}", words in proptest::option::of("\\PC{1,300}"),
            name in "\\PC{1,40}", taken: bool, zh: bool,
        ) {
            let mut episode = episode(&[&draft, "雨。"], if taken { 0 } else { -1 }, &written);
            episode.explicit = words;
            episode.skill_used = name.clone();
            episode.scene_type = Some(name);
            let language = if zh { Language::Zh } else { Language::En };
            let kept = retained(&episode, language);
            prop_assert!(tokens::count(&kept.summary) <= SUMMARY_TOKENS);
            prop_assert!(!kept.summary.is_empty());
        }
    }
}
