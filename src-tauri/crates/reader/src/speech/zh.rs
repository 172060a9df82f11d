//! Who speaks in a Chinese text: `“走吧。”周明低声说。`, `周明放下笔，说：“走吧。”`.

use std::ops::Range;

use palimpsest_text::quotations::speech_ranges;

use super::{Speech, SpeechEvidence};
use crate::{
    mentions::{Matcher, Mention},
    names::{DetectedEntity, EntityKind},
};

/// Verbs of speech.
const VERBS: [&str; 11] = ["说", "道", "问", "答", "喊", "叫", "骂", "嚷", "吼", "曰", "云"];
/// Words that end in the character of a verb of speech and are none.
const NO_VERBS: [&str; 13] =
    ["知道", "味道", "街道", "铁道", "地道", "厚道", "公道", "小说", "听说", "学问", "请问", "据说", "传说"];
/// Characters behind the verb in the clause.
const BEHIND_VERB: [char; 3] = ['了', '着', '过'];
/// Ends of clauses.
const CLAUSE_ENDS: [char; 8] = ['，', '。', '！', '？', '；', '：', ':', '…'];
/// Ends of sentences.
const SENTENCE_ENDS: [char; 5] = ['。', '！', '？', '；', '…'];
/// Most characters of the clause behind a speech that says who speaks.
const MAX_CLAUSE: usize = 16;
/// Most characters between the start of the sentence before a speech and the speech.
const MAX_INTRODUCTION: usize = 40;

/// The speech of a Chinese chapter whose speaker the text names beside a verb of speech, in order. Pronouns and
/// the turns of a dialogue are not read.
#[must_use]
pub fn speakers_zh(text: &str, entities: &[DetectedEntity]) -> Vec<Speech> {
    let matcher = Matcher::new(entities);
    let is_character = |mention: &Mention| entities[mention.entity].kind == EntityKind::Character;
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let ranges = speech_ranges(line);
        let mentions: Vec<Mention> =
            if ranges.is_empty() { Vec::new() } else { matcher.find(line).into_iter().filter(is_character).collect() };
        for (number, range) in ranges.iter().enumerate() {
            let from = number.checked_sub(1).map_or(0, |before| ranges[before].end);
            let to = ranges.get(number + 1).map_or(line.len(), |next| next.start);
            let speaker = name_behind(line, range.end..to, &mentions)
                .or_else(|| subject_before(line, from..range.start, &mentions));
            if let Some(mention) = speaker {
                found.push(Speech {
                    range: start + range.start..start + range.end,
                    speaker: mention.entity,
                    name: start + mention.range.start..start + mention.range.end,
                    how: SpeechEvidence::Verb,
                });
            }
        }
        start += line.len();
    }
    found
}

/// The name with which the clause behind a speech begins, if it has a verb of speech.
fn name_behind<'m>(line: &str, after: Range<usize>, mentions: &'m [Mention]) -> Option<&'m Mention> {
    let rest = line.get(after.clone())?;
    let begin = rest.find(|c: char| !is_quote(c) && !c.is_whitespace())?;
    let clause = &rest[begin..];
    let clause = &clause[..clause.find(CLAUSE_ENDS).unwrap_or(clause.len())];
    let mention = mentions.iter().find(|mention| mention.range.start == after.start + begin)?;
    let verb = clause.get(mention.range.len()..)?;
    (clause.chars().count() <= MAX_CLAUSE && ends_with_verb(verb)).then_some(mention)
}

/// The subject of the sentence before a speech, if it ends with a verb of speech: the name with which the clause of the
/// verb begins, or that of the sentence if the clause has no subject of its own.
fn subject_before<'m>(line: &str, introduction: Range<usize>, mentions: &'m [Mention]) -> Option<&'m Mention> {
    let text = line.get(introduction.clone())?.trim_end_matches(is_quote);
    let text = text.strip_suffix(['：', ':', '，']).unwrap_or(text);
    let begin = text.rfind(SENTENCE_ENDS).map_or(0, |at| at + text[at..].chars().next().map_or(0, char::len_utf8));
    let begin = begin + text[begin..].find(|c: char| !is_quote(c) && !c.is_whitespace())?;
    let sentence = &text[begin..];
    if sentence.chars().count() > MAX_INTRODUCTION || !ends_with_verb(sentence) {
        return None;
    }
    let clause = sentence.rfind('，').map_or(begin, |at| begin + at + '，'.len_utf8());
    let starts_at = |at: usize| mentions.iter().find(|mention| mention.range.start == introduction.start + at);
    if let Some(mention) = starts_at(clause) {
        return Some(mention);
    }
    let has_pronoun = text[clause..].starts_with(['他', '她', '它', '我', '你', '您', '咱', '谁', '有']);
    let is_named = mentions.iter().any(|mention| {
        mention.range.start >= introduction.start + clause && mention.range.end <= introduction.start + text.len()
    });
    if has_pronoun || is_named { None } else { starts_at(begin) }
}

/// Whether a clause ends with a verb of speech.
fn ends_with_verb(clause: &str) -> bool {
    let clause = clause.trim_end_matches(BEHIND_VERB);
    VERBS.iter().any(|verb| clause.ends_with(verb)) && !NO_VERBS.iter().any(|word| clause.ends_with(word))
}

fn is_quote(c: char) -> bool {
    matches!(c, '“' | '”' | '‘' | '’' | '「' | '」' | '『' | '』' | '"')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::{Form, Position};

    fn speakers(text: &str) -> Vec<(&str, &str)> {
        let entity = |name: &str| DetectedEntity {
            kind: EntityKind::Character,
            name: name.into(),
            forms: vec![Form { text: name.into(), count: 3 }],
            count: 3,
            first: Position { chapter: 0, offset: 0 },
            known: None,
        };
        let entities = [entity("周明"), entity("林晓燕")];
        speakers_zh(text, &entities).into_iter().map(|speech| (&text[speech.range], &text[speech.name])).collect()
    }

    #[test]
    fn the_name_and_a_verb_behind_a_speech_say_who_speaks() {
        assert_eq!(speakers("“走吧。”周明低声说。"), [("走吧。", "周明")]);
        assert_eq!(speakers("“走吧。”周明对林晓燕说道。“天黑了。”"), [("走吧。", "周明")]);
        assert_eq!(speakers("「走吧。」林晓燕喊了，没有人应。"), [("走吧。", "林晓燕")]);
    }

    #[test]
    fn the_subject_of_the_sentence_before_a_speech_speaks_it() {
        assert_eq!(speakers("周明说：“走吧。”"), [("走吧。", "周明")]);
        assert_eq!(speakers("周明把绳子扔给林晓燕，说：“冷。”"), [("冷。", "周明")]);
        assert_eq!(speakers("天黑了，林晓燕问：“几点了？”"), [("几点了？", "林晓燕")]);
        assert_eq!(speakers("灯亮着。\n周明笑道：“冷。”\n"), [("冷。", "周明")]);
    }

    #[test]
    fn nothing_is_guessed_without_a_name_and_a_verb() {
        for text in [
            "“走吧。”他说。",
            "“走吧。”周明站起来。",
            "周明知道：“走吧。”是一句空话。",
            "周明看着林晓燕，他说：“走吧。”",
            "周明来了。她说：“走吧。”",
            "“走吧。”",
            "周明没有开口，对林晓燕说：“走吧。”林晓燕",
        ] {
            assert!(speakers(text).is_empty(), "{text}");
        }
    }
}
