//! The templates that word the entries of the journal, in the language of the book. A content says what was asked, what
//! was done and the outcome; it has no passage of the manuscript.

use std::cmp::Reverse;

use palimpsest_text::excerpt;

use crate::{
    episodic::wording::{pick, scene, skill},
    model::{Choice, Decision, Episode, ImplicitSignal, Language, Time},
    validate::JOURNAL_CHARS,
};

/// Maximum characters of the writer's remark, and of the instruction, in a content.
const MAX_REMARK_CHARS: usize = 200;
/// Maximum number of names, and of chapters, in a content.
const MAX_LISTED: usize = 8;

/// The basis of a content beside the episode.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Around<'a> {
    /// Title of the chapter, if it is known.
    pub chapter: Option<&'a str>,
    /// The writer's instruction for the run.
    pub instruction: Option<&'a str>,
    /// Names of the writer's entities in the text, in the form that the text has.
    pub names: &'a [String],
}

/// The content for the writer's decision on a run of a skill. It has no passage of the manuscript.
pub(crate) fn word_decision(language: Language, episode: &Episode, around: Around<'_>) -> String {
    let candidates = episode.candidates.len();
    let outcome = match (language, episode.selected_index) {
        (Language::Zh, Choice::Taken(index)) => {
            let which = match candidates {
                0 | 1 => "取了".to_owned(),
                _ => format!("{}稿中取第{}稿", numeral(candidates), numeral(usize::from(index) + 1)),
            };
            format!("{which}，{}。", change_words(language, episode.edit_distance))
        }
        (Language::En, Choice::Taken(index)) => {
            let which = match candidates {
                0 | 1 => "The draft was taken".to_owned(),
                _ => format!("Draft {} of {candidates} was taken", u32::from(index) + 1),
            };
            format!("{which}, {}.", change_words(language, episode.edit_distance))
        }
        (_, Choice::AllRejected) => rejected(language, candidates, !episode.final_text.trim().is_empty()),
    };
    let remark = episode.explicit.as_deref().map(|words| excerpt(words, MAX_REMARK_CHARS));
    let remark = remark.filter(|words| !words.is_empty()).map(|words| match language {
        Language::Zh => format!("作者说：“{words}”。"),
        Language::En => format!(" The writer said: “{words}”."),
    });
    let names = in_one_list(language, around.names).map(|names| match language {
        Language::Zh => format!("文中有{names}。"),
        Language::En => format!(" It mentions {names}."),
    });
    let head = head(language, episode, around.chapter);
    let instruction =
        around.instruction.map(|words| excerpt(words, MAX_REMARK_CHARS)).filter(|words| !words.is_empty());
    let text = match (language, instruction) {
        (Language::Zh, None) => format!("{head}。{outcome}"),
        (Language::Zh, Some(words)) => format!("{head}。要求“{words}”。{outcome}"),
        (Language::En, None) => format!("{head}. {outcome}"),
        (Language::En, Some(words)) => format!("{head}. Asked for: “{words}”. {outcome}"),
    };
    limited(text + &remark.unwrap_or_default() + &names.unwrap_or_default())
}

/// The content for an insertion that the writer undid, `after` milliseconds later.
pub(crate) fn word_undo(language: Language, episode: &Episode, after: i64, around: Around<'_>) -> String {
    let head = head(language, episode, around.chapter);
    let duration = duration(language, after);
    limited(match language {
        Language::Zh => format!("{head}。取下的一稿{duration}后撤回了。"),
        Language::En => format!("{head}. The draft that was taken was undone {duration} later."),
    })
}

/// How long a session lasted, and the numbers of its decisions.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct SessionFigures {
    /// The time of its last decision.
    pub ended_at: Time,
    /// Milliseconds from its first to its last decision.
    pub lasted: i64,
    /// Skills with the number of their runs, the most frequent first.
    pub skills: Vec<(String, u32)>,
    /// Number of decisions that took a draft.
    pub taken: u32,
    /// Number of decisions that rejected all drafts.
    pub rejected: u32,
    /// Number of insertions that were undone.
    pub undone: u32,
}

impl SessionFigures {
    /// The figures of a session with these decisions, in their order; `None` without any.
    pub(crate) fn from_decisions(decisions: &[Decision]) -> Option<Self> {
        let (first, last) = (decisions.first()?, decisions.last()?);
        let mut figures =
            Self { ended_at: last.at, lasted: last.at.millis().saturating_sub(first.at.millis()), ..Self::default() };
        for decision in decisions {
            match figures.skills.iter_mut().find(|(skill, _)| *skill == decision.skill) {
                Some((_, count)) => *count += 1,
                None => figures.skills.push((decision.skill.clone(), 1)),
            }
            let is_taken = decision.choice != Choice::AllRejected;
            figures.taken += u32::from(is_taken);
            figures.rejected += u32::from(!is_taken);
            figures.undone += u32::from(decision.implicit == ImplicitSignal::DelayedNegative);
        }
        figures.skills.sort_by_key(|(_, count)| Reverse(*count));
        Some(figures)
    }
}

