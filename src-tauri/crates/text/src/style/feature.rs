//! The closed list of style features.

use crate::Language;

/// The kind of preference that a feature belongs to; the same five as the categories of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Category {
    /// How fast the text moves.
    Pacing,
    /// How sentences are built and coloured.
    Style,
    /// Paragraphs and speech.
    Structure,
    /// Narrative person, emotion and thought.
    Character,
    /// Which words are chosen.
    Vocabulary,
}

impl Category {
    /// The stable name: `pacing`, `style`, `structure`, `character`, `vocabulary`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pacing => "pacing",
            Self::Style => "style",
            Self::Structure => "structure",
            Self::Character => "character",
            Self::Vocabulary => "vocabulary",
        }
    }
}

/// The transformation of a quantity after which a difference in standard deviations means the same all over its range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// The quantity itself.
    Plain,
    /// `ln(1 + x)`, for lengths, where a reader notices the ratio.
    Log,
    /// `√x`, for rates of rare things: it evens out the variance of a count (Bartlett 1936), so that one cue more
    /// weighs about the same in a text that has many, and the same one cue in a slightly longer text is a tie.
    Root,
}

impl Scale {
    /// From the quantity to the value that is stored and compared. Expects `quantity` ≥ 0 unless plain.
    #[must_use]
    pub fn apply(self, quantity: f32) -> f32 {
        match self {
            Self::Plain => quantity,
            Self::Log => quantity.max(0.0).ln_1p(),
            Self::Root => quantity.max(0.0).sqrt(),
        }
    }

    /// From the stored value back to the quantity, for display (`21 → 14 words`).
    #[must_use]
    pub fn undo(self, value: f32) -> f32 {
        match self {
            Self::Plain => value,
            Self::Log => value.max(0.0).exp_m1(),
            Self::Root => value.max(0.0) * value.max(0.0),
        }
    }
}

macro_rules! features {
    ($($(#[doc = $doc:literal])+ $variant:ident $name:literal $category:ident $scale:ident;)+) => {
        /// A measured side of a text's style. The order is the order of [`Features`](super::Features); the names are
        /// stable. A *unit* is a Han character or a word of another script, as [`count::words`](crate::count::words)
        /// counts them; a *rate* is per 100 units.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Feature {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Feature {
            /// The number of features.
            pub const COUNT: usize = [$($name),+].len();
            /// Every feature, in order.
            pub const ALL: [Self; Self::COUNT] = [$(Self::$variant),+];

            /// The stable name, in camel case.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// The feature of that stable name.
            #[must_use]
            pub fn parse(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$variant),)+ _ => None }
            }

            /// The category its rules belong to.
            #[must_use]
            pub const fn category(self) -> Category {
                match self { $(Self::$variant => Category::$category,)+ }
            }

            const fn usual_scale(self) -> Scale {
                match self { $(Self::$variant => Scale::$scale,)+ }
            }
        }
    };
}

