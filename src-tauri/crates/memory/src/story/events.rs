//! The events of a story, in the order in which they happen.

use palimpsest_reader::times::{self, PartOfDay, Season, TimeValue};

use super::{FactsAt, HeldFact, Place};
use crate::model::{Canon, EntityId, EntityKind, Position, StoredEntity, StoryEvent};

/// A date of which the parts after the year may be missing (0): year, month, day, part of the day.
type Moment = (u16, u8, u8, u8);

/// The events of a book as of the position of `facts`: the entities of the kind `event`, and the facts of others that
/// say from when they hold. `is_named` says whether the text up to the position names an entity. Events of which the
/// reader knows nothing are left out.
pub(crate) fn events(canon: &Canon, facts: &FactsAt<'_>, is_named: &dyn Fn(&EntityId) -> bool) -> Vec<StoryEvent> {
    let mut events: Vec<(Option<Moment>, Option<Place>, StoryEvent)> = Vec::new();
    for entity in &canon.entities {
        let Some(name) = facts.name_of(entity) else { continue };
        let held = facts.held_of(&entity.entity_id);
        if entity.kind == EntityKind::Event {
            if !facts.is_listed(entity) && !is_named(&entity.entity_id) {
                continue;
            }
            let mut positions: Vec<(Place, Position)> =
                held.iter().flat_map(|held| facts.positions_of(&held.fact)).collect();
            positions.sort_by_key(|(place, _)| *place);
            let dated = held.into_iter().find(|held| held.fact.valid_from.is_some());
            events.push(event(entity, name, dated, positions));
            continue;
        }
        for held in held.into_iter().filter(|held| held.fact.valid_from.is_some()) {
            let positions = facts.positions_of(&held.fact);
            events.push(event(entity, name, Some(held), positions));
        }
    }
    events.sort_by_key(|(moment, first, _)| (moment.is_none(), *moment, *first));
    events.into_iter().map(|(_, _, event)| event).collect()
}

fn event(
    entity: &StoredEntity,
    name: &str,
    dated: Option<HeldFact>,
    positions: Vec<(Place, Position)>,
) -> (Option<Moment>, Option<Place>, StoryEvent) {
    let time = dated.as_ref().and_then(|held| held.fact.valid_from.as_deref());
    let moment = time.and_then(moment_of);
    let first = positions.first().map(|(place, _)| *place);
    let is_stale = dated.as_ref().is_some_and(|held| held.is_stale);
    let event = StoryEvent {
        entity_id: entity.entity_id.clone(),
        kind: entity.kind,
        name: name.to_owned(),
        fact: dated.map(|held| held.fact),
        is_stale,
        is_dated: moment.is_some(),
        positions: positions.into_iter().map(|(_, position)| position).collect(),
    };
    (moment, first, event)
}

/// The date that words of the writer say, of which month and day may be missing (0); `None` without a year. Of a range,
/// its beginning.
pub(crate) fn story_date(words: &str) -> Option<(u16, u8, u8)> {
    moment_of(words).map(|(year, month, day, _)| (year, month, day))
}

/// The moment that words say; `None` without a year. Of a range, its beginning.
fn moment_of(words: &str) -> Option<Moment> {
    let (mut year, mut month, mut day, mut part) = (None, None, None, None);
    for found in times::times(words) {
        match found.value {
            TimeValue::Date { year: a_year, month: a_month, day: a_day } => {
                year = year.or(a_year);
                month = month.or(a_month);
                day = day.or(a_day);
            }
            TimeValue::Season(season) => month = month.or(Some(first_month(season))),
            TimeValue::PartOfDay(at) => part = part.or(Some(hour_order(at))),
            TimeValue::Weekday(_) | TimeValue::After { .. } | TimeValue::Age(_) => {}
        }
    }
    // The words are only a time: a number of four digits is a year without "in" as well.
    let year = year.or_else(|| words.split(|c: char| !c.is_alphanumeric()).find_map(year_of));
    year.map(|year| (year, month.unwrap_or(0), day.unwrap_or(0), part.unwrap_or(0)))
}

/// The year that a word of four digits says.
fn year_of(word: &str) -> Option<u16> {
    let is_year = word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    word.parse().ok().filter(|year| is_year && *year > 0)
}

/// The month in which a season begins in the northern half of the earth. A winter is that of the year it begins in.
fn first_month(season: Season) -> u8 {
    match season {
        Season::Spring => 3,
        Season::Summer => 6,
        Season::Autumn => 9,
        Season::Winter => 12,
    }
}

fn hour_order(part: PartOfDay) -> u8 {
    match part {
        PartOfDay::Dawn => 1,
        PartOfDay::Morning => 2,
        PartOfDay::Noon => 3,
        PartOfDay::Afternoon => 4,
        PartOfDay::Evening => 5,
        PartOfDay::Night => 6,
        PartOfDay::Midnight => 7,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_ordered_as_they_happen_in_both_languages() {
        let zh = ["一九七一年六月", "1982年5月21日", "一九八三年二月", "1983年5月15日夜里", "一九九一年冬天"];
        let en = ["June 1971", "21 May 1982", "February 1983", "the night of 15 May 1983", "winter 1991"];
        for words in [zh, en] {
            let moments = words.map(|words| moment_of(words).unwrap_or_else(|| panic!("no date: {words}")));
            assert!(moments.is_sorted(), "{words:?}: {moments:?}");
        }
        assert_eq!(moment_of("第三天"), None);
        assert_eq!(moment_of("Day 3, at night"), None);
    }
}
