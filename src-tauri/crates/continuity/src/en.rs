//! The words of an English sentence, and the words by which it says that it asserts nothing.

use crate::sentences::Sentence;

/// A word of a sentence.
#[derive(Debug)]
pub(crate) struct Word<'t> {
    /// In small letters, with a straight apostrophe, without a possessive ending.
    pub(crate) lower: String,
    /// Byte of the sentence at which it starts.
    pub(crate) start: usize,
    /// Byte at which it ends, with a possessive ending.
    pub(crate) end: usize,
    /// Whether it ends with `'s`, or with the apostrophe of a plural.
    pub(crate) is_possessive: bool,
    /// The marks between the word before and this one, without white space.
    pub(crate) marks: &'t str,
}

/// The words of a sentence, with those of speech.
#[derive(Debug)]
pub(crate) struct Words<'t> {
    pub(crate) all: Vec<Word<'t>>,
}

impl<'t> Words<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        let mut all: Vec<Word<'t>> = Vec::new();
        let mut last_end = 0;
        let mut start = None;
        let mut chars = text.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let is_joint = matches!(c, '\'' | '’' | '-' | '‐')
                && start.is_some()
                && chars.peek().is_some_and(|(_, next)| next.is_alphanumeric());
            if c.is_alphanumeric() || is_joint {
                start = start.or(Some(at));
            }
            let is_last = chars.peek().is_none();
            let ends = start.filter(|_| is_last || !c.is_alphanumeric() && !is_joint);
            if let Some(from) = ends {
                let to = if c.is_alphanumeric() { text.len() } else { at };
                let word = &text[from..to];
                let bare = ["'s", "’s"].iter().find_map(|end| word.strip_suffix(end));
                let is_plural = word.ends_with('s') && matches!(c, '\'' | '’');
                // Inside a sentence `May` and `Will` are a month and a name.
                let is_name = matches!(word, "May" | "Will") && !all.is_empty();
                let lower = bare.unwrap_or(word).to_lowercase().replace('’', "'").replace('‐', "-");
                all.push(Word {
                    lower: if is_name { word.to_owned() } else { lower },
                    start: from,
                    end: to,
                    is_possessive: bare.is_some() || is_plural,
                    marks: text[last_end..from].trim(),
                });
                last_end = to;
                start = None;
            }
        }
        Self { all }
    }

    /// The word in small letters; empty outside the sentence.
    pub(crate) fn lower(&self, at: usize) -> &str {
        self.all.get(at).map_or("", |word| word.lower.as_str())
    }

    /// The word, unless marks stand between it and the word before.
    pub(crate) fn joined(&self, at: usize) -> &str {
        self.all.get(at).filter(|word| word.marks.is_empty()).map_or("", |word| word.lower.as_str())
    }

    /// Whether a clause ends before a word: at marks, or at the end of the sentence.
    pub(crate) fn ends_before(&self, at: usize) -> bool {
        self.all.get(at).is_none_or(|word| !word.marks.is_empty())
    }

    /// The number of the word that starts at a byte or later.
    pub(crate) fn word_at(&self, byte: usize) -> usize {
        self.all.partition_point(|word| word.start < byte)
    }

    pub(crate) fn has(&self, list: &[&str]) -> bool {
        self.all.iter().any(|word| list.contains(&word.lower.as_str()))
    }

    /// Whether the words from a number on are those of a phrase.
    pub(crate) fn is_at(&self, at: usize, phrase: &str) -> bool {
        phrase.split(' ').enumerate().all(|(number, word)| match number {
            0 => self.lower(at) == word,
            _ => self.joined(at + number) == word,
        })
    }

    pub(crate) fn has_phrase(&self, phrases: &[&str]) -> bool {
        (0..self.all.len()).any(|at| phrases.iter().any(|phrase| self.is_at(at, phrase)))
    }
}

