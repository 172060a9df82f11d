//! The phrases by which a model speaks to the writer instead of writing, in both languages.
//!
//! All are compared with [`folded`](crate::words::folded) text. An opener alone decides nothing: prose may begin with
//! "Sure, " too. It needs a word about texts, and, for a preamble, a colon or the end of the line.

use palimpsest_text::is_han;

/// Beginnings of a preamble.
const PREAMBLES: &[&str] = &[
    "sure",
    "certainly",
    "of course",
    "absolutely",
    "okay",
    "ok,",
    "alright",
    "great",
    "here is",
    "here's",
    "here are",
    "here you",
    "below is",
    "the following is",
    "the following",
    "this is a",
    "this is the",
    "i have",
    "i've",
    "as requested",
    "thank you",
    "thanks",
    "in this version",
    "based on",
    "understood",
    "you can",
    "to summarize",
    "in summary",
    "好的",
    "好，",
    "好,",
    "好！",
    "当然",
    "没问题",
    "明白",
    "以下",
    "下面",
    "这是",
    "这里是",
    "根据",
    "按照",
    "为您",
    "为你",
    "收到",
    "谢谢",
    "已",
];

/// Labels that are followed by a colon or stand on a line of their own.
const LABELS: &[&str] = &[
    "continuation",
    "continued",
    "continued passage",
    "continue",
    "continued text",
    "continued story",
    "next paragraph",
    "polished",
    "polished version",
    "polished passage",
    "polished text",
    "polish",
    "revised",
    "revised version",
    "revised passage",
    "revised text",
    "rewritten",
    "rewritten version",
    "rewritten passage",
    "rewrite",
    "expanded",
    "expanded version",
    "expanded passage",
    "expand",
    "condensed",
    "condensed version",
    "condensed passage",
    "condense",
    "draft",
    "answer",
    "output",
    "task",
    "续写",
    "继续续写",
    "续写内容",
    "续写如下",
    "润色",
    "润色后",
    "润色版",
    "改写",
    "改写后",
    "改写版",
    "扩写",
    "扩写后",
    "扩写版",
    "缩写",
    "缩写后",
    "缩写版",
    "正文",
    "修改后",
    "任务",
    "答案",
    "输出",
];

/// Beginnings of a refusal, or of a request for the text.
const REFUSALS: &[&str] = &[
    "i'm sorry",
    "i am sorry",
    "sorry,",
    "i apologize",
    "i cannot",
    "i can't",
    "i can not",
    "i'm unable",
    "i am unable",
    "i'm not able",
    "as an ai",
    "as a language",
    "as an assistant",
    "unfortunately, i",
    "i'm an ai",
    "i am an ai",
    "抱歉",
    "我没有能力",
    "我觉得这个问题",
    "很抱歉",
    "对不起",
    "非常抱歉",
    "我无法",
    "我不能",
    "作为一个",
    "作为一名",
    "please provide",
    "please share",
    "sure, please provide",
    "of course, please provide",
    "请提供",
    "好的，请提供",
    "好的,请提供",
    "当然，请提供",
];

/// Words that make such a beginning a refusal.
const REFUSED: &[&str] = &[
    "assist",
    "help with that",
    "help you with",
    "fulfill",
    "fulfil",
    "comply",
    "provide",
    "generate",
    "continue the",
    "continue this",
    "language model",
    "an ai",
    "your request",
    "this request",
    "that request",
    "content that",
    "more context",
    "more information",
    "don't understand",
    "didn't understand",
    "as an assistant",
    "the text",
    "协助",
    "提供",
    "满足",
    "完成这",
    "续写",
    "回答",
    "生成",
    "语言模型",
    "人工智能",
    "您的请求",
    "你的请求",
    "您的要求",
    "更多信息",
    "更多的信息",
    "ai助手",
    "助手",
    "误解",
    "没有理解",
    "进行任务",
];

