//! The claims of a question: numbers, negations, words that have an opposite, names, and its class of question word.
//!
//! Two questions that assert different things are different questions, however near their vectors are. A number is one
//! in digits and in words of both languages (九, 9, nine); 要不要 and 是不是 are questions and negate nothing.

mod fillers;
mod lexicon;
mod numbers;
mod phrases;
mod reading;
mod words;

use std::ops::Range;

pub(crate) use fillers::without_fillers;
pub(crate) use lexicon::are_opposites;
pub(crate) use phrases::Phrases;
pub(crate) use reading::{Reading, Tense, Unit, UnitKind, read_words};
pub(crate) use words::{Word, split_words};

/// The class of the word that asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum QuestionClass {
    /// who, whom, whose; 谁.
    Who,
    /// what, which; 什么, 哪个.
    What,
    /// when, what time; 何时, 什么时候.
    When,
    /// where; 哪里, 哪儿, 何处.
    Where,
    /// why, how come; 为什么, 怎么会.
    Why,
    /// how; 怎么, 如何.
    How,
    /// how many, how much; 多少, 几.
    HowMany,
    /// A question that yes or no answers: did …, is …; 吗, 是不是, 有没有.
    YesNo,
}

/// Something asserted, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// In one form: case, width, numerals in digits, simplified Chinese.
    pub value: String,
    /// Bytes in the text.
    pub range: Range<usize>,
}

/// The claims of a question, each list in the order of the text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Claims {
    /// Numbers in digits; an ordinal word ends with `th` (`9th`), 第九 is `9`.
    pub numbers: Vec<Claim>,
    /// Words that negate.
    pub negations: Vec<Claim>,
    /// Words that have an opposite: before, alive, 之前, 左.
    pub opposites: Vec<Claim>,
    /// Names of the caller's list, and English words with a capital inside of a sentence.
    pub names: Vec<Claim>,
    /// The first question word; `None` if nothing shows that the text asks.
    pub question: Option<QuestionClass>,
}

/// The claims of a question. Names are found in any case and width.
#[must_use]
pub fn find_claims(text: &str, known_names: &[&str]) -> Claims {
    let words = split_words(text);
    let reading = read_words(&words, without_fillers(&words), &Reading::names(known_names));
    let mut claims = Claims { question: reading.question, ..Claims::default() };
    let mut units: Vec<&Unit> =
        reading.units.iter().chain(reading.chapter.iter().map(|chapter| &chapter.number)).collect();
    units.sort_by_key(|unit| unit.range.start);
    for unit in units {
        let claim = Claim { value: unit.text.clone(), range: unit.range.clone() };
        match unit.kind {
            UnitKind::Number => claims.numbers.push(claim),
            UnitKind::Negation => claims.negations.push(claim),
            UnitKind::Name => claims.names.push(claim),
            UnitKind::Word if lexicon::has_opposite(&unit.text) => claims.opposites.push(claim),
            UnitKind::Word | UnitKind::Question => {}
        }
    }
    claims
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(claims: &[Claim]) -> Vec<&str> {
        claims.iter().map(|claim| claim.value.as_str()).collect()
    }

    #[test]
    fn a_number_is_the_same_in_digits_and_in_words_of_both_languages() {
        for text in ["Who dies in chapter nine?", "Who dies in chapter 9?", "第九章谁死了？", "第９章誰死了"]
        {
            assert_eq!(values(&find_claims(text, &[]).numbers), ["9"], "{text}");
        }
    }

    #[test]
    fn a_negation_is_found_and_a_question_by_negation_is_none() {
        for (text, count) in [
            ("Why didn't Mei leave?", 1),
            ("Did Mei never leave?", 1),
            ("梅为什么没走？", 1),
            ("梅不知道什么？", 1),
            ("梅要不要走？", 0),
            ("梅是不是凶手？", 0),
            ("梅有没有走？", 0),
            ("梅走了没有？", 0),
            ("梅去没去过海边？", 0),
            ("梅知道不知道？", 0),
            ("不久梅做了什么？", 0),
            ("When did Mei leave?", 0),
        ] {
            assert_eq!(find_claims(text, &[]).negations.len(), count, "{text}");
        }
    }

    #[test]
    fn words_with_an_opposite_are_found() {
        for (text, expected) in [
            ("Who left before the fire?", "before"),
            ("Is Mei alive?", "alive"),
            ("火灾之前谁走了？", "之前"),
            ("Which of Mei's hands, the left one?", "left"),
        ] {
            assert!(values(&find_claims(text, &[]).opposites).contains(&expected), "{text}");
        }
    }

    #[test]
    fn each_question_word_has_its_class_in_both_languages() {
        use QuestionClass::{How, HowMany, What, When, Where, Who, Why, YesNo};
        for (text, class) in [
            ("Whom did Mei meet?", Who),
            ("谁来了？", Who),
            ("What did Mei see?", What),
            ("梅看见了什么？", What),
            ("When did Mei leave?", When),
            ("梅什么时候走的？", When),
            ("何时", When),
            ("Where is Mei?", Where),
            ("梅在哪儿？", Where),
            ("Why did Mei leave?", Why),
            ("梅怎么会走？", Why),
            ("How did Mei die?", How),
            ("梅怎么死的？", How),
            ("How many brothers has Mei?", HowMany),
            ("梅有几个哥哥？", HowMany),
            ("Did Mei leave?", YesNo),
            ("梅走了吗？", YesNo),
            ("梅是不是走了？", YesNo),
        ] {
            assert_eq!(find_claims(text, &["梅", "Mei"]).question, Some(class), "{text}");
        }
        assert_eq!(find_claims("梅的眼睛", &[]).question, None);
    }

    #[test]
    fn a_name_is_known_or_a_capital_inside_of_a_sentence() {
        assert_eq!(values(&find_claims("Did Jun see mei in London?", &["Mei"]).names), ["jun", "mei", "london"]);
        assert_eq!(values(&find_claims("君的哥哥是陳默嗎？", &["君", "陈默"]).names), ["君", "陈默"]);
        assert_eq!(values(&find_claims("WHO KILLED THE MAN?", &[]).names), Vec::<&str>::new());
    }
}
