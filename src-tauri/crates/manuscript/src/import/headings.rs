//! Recognizes headings of chapters in plain text.

use crate::chapter_files::is_han_numeral;

/// The most characters of a heading; a longer line is prose.
const MAX_HEADING_CHARS: usize = 50;

/// The level of a heading; a lower number contains the higher ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// 第一卷, Part One.
    Part = 1,
    /// 第一章, 楔子, Chapter 1, Prologue.
    Chapter = 2,
    /// 第一节.
    Section = 3,
}

/// The lines before and after a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineContext {
    /// The line before is blank, or there is none, or it is a heading.
    pub free_above: bool,
    /// The line after is blank, or there is none.
    pub free_below: bool,
    /// The line before ends a sentence.
    pub finished_above: bool,
    /// Lines are wrapped at a fixed width, in the middle of sentences.
    pub wrapped: bool,
}

/// The level of a line that is a heading; `None` for a line that is part of a sentence.
pub(super) fn heading_level(line: &str, context: LineContext) -> Option<Level> {
    let line = line.trim();
    if line.chars().count() > MAX_HEADING_CHARS {
        return None;
    }
    let is_alone = context.free_above && context.free_below;
    let bare = strip_decoration(line);
    if let Some(level) = chinese_level(bare).or_else(|| named_level(bare, CHINESE_NAMES)) {
        let is_heading = if context.wrapped { is_alone } else { context.free_above || context.finished_above };
        return is_heading.then_some(level);
    }
    let level = english_level(bare).or_else(|| named_level(bare, ENGLISH_NAMES))?;
    is_alone.then_some(level)
}

/// Whether a title is that of a part and not of a chapter.
pub(super) fn is_part_title(title: &str) -> bool {
    let bare = strip_decoration(title.trim());
    chinese_level(bare).or_else(|| english_level(bare)) == Some(Level::Part)
}

/// Whether a line ends a sentence.
pub(super) fn is_finished(line: &str) -> bool {
    line.trim_end()
        .ends_with(|c: char| !(c.is_alphanumeric() || matches!(c, '，' | '、' | '；' | ',' | ';' | '—' | '-')))
}

const CHINESE_NAMES: &[&str] = &[
    "楔子",
    "序章",
    "序言",
    "序幕",
    "自序",
    "代序",
    "序",
    "引子",
    "引言",
    "前言",
    "卷首语",
    "尾声",
    "终章",
    "终曲",
    "终幕",
    "尾章",
    "后记",
    "跋",
    "番外",
    "番外篇",
    "外传",
    "结语",
    "附录",
    "完结感言",
    "後記",
    "尾聲",
    "終章",
];
const ENGLISH_NAMES: &[&str] =
    &["prologue", "epilogue", "foreword", "preface", "introduction", "afterword", "interlude", "appendix", "coda"];

/// Strips the ornaments that sites and writers put before and around a heading.
fn strip_decoration(line: &str) -> &str {
    let line = line.trim_start_matches('#').trim_start();
    let line = line.trim_start_matches(['☆', '★', '◆', '◇', '●', '■', '□', '※']).trim_start_matches(['、', ' ', '　']);
    let line = line.strip_prefix("正文").map_or(line, |rest| rest.trim_start());
    let pairs = [('【', '】'), ('〖', '〗'), ('〔', '〕'), ('[', ']')];
    let inner = pairs.iter().find_map(|(open, close)| line.strip_prefix(*open)?.strip_suffix(*close));
    inner.unwrap_or(line).trim()
}

