//! Edits of English prose.

use std::ops::Range;

use palimpsest_learning::Direction;
use palimpsest_text::style::Feature;

use super::{Operation, Site, gaps, spans, swaps};

pub(super) fn towards(feature: Feature, direction: Direction) -> Vec<Operation> {
    use Direction::{Less, More};
    use Operation::{At, Everywhere, Put};
    match (feature, direction) {
        (Feature::SentenceLength, Less) => vec![At(splits)],
        (Feature::SentenceLength, More) => vec![At(joins)],
        (Feature::TimeShifts, Less) => vec![At(|text| drops(text, TIME))],
        (Feature::TimeShifts, More) => vec![Put(opens, &["Suddenly ", "Presently ", "At last ", "Then "])],
        (Feature::Exclamations, Less) => vec![At(|text| swaps(text, &[("!", ".")]))],
        (Feature::Exclamations, More) => vec![At(|text| full_stops(text, "!"))],
        (Feature::Questions, Less) => vec![At(|text| swaps(text, &[("?", ".")]))],
        (Feature::Questions, More) => vec![At(|text| full_stops(text, "?"))],
        (Feature::Ellipses, Less) => vec![At(|text| swaps(text, &[("...", ","), ("…", ",")]))],
        (Feature::Ellipses, More) => {
            vec![At(|text| swaps(text, &[(", ", "... "), ("; ", "... ")])), At(|text| full_stops(text, "..."))]
        }
        (Feature::Dashes, Less) => vec![At(|text| swaps(text, &[(" — ", ", "), ("—", ", "), ("--", ", ")]))],
        (Feature::Dashes, More) => vec![At(|text| swaps(text, &[(", ", " — "), ("; ", " — ")]))],
        (Feature::Commas, Less) => vec![At(|text| swaps(text, &[(", ", " ")]))],
        (Feature::Commas, More) => {
            vec![At(|text| {
                swaps(
                    text,
                    &[
                        (" and ", ", and "),
                        (" but ", ", but "),
                        (" with ", ", with "),
                        (" in ", ", in "),
                        (" of which", ", of which"),
                        (" when ", ", when "),
                        (" as ", ", as "),
                    ],
                )
            })]
        }
        (Feature::Semicolons, Less) => vec![At(|text| swaps(text, &[("; ", ", "), (": ", ", ")]))],
        (Feature::Semicolons, More) => vec![At(|text| swaps(text, &[(", ", "; ")]))],
        (Feature::Adverbs, Less) => vec![At(|text| dropped(text, is_adverb))],
        (Feature::Adverbs, More) => vec![Put(
            after_verbs,
            &[" quietly", " slowly", " gravely", " gently", " softly", " quickly", " sharply", " carefully"],
        )],
        (Feature::Adjectives, Less) => vec![At(|text| drops(text, ADJECTIVES))],
        (Feature::Adjectives, More) => {
            vec![Put(before_nouns, &["old ", "dark ", "small ", "grey ", "strange ", "narrow ", "quiet ", "pale "])]
        }
        (Feature::Hedges, Less) => {
            vec![
                At(|text| drops(text, HEDGES)),
                At(|text| {
                    swaps(
                        text,
                        &[
                            (" seemed to be ", " was "),
                            (" seemed ", " was "),
                            (" might ", " would "),
                            (" appeared ", " was "),
                        ],
                    )
                }),
            ]
        }
        (Feature::Hedges, More) => {
            vec![
                Put(after_verbs, &[" perhaps", " almost", " a little", " somewhat"]),
                At(|text| swaps(text, &[(" was ", " seemed "), (" would ", " might ")])),
            ]
        }
        (Feature::Similes, Less) => vec![At(similes)],
        (Feature::Similes, More) => vec![Put(
            before_marks,
            &[" like a shadow", " as if in a dream", " like a ghost", " as though nothing had happened"],
        )],
        (Feature::ConjunctionOpenings, Less) => vec![At(|text| openings(text, &["And ", "But ", "So ", "Yet "]))],
        (Feature::ConjunctionOpenings, More) => vec![Put(opens, &["And ", "But ", "Yet "])],
        (Feature::SpeechTags, Less) => vec![At(tags)],
        (Feature::SpeechTags, More) => {
            vec![Put(after_speech, &[" he said", " she said", " he answered", " she murmured"])]
        }
        (Feature::FirstPerson, Less) => vec![Everywhere(|text| {
            pronouns(
                text,
                &[("I", "he"), ("my", "his"), ("My", "His"), ("me", "him"), ("we", "they"), ("our", "their")],
            )
        })],
        (Feature::FirstPerson, More) => vec![Everywhere(|text| {
            pronouns(
                text,
                &[
                    ("he", "I"),
                    ("He", "I"),
                    ("his", "my"),
                    ("His", "My"),
                    ("him", "me"),
                    ("she", "I"),
                    ("She", "I"),
                    ("her", "my"),
                    ("they", "we"),
                ],
            )
        })],
        (Feature::Colloquial, Less) => vec![At(|text| swaps(text, LONG))],
        (Feature::Colloquial, More) => vec![At(|text| swaps(text, SHORT)), Put(opens, &["Well, oh, ", "Anyway, "])],
        (Feature::Intensifiers, Less) => vec![At(|text| drops(text, INTENSIFIERS))],
        (Feature::Intensifiers, More) => {
            vec![Put(before_adjectives, &["very ", "quite ", "utterly ", "extremely ", "really "])]
        }
        (Feature::Cliches, Less) => vec![At(|text| swaps(text, CLICHES))],
        (Feature::Cliches, More) => vec![Put(
            before_marks,
            &[
                ", a testament to time",
                " with a hint of sorrow",
                " for the first time",
                " in that moment",
                " with a sense of loss",
                ", bittersweet and fleeting",
            ],
        )],
        _ => Vec::new(),
    }
}

