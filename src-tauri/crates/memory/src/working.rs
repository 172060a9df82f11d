//! Working memory: the items of the running session. In RAM only, never on disk.
//!
//! A sliding window: every item fades with age, and items related to the present focus, or touched often, start from a
//! higher value. Invariant: at most 8,000 tokens; eviction blocks on nothing.

mod signals;

use std::collections::{BTreeSet, HashMap, HashSet};

use palimpsest_text::{terms, tokens};

use crate::{
    lock::{Mutex, MutexGuard},
    model::{ProjectId, Scope, Time, WorkingDraft, WorkingItem, WorkingKind, WorkingList},
};

use signals::Sums;

pub(crate) use signals::{DEFAULT_WEIGHT, Preference, condense};

/// Maximum tokens of all items, fixed by the owner.
pub(crate) const BUDGET_TOKENS: u32 = 8_000;

/// Half-life of an item's importance without a touch, in hours.
const HALF_LIFE_HOURS: f64 = 1.0;
/// Gain per touch.
const TOUCH_GAIN: f64 = 0.1;
/// Maximum counted touches: a focus that an editor reports every second must not outlive everything else.
const MAX_COUNTED_TOUCHES: u32 = 5;
/// Share of its importance that an item unrelated to the present focus has.
const UNRELATED_SHARE: f64 = 0.5;
/// Minimum share of common terms for an intent related to the present focus. Lower ones are chance: two passages of one
/// book always share a name or a turn of phrase.
const MIN_RELATED_SHARE: f64 = 0.2;
const MILLIS_PER_HOUR: f64 = 3_600_000.0;

/// An item with the inputs of its importance.
#[derive(Debug, Clone)]
pub(crate) struct WeightedItem {
    item: WorkingItem,
    base: f64,
    touches: u32,
    terms: HashSet<String>,
    /// Relevance to the present focus of its project, 0..1; 1 without a focus.
    relevance: f64,
    /// Id of the focus at its last touch.
    under: Option<String>,
    /// Increases with every touch, even if the clock stands still.
    turn: u64,
}

#[derive(Debug, Default)]
struct Window {
    held: Vec<WeightedItem>,
    turn: u64,
}

/// The items of the projects in this session.
#[derive(Debug, Default)]
pub(crate) struct Working {
    window: Mutex<Window>,
}

/// The importance of an item, 0..1: its base, reduced if it is unrelated to the focus (`relevance` 0..1), raised by
/// each touch, halved each hour.
#[must_use]
pub(crate) fn importance(base: f64, relevance: f64, touches: u32, age_millis: i64) -> f64 {
    let hours = (age_millis.max(0) as f64) / MILLIS_PER_HOUR;
    let near = UNRELATED_SHARE + (1.0 - UNRELATED_SHARE) * relevance;
    let touched = TOUCH_GAIN * f64::from(touches.min(MAX_COUNTED_TOUCHES));
    ((base * near + touched) * 0.5_f64.powf(hours / HALF_LIFE_HOURS)).clamp(0.0, 1.0)
}

