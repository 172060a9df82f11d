//! Edits the writer's passage in small moves. The passage is never replaced as a whole.

mod moves;
mod person;
mod tables;

use palimpsest_text::{Language, count, is_han, sentences};

use super::cast::Cast;
use super::compose::{Manner, append_sentence, default_long, default_short, indent, join, recapitalize};
use super::prompt::Prompt;
use super::random::SeededRandom;
use super::rules::{Length, Style};

/// Trims a few words, varies one or two, and makes two small moves chosen by the seed.
pub(super) fn polish(prompt: &Prompt<'_>, style: &Style, seed: u64, random: &mut SeededRandom) -> String {
    let language = prompt.language;
    let text = trim(prompt.selection, language);
    let text = replace_synonyms(&text, language, 2, random);
    // Neighbouring seeds begin at different moves, so that candidates differ if the passage allows it.
    let text = moves::apply(&text, seed, 2, language);
    apply_style(&text, style, language)
}

/// Varies more, makes more moves, and cuts or joins sentences according to the rules or the seed.
pub(super) fn rewrite(prompt: &Prompt<'_>, style: &Style, seed: u64, random: &mut SeededRandom) -> String {
    let language = prompt.language;
    let text = trim(prompt.selection, language);
    let text = replace_synonyms(&text, language, 12, random);
    let text = style.person.map_or(text.clone(), |person| person::convert(&text, person, language));
    let mut style = *style;
    if style.sentences.is_none() {
        style.sentences = Manner::for_seed(&style, seed, language).lean();
    }
    apply_style(&moves::apply(&text, seed, 3, language), &style, language)
}

/// Trims, then drops whole sentences, or some clauses, or both.
pub(super) fn condense(prompt: &Prompt<'_>, style: &Style, seed: u64, random: &mut SeededRandom) -> String {
    let language = prompt.language;
    let mut text = trim(prompt.selection, language);
    let all: usize = text.lines().map(|line| sentences::split(line).len()).sum();
    let sentences = all >= 3 && seed % 3 != 1;
    if sentences {
        text = drop_sentences(&text, (all / 3).max(1), language, random);
    }
    if !sentences || seed % 3 == 2 {
        text = drop_clauses(&text, random);
    }
    apply_style(&text, style, language)
}

/// Applies the rules for exclamation marks and sentence length to a text.
pub(super) fn apply_style(text: &str, style: &Style, language: Language) -> String {
    let calm = match style.exclamation {
        Some(false) => without_exclamation(text),
        _ => text.to_owned(),
    };
    match style.sentences {
        Some(Length::Short(limit)) => {
            let limit = limit.unwrap_or(default_short(language));
            by_line(&calm, |line| shorten(line, limit, language))
        }
        Some(Length::Long(limit)) => {
            let limit = limit.unwrap_or(default_long(language));
            let cast = Cast::from_passage(text, language, None);
            by_line(&calm, |line| lengthen(line, limit, &cast, language))
        }
        None => calm,
    }
}

fn by_line(text: &str, edit: impl Fn(&str) -> String) -> String {
    text.split('\n').map(edit).collect::<Vec<_>>().join("\n")
}

fn without_exclamation(text: &str) -> String {
    let mut calm = text.to_owned();
    for (loud, quiet) in [("？！", "？"), ("！？", "？"), ("?!", "?"), ("!?", "?"), ("！", "。"), ("!", ".")] {
        calm = calm.replace(loud, quiet);
    }
    while calm.contains("。。") {
        calm = calm.replace("。。", "。");
    }
    // `!!!` became three stops, which would be a pause.
    while calm.contains("..") && !text.contains("..") {
        calm = calm.replace("..", ".");
    }
    calm
}

/// Removes intensifiers and padding.
fn trim(text: &str, language: Language) -> String {
    match language {
        Language::Zh => {
            let padding = tables::PADDING_ZH.iter();
            without_hen(&padding.fold(double_adjectives(text), |text, (from, to)| text.replace(from, to)))
        }
        Language::En => {
            let mut out = text.to_owned();
            for padding in tables::PADDING_EN {
                out = replace_word(&out, padding, "");
            }
            out
        }
    }
}

