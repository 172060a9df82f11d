//! Edits of Chinese prose.

use palimpsest_learning::Direction;
use palimpsest_text::style::Feature;

use super::{Operation, Site, spans, swaps};

pub(super) fn towards(feature: Feature, direction: Direction) -> Vec<Operation> {
    use Direction::{Less, More};
    use Operation::{At, Everywhere, Put};
    match (feature, direction) {
        (Feature::SentenceLength, Less) => vec![At(splits)],
        (Feature::SentenceLength, More) => vec![At(joins)],
        (Feature::TimeShifts, Less) => vec![At(|text| swaps(text, TIME))],
        (Feature::TimeShifts, More) => vec![Put(opens, &["忽然，", "不久，", "这时候，", "终于，", "接着，"])],
        (Feature::Exclamations, Less) => vec![At(|text| swaps(text, &[("！", "。")]))],
        (Feature::Exclamations, More) => vec![At(|text| swaps(text, &[("。", "！")]))],
        (Feature::Questions, Less) => vec![At(|text| swaps(text, &[("？", "。")]))],
        (Feature::Questions, More) => vec![At(|text| swaps(text, &[("。", "？")]))],
        (Feature::Ellipses, Less) => vec![At(|text| swaps(text, &[("……，", "，"), ("……。", "。"), ("……", "。")]))],
        (Feature::Ellipses, More) => vec![At(|text| swaps(text, &[("，", "……"), ("。", "……")]))],
        (Feature::Dashes, Less) => vec![At(|text| swaps(text, &[("——", "，")]))],
        (Feature::Dashes, More) => vec![At(|text| swaps(text, &[("，", "——"), ("；", "——")]))],
        (Feature::Commas, Less) => vec![At(|text| swaps(text, &[("，", ""), ("、", "")]))],
        (Feature::Commas, More) => vec![At(|text| {
            swaps(
                text,
                &[
                    ("的时候", "的时候，"),
                    ("便", "，便"),
                    ("就", "，就"),
                    ("却", "，却"),
                    ("又", "，又"),
                    ("也", "，也"),
                    ("和", "，和"),
                ],
            )
        })],
        (Feature::Semicolons, Less) => vec![At(|text| swaps(text, &[("；", "，"), ("：", "，")]))],
        (Feature::Semicolons, More) => vec![At(|text| swaps(text, &[("，", "；")]))],
        (Feature::Adverbs, Less) => vec![At(|text| swaps(text, ADVERBS))],
        (Feature::Adverbs, More) => {
            vec![Put(before_verbs, &["慢慢地", "轻轻地", "静静地", "悄悄地", "默默地", "匆匆地"])]
        }
        (Feature::Adjectives, Less) => vec![At(adjectives)],
        (Feature::Adjectives, More) => {
            vec![Put(before_nouns, &["小小的", "破旧的", "灰白的", "沉重的", "细长的", "陌生的"])]
        }
        (Feature::Hedges, Less) => vec![At(|text| swaps(text, HEDGES))],
        (Feature::Hedges, More) => vec![Put(before_verbs, &["似乎", "好像", "大约", "也许", "仿佛", "几乎"])],
        (Feature::Similes, Less) => vec![At(similes)],
        (Feature::Similes, More) => {
            vec![Put(before_marks, &["，像影子一样", "，如同做梦一般", "，好像什么也没有发生似的", "，宛如石像"])]
        }
        (Feature::ConjunctionOpenings, Less) => vec![At(|text| openings(text, CONJUNCTIONS))],
        (Feature::ConjunctionOpenings, More) => vec![Put(opens, &["但是", "然而", "于是", "而且"])],
        (Feature::SpeechTags, Less) => vec![At(|text| swaps(text, TAGS))],
        (Feature::SpeechTags, More) => vec![Put(after_speech, &["他说。", "她说道。", "他问。", "他低声说。"])],
        (Feature::FirstPerson, Less) => vec![Everywhere(|text| swaps(text, &[("我", "他")]))],
        (Feature::FirstPerson, More) => {
            vec![Everywhere(|text| swaps(text, &[("他", "我"), ("她", "我"), ("伊", "我")]))]
        }
        (Feature::Colloquial, Less) => vec![At(particles)],
        (Feature::Colloquial, More) => vec![Put(before_marks, &["吧", "呢", "啊", "嘛", "啦"])],
        (Feature::Intensifiers, Less) => vec![At(|text| swaps(text, INTENSIFIERS))],
        (Feature::Intensifiers, More) => vec![Put(before_qualities, &["非常", "十分", "极其", "格外", "很"])],
        (Feature::Cliches, Less) => vec![At(|text| swaps(text, CLICHES))],
        (Feature::Cliches, More) => vec![
            Put(before_verbs, &["不禁", "不由得", "缓缓", "悄然"]),
            Put(before_marks, &["，带着一丝忧伤", "，嘴角微微上扬", "，若有所思", "，心中涌起一股暖意"]),
        ],
        _ => Vec::new(),
    }
}