/// The relatedness of two texts, 0..1: the share of the shorter one's terms that the other contains too. By terms and
/// not by vectors: an editor waits for this.
#[must_use]
pub(crate) fn relevance(a: &HashSet<String>, b: &HashSet<String>) -> f64 {
    let (small, large) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if small.is_empty() {
        return 0.0;
    }
    small.iter().filter(|term| large.contains(*term)).count() as f64 / small.len() as f64
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
    fn lock(&self) -> MutexGuard<'_, Window> {
        self.window.lock()
    }

    /// Adds an item. The same text of the same kind again counts as a touch of the existing item; the weights of a
    /// repeated signal add up. The item itself always stays: the caller has checked that it fits alone.
    pub(crate) fn add(&self, draft: WorkingDraft, item_id: String, now: Time) -> WorkingItem {
        // The slow part, before the lock.
        let (cost, terms) = (tokens_of(&draft.text), terms_of(&draft.text));
        let mut window = self.lock();
        let weight = (draft.kind == WorkingKind::Signal).then(|| draft.weight.unwrap_or(DEFAULT_WEIGHT));
        let same = |held: &WeightedItem| {
            held.item.kind == draft.kind
                && held.item.project_id == draft.project_id
                && held.item.text == draft.text
                && held.item.skill_used == draft.skill_used
                && held.item.scene_type == draft.scene_type
        };
        let mut new = if let Some(at) = window.held.iter().position(same) {
            let mut known = window.held.swap_remove(at);
            known.touches += 1;
            known.item.version += 1;
            known.item.touched_at = now;
            known.item.weight = known.item.weight.zip(weight).map(|(had, more)| had + more);
            known.base = draft.importance.unwrap_or(known.base);
            known
        } else {
            let base = draft.importance.unwrap_or_else(|| starting_importance(draft.kind));
            let item = WorkingItem {
                item_id,
                scope: Scope::Project,
                version: 1,
                kind: draft.kind,
                tokens: cost,
                importance: base,
                weight,
                skill_used: draft.skill_used,
                scene_type: draft.scene_type,
                created_at: now,
                touched_at: now,
                project_id: draft.project_id,
                text: draft.text,
            };
            WeightedItem { item, base, touches: 0, terms, relevance: 1.0, under: None, turn: 0 }
        };
        window.turn += 1;
        new.turn = window.turn;
        if new.item.kind == WorkingKind::Focus {
            new.relevance = 1.0;
            new.under = Some(new.item.item_id.clone());
            window.update_relevance(&new.item.project_id, Some(&new));
        } else if let Some(focus) = window.focus(&new.item.project_id) {
            new.relevance = relevance(&new.terms, &focus.terms);
            new.under = Some(focus.item.item_id.clone());
        }
        window.evict_for(&new, now);
        let sums = window.sums(Some(&new));
        let item = item_at(&new, now, &sums);
        window.held.push(new);
        item
    }

    /// The items of a project, most important first.
    #[must_use]
    pub(crate) fn list(&self, project_id: &ProjectId, now: Time) -> WorkingList {
        let window = self.lock();
        let sums = window.sums(None);
        let mut items: Vec<(WorkingItem, u64)> = window
            .held
            .iter()
            .filter(|held| held.item.project_id == *project_id)
            .map(|held| (item_at(held, now, &sums), held.turn))
            .collect();
        items.sort_by(|(a, turn_a), (b, turn_b)| b.importance.total_cmp(&a.importance).then(turn_b.cmp(turn_a)));
        let items: Vec<WorkingItem> = items.into_iter().map(|(item, _)| item).collect();
        let tokens = items.iter().map(|item| item.tokens).sum();
        WorkingList { items, tokens, budget_tokens: BUDGET_TOKENS }
    }

    /// Removes an item; returns whether it existed.
    pub(crate) fn remove(&self, project_id: &ProjectId, item_id: &str) -> bool {
        let mut window = self.lock();
        let Some(place) =
            window.held.iter().position(|h| h.item.project_id == *project_id && h.item.item_id == item_id)
        else {
            return false;
        };
        let removed = window.held.swap_remove(place);
        if removed.item.kind == WorkingKind::Focus {
            window.refocus(project_id);
        }
        true
    }

    /// Removes and returns all items of a project whose session has ended, in the order of their last touch.
    #[must_use]
    pub(crate) fn drain(&self, project_id: &ProjectId) -> Vec<WeightedItem> {
        let mut window = self.lock();
        let (mut removed, remaining): (Vec<WeightedItem>, Vec<WeightedItem>) =
            std::mem::take(&mut window.held).into_iter().partition(|held| held.item.project_id == *project_id);
        window.held = remaining;
        removed.sort_by_key(|held| held.turn);
        removed
    }

    /// Restores removed items that could not be stored elsewhere; if space is short, items added meanwhile are evicted
    /// first.
    pub(crate) fn restore(&self, taken: Vec<WeightedItem>, now: Time) {
        let mut window = self.lock();
        for held in taken {
            window.evict_for(&held, now);
            let project = held.item.project_id.clone();
            window.held.push(held);
            window.refocus(&project);
        }
    }

    /// The projects with items.
    #[must_use]
    pub(crate) fn project_ids(&self) -> Vec<ProjectId> {
        let window = self.lock();
        let books: BTreeSet<&ProjectId> = window.held.iter().map(|held| &held.item.project_id).collect();
        books.into_iter().cloned().collect()
    }
}

impl Window {
    /// The present focus of a project: the one last touched.
    fn focus(&self, project_id: &ProjectId) -> Option<&WeightedItem> {
        let focuses =
            self.held.iter().filter(|h| h.item.kind == WorkingKind::Focus && h.item.project_id == *project_id);
        focuses.max_by_key(|held| held.turn)
    }

