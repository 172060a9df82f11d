//! The words for skills, scenes and sides of style, in both languages.

use palimpsest_text::style::Feature;

use crate::model::Language;

/// A word in the language of the project.
#[must_use]
pub fn pick(language: Language, zh: &'static str, en: &'static str) -> &'static str {
    match language {
        Language::Zh => zh,
        Language::En => en,
    }
}

/// The name of a skill; a custom one is returned unchanged.
#[must_use]
pub fn skill(language: Language, skill: &str) -> &str {
    match skill {
        "continue" => pick(language, "续写", "continue"),
        "polish" => pick(language, "润色", "polish"),
        "rewrite" => pick(language, "改写", "rewrite"),
        "expand" => pick(language, "扩写", "expand"),
        "condense" => pick(language, "缩写", "condense"),
        "ask" => pick(language, "问", "ask"),
        own => own,
    }
}

/// The name of a scene type; a custom one is returned unchanged.
#[must_use]
pub fn scene(language: Language, scene: &str) -> &str {
    match scene {
        "dialogue" => pick(language, "对话", "dialogue"),
        "action" => pick(language, "动作", "action"),
        "description" => pick(language, "描写", "description"),
        "monologue" => pick(language, "独白", "monologue"),
        "narration" => pick(language, "叙述", "narration"),
        "transition" => pick(language, "过渡", "transition"),
        own => own,
    }
}

/// The name of a feature, as something that a text has more or less of.
#[must_use]
pub fn feature(language: Language, feature: Feature) -> &'static str {
    let (zh, en) = match feature {
        Feature::Length => ("篇幅", "length"),
        Feature::ShortSentences => ("短句", "short sentences"),
        Feature::LongSentences => ("长句", "long sentences"),
        Feature::ActionVerbs => ("动作动词", "verbs of action"),
        Feature::TimeShifts => ("时间跳转", "jumps in time"),
        Feature::SentenceLength => ("句长", "sentence length"),
        Feature::SentenceVariation => ("句长变化", "variation of sentence length"),
        Feature::Exclamations => ("感叹号", "exclamation marks"),
        Feature::Questions => ("问号", "question marks"),
        Feature::Ellipses => ("省略号", "ellipses"),
        Feature::Dashes => ("破折号", "dashes"),
        Feature::Commas => ("逗号", "commas"),
        Feature::Semicolons => ("分号与冒号", "semicolons and colons"),
        Feature::Adverbs => ("副词", "adverbs"),
        Feature::Adjectives => ("形容词", "adjectives"),
        Feature::Hedges => ("含糊语", "hedges"),
        Feature::Similes => ("比喻", "similes"),
        Feature::Sight => ("视觉词", "words of sight"),
        Feature::Sound => ("声音词", "words of sound"),
        Feature::BodySense => ("体感词", "words of touch, taste and smell"),
        Feature::ConjunctionOpenings => ("连词开头", "sentences opening with a conjunction"),
        Feature::RepeatedOpenings => ("重复的句首", "repeated openings"),
        Feature::Negation => ("否定", "negations"),
        Feature::PastTense => ("完成体", "past tense"),
        Feature::ParagraphLength => ("段落长度", "paragraph length"),
        Feature::ParagraphDensity => ("分段", "paragraph breaks"),
        Feature::DialogueShare => ("对话比重", "dialogue"),
        Feature::DialogueTurns => ("对话轮次", "turns of speech"),
        Feature::SpeechTags => ("说话标记", "speech tags"),
        Feature::FirstPerson => ("第一人称", "first person"),
        Feature::SecondPerson => ("第二人称", "second person"),
        Feature::ThirdPerson => ("第三人称", "third person"),
        Feature::Emotion => ("情绪词", "words of feeling"),
        Feature::Thought => ("心理词", "words of thought"),
        Feature::LexicalVariety => ("用词变化", "variety of words"),
        Feature::WordLength => ("四字格", "word length"),
        Feature::AbstractNouns => ("抽象名词", "abstract nouns"),
        Feature::Archaic => ("文言词", "archaic words"),
        Feature::Colloquial => ("口语词", "colloquial words"),
        Feature::Intensifiers => ("程度词", "intensifiers"),
        Feature::Cliches => ("套话", "clichés"),
        Feature::NamesAndNumbers => ("专名与数字", "names and numbers"),
    };
    pick(language, zh, en)
}
