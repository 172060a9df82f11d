//! The lines of a prompt that are no text of the book.

use crate::words::{plain_words, words};

/// The sections of a prompt whose lines are text of the book or the writer's own words: a draft may contain them.
const TEXT_SECTIONS: [&str; 5] = ["before", "selection", "after", "wish", "book"];

/// The lines of a message that are the program's: its instructions, tags, headers, memories and the task.
#[must_use]
pub fn prompt_lines(message: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut text_section = None;
    for line in message.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(section) = text_section {
            if line.strip_prefix("</").and_then(|rest| rest.strip_suffix('>')) == Some(section) {
                text_section = None;
            }
            continue;
        }
        let opened = line.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
        text_section = opened.filter(|tag| TEXT_SECTIONS.contains(tag));
        lines.push(line.to_owned());
    }
    lines
}

/// The program's notes on a rule, which no prose contains.
const NOTES: [&str; 6] = ["(confidence:", "confirmed by the writer", "(置信度", "（置信度", "用户已确认", "（置信度："];

/// Minimum number of words of a line without a bullet that is compared.
const MIN_WORDS: usize = 4;
/// A line that agrees with a line of the prompt in so many words repeats it.
const ENOUGH_WORDS: usize = 12;

/// The lines of a prompt, prepared for comparison.
#[derive(Debug)]
pub(crate) struct PromptLines {
    lines: Vec<Vec<String>>,
    /// Headers in square brackets: `[Task]`.
    headers: Vec<String>,
}

/// The comparison of the beginning of a line with the prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Likeness {
    /// It may become a line of the prompt.
    Open,
    /// It is a line of the prompt.
    Same,
    /// It is none.
    Other,
}

impl PromptLines {
    pub(crate) fn new(lines: &[String]) -> Self {
        let mut compared = Vec::new();
        let mut headers = Vec::new();
        for line in lines {
            if let Some((header, rest)) = line.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
                headers.push(format!("[{header}]"));
                // The task by its name alone, and its sentence alone.
                if let Some((name, sentence)) = rest.split_once('：').or_else(|| rest.split_once(": ")) {
                    compared.extend([plain_words(&format!("{header} {name}")), plain_words(sentence)]);
                }
            }
            compared.push(plain_words(line));
            // A rule without its note.
            if let Some(at) = line.find(" (confidence").or_else(|| line.find('（')) {
                compared.push(plain_words(&line[..at]));
            }
        }
        compared.retain(|words| !words.is_empty());
        Self { lines: compared, headers }
    }

    /// The header of the prompt that a line begins with.
    pub(crate) fn header_of(&self, line: &str) -> Option<&str> {
        self.headers.iter().map(String::as_str).find(|header| line.starts_with(header))
    }

    /// Compares a line, or its beginning if it is not complete.
    pub(crate) fn compare(&self, line: &str, is_complete: bool) -> Likeness {
        let folded = line.to_lowercase();
        if NOTES.iter().any(|note| folded.contains(note)) {
            return Likeness::Same;
        }
        let found = words(line);
        // The last word of an incomplete line may still grow, also behind an apostrophe.
        let may_grow = |end: usize| matches!(&line[end..], "" | "'" | "’");
        let is_growing = !is_complete && found.last().is_some_and(|word| may_grow(word.end));
        let (whole, last) = match found.split_last() {
            Some((last, whole)) if is_growing => (whole, Some(last.text.as_str())),
            _ => (found.as_slice(), None),
        };
        let is_listed = line.starts_with(['-', '*', '•', '·', '[', '【']);
        let enough = if is_listed { 1 } else { MIN_WORDS };
        let mut likeness = Likeness::Other;
        for known in &self.lines {
            let agrees = whole.len() <= known.len() && whole.iter().zip(known).all(|(one, other)| one.text == *other);
            if !agrees {
                continue;
            }
            let goes_on = match last {
                Some(last) => known.get(whole.len()).is_some_and(|word| word.starts_with(last)),
                None => true,
            };
            if whole.len() >= ENOUGH_WORDS || (is_complete && whole.len() == known.len() && whole.len() >= enough) {
                return Likeness::Same;
            }
            if !is_complete && goes_on && known.len() >= enough {
                likeness = Likeness::Open;
            }
        }
        likeness
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_the_book_and_the_instruction_are_no_lines_of_the_prompt() {
        let prompt = "<settings>\n- Short\n</settings>\n<before>\nNight.\n\nRain.\n</before>\n<wish>\nColder\n</wish>\n[Task] go";
        assert_eq!(prompt_lines(prompt), ["<settings>", "- Short", "</settings>", "<before>", "<wish>", "[Task] go"]);
    }

    #[test]
    fn the_task_is_recognized_whole_by_its_name_and_by_its_sentence() {
        let lines = PromptLines::new(&["[Task] polish: Polish the selected text; keep its meaning.".to_owned()]);
        for (line, should) in [
            ("[Task] polish: Polish the selected text; keep its meaning.", Likeness::Same),
            ("Polish the selected text; keep its meaning.", Likeness::Same),
            ("[Task] polish", Likeness::Same),
            ("Polish the silver; keep its shine.", Likeness::Other),
        ] {
            assert_eq!(lines.compare(line, true), should, "{line}");
        }
    }

    #[test]
    fn a_line_is_compared_while_it_grows() {
        let rules = ["- Keep sentences short (confidence: 1.00)", "- Don't explain (confidence: 1.00)"];
        let lines = PromptLines::new(&rules.map(str::to_owned));
        for (line, is_complete, should) in [
            ("Keep sen", false, Likeness::Open),
            ("- Don'", false, Likeness::Open),
            ("Keep sending", false, Likeness::Other),
            ("- keep sentences  short", true, Likeness::Same),
            ("Keep sentences", true, Likeness::Other),
        ] {
            assert_eq!(lines.compare(line, is_complete), should, "{line}");
        }
    }
}
