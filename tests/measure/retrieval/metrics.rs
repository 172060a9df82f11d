//! Metrics of answers, and their rows in a table.

use crate::{
    memory::{Answer, EXAMPLES},
    sets::Query,
};

/// Sums over the queries of a set or of a half of it.
pub trait Metric: Default {
    /// The head of the table.
    const HEADER: &str;
    fn add(&mut self, answer: &Answer, query: &Query);
    /// The cells of a row after the set, how it was asked, and the number of queries.
    fn cells(&self, queries: usize) -> Vec<String>;
}

/// Three rows: all queries, the even ones and the odd ones.
pub fn rows<M: Metric>(set: &str, how: &str, queries: &[Query], answers: &[Answer]) -> Vec<String> {
    let halves = [("", 0, 1), (", even queries", 0, 2), (", odd queries", 1, 2)];
    halves
        .iter()
        .map(|(half, first, step)| {
            let (mut metric, mut count) = (M::default(), 0);
            for (query, answer) in queries.iter().zip(answers).skip(*first).step_by(*step) {
                metric.add(answer, query);
                count += 1;
            }
            format!("| {set} | {how}{half} | {count} | {} |", metric.cells(count).join(" | "))
        })
        .collect()
}

fn mean(sum: f64, count: usize) -> String {
    if count == 0 { "–".to_owned() } else { format!("{:.3}", sum / count as f64) }
}

/// Ranks of the relevant texts.
#[derive(Default)]
pub struct Recall {
    recall: [f64; 3],
    reciprocal: f64,
    gain: f64,
}

impl Metric for Recall {
    const HEADER: &str = "| set | how | queries | R@1 | R@5 | R@10 | MRR | nDCG@10 |\n\
                          | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |";

    fn add(&mut self, answer: &Answer, query: &Query) {
        let relevant = &query.relevant;
        let ranks: Vec<usize> = relevant.iter().map(|id| answer.rank(id).unwrap_or(usize::MAX)).collect();
        for (sum, k) in self.recall.iter_mut().zip([1, 5, 10]) {
            *sum += ranks.iter().filter(|rank| **rank < k).count() as f64 / relevant.len().max(1) as f64;
        }
        if let Some(first) = ranks.iter().min().filter(|rank| **rank < usize::MAX) {
            self.reciprocal += 1.0 / (*first as f64 + 1.0);
        }
        let discount = |rank: usize| 1.0 / (rank as f64 + 2.0).log2();
        let ideal: f64 = (0..relevant.len().min(10)).map(discount).sum();
        let gained: f64 = ranks.iter().filter(|rank| **rank < 10).map(|rank| discount(*rank)).sum();
        self.gain += if ideal > 0.0 { gained / ideal } else { 0.0 };
    }

    fn cells(&self, queries: usize) -> Vec<String> {
        let [one, five, ten] = self.recall;
        [one, five, ten, self.reciprocal, self.gain].iter().map(|sum| mean(*sum, queries)).collect()
    }
}

/// The answers of a search box.
#[derive(Default)]
pub struct Short {
    /// Queries answered with no episode.
    nothing: usize,
    first: usize,
    first_five: usize,
    /// Queries whose relevant text is in the group `found`.
    certain: usize,
    /// Episodes in the group `found`.
    all_certain: usize,
    /// Episodes in either group; 0 where there are no groups.
    grouped: usize,
}

impl Metric for Short {
    const HEADER: &str = "| set | how | queries | nothing | first | first five | in *found* | *found* a query |\n\
                          | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |";

    fn add(&mut self, answer: &Answer, query: &Query) {
        let best = query.relevant.iter().filter_map(|id| answer.rank(id)).min();
        self.nothing += usize::from(answer.found.is_empty());
        self.first += usize::from(best == Some(0));
        self.first_five += usize::from(best.is_some_and(|rank| rank < 5));
        self.certain += usize::from(best.is_some_and(|rank| answer.found[rank].certain == Some(true)));
        self.all_certain += answer.found.iter().filter(|found| found.certain == Some(true)).count();
        self.grouped += answer.found.iter().filter(|found| found.certain.is_some()).count();
    }

    fn cells(&self, queries: usize) -> Vec<String> {
        let grouped = if self.grouped == 0 { 0 } else { queries };
        vec![
            mean(self.nothing as f64, queries),
            mean(self.first as f64, queries),
            mean(self.first_five as f64, queries),
            mean(self.certain as f64, grouped),
            mean(self.all_certain as f64, grouped),
        ]
    }
}

