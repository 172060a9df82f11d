//! The candidate of a run: the assistant's last words as an answer to the question, if they are worth keeping.
//!
//! The text is whole and unwrapped; tools, their results and thoughts are no part of it. It is cut only where it is
//! injected. Confidence is that of section 5.1 of the lifecycle document, in characters instead of bytes:
//!
//! ```text
//! .50 + .20 from 3 tools, .10 from 1 + .15 with 50..=1,000 characters, .05 from 20 + .10 with a code block
//! ```
//!
//! The document's minimum of .45 is therefore never missed; what the writer sees is [`crate::posterior`].

use crate::config::CandidateExtractConfig;

/// An answer that is kept at level 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The question as it was asked.
    pub question: String,
    /// The answer, without white space at its ends.
    pub answer: String,
    /// Confidence, 0..=1.
    pub confidence: f64,
    /// Number of secrets that were redacted in question and answer.
    pub redactions: usize,
}

/// Why the words of a run are no candidate. The first reason that applies, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Refusal {
    /// No candidates are kept.
    Off,
    /// Nothing is said, the question is repeated, or the assistant says that it does not know.
    Trivial,
    /// The question or the answer contains a secret.
    Secret,
    /// The answer has too few characters.
    Short,
    /// The answer has too many bytes.
    Long,
    /// The confidence is too low.
    Confidence,
}

/// A text without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redaction {
    /// The text with a mark in the place of each secret.
    pub text: String,
    /// Number of secrets.
    pub count: usize,
}

/// The words of a run from which a candidate is made.
#[derive(Debug, Clone, Copy)]
pub struct CandidateSource<'a> {
    /// The question as it was asked, without what was injected.
    pub question: &'a str,
    /// The assistant's last words.
    pub answer: &'a str,
    /// Number of uses of tools.
    pub tools: usize,
    /// Number of quotes that were verified in the text.
    pub verified_citations: usize,
}

/// Openings of an answer that says nothing, in lower case. "It is nowhere in the book" is none: that is an answer.
const REFUSALS: &[&str] = &[
    "i don't know",
    "i do not know",
    "i don't have enough",
    "i do not have enough",
    "i'm not sure",
    "i am not sure",
    "i can't answer",
    "i cannot answer",
    "i can't help",
    "i cannot help",
    "i'm unable to",
    "i am unable to",
    "i have no idea",
    "i have no information",
    "i'm sorry, i ",
    "i'm sorry, but i",
    "i am sorry, but i",
    "unfortunately, i ",
    "sorry, i ",
    "sorry, but i",
    "as an ai",
    "我不知道",
    "我不清楚",
    "我不确定",
    "我无法",
    "我没有办法",
    "我没办法",
    "我没有足够",
    "无法回答",
    "不知道",
    "抱歉，我",
    "抱歉,我",
    "很抱歉",
    "对不起，我",
    "对不起,我",
    "作为一个人工智能",
    "作为ai",
    "作为一个ai",
    "作为一个语言模型",
];

/// Makes a candidate of the words of a run, or says why not.
///
/// `redact` gives a text without its secrets; any in question or answer prevents the candidate if
/// `strict_secret_block` is set, else they are redacted, or kept if `redact` is off too. With a verified citation a
/// short answer is enough: it is proved by the text. The documents ask for uses of tools; here an answer of the minimum
/// length is enough, since a model answers a writer's question without tools.
pub fn extract_candidate(
    source: &CandidateSource<'_>,
    redact: &dyn Fn(&str) -> Redaction,
    config: &CandidateExtractConfig,
) -> Result<Candidate, Refusal> {
    let answer = source.answer.trim();
    if config.max_candidates == 0 {
        return Err(Refusal::Off);
    }
    if is_trivial(source.question, answer) {
        return Err(Refusal::Trivial);
    }
    let (mut question, mut text, mut redactions) = (source.question.to_owned(), answer.to_owned(), 0);
    if config.strict_secret_block || config.redact {
        let (of_question, of_answer) = (redact(source.question), redact(answer));
        let secrets = of_question.count + of_answer.count;
        if config.strict_secret_block && secrets > 0 {
            return Err(Refusal::Secret);
        }
        if config.redact {
            (question, text, redactions) = (of_question.text, of_answer.text, secrets);
        }
    }
    let characters = text.chars().count();
    let is_cited = source.verified_citations > 0;
    // A citation never asks for more.
    let min_cited = config.min_cited_answer_chars.min(config.min_answer_chars);
    if characters < if is_cited { min_cited } else { config.min_answer_chars } {
        return Err(Refusal::Short);
    }
    if text.len() > config.max_answer_bytes {
        return Err(Refusal::Long);
    }
    let confidence = confidence(&text, source.tools);
    if confidence < config.min_confidence {
        return Err(Refusal::Confidence);
    }
    Ok(Candidate { question, answer: text, confidence, redactions })
}