    /// Recomputes the relevance of a project's items to its focus; 1 without a focus.
    fn update_relevance(&mut self, project_id: &ProjectId, focus: Option<&WeightedItem>) {
        for held in self.held.iter_mut().filter(|held| held.item.project_id == *project_id) {
            held.relevance = focus.map_or(1.0, |focus| relevance(&held.terms, &focus.terms));
        }
    }

    /// Recomputes the relevance after a focus was removed.
    fn refocus(&mut self, project_id: &ProjectId) {
        let focus = self.focus(project_id).cloned();
        self.update_relevance(project_id, focus.as_ref());
    }

    /// The sums of the signals, including one about to be added.
    fn sums(&self, new: Option<&WeightedItem>) -> Sums {
        signals::sums(self.held.iter().chain(new).map(|held| &held.item))
    }

    /// The present focus of every project, including an item about to be added.
    fn focuses<'a>(&'a self, new: &'a WeightedItem) -> HashMap<&'a ProjectId, &'a WeightedItem> {
        let mut focuses: HashMap<&ProjectId, &WeightedItem> = HashMap::new();
        for held in self.held.iter().chain([new]).filter(|held| held.item.kind == WorkingKind::Focus) {
            let focus = focuses.entry(&held.item.project_id).or_insert(held);
            if held.turn > focus.turn {
                *focus = held;
            }
        }
        focuses
    }

    /// Evicts items until `new` fits: intents of an older focus first, then the least important.
    fn evict_for(&mut self, new: &WeightedItem, now: Time) {
        let room = BUDGET_TOKENS.saturating_sub(new.item.tokens);
        let mut held_tokens: u32 = self.held.iter().map(|held| held.item.tokens).sum();
        if held_tokens <= room {
            return;
        }
        let (sums, focuses) = (self.sums(Some(new)), self.focuses(new));
        let mut order: Vec<(bool, f64, u64, u32)> = self
            .held
            .iter()
            .map(|held| {
                let focus = focuses.get(&held.item.project_id);
                let old = focus.is_some_and(|focus| is_irrelevant(held, focus));
                (!old, worth(held, now, &sums), held.turn, held.item.tokens)
            })
            .collect();
        order.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
        let mut removed = HashSet::new();
        for (_, _, turn, tokens) in order {
            if held_tokens <= room {
                break;
            }
            held_tokens -= tokens;
            removed.insert(turn);
        }
        let lost_focus: BTreeSet<ProjectId> = self
            .held
            .iter()
            .filter(|held| held.item.kind == WorkingKind::Focus && removed.contains(&held.turn))
            .map(|held| held.item.project_id.clone())
            .collect();
        self.held.retain(|held| !removed.contains(&held.turn));
        for project in lost_focus {
            if new.item.kind == WorkingKind::Focus && new.item.project_id == project {
                self.update_relevance(&project, Some(new));
            } else {
                self.refocus(&project);
            }
        }
    }
}

/// Whether an item is an intent of an older focus, unrelated to the present one.
fn is_irrelevant(held: &WeightedItem, focus: &WeightedItem) -> bool {
    held.item.kind == WorkingKind::Intent
        && held.relevance < MIN_RELATED_SHARE
        && held.under.as_ref().is_some_and(|under| *under != focus.item.item_id)
}

/// The importance of an item at `now`. A signal whose sum reaches the threshold is stored at the end of the session;
/// until then it is evicted last.
fn worth(held: &WeightedItem, now: Time, sums: &Sums) -> f64 {
    let age = now.millis() - held.item.touched_at.millis();
    if sums.reaches_threshold(&held.item) { 1.0 } else { importance(held.base, held.relevance, held.touches, age) }
}

/// The item with its importance at `now`.
fn item_at(held: &WeightedItem, now: Time, sums: &Sums) -> WorkingItem {
    WorkingItem { importance: worth(held, now, sums), ..held.item.clone() }
}

/// Token count of a text, in the wire's type.
#[must_use]
pub(crate) fn tokens_of(text: &str) -> u32 {
    u32::try_from(tokens::count(text)).unwrap_or(u32::MAX)
}

fn terms_of(text: &str) -> HashSet<String> {
    terms::query_terms(text).into_iter().collect()
}

#[cfg(test)]
mod tests;