/// The examples of a prompt.
#[derive(Default)]
pub struct Examples {
    carried: usize,
    relevant: usize,
    /// Queries without an example.
    none: usize,
    /// Queries with a relevant example.
    with_relevant: usize,
    /// Queries for which the book has a relevant episode.
    answerable: usize,
}

impl Metric for Examples {
    const HEADER: &str = "| set | how | queries | examples a query | of the limit of 5 | no example | relevant of the \
                          examples | with a relevant one |\n\
                          | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |";

    fn add(&mut self, answer: &Answer, query: &Query) {
        let relevant = answer.found.iter().filter(|found| query.relevant.contains(&found.id)).count();
        self.carried += answer.found.len();
        self.relevant += relevant;
        self.none += usize::from(answer.found.is_empty());
        self.with_relevant += usize::from(relevant > 0);
        self.answerable += usize::from(!query.relevant.is_empty());
    }

    fn cells(&self, queries: usize) -> Vec<String> {
        // Where no query has a relevant episode, the last two columns have no meaning.
        let answerable = |count: usize| if self.answerable == 0 { 0 } else { count };
        vec![
            mean(self.carried as f64, queries),
            mean(self.carried as f64, queries * EXAMPLES),
            mean(self.none as f64, queries),
            mean(self.relevant as f64, answerable(self.carried)),
            mean(self.with_relevant as f64, answerable(queries)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(relevant: &[&str]) -> Query {
        let relevant = relevant.iter().map(|id| (*id).to_owned()).collect();
        Query { book: String::new(), text: String::new(), relevant }
    }

    fn answer(ids: &[&str]) -> Answer {
        Answer::of(ids.iter().map(|id| (*id).to_owned()).collect())
    }

    #[test]
    fn halves_are_the_even_and_the_odd_queries() {
        let queries = vec![query(&["a"]); 5];
        let answers = [answer(&["a"]), answer(&["b"]), answer(&["a"]), answer(&["b"]), answer(&["a"])];
        let rows = rows::<Short>("set", "how", &queries, &answers);
        assert!(rows[0].starts_with("| set | how | 5 | 0.000 | 0.600 |"), "{}", rows[0]);
        assert!(rows[1].starts_with("| set | how, even queries | 3 | 0.000 | 1.000 |"), "{}", rows[1]);
        assert!(rows[2].starts_with("| set | how, odd queries | 2 | 0.000 | 0.000 |"), "{}", rows[2]);
    }

    #[test]
    fn recall_is_the_share_of_the_relevant_texts_in_the_first_places() {
        let rows = rows::<Recall>("s", "h", &[query(&["a", "b"])], &[answer(&["a", "x", "y", "z", "w", "b"])]);
        assert!(rows[0].starts_with("| s | h | 1 | 0.500 | 0.500 | 1.000 | 1.000 |"), "{}", rows[0]);
    }

    #[test]
    fn examples_are_judged_over_all_that_are_carried() {
        let queries = [query(&["a", "b"]), query(&["c"])];
        let found = rows::<Examples>("s", "h", &queries, &[answer(&["a", "b", "x"]), answer(&[])]);
        assert!(found[0].ends_with("| 2 | 1.500 | 0.300 | 0.500 | 0.667 | 0.500 |"), "{}", found[0]);
        let nothing = rows::<Examples>("s", "h", &[query(&[])], &[answer(&["x"])]);
        assert!(nothing[0].ends_with("| 1 | 1.000 | 0.200 | 0.000 | – | – |"), "{}", nothing[0]);
    }

    #[test]
    fn a_relevant_text_among_the_uncertain_ones_is_not_in_found() {
        let mut one = answer(&["x", "a"]);
        for (found, certain) in one.found.iter_mut().zip([true, false]) {
            found.certain = Some(certain);
        }
        let rows = rows::<Short>("s", "h", &[query(&["a"])], &[one]);
        assert!(rows[0].ends_with("| 1 | 0.000 | 0.000 | 1.000 | 0.000 | 1.000 |"), "{}", rows[0]);
    }

    #[test]
    fn without_groups_there_is_no_share_of_them() {
        let rows = rows::<Short>("s", "h", &[query(&["a"])], &[answer(&["a"])]);
        assert!(rows[0].ends_with("| 1 | 0.000 | 1.000 | 1.000 | – | – |"), "{}", rows[0]);
    }
}
