//! Habits of a book: how most of its chapters open and end, who tells, how long they are, how much of them is speech.
//!
//! Counted from the text alone, without a model. A habit is a value that more than half of the chapters share.

use std::collections::BTreeMap;

use palimpsest_reader::times;
use palimpsest_text::{count::words, paragraphs, quotations::speech_ranges};

use crate::model::{ChapterId, Habit, HabitKind, Language};

/// Minimum number of chapters in which a habit can be seen.
const MIN_CHAPTERS: u32 = 2;
/// Minimum number of words of a chapter that is counted.
const MIN_WORDS: u32 = 30;
/// Maximum number of example chapters of a habit.
const MAX_EXAMPLES: usize = 5;
/// Maximum characters at the beginning of a chapter in which a time or a name opens it.
const OPENING_CHARS: usize = 30;
/// Minimum share of the first person among the pronouns outside of speech of a chapter that it tells.
const FIRST_PERSON_SHARE: f64 = 0.4;
/// Upper ends of the lengths of chapters, in words.
const LENGTHS: [u32; 5] = [1_000, 2_000, 4_000, 8_000, 16_000];
/// Upper ends of the shares of speech, in percent.
const SHARES: [u32; 4] = [10, 30, 50, 70];

/// A chapter with its text.
pub(crate) struct HabitChapter {
    pub chapter_id: ChapterId,
    pub text: String,
}

/// The habits of a book, in the order of their kinds. `names` are forms that name its entities.
pub(crate) fn habits(chapters: &[HabitChapter], names: &[&str], language: Language) -> Vec<Habit> {
    let mut values: BTreeMap<HabitKind, BTreeMap<String, Vec<&ChapterId>>> = BTreeMap::new();
    let mut counted = 0;
    for chapter in chapters {
        let lines = body_lines(&chapter.text);
        let count = lines.iter().map(|line| words(line)).fold(0_u32, u32::saturating_add);
        if count < MIN_WORDS {
            continue;
        }
        counted += 1;
        for (kind, value) in [
            (HabitKind::Opening, opening(&lines, names).to_owned()),
            (HabitKind::Ending, ending(&lines).to_owned()),
            (HabitKind::Narration, narration(&lines, language).to_owned()),
            (HabitKind::ChapterLength, between(count, &LENGTHS)),
            (HabitKind::Dialogue, between(speech_percent(&lines), &SHARES)),
        ] {
            values.entry(kind).or_default().entry(value).or_default().push(&chapter.chapter_id);
        }
    }
    if counted < MIN_CHAPTERS {
        return Vec::new();
    }
    let habit = |(kind, values): (HabitKind, BTreeMap<String, Vec<&ChapterId>>)| {
        let (value, found) = values.into_iter().max_by_key(|(_, found)| found.len())?;
        let chapters = u32::try_from(found.len()).unwrap_or(u32::MAX);
        (chapters * 2 > counted).then(|| Habit {
            kind,
            description: sentence((kind, &value), (chapters, counted), language),
            value,
            chapters,
            of: counted,
            example_files: found.into_iter().take(MAX_EXAMPLES).cloned().collect(),
            usage_scenarios: vec![usage(kind, language).to_owned()],
        })
    };
    values.into_iter().filter_map(habit).collect()
}

/// The paragraphs of a chapter without headings.
fn body_lines(text: &str) -> Vec<&str> {
    let lines = paragraphs::ranges(text).into_iter().map(|range| text[range].trim());
    lines.filter(|line| !line.starts_with('#') && line.chars().any(char::is_alphanumeric)).collect()
}

/// How a chapter opens: `dialogue`, `time`, `name` or `narration`.
fn opening(lines: &[&str], names: &[&str]) -> &'static str {
    let Some(line) = lines.first() else { return "narration" };
    if speech_ranges(line).first().is_some_and(|speech| line[..speech.start].chars().count() <= 1) {
        return "dialogue";
    }
    let end = line.char_indices().nth(OPENING_CHARS).map_or(line.len(), |(end, _)| end);
    let begins = times::times(line).first().is_some_and(|time| time.range.start < end);
    if begins {
        return "time";
    }
    if names.iter().any(|name| line.starts_with(name)) { "name" } else { "narration" }
}

/// How a chapter ends: `dialogue`, `question`, `exclamation`, `ellipsis` or `narration`.
fn ending(lines: &[&str]) -> &'static str {
    let Some(line) = lines.last() else { return "narration" };
    let tail = speech_ranges(line).last().is_some_and(|speech| line[speech.end..].chars().count() <= 1);
    match line.chars().last() {
        _ if tail => "dialogue",
        Some('?' | '？') => "question",
        Some('!' | '！') => "exclamation",
        Some('…') => "ellipsis",
        _ if line.ends_with("...") => "ellipsis",
        _ => "narration",
    }
}