/// Nouns for relatives, friends and other people who are not named.
pub(crate) const KIN: [&str; 30] = [
    "husband",
    "wife",
    "father",
    "mother",
    "son",
    "daughter",
    "brother",
    "sister",
    "uncle",
    "aunt",
    "nephew",
    "niece",
    "cousin",
    "grandfather",
    "grandmother",
    "grandson",
    "granddaughter",
    "baby",
    "bride",
    "bridegroom",
    "lover",
    "friend",
    "servant",
    "sons",
    "daughters",
    "children",
    "somebody",
    "someone",
    "stranger",
    "landlady",
];
/// Words of dreams, pictures and other unreal things.
const UNREAL: [&str; 48] = [
    "apparition",
    "daydream",
    "dream",
    "dreamed",
    "dreaming",
    "dreams",
    "dreamt",
    "delirium",
    "engraving",
    "fancied",
    "fancy",
    "fantasy",
    "ghost",
    "ghostly",
    "ghosts",
    "hallucination",
    "haunted",
    "illusion",
    "imagination",
    "imagine",
    "imagined",
    "legend",
    "likeness",
    "miniature",
    "nightmare",
    "painted",
    "painter",
    "painting",
    "phantom",
    "photograph",
    "picture",
    "pictured",
    "portrait",
    "pretended",
    "pretending",
    "rumour",
    "rumor",
    "rumours",
    "shade",
    "sleep",
    "spectre",
    "specter",
    "spirit",
    "statue",
    "story",
    "tale",
    "vision",
    "visions",
];

/// Words by which a sentence states what somebody thinks or says.
const THOUGHTS: [&str; 29] = [
    "perhaps",
    "maybe",
    "possibly",
    "probably",
    "supposed",
    "suppose",
    "supposing",
    "thought",
    "believed",
    "believe",
    "feared",
    "hoped",
    "hope",
    "wished",
    "wish",
    "reported",
    "presumed",
    "assumed",
    "expected",
    "guessed",
    "seemed",
    "seem",
    "seems",
    "appeared",
    "claimed",
    "declared",
    "swore",
    "lied",
    "insisted",
];

/// Words before a verb by which a sentence states what may be.
pub(crate) const MODALS: [&str; 12] =
    ["if", "unless", "whether", "would", "wouldn't", "should", "could", "might", "may", "will", "shall", "must"];

const COMPARISONS: [&str; 9] = [
    "as if",
    "as though",
    "like a",
    "like one",
    "like the",
    "as good as",
    "so to speak",
    "no more than a",
    "given out",
];

/// Words by which a sentence looks back.
const LOOKS_BACK: [&str; 33] = [
    "ago",
    "always",
    "before",
    "boyhood",
    "childhood",
    "earlier",
    "ever",
    "former",
    "formerly",
    "girlhood",
    "living",
    "alive",
    "memories",
    "memory",
    "never",
    "often",
    "once",
    "previously",
    "recall",
    "recalled",
    "recalling",
    "recollect",
    "recollected",
    "recollection",
    "remember",
    "remembered",
    "remembering",
    "remembers",
    "reminded",
    "reminiscence",
    "used",
    "youth",
    "whenever",
];

/// Whether a sentence tells of something unreal, or compares.
pub(crate) fn is_unreal(words: &Words<'_>) -> bool {
    names_unreal(words) || words.has_phrase(&COMPARISONS)
}

/// Whether a sentence has a word of dreams, pictures and other unreal things.
pub(crate) fn names_unreal(words: &Words<'_>) -> bool {
    words.has(&UNREAL)
}

/// Whether a sentence states what somebody thinks or says.
pub(crate) fn is_thought(words: &Words<'_>) -> bool {
    words.has(&THOUGHTS)
}

/// Whether words before a number of a word state what somebody thinks or says.
pub(crate) fn is_thought_before(words: &Words<'_>, before: usize) -> bool {
    (0..before).any(|at| THOUGHTS.contains(&words.lower(at)))
}