/// The level of a Chinese heading: 第一章 雨夜, 第12回, 卷三.
fn chinese_level(line: &str) -> Option<Level> {
    if let Some(rest) = line.strip_prefix('卷') {
        let rest = after_number(rest)?;
        return (rest.is_empty() || is_title(rest)).then_some(Level::Part);
    }
    let rest = after_number(line.strip_prefix('第')?)?.trim_start();
    let unit = rest.chars().next()?;
    let level = match unit {
        '卷' | '部' | '篇' | '册' | '冊' => Level::Part,
        '章' | '回' | '话' | '話' | '集' | '幕' | '折' => Level::Chapter,
        '节' | '節' => Level::Section,
        _ => return None,
    };
    let rest = &rest[unit.len_utf8()..];
    // Part and chapter can be on one line: 第一卷 风起 第一章 雨夜.
    let level =
        if level == Level::Part && rest.contains('第') && rest.contains('章') { Level::Chapter } else { level };
    let together = matches!(unit, '章' | '卷' | '回' | '话' | '話') && is_title_without_space(rest);
    (rest.is_empty() || is_title(rest) || together).then_some(level)
}

/// The text after a number in digits or Han numerals; `None` without a number.
fn after_number(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let rest =
        text.trim_start_matches(|c: char| is_han_numeral(c) || c.is_numeric() || matches!(c, '廿' | '卅' | '两'));
    (rest.len() < text.len()).then_some(rest)
}

/// Whether the text after a marker is a title: separated from it, and not a sentence.
fn is_title(rest: &str) -> bool {
    let is_separator = |c: char| {
        c.is_whitespace()
            || matches!(c, '：' | ':' | '·' | '・' | '、' | '-' | '—' | '–' | '.' | '．' | '|' | '~' | '～')
            || matches!(c, '（' | '(' | '《' | '「' | '【' | '_')
    };
    rest.starts_with(is_separator) && rest.chars().count() <= 32 && !ends_as_sentence(rest) && !rest.contains('。')
}

/// Whether the text directly after a marker is a title (第一章雨夜): short, without a stop, and without a word that
/// continues a sentence.
fn is_title_without_space(rest: &str) -> bool {
    const CONTINUATIONS: &[&str] = &[
        "的", "里", "中", "讲", "写", "说", "是", "就", "还", "也", "在", "之后", "以后", "之前", "以前", "结束",
        "开始",
    ];
    rest.chars().count() <= 15
        && rest.starts_with(char::is_alphanumeric)
        && !rest.contains(['。', '，', '；', '：', '、', '“', '”', ',', ';'])
        && !CONTINUATIONS.iter().any(|word| rest.starts_with(word))
}

fn ends_as_sentence(text: &str) -> bool {
    text.trim_end().ends_with(['。', '，', '；', '、', ',', ';', '.', '：', ':', '”'])
        && !text.trim_end().ends_with("...")
}

/// The level of a heading with a fixed name, alone or with a separate title; 番外 may be numbered.
fn named_level(line: &str, names: &[&str]) -> Option<Level> {
    let lower = line.to_lowercase();
    let found = names.iter().any(|name| {
        let Some(rest) = lower.strip_prefix(name) else { return false };
        let counted = if name.starts_with("番外") { after_number(rest).unwrap_or(rest) } else { rest };
        // Names of one character are also words.
        counted.is_empty() || name.chars().count() > 1 && is_title(counted)
    });
    found.then_some(Level::Chapter)
}

/// The level of an English heading: Chapter 3, CHAPTER III, Part One: The Island.
fn english_level(line: &str) -> Option<Level> {
    let (word, rest) = line.split_once([' ', '\u{a0}'])?;
    let level = match word.to_ascii_lowercase().as_str() {
        "part" | "book" | "volume" | "act" => Level::Part,
        "chapter" => Level::Chapter,
        _ => return None,
    };
    let rest = rest.trim_start();
    let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '-')).unwrap_or(rest.len());
    let (number, rest) = rest.split_at(end);
    if !(number.parse::<u32>().is_ok() || is_roman(number) || is_number_word(number)) {
        return None;
    }
    let title = rest.trim();
    let parted = title.starts_with([':', '.', '-', '—', '–', '|']);
    let words = title.trim_start_matches([':', '.', '-', '—', '–', '|', ' ']);
    // A sentence continues in lower case or ends with a full stop.
    let is_title = parted || words.starts_with(|c: char| !c.is_lowercase());
    (words.is_empty() || is_title && !words.ends_with(['.', ',', ';'])).then_some(level)
}

