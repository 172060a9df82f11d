//! Short queries as typed into a search box, made from the questions of a set: two or three of the rarest words of an
//! English question, or key phrases of two to eight characters of a Chinese one. One query for each text.

use std::collections::{BTreeMap, HashMap, HashSet};

use palimpsest_text::is_han;

use crate::{
    bm25::{is_stop_word, words},
    sets::{Query, Set, Text},
};

/// Words that ask, and words between phrases. Longer ones first.
const SEPARATORS: &str = "\
    为什么 什么样 什么 怎么 怎样 如何 为何 何时 何地 哪些 哪里 哪个 哪几 哪年 多少 是否 因为 所以 由于 以及 根据 关于 \
    称为 叫做 成为 主要 分别 除了 进行 可以 一些 这个 那个 他们 她们 它们 自己 开始 期间 时候 之间 之后 之前 \
    请 哪 谁 几 何 吗 呢 由 被 是 的 在 了 于 和 与 及 或 对 把 将 从 向 以 有 为 这 那 其 并 而 也 都 就 又 到 至 \
    因 让 使 他 她 它 所 个 年 中 上 下 时 后 前 等 该 此 不 没 要 会 能 做 用 第 着 过 得 地 之";
const MAX_CHARS: usize = 8;

/// Queries of two and of three words, from English questions.
pub fn of_words(set: &Set) -> Vec<Query> {
    let frequencies = frequencies(&set.texts, |text| words(text).into_iter().collect());
    first_for_each_text(set, |number, question, text| {
        let content: Vec<String> =
            words(question).into_iter().filter(|word| word.chars().count() > 2 && !is_stop_word(word)).collect();
        // Words that no text has come last: a query made of them alone has no answer.
        let rarity = |word: &String| frequencies.get(word).copied().unwrap_or(usize::MAX);
        let mut rarest: Vec<&String> = content.iter().collect();
        rarest.sort_by_key(|word| (rarity(word), content.iter().position(|it| it == *word)));
        rarest.dedup();
        // Both halves of the queries have both lengths.
        let wanted = 2 + number / 2 % 2;
        rarest.truncate(wanted);
        let chosen: Vec<&str> = content.iter().filter(|it| rarest.contains(it)).map(String::as_str).collect();
        let query = chosen.join(" ");
        (rarest.len() == wanted && chosen.len() == wanted && !text.to_lowercase().contains(&query)).then_some(query)
    })
}

/// Queries of one or two key phrases, from Chinese questions.
pub fn of_phrases(set: &Set) -> Vec<Query> {
    let frequencies = frequencies(&set.texts, |text| bigrams(text).into_iter().collect());
    first_for_each_text(set, |_, question, text| {
        let rarity = |phrase: &str| {
            let pairs = bigrams(phrase);
            let sum: usize = pairs.iter().map(|pair| frequencies.get(pair).copied().unwrap_or(set.texts.len())).sum();
            sum as f64 / pairs.len().max(1) as f64
        };
        let all = phrases(question);
        let mut rarest = all.clone();
        rarest.sort_by(|a, b| rarity(a).total_cmp(&rarity(b)));
        rarest.dedup();
        rarest.truncate(2);
        if rarest.iter().map(|phrase| phrase.chars().count()).sum::<usize>() > MAX_CHARS {
            rarest.truncate(1);
        }
        // In the order of the question.
        let chosen: Vec<&str> = all.iter().filter(|it| rarest.contains(it)).map(String::as_str).collect();
        let query = chosen.join(" ");
        (!query.is_empty() && !text.contains(&query)).then_some(query)
    })
}

/// The first query that `make` finds for a text in its questions; questions with several relevant texts are left out.
/// `make` gets the number of queries so far, the question and the text.
fn first_for_each_text(set: &Set, make: impl Fn(usize, &str, &str) -> Option<String>) -> Vec<Query> {
    let texts: HashMap<&str, &Text> = set.texts.iter().map(|text| (text.id.as_str(), text)).collect();
    let mut done = HashSet::new();
    let mut queries: Vec<Query> = Vec::new();
    for question in &set.queries {
        let [id] = question.relevant.as_slice() else { continue };
        let Some(text) = texts.get(id.as_str()).filter(|_| !done.contains(id)) else { continue };
        if let Some(query) = make(queries.len(), &question.text, &text.text) {
            done.insert(id);
            queries.push(Query { text: query, ..question.clone() });
        }
    }
    queries
}

/// The number of texts with each term.
fn frequencies(texts: &[Text], terms: impl Fn(&str) -> HashSet<String>) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for text in texts {
        for term in terms(&text.text) {
            *found.entry(term).or_default() += 1;
        }
    }
    found
}

fn bigrams(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    let pairs = characters.windows(2).filter(|pair| pair.iter().all(|c| c.is_alphanumeric()));
    pairs.map(|pair| pair.iter().collect()).collect()
}

/// The runs of two to eight Han characters between separators and punctuation.
fn phrases(question: &str) -> Vec<String> {
    let mut plain: String = question.chars().map(|c| if is_han(c) { c } else { ' ' }).collect();
    for separator in SEPARATORS.split_whitespace() {
        plain = plain.replace(separator, " ");
    }
    plain
        .split_whitespace()
        .filter(|phrase| (2..=MAX_CHARS).contains(&phrase.chars().count()))
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(pairs: &[(&str, &str)]) -> Set {
        let text = |(n, (text, _)): (usize, &(&str, &str))| Text {
            book: "b".into(),
            id: n.to_string(),
            text: (*text).to_owned(),
        };
        let query = |(n, (_, question)): (usize, &(&str, &str))| Query {
            book: "b".into(),
            text: (*question).to_owned(),
            relevant: vec![n.to_string()],
        };
        Set {
            texts: pairs.iter().enumerate().map(text).collect(),
            queries: pairs.iter().enumerate().map(query).collect(),
        }
    }

    #[test]
    fn an_english_query_is_the_rarest_words_of_a_question_in_their_order() {
        let set = set(&[
            ("The king saw a fox and went on.", "What did the king give the fox before the winter?"),
            ("The king and his winter wood.", "Why was the king in the wood?"),
        ]);
        // `give` and `before` are in no text, or carry no content.
        assert_eq!(of_words(&set)[0].text, "fox winter");
    }

    #[test]
    fn a_chinese_query_is_the_rarest_phrases_of_a_question() {
        let set = set(&[("锣鼓经是戏曲的记谱方法。", "锣鼓经是什么样的记谱方法？"), ("记谱很难。", "谁会记谱？")]);
        assert_eq!(of_phrases(&set)[0].text, "锣鼓经 记谱方法");
        // The only phrase of the second question stands in its text.
        assert_eq!(of_phrases(&set).len(), 1);
    }

    #[test]
    fn a_query_never_stands_in_its_text() {
        let set =
            set(&[("The red fox ran home.", "Who was the red fox?"), ("Nothing here.", "What about the hen house?")]);
        let queries = of_words(&set);
        assert_eq!(queries.iter().map(|query| query.text.as_str()).collect::<Vec<_>>(), ["hen house"]);
        assert_eq!(of_words(&set), queries);
    }
}
