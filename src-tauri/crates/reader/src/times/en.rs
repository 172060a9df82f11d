//! English expressions of time.

use super::{Date, PartOfDay, Season, TimeExpression, TimeUnit, TimeValue, Weekday};
use crate::{
    numbers::{en_month, en_number},
    words::{Gap, Parsed, Word},
};

const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
/// Words before a number of four digits that make it a year.
const BEFORE_YEAR: [&str; 14] =
    ["in", "of", "since", "until", "till", "by", "before", "after", "year", "from", "to", "during", "spring", "about"];

pub(super) fn expressions(text: &str) -> Vec<TimeExpression> {
    let parsed = Parsed::new(text);
    let lower: Vec<String> = parsed.words.iter().map(|word| word.text.to_lowercase()).collect();
    let reader = Reader { parsed: &parsed, lower: &lower };
    let mut found = Vec::new();
    let mut at = 0;
    while at < lower.len() {
        match reader.at(at) {
            Some((length, value)) => {
                let range = parsed.words[at].start..parsed.words[at + length - 1].range().end;
                found.push(TimeExpression { range, value });
                at += length;
            }
            None => at += 1,
        }
    }
    found
}

struct Reader<'a, 't> {
    parsed: &'a Parsed<'t>,
    lower: &'a [String],
}

/// The number of words of an expression, and its meaning.
type Match = Option<(usize, TimeValue)>;

impl Reader<'_, '_> {
    /// The word at a place, in small letters, if it follows the word before it after a space or a comma.
    fn word(&self, at: usize) -> &str {
        let is_joined = self.parsed.words.get(at).is_some_and(|word| matches!(word.gap, Gap::Space | Gap::Comma));
        if is_joined { self.lower.get(at).map_or("", String::as_str) } else { "" }
    }

    fn at(&self, at: usize) -> Match {
        let word = self.lower.get(at).map_or("", String::as_str);
        let written = &self.parsed.words[at];
        self.date(at)
            .or_else(|| self.age(at, word))
            .or_else(|| self.distance(at, word))
            .or_else(|| Some((1, self.single(at, word, written)?)))
    }

    fn date(&self, at: usize) -> Match {
        let month_at = |place: usize| {
            let word = self.parsed.words.get(place).filter(|word| word.is_capital())?;
            en_month(word.text)
        };
        let year_at = |place: usize| year(self.word(place));
        let date = |length: usize, year: Option<u16>, month: u8, day: Option<u8>| {
            let exists = Date::new(year.unwrap_or(2000), month, day.unwrap_or(1)).is_some();
            exists.then_some((length + usize::from(year.is_some()), TimeValue::Date { year, month: Some(month), day }))
        };
        if let Some(month) = month_at(at) {
            if let Some(day) = day(self.word(at + 1)) {
                return date(2, year_at(at + 2), month, Some(day));
            }
            // Without a number `May` and `March` are words, unless a preposition shows the month.
            let before = at.checked_sub(1).map_or("", |before| self.lower[before].as_str());
            let is_month = year_at(at + 1).is_some()
                || matches!(
                    before,
                    "in" | "of" | "last" | "next" | "since" | "until" | "till" | "early" | "late" | "by" | "was"
                );
            return if is_month { date(1, year_at(at + 1), month, None) } else { None };
        }
        if let Some(day) = day(&self.lower[at]) {
            let of = usize::from(self.word(at + 1) == "of");
            let month = month_at(at + 1 + of).filter(|_| !self.word(at + 1 + of).is_empty())?;
            return date(2 + of, year_at(at + 2 + of), month, Some(day));
        }
        let year = year(&self.lower[at])?;
        let before = at.checked_sub(1).map_or("", |before| self.lower[before].as_str());
        let is_year = BEFORE_YEAR.contains(&before);
        is_year.then_some((1, TimeValue::Date { year: Some(year), month: None, day: None }))
    }

    fn age(&self, at: usize, word: &str) -> Match {
        let value = |number: u32| u16::try_from(number).ok().filter(|age| *age <= 150).map(TimeValue::Age);
        let (skip, number) = match word {
            "aged" | "turned" => (1, en_number(self.word(at + 1))?),
            "age" if self.word(at + 1) == "of" => (2, en_number(self.word(at + 2))?),
            _ => {
                let number = en_number(word)?;
                let is_age = matches!(self.word(at + 1), "years" | "year")
                    && (self.word(at + 2) == "old" || self.word(at + 2) == "of" && self.word(at + 3) == "age");
                let length = if self.word(at + 2) == "old" { 3 } else { 4 };
                return if is_age { Some((length, value(number)?)) } else { None };
            }
        };
        Some((skip + 1, value(number)?))
    }