/// The content for a session; `chapters` are the titles of the chapters that it worked on.
pub(crate) fn word_session(language: Language, figures: &SessionFigures, chapters: &[String]) -> String {
    let runs: Vec<String> = figures
        .skills
        .iter()
        .take(MAX_LISTED)
        .map(|(name, count)| match language {
            Language::Zh => format!("{} {count} 次", skill(language, name)),
            Language::En => format!("{} × {count}", skill(language, name)),
        })
        .collect();
    let SessionFigures { lasted, taken, rejected, undone, .. } = figures;
    let duration = duration(language, *lasted);
    let runs = in_one_list(language, &runs).unwrap_or_default();
    let titles: Vec<String> = chapters.iter().map(|title| quoted(language, title)).collect();
    let chapters = in_one_list(language, &titles);
    limited(match language {
        Language::Zh => {
            let undone = if *undone > 0 { format!("，{undone} 稿后来撤回") } else { String::new() };
            let chapters = chapters.map_or(String::new(), |titles| format!("写的是{titles}。"));
            format!("写了{duration}：{runs}。取用 {taken} 稿，{rejected} 次都没要{undone}。{chapters}")
        }
        Language::En => {
            let undone = if *undone > 0 { format!(", {undone} undone later") } else { String::new() };
            let chapters = chapters.map_or(String::new(), |titles| format!(" Chapters: {titles}."));
            format!(
                "A session of {duration}: {runs}. Drafts taken: {taken}; all rejected: {rejected}{undone}.{chapters}"
            )
        }
    })
}

fn head(language: Language, episode: &Episode, chapter: Option<&str>) -> String {
    let name = skill(language, &episode.skill_used);
    let kind = episode.scene_type.as_deref().map(|kind| scene(language, kind));
    let chapter = chapter.map(|title| quoted(language, title));
    match language {
        Language::Zh => {
            let kind = kind.map_or(String::new(), |kind| format!("（{kind}）"));
            chapter.map_or(String::new(), |title| format!("{title}，")) + &format!("{name}{kind}")
        }
        Language::En => {
            let kind = kind.map_or(String::new(), |kind| format!(" ({kind})"));
            chapter.map_or(String::new(), |title| format!("{title}: ")) + &format!("{name}{kind}")
        }
    }
}

fn quoted(language: Language, title: &str) -> String {
    match language {
        Language::Zh => format!("《{title}》"),
        Language::En => format!("“{title}”"),
    }
}

fn change_words(language: Language, distance: Option<f64>) -> String {
    let percent = (distance.unwrap_or(0.0) * 100.0).round();
    match (language, distance) {
        (Language::Zh, Some(distance)) if distance > 0.0 => format!("改了 {}%", percent.max(1.0)),
        (Language::En, Some(distance)) if distance > 0.0 => format!("{}% of it changed", percent.max(1.0)),
        (Language::Zh, _) => "一字没改".to_owned(),
        (Language::En, _) => "unchanged".to_owned(),
    }
}

fn rejected(language: Language, candidates: usize, has_own: bool) -> String {
    let (all, own) = match language {
        Language::Zh => (if candidates == 1 { "一稿没要".to_owned() } else { "几稿都没要".to_owned() }, "，自己写了"),
        Language::En => (
            if candidates == 1 { "The draft was rejected".to_owned() } else { "All drafts were rejected".to_owned() },
            "; the writer wrote it instead",
        ),
    };
    let end = pick(language, "。", ".");
    format!("{all}{}{end}", if has_own { own } else { "" })
}

/// A small number in Chinese words, a larger one in digits.
fn numeral(number: usize) -> String {
    const WORDS: [&str; 11] = ["零", "一", "二", "三", "四", "五", "六", "七", "八", "九", "十"];
    WORDS.get(number).map_or_else(|| number.to_string(), |word| (*word).to_owned())
}

/// A duration in whole minutes, or in hours and minutes.
fn duration(language: Language, millis: i64) -> String {
    let minutes = (millis.max(0) + 30_000) / 60_000;
    let (hours, rest) = (minutes / 60, minutes % 60);
    match (language, hours, rest) {
        (Language::Zh, 0, 0) => "不到一分钟".to_owned(),
        (Language::Zh, 0, _) => format!(" {minutes} 分钟"),
        (Language::Zh, _, 0) => format!(" {hours} 小时"),
        (Language::Zh, ..) => format!(" {hours} 小时 {rest} 分钟"),
        (Language::En, 0, 0) => "less than a minute".to_owned(),
        (Language::En, 0, _) => format!("{minutes} min"),
        (Language::En, _, 0) => format!("{hours} h"),
        (Language::En, ..) => format!("{hours} h {rest} min"),
    }
}

/// Items in one text, at most [`MAX_LISTED`] of them; `None` if there are none.
fn in_one_list(language: Language, items: &[String]) -> Option<String> {
    let shown = items.get(..MAX_LISTED.min(items.len()))?;
    let text = shown.join(pick(language, "、", ", "));
    let more = if shown.len() < items.len() { pick(language, "等", " and others") } else { "" };
    (!shown.is_empty()).then(|| text + more)
}

fn limited(text: String) -> String {
    if text.chars().count() <= JOURNAL_CHARS {
        return text;
    }
    text.chars().take(JOURNAL_CHARS - 1).chain(['…']).collect()
}