const TIME: &[&str] = &[
    "suddenly",
    "presently",
    "then",
    "soon",
    "immediately",
    "instantly",
    "at last",
    "at once",
    "at length",
    "eventually",
];
const HEDGES: &[&str] = &[
    "perhaps", "almost", "rather", "somewhat", "maybe", "possibly", "probably", "slightly", "nearly", "a little",
    "scarcely",
];
const INTENSIFIERS: &[&str] = &[
    "very",
    "quite",
    "utterly",
    "extremely",
    "really",
    "so",
    "too",
    "absolutely",
    "certainly",
    "indeed",
    "entirely",
    "perfectly",
    "highly",
];
const ADJECTIVES: &[&str] = &[
    "old", "young", "new", "little", "small", "great", "large", "long", "short", "dark", "bright", "pale", "strange",
    "narrow", "quiet", "grey", "black", "white", "red", "cold", "good", "poor", "fine", "whole", "single", "low",
    "high", "thin", "heavy",
];
const NOUNS: &[&str] = &[
    "man", "men", "woman", "house", "door", "room", "voice", "face", "eyes", "hand", "hands", "street", "window",
    "table", "night", "head", "place", "figure", "garden", "wall", "road", "friend", "party", "manner", "letter",
    "thing", "way", "time", "day",
];
const CLICHES: &[(&str, &str)] = &[
    (", a testament to time", ""),
    (" with a hint of sorrow", ""),
    (" for the first time", ""),
    (" in that moment", ""),
    (" with a sense of loss", ""),
    (", bittersweet and fleeting", ""),
    (" a sense of ", " "),
    (" once again", " again"),
    ("whispered", "said"),
    ("lingered", "stayed"),
    ("echoed", "repeated"),
    ("embraced", "held"),
];
const LONG: &[(&str, &str)] = &[
    ("n't", " not"),
    ("'m ", " am "),
    ("'re ", " are "),
    ("'ll ", " will "),
    ("'ve ", " have "),
    ("Well, oh, ", ""),
    ("Anyway, ", ""),
    ("it's", "it is"),
    ("that's", "that is"),
    ("he's", "he is"),
    ("there's", "there is"),
];
const SHORT: &[(&str, &str)] = &[
    ("did not", "didn't"),
    ("was not", "wasn't"),
    ("could not", "couldn't"),
    ("would not", "wouldn't"),
    ("had not", "hadn't"),
    ("is not", "isn't"),
    ("do not", "don't"),
    ("were not", "weren't"),
    ("it is", "it's"),
    ("that is", "that's"),
    ("I am", "I'm"),
    ("I have", "I've"),
    ("he had", "he'd"),
    ("she had", "she'd"),
    ("they had", "they'd"),
    ("I had", "I'd"),
    ("he would", "he'd"),
    ("you are", "you're"),
    ("I will", "I'll"),
];