features! {
    /// Units in the text. The one feature that is about length.
    Length "length" Pacing Log;
    /// Share (0..1) of sentences of at most 6 words (8 characters).
    ShortSentences "shortSentences" Pacing Plain;
    /// Share (0..1) of sentences of at least 25 words (40 characters).
    LongSentences "longSentences" Pacing Plain;
    /// Rate of verbs of bodily action (seized, ran / 扑 推 转身).
    ActionVerbs "actionVerbs" Pacing Root;
    /// Rate of words that jump in time (suddenly, the next morning / 忽然 第二天).
    TimeShifts "timeShifts" Pacing Root;
    /// Mean units of a sentence.
    SentenceLength "sentenceLength" Style Log;
    /// Coefficient of variation of sentence lengths, ≥ 0: sample deviation over mean, corrected for few sentences by
    /// `1 + 1/4n` (Sokal & Braumann 1980) and drawn towards the usual value of the language with the weight of one
    /// sentence. A single sentence, which has none, has the usual value.
    SentenceVariation "sentenceVariation" Style Plain;
    /// Exclamation marks a sentence; a run counts once.
    Exclamations "exclamations" Style Plain;
    /// Question marks a sentence; a run counts once.
    Questions "questions" Style Plain;
    /// Rate of ellipses (`…` `……` `...`).
    Ellipses "ellipses" Style Root;
    /// Rate of dashes (`—` `——` `--`, a hyphen between spaces).
    Dashes "dashes" Style Root;
    /// Rate of commas (`,` `，` `、`), not those inside numbers.
    Commas "commas" Style Root;
    /// Rate of semicolons and colons, not those inside numbers.
    Semicolons "semicolons" Style Root;
    /// Rate of adverbs of manner: `-ly` but for words like *only*; `…地` and doubled ones such as 慢慢.
    Adverbs "adverbs" Style Root;
    /// Rate of adjectives, by proxy: suffixes and common words; 的 before a noun, unless after a pronoun.
    Adjectives "adjectives" Style Root;
    /// Rate of hedges (seemed, perhaps / 似乎 也许).
    Hedges "hedges" Style Root;
    /// Rate of similes (as if, like a / 如同 像); one a clause.
    Similes "similes" Style Root;
    /// Rate of words of sight, light and colour.
    Sight "sight" Style Root;
    /// Rate of words of sound and silence.
    Sound "sound" Style Root;
    /// Rate of words of touch, warmth, smell, taste, breath and pulse.
    BodySense "bodySense" Style Root;
    /// Share (0..1) of sentences that open with a conjunction (and, but / 但是 于是).
    ConjunctionOpenings "conjunctionOpenings" Style Plain;
    /// Share (0..1) of sentences that open with the same word as the one before.
    RepeatedOpenings "repeatedOpenings" Style Plain;
    /// Rate of negations (not, never, n't / 不 没有).
    Negation "negation" Style Root;
    /// Root of the rate of past forms minus root of the rate of present ones. In Chinese, which has no tense, what is
    /// done (了 过 曾) against what goes on (着 正在 现在).
    PastTense "pastTense" Style Plain;
    /// Mean number of sentences of a paragraph (a line).
    ParagraphLength "paragraphLength" Structure Log;
    /// Rate of breaks between paragraphs.
    ParagraphDensity "paragraphDensity" Structure Root;
    /// Share (0..1) of units inside speech.
    DialogueShare "dialogueShare" Structure Plain;
    /// Rate of turns of speech: paragraphs that speak, and speeches that answer one another in a line.
    DialogueTurns "dialogueTurns" Structure Root;
    /// Rate of verbs that say who spoke (said / 说 道), outside of speech and next to it.
    SpeechTags "speechTags" Structure Root;
    /// Rate of first-person pronouns.
    FirstPerson "firstPerson" Character Root;
    /// Rate of second-person pronouns.
    SecondPerson "secondPerson" Character Root;
    /// Rate of third-person pronouns for people (not *it*, 它).
    ThirdPerson "thirdPerson" Character Root;
    /// Rate of words that name or show a feeling.
    Emotion "emotion" Character Root;
    /// Rate of words of thinking, knowing and remembering.
    Thought "thought" Character Root;
    /// Different words (Chinese: characters) in a window of 50, as a share (0..1), averaged over all windows: MATTR
    /// (Covington & McFall 2010). Of a shorter text, what it is above or below the usual for that length counts, in
    /// the share its length has of 50.
    LexicalVariety "lexicalVariety" Vocabulary Plain;
    /// English: mean letters of a word. Chinese: rate of four-character chunks (set phrases, 高高兴兴, and phrases of
    /// four between two marks).
    WordLength "wordLength" Vocabulary Plain;
    /// Rate of abstract nouns (suffixes -tion, -ness, … and common ones / 命运 意义).
    AbstractNouns "abstractNouns" Vocabulary Root;
    /// Rate of archaic or bookish words (hath, whence / 之乎者也矣).
    Archaic "archaic" Vocabulary Root;
    /// Rate of colloquial words (contractions, yeah / 吧呢啊).
    Colloquial "colloquial" Vocabulary Root;
    /// Rate of intensifiers (very, utterly / 非常 极).
    Intensifiers "intensifiers" Vocabulary Root;
    /// Rate of phrases that language models overuse (testament to / 不禁 一丝).
    Cliches "cliches" Vocabulary Root;
    /// Rate of capitals inside a sentence and of numbers; in Chinese of Latin words and of numbers in either script.
    NamesAndNumbers "namesAndNumbers" Vocabulary Root;
}

impl Feature {
    /// Its index in [`Features`](super::Features), 0..[`COUNT`](Self::COUNT).
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The scale of its quantity in `language`.
    #[must_use]
    pub const fn scale(self, language: Language) -> Scale {
        match (self, language) {
            (Self::WordLength, Language::Zh) => Scale::Root,
            _ => self.usual_scale(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_are_unique_camel_case_and_parse_back() {
        let names: HashSet<&str> = Feature::ALL.iter().map(|feature| feature.as_str()).collect();
        assert_eq!(names.len(), Feature::COUNT);
        for (at, feature) in Feature::ALL.into_iter().enumerate() {
            assert_eq!(feature.index(), at);
            assert_eq!(Feature::parse(feature.as_str()), Some(feature));
            assert!(feature.as_str().starts_with(char::is_lowercase));
            assert!(feature.as_str().chars().all(|c| c.is_ascii_alphabetic()));
        }
        assert_eq!(Feature::parse("Length"), None);
    }

    #[test]
    fn every_category_has_features() {
        let count = |category| Feature::ALL.iter().filter(|feature| feature.category() == category).count();
        let all = [Category::Pacing, Category::Style, Category::Structure, Category::Character, Category::Vocabulary];
        assert_eq!(all.map(count), [5, 19, 5, 5, 8]);
        assert_eq!(all.map(Category::as_str), ["pacing", "style", "structure", "character", "vocabulary"]);
    }

    #[test]
    fn a_scale_is_undone() {
        for scale in [Scale::Plain, Scale::Log, Scale::Root] {
            for quantity in [0.0, 0.5, 21.0, 400.0] {
                assert!((scale.undo(scale.apply(quantity)) - quantity).abs() < 1e-3);
            }
        }
    }
}
