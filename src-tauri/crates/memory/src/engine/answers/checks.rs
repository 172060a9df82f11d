//! The checks of what comes into the memory of answers, and the key of a question.

use palimpsest_text::secrets::contains_secret;

use crate::{
    error::{Error, Result},
    model::{AnswerDetails, AnswerKind, Citation, Language},
    validate,
};

pub(in crate::engine) use crate::storage::questions::{deletion_ids, question_key_of};

/// Maximum length of a question, in bytes.
pub(in crate::engine) const QUESTION_BYTES: usize = validate::REMARK;

/// A question: not blank, with a letter or a digit, without control characters but line breaks.
pub(in crate::engine) fn check_question(field: &str, question: &str) -> Result<()> {
    validate::some_text(field, question, QUESTION_BYTES)?;
    if question.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
        return Err(Error::invalid(field, "has a control character other than a line break"));
    }
    if !question.chars().any(char::is_alphanumeric) {
        return Err(Error::invalid(field, "has no letter and no digit"));
    }
    Ok(())
}

/// Refuses a text to be stored that has a key, a token or a password in it.
pub(super) fn check_no_secret(field: &str, text: &str) -> Result<()> {
    if contains_secret(text) { Err(Error::invalid(field, "has a key or a password in it")) } else { Ok(()) }
}

pub(super) fn check_answer(field: &str, answer: &str) -> Result<()> {
    validate::some_text(field, answer, validate::TEXT)?;
    if answer.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t' | '\r')) {
        return Err(Error::invalid(field, "has a control character other than a line break"));
    }
    Ok(())
}

pub(super) fn check_details(details: &AnswerDetails) -> Result<()> {
    let limit = |field: &str, count: usize, max: usize| {
        if count > max { Err(Error::invalid(format!("details.{field}"), format!("more than {max}"))) } else { Ok(()) }
    };
    details.domain.as_deref().map_or(Ok(()), |domain| validate::line("details.domain", domain, 100))?;
    limit("tags", details.tags.len(), 20)?;
    details.tags.iter().try_for_each(|tag| validate::label("details.tags", tag))?;
    for (field, list) in [("sourceFiles", &details.source_files), ("relatedRecords", &details.related_records)] {
        limit(field, list.len(), 100)?;
        list.iter().try_for_each(|one| validate::line(&format!("details.{field}"), one, 1_000))?;
    }
    limit("explorationPath", details.exploration_path.len(), 100)?;
    for step in &details.exploration_path {
        validate::line("details.explorationPath.toolName", &step.tool_name, 100)?;
        validate::text("details.explorationPath.resultSummary", &step.result_summary, validate::REMARK)?;
        limit("explorationPath.parameters", step.parameters.len(), 50)?;
        for (name, value) in &step.parameters {
            validate::line("details.explorationPath.parameters", name, 100)?;
            validate::text("details.explorationPath.parameters", value, validate::REMARK)?;
        }
    }
    limit("metadata", details.metadata.len(), 50)?;
    for (name, value) in &details.metadata {
        validate::line("details.metadata", name, 100)?;
        validate::text("details.metadata", value, validate::REMARK)?;
    }
    Ok(())
}

/// The kind of an answer. What the book says rests on a citation.
pub(super) fn checked_kind(asked: Option<AnswerKind>, citations: &[Citation]) -> Result<AnswerKind> {
    match asked {
        Some(AnswerKind::Canon) if citations.is_empty() => {
            Err(Error::invalid("citations", "an answer about the book needs one"))
        }
        Some(kind) => Ok(kind),
        None if citations.is_empty() => Ok(AnswerKind::Research),
        None => Ok(AnswerKind::Canon),
    }
}

/// The language of a question or an answer; that of its book where the text does not show one.
pub(in crate::engine) fn language_of(text: &str, of_book: Language) -> Language {
    let fallback = match of_book {
        Language::Zh => palimpsest_text::Language::Zh,
        Language::En => palimpsest_text::Language::En,
    };
    match palimpsest_text::detect_or(text, fallback) {
        palimpsest_text::Language::Zh => Language::Zh,
        palimpsest_text::Language::En => Language::En,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::{Answer, ProjectId},
        storage::questions::KEY_VERSION,
    };

    #[test]
    fn keys_are_made_as_those_that_are_stored() {
        let book = ProjectId::from("00000000-0000-7000-8000-000000000001");
        let ids = |question: &str| deletion_ids(&book, question);
        assert_eq!(ids("When can the boat leave?")[0], "d23bebc4f716cff837bfcd849630405e");
        assert_eq!(ids("船什么时候能走？")[0], "9fedaa98bc00a5e77836bc2527b54c28");
        assert_eq!(ids("when CAN the boat leave"), ids("When can the boat leave?"));
        assert_ne!(question_key_of(&Answer::no_project(), "When?"), question_key_of(&book, "When?"));
    }

    /// Questions of every kind of folding. Another hash of their keys needs another [`KEY_VERSION`]: raise it, and put
    /// the new hash here.
    #[test]
    fn another_way_of_making_keys_has_another_version() {
        let questions = [
            "When can the boat leave?",
            "When can boats leave?",
            "Please, when can the boat leave",
            "Ｗｈｅｎ ｃａｎ ｔｈｅ boat leave？",
            "How old is Mei in chapter nine?",
            "How old is Mei in chapter 9?",
            "Who isn't Mei's brother?",
            "Did Jun leave before Mei?",
            "What's the harbour-master's name; and why?",
            "阿满姓什么？",
            "请问阿满姓什么呢",
            "阿滿姓什麼？",
            "要不要渡河？",
            "第九章里有几条船吗？",
            "第9章裡有幾條船？",
            "潮水什么时候退？",
            "naïve café?",
            "？！",
        ];
        let mut hasher = blake3::Hasher::new();
        for question in questions {
            hasher.update(&question_key_of(&Answer::no_project(), question));
        }
        let hash = hasher.finalize().to_hex();
        assert_eq!((KEY_VERSION, &hash.as_str()[..16]), (1, "6917441f0bcd459c"));
    }

    #[test]
    fn a_deleted_question_keeps_an_id_that_no_folding_changes() {
        let book = ProjectId::from("00000000-0000-7000-8000-000000000001");
        let by_letters = |question: &str| deletion_ids(&book, question)[1].clone();
        assert_eq!(by_letters("When can the boat leave?"), "letters:8929132eae4702f76a9ad9ffbdf5495d");
        assert_eq!(by_letters("when can  the BOAT leave"), by_letters("When can the boat leave?"));
        assert_ne!(by_letters("When can the boats leave?"), by_letters("When can the boat leave?"));
    }
}