/// Who tells a chapter: `first` or `third`, by the pronouns outside of speech.
fn narration(lines: &[&str], language: Language) -> &'static str {
    let (mut first, mut third) = (0_u32, 0_u32);
    for line in lines {
        let mut narrated = String::with_capacity(line.len());
        let mut from = 0;
        for speech in speech_ranges(line) {
            narrated.push_str(&line[from..speech.start]);
            from = speech.end;
        }
        narrated.push_str(&line[from..]);
        match language {
            Language::Zh => {
                first += narrated.chars().filter(|c| matches!(c, '我' | '咱')).count() as u32;
                third += narrated.chars().filter(|c| matches!(c, '他' | '她')).count() as u32;
            }
            Language::En => {
                for word in narrated.split(|c: char| !c.is_alphabetic()) {
                    match word.to_lowercase().as_str() {
                        "i" | "me" | "my" | "mine" | "we" | "us" | "our" => first += 1,
                        "he" | "him" | "his" | "she" | "her" | "hers" => third += 1,
                        _ => {}
                    }
                }
            }
        }
    }
    let share = f64::from(first) / f64::from((first + third).max(1));
    if first > 0 && share >= FIRST_PERSON_SHARE { "first" } else { "third" }
}

/// The share of speech in a chapter, in percent of its characters.
fn speech_percent(lines: &[&str]) -> u32 {
    let chars = |text: &str| text.chars().count();
    let whole: usize = lines.iter().map(|line| chars(line)).sum();
    let spoken: usize =
        lines.iter().flat_map(|line| speech_ranges(line).into_iter().map(|range| chars(&line[range]))).sum();
    u32::try_from(spoken * 100 / whole.max(1)).unwrap_or(100)
}

/// The interval of a number: `1000-2000`; `16000-` above the last end.
fn between(number: u32, ends: &[u32]) -> String {
    match ends.iter().position(|end| number < *end) {
        Some(0) => format!("0-{}", ends[0]),
        Some(at) => format!("{}-{}", ends[at - 1], ends[at]),
        None => format!("{}-", ends.last().copied().unwrap_or_default()),
    }
}

/// The place where a habit is used.
fn usage(kind: HabitKind, language: Language) -> &'static str {
    match (kind, language) {
        (HabitKind::Opening, Language::Zh) => "写一章的开头时",
        (HabitKind::Ending, Language::Zh) => "写一章的结尾时",
        (HabitKind::Narration, Language::Zh) => "写叙述时",
        (HabitKind::ChapterLength, Language::Zh) => "分章时",
        (HabitKind::Dialogue, Language::Zh) => "写人物之间的场面时",
        (HabitKind::Opening, Language::En) => "at the beginning of a chapter",
        (HabitKind::Ending, Language::En) => "at the end of a chapter",
        (HabitKind::Narration, Language::En) => "in narration",
        (HabitKind::ChapterLength, Language::En) => "where the text is divided into chapters",
        (HabitKind::Dialogue, Language::En) => "in scenes between characters",
    }
}