const TIME: &[(&str, &str)] = &[
    ("忽然，", ""),
    ("忽然", ""),
    ("突然", ""),
    ("不久，", ""),
    ("不久", ""),
    ("这时候，", ""),
    ("这时候", ""),
    ("终于，", ""),
    ("终于", ""),
    ("接着，", ""),
    ("立刻", ""),
    ("后来", ""),
    ("然后", ""),
    ("此后", ""),
    ("一会儿", ""),
    ("一会", ""),
    ("忽", ""),
    ("随即", ""),
    ("许久", ""),
];
const ADVERBS: &[(&str, &str)] = &[
    ("慢慢地", ""),
    ("轻轻地", ""),
    ("静静地", ""),
    ("悄悄地", ""),
    ("默默地", ""),
    ("匆匆地", ""),
    ("渐渐地", ""),
    ("渐渐", ""),
    ("慢慢", ""),
    ("连忙", ""),
    ("赶紧", ""),
    ("低声", ""),
    ("大声", ""),
    ("仔细", ""),
    ("逐渐", ""),
    ("急忙", ""),
    ("远远地", ""),
    ("远远", ""),
    ("深深", ""),
    ("微微", ""),
    ("不停", ""),
    ("故意", ""),
    ("特地", ""),
    ("慌忙", ""),
    ("高声", ""),
    ("轻轻", ""),
    ("冷冷地", ""),
];
const HEDGES: &[(&str, &str)] = &[
    ("似乎", ""),
    ("好像", ""),
    ("大约", ""),
    ("也许", ""),
    ("仿佛", ""),
    ("几乎", ""),
    ("大概", ""),
    ("或者", ""),
    ("可能", ""),
    ("恐怕", ""),
    ("差不多", ""),
    ("略", ""),
    ("未必", ""),
    ("至少", ""),
    ("不大", "不"),
    ("看来", ""),
    ("多半", ""),
];
const INTENSIFIERS: &[(&str, &str)] = &[
    ("非常之", ""),
    ("非常", ""),
    ("十分", ""),
    ("极其", ""),
    ("格外", ""),
    ("很", ""),
    ("极", ""),
    ("太", ""),
    ("最", ""),
    ("更", ""),
    ("颇", ""),
    ("实在", ""),
    ("的确", ""),
    ("简直", ""),
    ("特别", ""),
    ("真", ""),
    ("确", ""),
];
const CLICHES: &[(&str, &str)] = &[
    ("不禁", ""),
    ("不由得", ""),
    ("缓缓", ""),
    ("悄然", ""),
    ("，带着一丝忧伤", ""),
    ("，嘴角微微上扬", ""),
    ("，若有所思", ""),
    ("，心中涌起一股暖意", ""),
    ("一丝", ""),
    ("一股", ""),
    ("某种", ""),
    ("微微", ""),
    ("轻轻", ""),
    ("静静", ""),
    ("弥漫", "满"),
    ("淡淡", ""),
];
const CONJUNCTIONS: &[&str] = &[
    "但是", "可是", "然而", "而且", "于是", "所以", "因为", "不过", "并且", "只是", "虽然", "那么", "况且", "但", "可",
    "而",
];
const TAGS: &[(&str, &str)] = &[
    ("他说。", ""),
    ("她说道。", ""),
    ("他问。", ""),
    ("他低声说。", ""),
    ("他说，", ""),
    ("说道，", "，"),
    ("说，", "，"),
    ("道，", "，"),
    ("他说：", ""),
    ("说道：", "："),
    ("道：", "："),
    ("说：", "："),
    ("问道，", "，"),
    ("他问，", ""),
    ("他说着，", ""),
];

/// Commas between two clauses of sufficient length, each replaced by a full stop.
fn splits(text: &str) -> Vec<Site> {
    let is_mark = |c: char| matches!(c, '。' | '！' | '？' | '，' | '；' | '：' | '“' | '”' | '\n' | '…' | '—');
    let clauses = |mark: char| {
        text.match_indices(mark).filter(move |(at, found)| {
            let behind = text[..*at].chars().rev().take_while(|c| !is_mark(*c)).count();
            let ahead = text[at + found.len()..].chars().take_while(|c| !is_mark(*c)).count();
            behind >= 4 && ahead >= 4
        })
    };
    let sites = clauses('，').chain(clauses('；'));
    sites.map(|(at, found)| (at..at + found.len(), "。".to_owned())).collect()
}