/// The ranges of words; an apostrophe is a part of its word.
fn words(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        let inside = c.is_alphabetic() || (c == '\'' && start.is_some());
        match (start, inside) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                found.push(from..at);
                start = None;
            }
            _ => {}
        }
    }
    found
}

/// Deletes a word with the space and the comma that belong to it; a capital letter moves to the next word.
fn struck(text: &str, word: Range<usize>) -> Site {
    let is_first = text[word.clone()].starts_with(char::is_uppercase);
    let mut rest = text[word.end..].chars();
    let mut end = word.end;
    let mut next = rest.next();
    if next == Some(',') {
        end += 1;
        next = rest.next();
    }
    if next == Some(' ') {
        let first = rest.next();
        end += 1;
        return match first {
            Some(c) if is_first => (word.start..end + c.len_utf8(), c.to_uppercase().collect()),
            _ => (word.start..end, String::new()),
        };
    }
    let start = if text[..word.start].ends_with(' ') { word.start - 1 } else { word.start };
    (start..end, String::new())
}

fn dropped(text: &str, is_it: fn(&str) -> bool) -> Vec<Site> {
    words(text).into_iter().filter(|word| is_it(&text[word.clone()])).map(|word| struck(text, word)).collect()
}

fn drops(text: &str, list: &[&str]) -> Vec<Site> {
    let words = words(text);
    let mut sites = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let one = text[word.clone()].to_lowercase();
        if list.contains(&one.as_str()) {
            sites.push(struck(text, word.clone()));
        } else if let Some(next) = words.get(at + 1) {
            let two = text[word.start..next.end].to_lowercase();
            if list.contains(&two.as_str()) {
                sites.push(struck(text, word.start..next.end));
            }
        }
    }
    sites
}

fn is_adverb(word: &str) -> bool {
    word.len() > 5
        && word.ends_with("ly")
        && !matches!(
            word,
            "family"
                | "lovely"
                | "friendly"
                | "likely"
                | "lonely"
                | "assembly"
                | "silly"
                | "elderly"
                | "really"
                | "utterly"
                | "extremely"
                | "entirely"
                | "perfectly"
                | "certainly"
                | "highly"
                | "suddenly"
                | "nearly"
                | "possibly"
                | "probably"
                | "slightly"
                | "scarcely"
                | "presently"
                | "immediately"
                | "absolutely"
        )
}

fn is_verb(word: &str) -> bool {
    (word.len() > 4 && word.ends_with("ed"))
        || matches!(
            word,
            "said"
                | "came"
                | "went"
                | "spoke"
                | "stood"
                | "sat"
                | "saw"
                | "took"
                | "ran"
                | "felt"
                | "heard"
                | "fell"
                | "rose"
                | "knew"
                | "thought"
        )
}

fn after_verbs(text: &str) -> Vec<usize> {
    words(text).into_iter().filter(|word| is_verb(&text[word.clone()])).map(|word| word.end).collect()
}

fn before(text: &str, list: &[&str]) -> Vec<usize> {
    words(text).into_iter().filter(|word| list.contains(&&text[word.clone()])).map(|word| word.start).collect()
}

fn before_nouns(text: &str) -> Vec<usize> {
    before(text, NOUNS)
}

fn before_adjectives(text: &str) -> Vec<usize> {
    before(text, ADJECTIVES)
}

/// The positions after a word and before a comma, a semicolon or a full stop.
fn before_marks(text: &str) -> Vec<usize> {
    let is_mark =
        |(at, c): &(usize, char)| matches!(c, '.' | ',' | ';') && text[..*at].ends_with(|c: char| c.is_lowercase());
    text.char_indices().filter(is_mark).map(|(at, _)| at).collect()
}

/// The beginnings of narrated sentences.
fn opens(text: &str) -> Vec<usize> {
    let starts = spans(text).into_iter().map(|span| span.start);
    starts.filter(|at| text[*at..].starts_with(char::is_uppercase)).collect()
}

fn openings(text: &str, list: &[&str]) -> Vec<Site> {
    let mut sites = Vec::new();
    for start in opens(text) {
        if let Some(opening) = list.iter().find(|opening| text[start..].starts_with(**opening)) {
            let rest = &text[start + opening.len()..];
            let Some(first) = rest.chars().next() else { continue };
            sites.push((start..start + opening.len() + first.len_utf8(), first.to_uppercase().collect()));
        }
    }
    sites
}

