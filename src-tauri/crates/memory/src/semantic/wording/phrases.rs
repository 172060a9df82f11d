//! The instruction for each feature: after 你常 and `you`, or alone.

use palimpsest_text::style::Feature;

use crate::model::Language;

/// The phrase for more (`direction` > 0) or less of a feature.
pub(super) fn phrase(language: Language, feature: Feature, direction: i32) -> &'static str {
    let [zh_more, zh_less, en_more, en_less] = variants(feature);
    match (language, direction > 0) {
        (Language::Zh, true) => zh_more,
        (Language::Zh, false) => zh_less,
        (Language::En, true) => en_more,
        (Language::En, false) => en_less,
    }
}

/// More and less in Chinese, more and less in English.
fn variants(feature: Feature) -> [&'static str; 4] {
    match feature {
        Feature::Length => [
            "把篇幅写长，慢慢展开",
            "把篇幅收短，只写要紧的",
            "write longer passages and give them room",
            "write shorter passages and keep to the point",
        ],
        Feature::ShortSentences => [
            "穿插极短的句子",
            "把极短的句子并进前后句",
            "mix in very short sentences",
            "fold very short sentences into their neighbours",
        ],
        Feature::LongSentences => {
            ["让一些句子写得极长", "把极长的句子拆开", "let some sentences run very long", "split very long sentences"]
        }
        Feature::ActionVerbs => [
            "多用动作动词，让人动起来",
            "少用动作动词，让人静下来",
            "use many action verbs and keep people moving",
            "use few action verbs and keep people still",
        ],
        Feature::TimeShifts => [
            "多用时间跳转，推着情节走",
            "少用时间跳转，顺着这一刻写下去",
            "use many jumps in time to move the story on",
            "use few jumps in time and stay in the moment",
        ],
        Feature::SentenceLength => ["把句子写长", "把句子写短", "write longer sentences", "write shorter sentences"],
        Feature::SentenceVariation => {
            ["让句子长短错落", "让句子长短均匀", "vary the length of sentences", "keep sentences even in length"]
        }
        Feature::Exclamations => [
            "多用感叹号，把语气放出来",
            "少用感叹号，句末用句号",
            "use exclamation marks freely",
            "use few exclamation marks and end on a full stop",
        ],
        Feature::Questions => {
            ["多用问句", "少用问句，改成直说", "use more questions", "use few questions and make statements instead"]
        }
        Feature::Ellipses => [
            "多用省略号，把话留住",
            "少用省略号，把话说完",
            "use ellipses freely and let lines trail off",
            "use few ellipses and finish every line",
        ],
        Feature::Dashes => [
            "多用破折号来插话和转折",
            "少用破折号，一口气说下来",
            "use dashes freely to break in or turn",
            "use few dashes and let sentences run unbroken",
        ],
        Feature::Commas => [
            "多用逗号，把一句话断成几截",
            "少用逗号，一句话一口气说完",
            "use many commas and build sentences in steps",
            "use few commas and let sentences run straight through",
        ],
        Feature::Semicolons => [
            "多用分号和冒号来连接上下句",
            "少用分号和冒号，用句号断开",
            "link sentences with semicolons and colons",
            "use few semicolons and colons and begin a new sentence instead",
        ],
        Feature::Adverbs => [
            "多用副词，写出动作的样子",
            "少用副词，让动词自己说话",
            "use adverbs to colour what people do",
            "use few adverbs and let the verbs do the work",
        ],
        Feature::Adjectives => [
            "多用形容词，把样子写足",
            "少用形容词，把东西本身写出来",
            "use plenty of adjectives and paint the picture in full",
            "use few adjectives and let nouns and verbs carry the picture",
        ],
        Feature::Hedges => [
            "多用“似乎”“也许”，留出余地",
            "少用“似乎”“也许”，把话说定",
            "use hedges such as seemed and perhaps to leave room for doubt",
            "use few hedges such as seemed and perhaps and state things outright",
        ],
        Feature::Similes => [
            "多用比喻",
            "少用比喻，直接写东西本身",
            "use plenty of similes",
            "use few similes and name the thing itself",
        ],
        Feature::Sight => [
            "多写看见的光影和颜色",
            "少写看见的光影和颜色",
            "write plenty of what is seen, in light, shadow and colour",
            "write little of what is seen and go by the other senses",
        ],
        Feature::Sound => [
            "多写听见的声音",
            "少写听见的声音，让场面静下来",
            "write plenty of what is heard",
            "write little of what is heard and keep it quiet",
        ],
        Feature::BodySense => [
            "多写触感、冷暖和气味",
            "少写触感、冷暖和气味",
            "write plenty of bodily sensation, of touch, taste and smell",
            "write little of bodily sensation, of touch, taste and smell",
        ],
        Feature::ConjunctionOpenings => [
            "多用连词起句，如“但是”“于是”",
            "少用连词起句，直接从人和事写起",
            "open sentences with conjunctions such as and, but, so",
            "open few sentences with conjunctions and begin with people and things",
        ],
        Feature::RepeatedOpenings => [
            "让相邻的句子用同样的开头",
            "让每一句换一个开头",
            "open neighbouring sentences with the same word",
            "open each sentence with a different word",
        ],
        Feature::Negation => [
            "多用否定句，写不是什么、没有什么",
            "少用否定句，从正面说",
            "use many negations and say what is not there",
            "use few negations and say things in the positive",
        ],
        Feature::PastTense => [
            "用“了”“过”写成已经发生的事",
            "用“着”“正在”写成眼下发生的事",
            "write in the past tense",
            "write in the present tense",
        ],
        Feature::ParagraphLength => ["把段落写长", "把段落写短", "write longer paragraphs", "write shorter paragraphs"],
        Feature::ParagraphDensity => [
            "多分段，勤换行",
            "少分段，把相连的内容并在一起",
            "use many paragraph breaks",
            "use few paragraph breaks and keep connected matter together",
        ],
        Feature::DialogueShare => [
            "多写对话，让人物自己说",
            "少写对话，用叙述来交代",
            "write more dialogue and let people speak for themselves",
            "write less dialogue and more narration",
        ],
        Feature::DialogueTurns => [
            "让人物你一句我一句地来回对答",
            "减少来回对答，让一个人把话说完",
            "use many turns of speech and let people answer at once",
            "use few turns of speech and let each speaker finish",
        ],
        Feature::SpeechTags => [
            "把每句话都写明是谁说的",
            "省去“他说”“她说”，让话自己站住",
            "use speech tags and say who is speaking",
            "use few speech tags and let the lines stand alone",
        ],
        Feature::FirstPerson => {
            ["用第一人称写", "少用第一人称的“我”", "write in the first person", "step back from the first person"]
        }
        Feature::SecondPerson => [
            "多用第二人称的“你”",
            "少用第二人称的“你”",
            "use the second person freely",
            "use the second person sparingly",
        ],
        Feature::ThirdPerson => [
            "多用“他”“她”来称呼人物",
            "少用“他”“她”，直呼名字",
            "use third-person pronouns freely",
            "use few third-person pronouns and call people by name",
        ],
        Feature::Emotion => [
            "多写情绪，把感受说出来",
            "少写情绪，让动作和物件来说",
            "name the emotions people feel",
            "use few words of emotion and let actions show it",
        ],
        Feature::Thought => [
            "多写人物心里的想法",
            "少写人物心里的想法，写他做了什么",
            "write plenty of what people think",
            "write little of what people think and show what they do",
        ],
        Feature::LexicalVariety => [
            "让用词多变，换着说法写",
            "让用词反复，认准几个词",
            "vary the words and find new ones each time",
            "repeat the same few words and let them echo",
        ],
        Feature::WordLength => ["多用四字词", "少用四字词，说得平常些", "use longer words", "use shorter words"],
        Feature::AbstractNouns => [
            "多用抽象的词，点出意义",
            "少用抽象的词，写具体的东西",
            "use abstract nouns to name what it means",
            "use few abstract nouns and name concrete things",
        ],
        Feature::Archaic => [
            "用文言的字句",
            "少用文言，换成今天的说法",
            "use archaic words and turns",
            "use few archaic words and put it in modern ones",
        ],
        Feature::Colloquial => [
            "写得口语，带上“吧”“呢”“啊”",
            "写得书面，收起“吧”“呢”“啊”",
            "use a colloquial voice, with contractions and everyday words",
            "use a formal voice, with words written out in full",
        ],
        Feature::Intensifiers => [
            "多用“很”“非常”加重语气",
            "少用“很”“非常”，让事实自己有分量",
            "use intensifiers such as very and utterly",
            "use few intensifiers such as very and utterly",
        ],
        Feature::Cliches => [
            "多用现成的套话",
            "少用套话，换成自己的说法",
            "use familiar stock phrases",
            "use few stock phrases and find fresh ones",
        ],
        Feature::NamesAndNumbers => {
            ["多写专名和数字", "少写专名和数字", "use plenty of names and numbers", "use few names and numbers"]
        }
    }
}