    fn distance(&self, at: usize, word: &str) -> Match {
        let after = |amount: i32, unit| TimeValue::After { amount, unit };
        if matches!(word, "next" | "following" | "previous") {
            let unit = unit(self.word(at + 1))?;
            return Some((2, after(if word == "previous" { -1 } else { 1 }, unit)));
        }
        match word {
            "tomorrow" | "to-morrow" => return Some((1, after(1, TimeUnit::Day))),
            "yesterday" => return Some((1, after(-1, TimeUnit::Day))),
            _ => {}
        }
        let amount = i32::try_from(en_number(word).or_else(|| matches!(word, "a" | "an").then_some(1))?).ok()?;
        let unit = unit(self.word(at + 1))?;
        match self.word(at + 2) {
            "later" | "after" | "afterwards" | "afterward" => Some((3, after(amount, unit))),
            "ago" | "before" | "earlier" | "previously" => Some((3, after(-amount, unit))),
            _ => None,
        }
    }

    fn single(&self, at: usize, word: &str, written: &Word<'_>) -> Option<TimeValue> {
        if let Some(day) = WEEKDAYS.iter().position(|day| *day == word).filter(|_| written.is_capital()) {
            return Weekday::ALL.get(day).copied().map(TimeValue::Weekday);
        }
        let part = match word {
            "dawn" | "daybreak" | "sunrise" => PartOfDay::Dawn,
            "morning" => PartOfDay::Morning,
            "noon" | "midday" | "noonday" => PartOfDay::Noon,
            "afternoon" => PartOfDay::Afternoon,
            "evening" | "sunset" | "dusk" | "twilight" => PartOfDay::Evening,
            "night" | "nightfall" => PartOfDay::Night,
            "midnight" => PartOfDay::Midnight,
            _ => return self.season(at, word).map(TimeValue::Season),
        };
        Some(TimeValue::PartOfDay(part))
    }

    /// `spring` and `fall` are also verbs and things: a season has a word before it that shows it.
    fn season(&self, at: usize, word: &str) -> Option<Season> {
        const BEFORE: [&str; 14] = [
            "in",
            "that",
            "last",
            "next",
            "this",
            "early",
            "late",
            "all",
            "every",
            "during",
            "one",
            "until",
            "since",
            "following",
        ];
        let before = at.checked_sub(1).map_or("", |before| self.lower[before].as_str());
        let second = at.checked_sub(2).map_or("", |before| self.lower[before].as_str());
        let is_shown = BEFORE.contains(&before) || before == "the" && BEFORE.contains(&second);
        match word {
            "summer" => Some(Season::Summer),
            "winter" => Some(Season::Winter),
            "autumn" => Some(Season::Autumn),
            "spring" if is_shown => Some(Season::Spring),
            "fall" if matches!(before, "last" | "next" | "this" | "early" | "late") => Some(Season::Autumn),
            _ => None,
        }
    }
}

fn unit(word: &str) -> Option<TimeUnit> {
    Some(match word {
        "hour" | "hours" => TimeUnit::Hour,
        "day" | "days" => TimeUnit::Day,
        "week" | "weeks" => TimeUnit::Week,
        "month" | "months" => TimeUnit::Month,
        "year" | "years" => TimeUnit::Year,
        _ => return None,
    })
}

/// `3`, `3rd`.
fn day(word: &str) -> Option<u8> {
    let digits = ["st", "nd", "rd", "th"].iter().find_map(|end| word.strip_suffix(end)).unwrap_or(word);
    let is_short = digits.len() <= 2 && digits.chars().all(|c| c.is_ascii_digit());
    digits.parse().ok().filter(|day| is_short && (1..=31).contains(day))
}

fn year(word: &str) -> Option<u16> {
    let is_year = word.len() == 4 && word.chars().all(|c| c.is_ascii_digit());
    word.parse().ok().filter(|year| is_year && (1000..=2999).contains(year))
}