/// Confidence of an answer, 0..=1, from the number of tools and its characters.
#[must_use]
pub fn confidence(answer: &str, tools: usize) -> f64 {
    let of_tools = match tools {
        0 => 0,
        1..=2 => 10,
        _ => 20,
    };
    let of_length = match answer.chars().count() {
        50..=1_000 => 15,
        0..20 => 0,
        _ => 5,
    };
    let of_code = if answer.contains("```") { 10 } else { 0 };
    // Hundredths, so that a limit such as .75 is exact.
    f64::from((50 + of_tools + of_length + of_code).min(100)) / 100.0
}

/// True for words that answer nothing: none but punctuation, the question itself, or that the assistant does not know.
#[must_use]
pub fn is_trivial(question: &str, answer: &str) -> bool {
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    let (asked, said): (String, String) = (letters(question), letters(answer));
    let opening: String = answer
        .trim_start_matches(|c: char| !c.is_alphanumeric())
        .chars()
        .take(40)
        .flat_map(char::to_lowercase)
        .map(|c| if c == '’' { '\'' } else { c })
        .collect();
    said.is_empty() || said == asked || REFUSALS.iter().any(|refusal| opening.starts_with(refusal))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redact(text: &str) -> Redaction {
        Redaction { text: text.replace("KEY", "[redacted]"), count: text.matches("KEY").count() }
    }

    fn extract(question: &str, answer: &str, config: &CandidateExtractConfig) -> Result<Candidate, Refusal> {
        let source = CandidateSource { question, answer, tools: 0, verified_citations: 0 };
        extract_candidate(&source, &redact, config)
    }

    #[test]
    fn a_secret_prevents_a_candidate_unless_it_is_redacted() {
        let answer = format!("KEY {}", "潮".repeat(200));
        let strict = CandidateExtractConfig::default();
        assert_eq!(extract("何时？", &answer, &strict), Err(Refusal::Secret));
        assert_eq!(extract("why KEY", &"潮".repeat(200), &strict), Err(Refusal::Secret));
        let redacting = CandidateExtractConfig { strict_secret_block: false, ..strict };
        let candidate = extract("why KEY", &answer, &redacting).unwrap();
        assert_eq!((candidate.redactions, candidate.question.as_str()), (2, "why [redacted]"));
        assert!(!candidate.answer.contains("KEY"));
    }

    #[test]
    fn an_answer_that_says_nothing_is_trivial_in_both_languages() {
        for answer in
            ["", "……", "When is it?", " when is it", "I don’t know. It may be.", "**我不知道**，也许", "很抱歉"]
        {
            assert!(is_trivial("When is it?", answer), "{answer}");
        }
        for answer in
            ["The book does not say when.", "书里没写到。", "Nobody knows, says Mei.", "他不知道父亲去了哪里。"]
        {
            assert!(!is_trivial("When is it?", answer), "{answer}");
        }
    }

    #[test]
    fn confidence_counts_characters_and_not_bytes() {
        assert_eq!(
            [19, 20, 49, 50, 1_000, 1_001].map(|n| (confidence(&"潮".repeat(n), 0) * 100.0).round() as u32),
            [50, 55, 55, 65, 65, 55]
        );
        assert_eq!([1, 2, 3, 9].map(|tools| (confidence("", tools) * 100.0).round() as u32), [60, 60, 70, 70]);
    }

    #[test]
    fn an_answer_that_is_too_long_is_not_kept() {
        let config = CandidateExtractConfig { max_answer_bytes: 600, ..CandidateExtractConfig::default() };
        assert!(extract("何时？", &"潮".repeat(200), &config).is_ok());
        assert_eq!(extract("何时？", &"潮".repeat(201), &config), Err(Refusal::Long));
    }
}
