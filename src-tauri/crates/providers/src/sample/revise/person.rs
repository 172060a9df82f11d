//! Converts narration from one grammatical person to the other, word by word and outside speech only. It cannot resolve
//! pronouns, which is sufficient for a sample.

use palimpsest_text::{Language, sentences};

use super::super::rules::Person;

/// Converts the narration to `person`, unless it is already.
pub(super) fn convert(text: &str, person: Person, language: Language) -> String {
    let narrated = super::super::cast::outside_quotes(text);
    let first = match language {
        Language::Zh => narrated.contains('我'),
        Language::En => narrated.split(|c: char| !c.is_alphabetic()).any(|w| matches!(w, "I" | "me" | "my" | "My")),
    };
    if first == (person == Person::First) {
        return text.to_owned();
    }
    match language {
        Language::Zh => edit_narration(text, |part| zh(part, person)),
        Language::En => edit_narration(text, |part| en(part, person)),
    }
}

/// Applies `edit` to the text outside quotation marks.
fn edit_narration(text: &str, edit: impl Fn(&str) -> String) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find(['“', '「']) {
        out.push_str(&edit(&rest[..open]));
        rest = &rest[open..];
        let close = rest
            .find(['”', '」', '\n'])
            .map_or(rest.len(), |at| at + rest[at..].chars().next().map_or(1, char::len_utf8));
        out.push_str(&rest[..close]);
        rest = &rest[close..];
    }
    out.push_str(&edit(rest));
    out
}

fn zh(text: &str, person: Person) -> String {
    match person {
        Person::Third => text.replace('我', "他"),
        // 其他 contains the character but not the pronoun; 他们 are usually others than the narrator.
        Person::First => {
            let protected = text.replace("其他", "其\u{1}").replace("他们", "\u{2}").replace("她们", "\u{3}");
            protected
                .replace(['他', '她'], "我")
                .replace("其\u{1}", "其他")
                .replace('\u{2}', "他们")
                .replace('\u{3}', "她们")
        }
    }
}

fn en(text: &str, person: Person) -> String {
    const THIRD: [(&str, &str); 12] = [
        ("I’m", "he’s"),
        ("I've", "he’s"),
        ("I’ve", "he’s"),
        ("I’d", "he’d"),
        ("I’ll", "he’ll"),
        ("am", "is"),
        ("I", "he"),
        ("me", "him"),
        ("my", "his"),
        ("mine", "his"),
        ("myself", "himself"),
        ("My", "His"),
    ];
    const FIRST: [(&str, &str); 12] = [
        ("he’s", "I’m"),
        ("He’s", "I’m"),
        ("she’s", "I’m"),
        ("She’s", "I’m"),
        ("he", "I"),
        ("He", "I"),
        ("she", "I"),
        ("She", "I"),
        ("him", "me"),
        ("himself", "myself"),
        ("his", "my"),
        ("His", "My"),
    ];
    let table = if person == Person::Third { THIRD } else { FIRST };
    let mut out = String::with_capacity(text.len());
    let mut word = String::new();
    for c in text.chars().chain(['\0']) {
        if c.is_alphabetic() || matches!(c, '’' | '\'') {
            word.push(c);
            continue;
        }
        match table.iter().find(|(from, _)| *from == word) {
            Some((_, to)) => out.push_str(to),
            None => out.push_str(&word),
        }
        word.clear();
        if c != '\0' {
            out.push(c);
        }
    }
    if person == Person::Third { with_capitals(&out) } else { out }
}

/// Restores the capital of `he` at the start of a sentence.
fn with_capitals(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    for sentence in sentences::split(text) {
        let Some(at) = rest.find(sentence) else {
            continue;
        };
        out.push_str(&rest[..at]);
        let pronoun = ["he ", "he’", "his "].iter().any(|w| sentence.starts_with(w));
        if pronoun {
            out.push('H');
            out.push_str(&sentence[1..]);
        } else {
            out.push_str(sentence);
        }
        rest = &rest[at + sentence.len()..];
    }
    out.push_str(rest);
    out
}