/// Full stops at the ends of sentences, replaced by a mark.
fn full_stops(text: &str, mark: &str) -> Vec<Site> {
    let mut sites = Vec::new();
    for span in spans(text) {
        let body = text[span.clone()].trim_end_matches(['"', '\'', '”', '’']);
        if let Some(rest) = body.strip_suffix('.')
            && !rest.ends_with('.')
        {
            let at = span.start + rest.len();
            sites.push((at..at + 1, mark.to_owned()));
        }
    }
    sites
}

/// Ends of clauses, turned into ends of sentences.
fn splits(text: &str) -> Vec<Site> {
    let mut sites = Vec::new();
    for (joint, skip) in [(", and ", 6), (", but ", 6), ("; and ", 6), ("; but ", 6), ("; ", 2), (": ", 2), (", ", 2)] {
        for (at, _) in text.match_indices(joint) {
            let rest = &text[at + skip..];
            let long = |side: &str| side.split_whitespace().count() >= 4;
            let ahead = rest.split(['.', '!', '?', ';', '\n']).next().unwrap_or("");
            let behind = text[..at].rsplit(['.', '!', '?', ';', '\n']).next().unwrap_or("");
            let Some(first) = rest.chars().next() else { continue };
            if long(ahead) && long(behind) && first.is_alphabetic() {
                sites.push((at..at + skip + first.len_utf8(), format!(". {}", first.to_uppercase())));
            }
        }
    }
    sites
}

/// Pairs of sentences, joined into one.
fn joins(text: &str) -> Vec<Site> {
    let mut sites = Vec::new();
    for gap in gaps(text) {
        let Some(first) = text[gap.end..].chars().next() else { continue };
        if text[..gap.start].ends_with('.') && first.is_alphabetic() {
            let word: String = text[gap.end..].chars().take_while(|c| c.is_alphabetic()).collect();
            let keeps = word == "I"
                || !matches!(
                    word.as_str(),
                    "The"
                        | "He"
                        | "She"
                        | "It"
                        | "They"
                        | "There"
                        | "A"
                        | "His"
                        | "Her"
                        | "But"
                        | "And"
                        | "This"
                        | "That"
                        | "In"
                        | "At"
                        | "We"
                        | "You"
                        | "What"
                        | "When"
                        | "As"
                        | "If"
                        | "For"
                        | "Then"
                        | "An"
                );
            let first = if keeps { first.to_string() } else { first.to_lowercase().collect() };
            let joint = if matches!(word.as_str(), "And" | "But") { ", " } else { ", and " };
            let end = gap.end + text[gap.end..].chars().next().map_or(0, char::len_utf8);
            sites.push((gap.start - 1..end, format!("{joint}{first}")));
        }
    }
    sites
}

/// Comparisons up to the next mark, deleted.
fn similes(text: &str) -> Vec<Site> {
    let mut sites = Vec::new();
    for opening in [" like a ", " like an ", " like some ", " as if ", " as though "] {
        for (at, _) in text.match_indices(opening) {
            let length = text[at..].find([',', '.', ';', '!', '?', '\n', '"']).unwrap_or(text.len() - at);
            sites.push((at..at + length, String::new()));
        }
    }
    sites
}

/// `, he said` next to speech.
fn tags(text: &str) -> Vec<Site> {
    const TAGS: [&str; 14] = [
        " he said",
        " she said",
        " said he",
        " said she",
        " I said",
        " cried he",
        " he answered",
        " she answered",
        " he replied",
        " replied she",
        " she murmured",
        " he cried",
        " asked the",
        " said the",
    ];
    TAGS.iter().flat_map(|tag| text.match_indices(tag)).map(|(at, tag)| (at..at + tag.len(), String::new())).collect()
}

fn after_speech(text: &str) -> Vec<usize> {
    let mut open = false;
    let mut ends = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '"' if open => {
                ends.push(at + 1);
                open = false;
            }
            '"' => open = true,
            '”' => ends.push(at + c.len_utf8()),
            '\n' => open = false,
            _ => {}
        }
    }
    ends
}

fn pronouns(text: &str, pairs: &[(&str, &str)]) -> Vec<Site> {
    let to = |word: &Range<usize>| pairs.iter().find(|(from, _)| *from == &text[word.clone()]).map(|(_, to)| *to);
    words(text).into_iter().filter_map(|word| to(&word).map(|to| (word, to.to_owned()))).collect()
}