fn joins(text: &str) -> Vec<Site> {
    let full = text.match_indices('。');
    full.filter(|(at, mark)| {
        let next = text[at + mark.len()..].chars().next();
        next.is_some_and(palimpsest_text::is_han)
    })
    .map(|(at, mark)| (at..at + mark.len(), "，".to_owned()))
    .collect()
}

/// Two characters before 的 in front of a noun, deleted together with 的.
fn adjectives(text: &str) -> Vec<Site> {
    let mut sites = Vec::new();
    for (at, word) in text.match_indices('的') {
        let next = text[at + word.len()..].chars().next();
        if !next.is_some_and(palimpsest_text::is_han) {
            continue;
        }
        let before: Vec<char> = text[..at].chars().rev().take(2).collect();
        if before.len() < 2
            || before.iter().any(|c| !palimpsest_text::is_han(*c) || "我你他她它们伊是了着在有这那".contains(*c))
        {
            continue;
        }
        let length: usize = before.iter().map(|c| c.len_utf8()).sum();
        sites.push((at - length..at + word.len(), String::new()));
    }
    sites
}

fn similes(text: &str) -> Vec<Site> {
    let mut sites = Vec::new();
    for opening in ["像", "如同", "仿佛", "好像", "宛如", "似的", "一般"] {
        for (at, _) in text.match_indices(opening) {
            let is_mark = |c: char| matches!(c, '。' | '！' | '？' | '，' | '；' | '：' | '“' | '”' | '\n' | '…' | '—');
            let start = text[..at].rfind(is_mark).unwrap_or(0);
            let end = at + text[at..].find(is_mark).unwrap_or(text.len() - at);
            // The comma before it is deleted too; the mark after it remains.
            if start > 0 && text[start..].starts_with('，') {
                sites.push((start..end, String::new()));
            }
        }
    }
    sites
}

fn openings(text: &str, list: &[&str]) -> Vec<Site> {
    let mut sites = Vec::new();
    for span in spans(text) {
        if let Some(opening) = list.iter().find(|opening| text[span.start..span.end].starts_with(**opening)) {
            let comma = if text[span.start + opening.len()..].starts_with('，') { '，'.len_utf8() } else { 0 };
            sites.push((span.start..span.start + opening.len() + comma, String::new()));
        }
    }
    sites
}

fn particles(text: &str) -> Vec<Site> {
    let mut sites = Vec::new();
    for (at, c) in text.char_indices() {
        let next = text[at + c.len_utf8()..].chars().next();
        if "吧呢啊嘛啦呀么罢".contains(c) && !next.is_some_and(palimpsest_text::is_han) {
            sites.push((at..at + c.len_utf8(), String::new()));
        }
    }
    sites.extend(swaps(text, &[("咱们", "我们"), ("家伙", "人"), ("一会儿", "片刻"), ("挺", "")]));
    sites
}

fn before(text: &str, list: &str) -> Vec<usize> {
    let mut places = Vec::new();
    let mut last = ' ';
    for (at, c) in text.char_indices() {
        // Not inside a word: only after a pronoun, a mark, or a short word that is followed by a verb.
        let free = !palimpsest_text::is_han(last) || "我你他她伊们便就又也都还却才人的了".contains(last);
        if list.contains(c) && free {
            places.push(at);
        }
        last = c;
    }
    places
}

fn before_verbs(text: &str) -> Vec<usize> {
    before(text, "说走看站坐笑想问跑拿听叫来去到回进出觉知道放开吃睡死打")
}

fn before_qualities(text: &str) -> Vec<usize> {
    before(text, "好多早远亮黑白冷热静快慢重轻旧老难痛高大小有怕爱安")
}

fn before_nouns(text: &str) -> Vec<usize> {
    text.char_indices()
        .filter(|(_, c)| "人门屋手眼脸声路天树山水河街桌书孩船墙灯".contains(*c))
        .map(|(at, _)| at)
        .collect()
}

fn before_marks(text: &str) -> Vec<usize> {
    let marks = text.char_indices().filter(|(_, c)| matches!(c, '。' | '，' | '！' | '？'));
    marks.map(|(at, _)| at).filter(|at| text[..*at].ends_with(palimpsest_text::is_han)).collect()
}

/// The beginnings of narrated sentences.
fn opens(text: &str) -> Vec<usize> {
    let starts = spans(text).into_iter().map(|span| span.start);
    starts.filter(|at| text[*at..].starts_with(palimpsest_text::is_han)).collect()
}

fn after_speech(text: &str) -> Vec<usize> {
    text.match_indices('”').map(|(at, mark)| at + mark.len()).collect()
}