/// Whether words before a number of a word make it what may be.
pub(crate) fn is_conditional(words: &Words<'_>, before: usize) -> bool {
    let clause = (0..before).rev().find(|&at| !words.all[at].marks.is_empty()).unwrap_or(0);
    (0..before).any(|at| matches!(words.lower(at), "if" | "unless" | "whether"))
        || (clause..before).any(|at| MODALS.contains(&words.lower(at)))
}

/// Whether a sentence looks back to an earlier time.
pub(crate) fn looks_back(words: &Words<'_>) -> bool {
    words.has(&LOOKS_BACK) || words.has_phrase(&["in those days", "in his day", "in her day", "the old days"])
}

/// The words of a sentence, with none of its speech. Names are as written, so that *May* and *Will* are no verbs.
pub(crate) fn narration<'t>(sentence: &Sentence<'t>) -> Words<'t> {
    let mut words = Words::new(sentence.text);
    words.all.retain(|word| !sentence.is_spoken(word.start));
    for mention in &sentence.mentions {
        let (from, to) = (words.word_at(mention.range.start), words.word_at(mention.range.end));
        for word in &mut words.all[from..to] {
            sentence.text[word.start..word.end].clone_into(&mut word.lower);
        }
    }
    words
}

/// Past forms of verbs of action that do not end with `ed`.
pub(crate) const ACTS: [&str; 117] = [
    "wound", "spun", "wrung", "dug", "clung", "stuck", "bit", "bound", "burst", "cast", "dealt", "ground", "sank",
    "shrank", "slung", "slunk", "sped", "spat", "split", "spread", "strove", "swore", "thrust", "trod", "wept", "won",
    "wove", "withdrew", "bade", "fed", "quit", "tied", "eyed", "lied", "ate", "began", "bent", "blew", "bought",
    "bowed", "broke", "brought", "built", "came", "caught", "chose", "crept", "cut", "drank", "drew", "drove", "fell",
    "fled", "flew", "flung", "fought", "found", "gave", "got", "grew", "held", "hid", "hit", "hung", "hurt", "kept",
    "knelt", "laid", "leant", "leapt", "led", "left", "lent", "let", "lit", "lost", "made", "met", "paid", "put",
    "ran", "rang", "read", "rode", "rose", "said", "sang", "sat", "saw", "sent", "set", "shook", "shot", "shut",
    "slept", "slid", "slipped", "sold", "spent", "spoke", "sprang", "stole", "stood", "strode", "struck", "swam",
    "swept", "swung", "taught", "threw", "took", "tore", "went", "woke", "wore", "wrote", "told",
];

/// Verbs of a tag of speech.
pub(crate) const SAYS: [&str; 21] = [
    "said",
    "says",
    "cried",
    "replied",
    "answered",
    "exclaimed",
    "whispered",
    "muttered",
    "added",
    "returned",
    "told",
    "remarked",
    "declared",
    "observed",
    "announced",
    "continued",
    "called",
    "sighed",
    "repeated",
    "began",
    "explained",
];

/// The character that says the speech of a sentence, by a tag: `said Mara`, `Mara said`.
pub(crate) fn speaker(sentence: &Sentence<'_>) -> Option<usize> {
    if sentence.speech.is_empty() {
        return None;
    }
    let words = narration(sentence);
    let mut tags =
        sentence.mentions.iter().filter(|mention| !sentence.is_spoken(mention.range.start)).filter(|mention| {
            let (first, after) = (words.word_at(mention.range.start), words.word_at(mention.range.end));
            let is_behind = first > 0 && SAYS.contains(&words.lower(first - 1)) && words.all[first].marks.is_empty();
            // `Tobias told Mara`: she is told.
            let is_told = matches!(words.lower(first.saturating_sub(1)), "told" | "called") && first > 0;
            let is_owner = after.checked_sub(1).and_then(|at| words.all.get(at)).is_none_or(|word| word.is_possessive);
            let adverb = usize::from(words.joined(after).ends_with("ly"));
            (is_behind && !is_told || SAYS.contains(&words.joined(after + adverb))) && !is_owner
        });
    let only = tags.next()?.entity;
    tags.all(|other| other.entity == only).then_some(only)
}
