//! Working memory: what this session is about. In RAM only, never on disk.
//!
//! Invariant: no more than 8,000 tokens; making room never waits for anything.

use std::sync::{Mutex, PoisonError};

use palimpsest_text::tokens;

use crate::model::{Scope, Time, WorkingDraft, WorkingItem, WorkingKind, WorkingList};

/// The hard limit, fixed by the owner.
pub const BUDGET_TOKENS: u32 = 8_000;

/// Half of an item's importance is gone after this many hours without a touch.
const HALF_LIFE_HOURS: f64 = 1.0;
/// Gained with each touch.
const TOUCH_GAIN: f64 = 0.1;
const MILLIS_AN_HOUR: f64 = 3_600_000.0;

#[derive(Debug)]
struct Held {
    item: WorkingItem,
    base: f64,
    touches: u32,
}

/// The items of the books that are open in this session.
#[derive(Debug, Default)]
pub struct Working {
    held: Mutex<Vec<Held>>,
}

/// What an item is worth at `now`, 0..1: what it started with, halved each hour, raised by each touch.
#[must_use]
pub fn importance(base: f64, touches: u32, age_millis: i64) -> f64 {
    let hours = (age_millis.max(0) as f64) / MILLIS_AN_HOUR;
    ((base + TOUCH_GAIN * f64::from(touches)) * 0.5_f64.powf(hours / HALF_LIFE_HOURS)).clamp(0.0, 1.0)
}

fn starting_importance(kind: WorkingKind) -> f64 {
    match kind {
        WorkingKind::Focus => 0.9,
        WorkingKind::Intent => 0.7,
        WorkingKind::Exchange => 0.6,
        WorkingKind::Undo => 0.4,
        WorkingKind::Signal => 0.3,
    }
}

impl Working {
    /// Puts an item. The same words of the same kind again are a touch of the item that is there.
    pub fn put(&self, draft: WorkingDraft, item_id: String, now: Time) -> WorkingItem {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |h: &&mut Held| {
            h.item.project_id == draft.project_id && h.item.kind == draft.kind && h.item.text == draft.text
        };
        let put = if let Some(known) = held.iter_mut().find(same) {
            known.touches += 1;
            known.item.version += 1;
            known.item.touched_at = now;
            known.base = draft.importance.unwrap_or(known.base);
            at(known, now)
        } else {
            let base = draft.importance.unwrap_or_else(|| starting_importance(draft.kind));
            let item = WorkingItem {
                item_id,
                scope: Scope::Project,
                version: 1,
                kind: draft.kind,
                tokens: tokens_of(&draft.text),
                importance: base,
                created_at: now,
                touched_at: now,
                project_id: draft.project_id,
                text: draft.text,
            };
            held.push(Held { item: item.clone(), base, touches: 0 });
            item
        };
        make_room(&mut held, &put.item_id, now);
        put
    }

    /// The items of a book, most important first.
    #[must_use]
    pub fn list(&self, project_id: &str, now: Time) -> WorkingList {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let mut items: Vec<WorkingItem> =
            held.iter().filter(|h| h.item.project_id == project_id).map(|h| at(h, now)).collect();
        items.sort_by(|a, b| {
            b.importance
                .total_cmp(&a.importance)
                .then(b.touched_at.cmp(&a.touched_at))
                .then_with(|| b.item_id.cmp(&a.item_id))
        });
        let tokens = items.iter().map(|item| item.tokens).sum();
        WorkingList { items, tokens, budget_tokens: BUDGET_TOKENS }
    }

    /// Takes an item out; says whether it was there.
    pub fn remove(&self, project_id: &str, item_id: &str) -> bool {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let before = held.len();
        held.retain(|h| h.item.project_id != project_id || h.item.item_id != item_id);
        held.len() < before
    }
}

/// The item as it stands at `now`.
fn at(held: &Held, now: Time) -> WorkingItem {
    let age = now.millis() - held.item.touched_at.millis();
    WorkingItem { importance: importance(held.base, held.touches, age), ..held.item.clone() }
}

/// Takes the least important out until all fit. The one just put stays: it alone always fits, being checked at the edge.
fn make_room(held: &mut Vec<Held>, keep: &str, now: Time) {
    while held.iter().map(|h| h.item.tokens).sum::<u32>() > BUDGET_TOKENS {
        let least = held
            .iter()
            .enumerate()
            .filter(|(_, h)| h.item.item_id != keep)
            .min_by(|(_, a), (_, b)| {
                at(a, now).importance.total_cmp(&at(b, now).importance).then(a.item.touched_at.cmp(&b.item.touched_at))
            })
            .map(|(index, _)| index);
        match least {
            Some(index) => held.remove(index),
            None => return,
        };
    }
}

/// Tokens of a text, as a count on the wire.
#[must_use]
pub fn tokens_of(text: &str) -> u32 {
    u32::try_from(tokens::count(text)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn draft(text: &str, importance: Option<f64>) -> WorkingDraft {
        WorkingDraft { project_id: "book".into(), kind: WorkingKind::Intent, text: text.into(), importance }
    }

    #[test]
    fn when_it_overflows_the_least_important_go_first() {
        let working = Working::default();
        let now = Time::from_millis(0);
        let long = "word ".repeat(3_500);
        working.put(draft(&format!("keep {long}"), Some(0.9)), "1".into(), now);
        working.put(draft(&format!("drop {long}"), Some(0.1)), "2".into(), now);
        working.put(draft(&format!("new {long}"), Some(0.5)), "3".into(), now);
        let ids: Vec<String> = working.list("book", now).items.into_iter().map(|item| item.item_id).collect();
        assert_eq!(ids, ["1", "3"]);
    }

    #[test]
    fn the_same_words_again_touch_the_item_that_is_there() {
        let working = Working::default();
        working.put(draft("写到码头", None), "1".into(), Time::from_millis(0));
        let again = working.put(draft("写到码头", None), "2".into(), Time::from_millis(1));
        assert_eq!((again.item_id.as_str(), again.version), ("1", 2));
        assert_eq!(working.list("book", Time::from_millis(1)).items.len(), 1);
    }

    #[test]
    fn one_book_never_sees_anothers_items() {
        let working = Working::default();
        working.put(draft("secret", None), "1".into(), Time::from_millis(0));
        assert!(working.list("other", Time::from_millis(0)).items.is_empty());
        assert!(!working.remove("other", "1"));
    }

    #[test]
    fn an_untouched_item_is_worth_half_after_an_hour() {
        assert!((importance(0.8, 0, 3_600_000) - 0.4).abs() < 1e-9);
        assert!(importance(0.5, 2, 0) > importance(0.5, 0, 0));
    }

    proptest! {
        #[test]
        fn the_budget_is_kept_whatever_is_put(sizes in proptest::collection::vec(1usize..3_000, 1..12)) {
            let working = Working::default();
            for (n, size) in sizes.iter().enumerate() {
                working.put(draft(&"ab ".repeat(*size), None), n.to_string(), Time::from_millis(n as i64));
                prop_assert!(working.list("book", Time::from_millis(n as i64)).tokens <= BUDGET_TOKENS);
            }
        }
    }
}
