//! Cues in Chinese: the longest known word at each character, and rules of context for the characters that are both a
//! word and a part of many.

use std::sync::LazyLock;

use super::cues::{Cue, Cues, Dictionary, Hit};
use super::lexicon_zh::LISTS;
use super::parsed::ParsedText;
use crate::language::is_han;

static DICTIONARY: LazyLock<Dictionary> = LazyLock::new(|| Dictionary::new(&LISTS));

/// The hit at each word.
pub(super) fn find_hits(parsed: &ParsedText<'_>) -> Vec<Hit> {
    let mut hits = vec![Hit::default(); parsed.words.len()];
    // Cues of the word right before.
    let mut last = Cues::NONE;
    let mut at = 0;
    while at < parsed.words.len() {
        let hit = hit_at(parsed, at, last);
        let taken = hit.words.max(1);
        hits[at] = hit;
        let adjacent = parsed.after(at + taken - 1).is_some_and(is_han);
        last = if adjacent { hit.cues } else { Cues::NONE };
        at += taken;
    }
    mark_four_character_phrases(parsed, &mut hits);
    hits
}

fn hit_at(parsed: &ParsedText<'_>, at: usize, last: Cues) -> Hit {
    let word = parsed.words[at];
    if !word.han {
        return Hit { cues: Cues::single(Cue::Name), words: 1 };
    }
    let found = DICTIONARY.longest(&parsed.text[word.at..]);
    let words = found.map_or(0, |(_, words, _)| words);
    if words < 4 && is_doubled_pair(parsed, at) {
        let cues = found.map_or(Cues::NONE, |(_, _, cues)| cues);
        return Hit { cues: cues.with(Cue::Four), words: 4 };
    }
    let numerals = parsed.words[at..].iter().take_while(|w| is_numeral(w.text)).count();
    let numerals = numerals.min(run_length(parsed, at));
    if numerals > 1 && numerals > words {
        return Hit { cues: Cues::single(Cue::Name), words: numerals };
    }
    match found {
        Some((text, words, cues)) => Hit { cues: cues_in_context(parsed, at, text, cues, last), words },
        None => Hit::default(),
    }
}

fn is_numeral(text: &str) -> bool {
    matches!(
        text,
        "〇" | "零"
            | "一"
            | "二"
            | "三"
            | "四"
            | "五"
            | "六"
            | "七"
            | "八"
            | "九"
            | "十"
            | "百"
            | "千"
            | "万"
            | "萬"
            | "亿"
            | "两"
            | "兩"
            | "廿"
    )
}

/// The number of consecutive Han characters from this word on.
fn run_length(parsed: &ParsedText<'_>, at: usize) -> usize {
    let mut end = parsed.words[at].at;
    parsed.words[at..]
        .iter()
        .take_while(|word| {
            let follows = word.han && word.at == end;
            end = word.end();
            follows
        })
        .count()
}

/// Whether four words form a doubled pair: 高高兴兴.
fn is_doubled_pair(parsed: &ParsedText<'_>, at: usize) -> bool {
    let [a, b, c, d, ..] = &parsed.words[at..] else {
        return false;
    };
    a.text == b.text && c.text == d.text && a.text != c.text && b.text != "哈" && run_length(parsed, at) >= 4
}

/// The cues of a word in its context. A few single characters depend on their neighbours; all other words keep theirs.
fn cues_in_context(parsed: &ParsedText<'_>, at: usize, text: &str, cues: Cues, last: Cues) -> Cues {
    let before = parsed.before(at).filter(|c| is_han(*c));
    let after = parsed.after(at).filter(|c| is_han(*c));
    let when = |condition: bool, cue: Cue| if condition { cues } else { cues.without(cue) };
    match text {
        // Before a verb and after at least two characters: 慢慢地走, not 这块地 or 种地.
        "地" => {
            let two_before = at > 1 && before.is_some() && parsed.before(at - 1).is_some_and(is_han);
            let ground = before.is_some_and(|c| GROUND_BEFORE.contains(c));
            when(two_before && after.is_some() && !ground && !last.has(Cue::Adverb), Cue::Adverb)
        }
        "的" => {
            let pronoun = [Cue::First, Cue::Second, Cue::Third, Cue::NotAdjective].iter().any(|cue| last.has(*cue));
            when(before.is_some() && after.is_some() && !pronoun, Cue::Adjective)
        }
        "过" | "過" | "着" | "著" => {
            if before.is_some() {
                cues
            } else {
                Cues::NONE
            }
        }
        // 笑道： but not 那条道很长.
        "道" => when(before.is_some() && after.is_none(), Cue::Speech),
        "也" => when(after.is_none() && before.is_some(), Cue::Archaic),
        "者" => {
            let next = parsed.after(at);
            when(before.is_some() && matches!(next, Some('，' | '、' | '也')), Cue::Archaic)
        }
        "般" => when(before.is_some(), Cue::Simile),
        // Particles end a clause.
        "吧" | "呢" | "吗" | "嗎" | "嘛" | "啦" | "呀" | "哪" | "罢" => when(after.is_none(), Cue::Colloquial),
        _ => cues,
    }
}

/// Characters before 地 that make it a noun (ground).
const GROUND_BEFORE: &str = "块塊片这這那此各某一在下落满滿遍种種扫掃的之拖当當本外内內陆陸草田山林墓营營场場空坟墳天荒圣聖各每几几两兩着了过過到着从從向往是有";

/// Phrases of exactly four characters between two marks (风停雨住，), unless they contain a plain word: 他没说话。
fn mark_four_character_phrases(parsed: &ParsedText<'_>, hits: &mut [Hit]) {
    const PLAIN: &str =
        "我你您他她它的了是说說道不没沒吗嗎呢吧着啊呀过過这這那谁誰什么麼们們在就也都还還又把被给給个個";
    let mut at = 0;
    while at < parsed.words.len() {
        let length = run_length(parsed, at).max(1);
        let run = &parsed.words[at..at + length];
        if length == 4 && run.iter().all(|word| word.han && !PLAIN.contains(word.text)) {
            let any = hits[at..at + length].iter().any(|hit| hit.cues.has(Cue::Four) || hit.cues.has(Cue::Name));
            if !any {
                hits[at].cues = hits[at].cues.with(Cue::Four);
            }
        }
        at += length;
    }
}