/// Beginnings of advice about a text.
const ADVICE: &[&str] = &[
    "to polish",
    "to improve",
    "to continue",
    "to rewrite",
    "to enhance",
    "to expand",
    "to condense",
    "to revise",
    "to make",
    "to complete",
    "the passage",
    "this passage",
    "the text",
    "this text",
    "the given",
    "the provided",
    "the situation described",
    "the author",
    "the writer",
    "the story",
    "the task",
    "in this passage",
    "in the passage",
    "in this text",
    "in this scene",
    "the scene",
    "the sentence",
    "here are some",
    "here are a few",
    "based on the",
    "as a writing",
    "as a novelist",
    "the original",
    "the user",
    "when writing",
    "为了",
    "要润色",
    "要续写",
    "润色",
    "续写",
    "改写",
    "扩写",
    "缩写",
    "这段",
    "这篇",
    "这个段落",
    "该段",
    "本段",
    "文章",
    "原文",
    "在这段",
    "在这篇",
    "作者",
    "作为小说",
    "根据您",
];

/// Beginnings of an after-word.
const AFTER_WORDS: &[&str] = &[
    "note:",
    "note that",
    "(note",
    "[note",
    "notes:",
    "explanation",
    "i hope",
    "hope this",
    "let me know",
    "please let me",
    "please note",
    "feel free",
    "if you",
    "would you like",
    "do you want",
    "this version",
    "this revised",
    "this revision",
    "this continuation",
    "this passage",
    "this rewrite",
    "this polished",
    "this draft",
    "this text",
    "this response",
    "in this version",
    "in this revised",
    "in this passage",
    "in this rewrite",
    "the revised",
    "the polished",
    "the rewritten",
    "the above",
    "the changes",
    "changes made",
    "changes:",
    "i have",
    "i've",
    "i made",
    "is there anything",
    "word count",
    "注：",
    "注:",
    "（注",
    "(注",
    "备注",
    "说明",
    "修改说明",
    "希望",
    "如果您",
    "如果你",
    "请告诉",
    "请问",
    "以上",
    "这段",
    "这个版本",
    "这样的",
    "在这个版本",
    "在这段",
    "改动",
    "修改",
    "通过",
];

/// Words about texts: with an opener they make a sentence one to the writer.
const ABOUT_TEXT: &[&str] = &[
    "passage",
    "continuation",
    "version",
    "the text",
    "revised",
    "revision",
    "rewritten",
    "rewrite",
    "polished",
    "polish",
    "draft",
    "sentence",
    "paragraph",
    "the tone",
    "the style",
    "grammar",
    "the novel",
    "your story",
    "the story",
    "the scene",
    "prose",
    "narrative",
    "reader",
    "wording",
    "the original",
    "suggestion",
    "request",
    "condensed",
    "expanded",
    "the author",
    "the writer",
    "writing",
    "content",
    "further changes",
    "feedback",
    "anything else",
    "need any",
    "translation",
    "words)",
    "续写",
    "润色",
    "改写",
    "扩写",
    "缩写",
    "版本",
    "文本",
    "段落",
    "修改",
    "正文",
    "内容",
    "语气",
    "时态",
    "人称",
    "原文",
    "文字",
    "句子",
    "作者",
    "读者",
    "风格",
    "满意",
    "帮助",
    "要求",
    "任务",
    "翻译",
    "小说",
    "故事",
    "描写",
];

/// Words of a text that speaks about another one.
const CRITIQUE: &[&str] = &[
    "the passage",
    "this passage",
    "the sentence",
    "the author",
    "the reader",
    "readers",
    "the writer",
    "the text",
    "the tone",
    "the scene",
    "the narrative",
    "the original",
    "the story",
    "the protagonist",
    "the narrator",
    "the paragraph",
    "the character",
    "the novelist",
    "revised",
    "rewritten",
    "polished",
    "you can",
    "you could",
    "you should",
    "consider",
    "word choice",
    "sentence structure",
    "punctuation",
    "grammar",
    "clarity",
    "conveys",
    "emphasize",
    "emphasizes",
    "suggests that",
    "highlights",
    "adjectives",
    "exclamation marks",
    "short sentences",
    "dialogue",
    "这段话",
    "这段文字",
    "这一段",
    "原文",
    "作者",
    "读者",
    "语气",
    "时态",
    "人称",
    "句子",
    "段落",
    "文本",
    "修改",
    "建议",
    "润色",
    "续写",
    "改写",
    "形容词",
    "感叹号",
    "主人公",
    "叙述者",
    "表达了",
    "突出",
];

