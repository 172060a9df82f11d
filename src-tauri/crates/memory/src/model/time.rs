//! A point in time, whole milliseconds, UTC; RFC 3339 on the wire.

use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use specta::Type;

/// Milliseconds since 1970-01-01T00:00:00Z. Written as RFC 3339 on the wire, as an integer on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Type)]
#[specta(transparent)]
pub struct Time(#[specta(type = String)] i64);

const MILLIS_A_DAY: f64 = 86_400_000.0;

impl Time {
    /// From milliseconds since 1970.
    #[must_use]
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since 1970.
    #[must_use]
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// The time `millis` later (earlier when negative).
    #[must_use]
    pub const fn plus_millis(self, millis: i64) -> Self {
        Self(self.0.saturating_add(millis))
    }

    /// The day in UTC, `YYYY-MM-DD`.
    #[must_use]
    pub fn day(self) -> String {
        self.to_string().chars().take_while(|c| *c != 'T').collect()
    }

    /// Days from `earlier` to `self`; 0 when `earlier` lies after it (a clock set back ages nothing).
    #[must_use]
    pub fn days_since(self, earlier: Self) -> f64 {
        ((self.0 - earlier.0) as f64 / MILLIS_A_DAY).max(0.0)
    }
}

impl std::fmt::Display for Time {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let time = jiff::Timestamp::from_millisecond(self.0).unwrap_or_default();
        write!(f, "{time:.3}")
    }
}

/// Not RFC 3339, or outside the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a time in RFC 3339, such as 2026-03-15T21:00:00Z")]
pub struct NotATime;

impl FromStr for Time {
    type Err = NotATime;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let time: jiff::Timestamp = text.parse().map_err(|_| NotATime)?;
        Ok(Self(time.as_millisecond()))
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}