/// Removes 很 from `走得很慢` and `很高的墙`, where it adds nothing. Elsewhere Chinese needs it.
fn without_hen(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let mut ahead = chars.clone();
        let next = ahead.next();
        let needed = next.is_none_or(|next| !is_han(next) || tables::NEEDS_HEN.contains(next));
        let attribute = ahead.next() == Some('的');
        if c != '很' || needed || !(out.ends_with('得') || attribute) {
            out.push(c);
        }
    }
    out
}

/// Replaces `非常慢地` by `慢慢地`: a bare adjective cannot precede 地.
fn double_adjectives(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("非常") {
        out.push_str(&rest[..at]);
        rest = &rest[at + "非常".len()..];
        let mut chars = rest.chars();
        if let (Some(c), Some('地')) = (chars.next(), chars.next()) {
            out.push(c);
        }
    }
    out.push_str(rest);
    out
}

/// Replaces at most `max` words by synonyms.
fn replace_synonyms(text: &str, language: Language, max: usize, random: &mut SeededRandom) -> String {
    let table = match language {
        Language::Zh => tables::SAME_ZH,
        Language::En => tables::SAME_EN,
    };
    let mut out = text.to_owned();
    let mut done = 0;
    let start = random.below(table.len());
    for (from, to) in table.iter().cycle().skip(start).take(table.len()) {
        if done == max {
            break;
        }
        let is_present = match language {
            Language::Zh => out.contains(from),
            Language::En => replace_word(&out, from, to) != out,
        };
        if is_present && random.happens(3, 4) {
            out = match language {
                Language::Zh => out.replacen(from, to, 1),
                Language::En => replace_word(&out, from, to),
            };
            done += 1;
        }
    }
    out
}

/// Replaces whole words of narration or speech, preserves a capital at the start, and leaves no double space.
fn replace_word(text: &str, from: &str, to: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    // ASCII case folding keeps byte offsets.
    while let Some(at) = rest.to_ascii_lowercase().find(from) {
        let end = at + from.len();
        let before = rest[..at].chars().next_back().or_else(|| out.chars().next_back());
        let whole = !before.is_some_and(is_word) && !rest[end..].starts_with(is_word);
        if !whole {
            out.push_str(&rest[..end]);
            rest = &rest[end..];
            continue;
        }
        out.push_str(&rest[..at]);
        let capital = rest[at..].starts_with(char::is_uppercase);
        rest = &rest[end..];
        if to.is_empty() {
            rest = rest.strip_prefix(", ").or_else(|| rest.strip_prefix(' ')).unwrap_or(rest);
            if rest.starts_with(['.', ',', ';', '!', '?', '”']) {
                out.truncate(out.trim_end_matches([' ', ',']).len());
            }
            if capital {
                let first = rest.chars().next().map_or(0, char::len_utf8);
                out.extend(rest[..first].chars().flat_map(char::to_uppercase));
                rest = &rest[first..];
            }
        } else if capital {
            out.push_str(&super::cast::capitalize(to));
        } else {
            out.push_str(to);
        }
    }
    out.push_str(rest);
    out
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '\'' | '’' | '-')
}

/// Cuts sentences that are too long at suitable points.
fn shorten(line: &str, limit: u32, language: Language) -> String {
    let cut: Vec<String> = sentences::split(line)
        .into_iter()
        .map(|sentence| {
            if count::words(sentence) < limit {
                return sentence.to_owned();
            }
            match language {
                Language::Zh => cut_zh(sentence, limit),
                Language::En => cut_en(sentence),
            }
        })
        .collect();
    join_line(line, &cut, language)
}

fn cut_zh(sentence: &str, limit: u32) -> String {
    let mut out = String::new();
    let mut since = 0_u32;
    let mut quoted = false;
    let mut chars = sentence.chars().peekable();
    while let Some(c) = chars.next() {
        quoted = match c {
            '“' | '「' => true,
            '”' | '」' => false,
            _ => quoted,
        };
        let rest: String = chars.clone().take_while(|c| !matches!(c, '，' | '；' | '。' | '！' | '？')).collect();
        // A speech tag retains its comma, and two short clauses stay together.
        let breaks = matches!(c, '，' | '；')
            && !quoted
            && !out.ends_with('”')
            && since >= 3
            && since + count::words(&rest) >= limit.min(12);
        if breaks && count::words(&rest) >= 2 {
            out.push('。');
            since = 0;
        } else {
            since += count::words(c.encode_utf8(&mut [0; 4]));
            out.push(c);
        }
    }
    out
}