pub(super) fn is_roman(text: &str) -> bool {
    !text.is_empty() && text.len() <= 9 && text.chars().all(|c| "IVXLC".contains(c))
}

pub(super) fn is_number_word(text: &str) -> bool {
    const ONES: &[&str] = &["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
    const TEENS: &[&str] =
        &["ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"];
    const TENS: &[&str] = &["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
    let text = text.to_ascii_lowercase();
    let (tens, ones) = text.split_once('-').unwrap_or((&text, ""));
    let alone = [ONES, TEENS, TENS].iter().any(|words| words.contains(&tens));
    if ones.is_empty() { alone } else { TENS.contains(&tens) && ONES.contains(&ones) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALONE: LineContext =
        LineContext { free_above: true, free_below: true, finished_above: false, wrapped: false };

    fn check(level: Option<Level>, lines: &[&str]) {
        for line in lines {
            assert_eq!(heading_level(line, ALONE), level, "{line}");
        }
    }

    #[test]
    fn headings_are_known_in_both_languages() {
        check(
            Some(Level::Chapter),
            &[
                "第一章",
                "第一章 雨夜",
                "　　第一章　雨夜",
                "第十二章：归来",
                "第12回",
                "第１２章 雨",
                "第 3 章 山",
                "第一百零三章雨夜",
                "第一回 甄士隐梦幻识通灵，贾雨村风尘怀闺秀",
                "第三章 你是谁？",
                "【第一章 雨】",
                "☆、第1章 楔子",
                "正文 第一章 雨",
                "第一卷 风起 第一章 雨夜",
                "楔子",
                "序章 海",
                "尾声",
                "番外二 他的故事",
                "番外：多年以后",
                "后记",
                "第七话",
                "Chapter 3",
                "CHAPTER III",
                "Chapter Twenty-One: The Door",
                "Chapter 4. Rain",
                "Chapter 5 The Ferry",
                "Prologue",
                "EPILOGUE",
                "Prologue: Before",
            ],
        );
        check(
            Some(Level::Part),
            &["第一卷 风起", "第二部", "卷三 归来", "卷一", "Part One", "PART II: The Island", "Book 2"],
        );
        check(Some(Level::Section), &["第一节", "第二节 雨"]);
    }

    #[test]
    fn a_sentence_that_begins_like_a_heading_is_none() {
        check(
            None,
            &[
                "第一章讲的是他如何离开家乡。",
                "第一章里他死了",
                "第一章，他写了三个月。",
                "第一次见面是在雨天",
                "第二天 他走了",
                "第一部手机",
                "第一节课",
                "第三章 写完以后，他把笔放下，出了一会儿神。",
                "尾声渐渐远去",
                "序幕拉开了",
                "第一章他写了整整三个月才写完又撕掉重来",
                "Chapter 3 was the worst",
                "Chapter and verse",
                "Part of him knew.",
                "Part I played in it was small.",
                "Book me a room",
                "Act now",
                "Introduction to the harbour master took an hour.",
                "Chapter 3 He went home.",
                "卷起袖子",
                "第章",
            ],
        );
    }

    #[test]
    fn nothing_out_of_the_middle_of_a_sentence_is_a_heading() {
        let inside = LineContext { free_above: false, free_below: false, finished_above: false, wrapped: false };
        assert_eq!(heading_level("第一章 雨夜", inside), None);
        assert_eq!(heading_level("Chapter 3", inside), None);
        let after_a_sentence = LineContext { finished_above: true, ..inside };
        assert_eq!(heading_level("第一章 雨夜", after_a_sentence), Some(Level::Chapter));
        assert_eq!(heading_level("第一章 雨夜", LineContext { wrapped: true, ..after_a_sentence }), None);
        assert_eq!(heading_level("Chapter 3", after_a_sentence), None);
    }
}