/// Words by which an instruction asks for another language.
const ASKS_LANGUAGE: &[&str] = &[
    "english",
    "chinese",
    "mandarin",
    "translat",
    "in french",
    "in latin",
    "language",
    "英文",
    "英语",
    "中文",
    "汉语",
    "翻译",
    "译成",
    "外语",
];

/// Words by which an instruction asks for a list or for advice.
const ASKS_ADVICE: &[&str] = &[
    "advice", "suggest", "list", "outline", "options", "ideas", "comment", "explain", "letter", "建议", "列出", "大纲",
    "提纲", "点评", "解释", "清单", "信",
];

/// The comparison of a text with openers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opening {
    /// It may still become one.
    Open,
    /// It begins with one.
    Begins,
    /// It begins with none.
    None,
}

fn opening(folded: &str, openers: &[&str], is_complete: bool) -> Opening {
    let begins = |opener: &str| {
        folded.strip_prefix(opener).is_some_and(|rest| {
            let is_word = opener.ends_with(|c: char| c.is_ascii_alphabetic());
            !is_word || !rest.starts_with(|c: char| c.is_alphanumeric() && !is_han(c))
        })
    };
    if !is_complete && openers.iter().any(|opener| opener.starts_with(folded)) {
        Opening::Open
    } else if openers.iter().any(|opener| begins(opener)) {
        Opening::Begins
    } else {
        Opening::None
    }
}

macro_rules! opening_of {
    ($($(#[$doc:meta])* $name:ident $openers:ident;)*) => {
        $($(#[$doc])* pub(crate) fn $name(folded: &str, is_complete: bool) -> Opening {
            opening(folded, $openers, is_complete)
        })*
    };
}

opening_of! {
    /// Compares the beginning of a text with those of preambles.
    preamble PREAMBLES;
    /// The same for refusals.
    refusal REFUSALS;
    /// The same for advice.
    advice ADVICE;
    /// The same for after-words.
    after_word AFTER_WORDS;
}

/// The text after the longest beginning of advice.
pub(crate) fn after_advice(folded: &str) -> &str {
    let rests = ADVICE.iter().filter_map(|opener| folded.strip_prefix(opener));
    rests.min_by_key(|rest| rest.len()).unwrap_or(folded)
}

/// Number of the places of a text that have one of the phrases.
fn hits(folded: &str, phrases: &[&str]) -> usize {
    phrases.iter().map(|phrase| folded.matches(phrase).count()).sum()
}

/// Whether a text is about texts.
pub(crate) fn is_about_text(folded: &str) -> bool {
    hits(folded, ABOUT_TEXT) > 0
}

/// Whether a text after an apology refuses.
pub(crate) fn refuses(folded: &str) -> bool {
    hits(folded, REFUSED) > 0
}

/// Number of words of critique in a text.
pub(crate) fn critique(folded: &str) -> usize {
    hits(folded, CRITIQUE)
}

/// Whether a text, without its colon, is a label.
pub(crate) fn is_label(folded: &str) -> bool {
    let bare =
        folded.trim_matches(|c: char| c.is_whitespace() || matches!(c, '[' | ']' | '【' | '】' | '#' | '：' | ':'));
    LABELS.contains(&bare)
}

/// Whether a text may become a label.
pub(crate) fn may_be_label(folded: &str) -> bool {
    let bare = folded.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '[' | '【' | '#'));
    LABELS.iter().any(|label| label.starts_with(bare))
}

/// Whether an instruction asks for another language.
pub(crate) fn asks_language(instruction: &str) -> bool {
    hits(&instruction.to_lowercase(), ASKS_LANGUAGE) > 0
}

/// Whether an instruction asks for a list or for advice.
pub(crate) fn asks_advice(instruction: &str) -> bool {
    hits(&instruction.to_lowercase(), ASKS_ADVICE) > 0
}