fn cut_en(sentence: &str) -> String {
    let mut out = sentence.to_owned();
    for (at_join, starts) in [("; ", ""), (", and ", ""), (", but ", "But "), (", then ", "Then "), (", so ", "So ")] {
        let parts: Vec<&str> = out.split(at_join).collect();
        let mut cut = String::new();
        for (i, part) in parts.iter().enumerate() {
            if i == 0 {
                cut.push_str(part);
                continue;
            }
            // Inside speech, and before a fragment, the join stays.
            let quoted = cut.matches('“').count() > cut.matches('”').count();
            if quoted || count::words(part) < 3 {
                cut.push_str(at_join);
                cut.push_str(part);
            } else if starts.is_empty() {
                cut.push_str(". ");
                cut.push_str(&recapitalize(part));
            } else {
                cut.push_str(". ");
                cut.push_str(starts);
                cut.push_str(part);
            }
        }
        out = cut;
    }
    out
}

/// Joins neighbouring sentences that are too short, except speech.
fn lengthen(line: &str, limit: u32, cast: &Cast, language: Language) -> String {
    let mut out: Vec<String> = Vec::new();
    for sentence in sentences::split(line) {
        let speech = |s: &str| s.contains(['“', '”', '"', '「']);
        match out.last_mut() {
            Some(last)
                if count::words(last) < limit
                    && !speech(last)
                    && !speech(sentence)
                    && !last.ends_with(['？', '?', '…']) =>
            {
                *last = join(last, sentence, cast, language);
            }
            _ => out.push(sentence.to_owned()),
        }
    }
    join_line(line, &out, language)
}

/// Joins sentences to a line with the indent of the original.
fn join_line(line: &str, sentences: &[String], language: Language) -> String {
    let mut out = indent(line).to_owned();
    for sentence in sentences {
        append_sentence(&mut out, sentence, language);
    }
    out
}

/// Drops `how_many` sentences: never the first, never speech, the longest of the rest first.
fn drop_sentences(text: &str, how_many: usize, language: Language, random: &mut SeededRandom) -> String {
    let all: Vec<&str> = sentences::split(text);
    let mut open: Vec<(u32, usize)> = all
        .iter()
        .enumerate()
        .filter(|(_, s)| !s.starts_with('#'))
        .skip(1)
        .filter(|(_, s)| !s.contains(['“', '”', '"', '「']))
        // Half of the score is random, so that candidates do not all drop the same ones.
        .map(|(at, s)| (count::words(s) / 2 + u32::try_from(random.below(24)).unwrap_or(0), at))
        .collect();
    open.sort_unstable_by(|a, b| b.cmp(a));
    let dropped: Vec<&str> = open.into_iter().take(how_many).map(|(_, at)| all[at]).collect();
    let is_retained = |s: &&str| !dropped.iter().any(|g| std::ptr::eq(g.as_ptr(), s.as_ptr()));
    let left = |line: &str| -> Vec<String> {
        sentences::split(line).into_iter().filter(is_retained).map(str::to_owned).collect()
    };
    let lines: Vec<String> = text.split('\n').map(|line| join_line(line, &left(line), language)).collect();
    // An empty paragraph leaves no gap.
    let mut out = String::new();
    for (at, line) in lines.iter().enumerate() {
        if line.trim().is_empty() && (out.is_empty() || out.ends_with("\n\n")) {
            continue;
        }
        out.push_str(line);
        if at + 1 < lines.len() {
            out.push('\n');
        }
    }
    out.trim_end().to_owned()
}

/// Drops one clause from the middle of every sentence with at least three that is no speech.
fn drop_clauses(text: &str, random: &mut SeededRandom) -> String {
    let mut out = text.to_owned();
    for sentence in sentences::split(text) {
        let parts = clauses(sentence);
        if sentence.contains(['“', '"', '「']) || parts.len() < 3 {
            continue;
        }
        let dropped = 1 + random.below(parts.len() - 2);
        let shortened: String =
            parts.iter().enumerate().filter(|(at, _)| *at != dropped).map(|(_, part)| *part).collect();
        out = out.replacen(sentence, shortened.trim_end(), 1);
    }
    out
}

/// Splits a sentence at its commas; each clause includes the comma and space after it.
fn clauses(sentence: &str) -> Vec<&str> {
    sentence.split_inclusive(['，']).flat_map(|part| part.split_inclusive(", ")).collect()
}