/// A habit in a sentence.
fn sentence((kind, value): (HabitKind, &str), (chapters, of): (u32, u32), language: Language) -> String {
    let said = match (kind, value, language) {
        (HabitKind::Opening, "dialogue", Language::Zh) => "以对话开头".to_owned(),
        (HabitKind::Opening, "time", Language::Zh) => "以时间开头".to_owned(),
        (HabitKind::Opening, "name", Language::Zh) => "以人名开头".to_owned(),
        (HabitKind::Opening, _, Language::Zh) => "以叙述开头".to_owned(),
        (HabitKind::Ending, "dialogue", Language::Zh) => "以对话结尾".to_owned(),
        (HabitKind::Ending, "question", Language::Zh) => "以问句结尾".to_owned(),
        (HabitKind::Ending, "exclamation", Language::Zh) => "以感叹结尾".to_owned(),
        (HabitKind::Ending, "ellipsis", Language::Zh) => "以省略号结尾".to_owned(),
        (HabitKind::Ending, _, Language::Zh) => "以叙述结尾".to_owned(),
        (HabitKind::Narration, "first", Language::Zh) => "用第一人称叙述".to_owned(),
        (HabitKind::Narration, _, Language::Zh) => "用第三人称叙述".to_owned(),
        (HabitKind::ChapterLength, _, Language::Zh) => format!("有 {value} 字"),
        (HabitKind::Dialogue, _, Language::Zh) => format!("对话占 {value}%"),
        (HabitKind::Opening, "dialogue", Language::En) => "open with dialogue".to_owned(),
        (HabitKind::Opening, "time", Language::En) => "open with a time".to_owned(),
        (HabitKind::Opening, "name", Language::En) => "open with a name".to_owned(),
        (HabitKind::Opening, _, Language::En) => "open with narration".to_owned(),
        (HabitKind::Ending, "dialogue", Language::En) => "end with dialogue".to_owned(),
        (HabitKind::Ending, "question", Language::En) => "end with a question".to_owned(),
        (HabitKind::Ending, "exclamation", Language::En) => "end with an exclamation".to_owned(),
        (HabitKind::Ending, "ellipsis", Language::En) => "end with an ellipsis".to_owned(),
        (HabitKind::Ending, _, Language::En) => "end with narration".to_owned(),
        (HabitKind::Narration, "first", Language::En) => "are told in the first person".to_owned(),
        (HabitKind::Narration, _, Language::En) => "are told in the third person".to_owned(),
        (HabitKind::ChapterLength, _, Language::En) => format!("have {value} words"),
        (HabitKind::Dialogue, _, Language::En) => format!("are {value}% dialogue"),
    };
    match language {
        Language::Zh => format!("{of} 章里有 {chapters} 章{said}。"),
        Language::En => format!("{chapters} of {of} chapters {said}."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn book(texts: &[&str]) -> Vec<HabitChapter> {
        let chapter = |(number, text): (usize, &&str)| HabitChapter {
            chapter_id: format!("c{number}").as_str().into(),
            text: (*text).to_owned(),
        };
        texts.iter().enumerate().map(chapter).collect()
    }

    fn values(texts: &[&str], names: &[&str], language: Language) -> Vec<(HabitKind, String)> {
        habits(&book(texts), names, language).into_iter().map(|habit| (habit.kind, habit.value)).collect()
    }

    const SPOKEN: &str = "# One\n\n“You are early,” said Mara Venn. She took the rope and tied it to the old post on the \
        pier.\n\nHe looked at her for a long time before he answered. “It is cold, and the boat will not wait for us.”\n";
    const TOLD: &str = "# Two\n\n“So this is it,” said Tobias. He was cold, he was tired, and he had not eaten since the \
        day before.\n\nShe said nothing. He turned his coat up and followed her along the wall. “Come on.”\n";
    const OWN: &str = "In the morning I went down to the pier. I had my coat and my letters, and I knew that my father \
        would not be there when I came back to our house in the evening.\n";

    #[test]
    fn a_habit_is_what_more_than_half_of_the_chapters_do() {
        let found = habits(&book(&[SPOKEN, TOLD, OWN]), &[], Language::En);
        let opening = found.iter().find(|habit| habit.kind == HabitKind::Opening).unwrap();
        assert_eq!((opening.value.as_str(), opening.chapters, opening.of), ("dialogue", 2, 3));
        assert_eq!(opening.description, "2 of 3 chapters open with dialogue.");
        assert_eq!(opening.example_files, ["c0".into(), "c1".into()]);
        assert!(found.iter().any(|habit| habit.kind == HabitKind::Narration && habit.value == "third"));
        assert_eq!(values(&[SPOKEN, OWN], &[], Language::En), [(HabitKind::ChapterLength, "0-1000".to_owned())]);
        assert!(values(&[SPOKEN], &[], Language::En).is_empty(), "one chapter has no habit");
        assert!(values(&["# One\n\nShort.\n"; 3], &[], Language::En).is_empty());
    }

    #[test]
    fn a_chapter_opens_with_a_time_a_name_or_a_voice() {
        for (text, names, value) in [
            (OWN, &[][..], "time"),
            (SPOKEN, &["Mara"][..], "dialogue"),
            ("Mara Venn came down.", &["Mara Venn"][..], "name"),
            ("Mara Venn came down.", &[][..], "narration"),
            ("第二天清晨，船开了。", &[][..], "time"),
            ("“你来早了。”她说。", &[][..], "dialogue"),
        ] {
            assert_eq!(opening(&body_lines(text), names), value, "{text}");
        }
        for (text, value) in
            [("他走了？", "question"), ("走了……", "ellipsis"), ("“走吧。”", "dialogue"), ("走了。", "narration")]
        {
            assert_eq!(ending(&body_lines(text)), value, "{text}");
        }
    }

    #[test]
    fn who_tells_is_counted_outside_of_speech() {
        let third = "他把绳子系好，转身看着她。“我不去，我说过我不去，我要留下。”她没有回答，他也没有再问，只是望着江面上的灯。";
        let first = "我把绳子系好，转身看着她。“他不去，他说过了。”我没有回答，我也没有再问，只是望着江面上的灯，一直望到天亮。";
        let value = |text: &str| narration(&body_lines(text), Language::Zh);
        assert_eq!((value(third), value(first)), ("third", "first"));
        let found = habits(&book(&[third, third]), &[], Language::Zh);
        let third = found.iter().find(|habit| habit.kind == HabitKind::Narration).unwrap();
        assert_eq!(third.description, "2 章里有 2 章用第三人称叙述。");
    }
}
