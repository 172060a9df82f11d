//! Time and randomness of the operating system.

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::{Timestamp, tz::TimeZone};
use palimpsest_memory::{
    model::Time,
    ports::{Clock, Ids},
};
use uuid::{NoContext, Timestamp as Moment, Uuid};

/// Reads the operating system's clock and time zone.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Time {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Time::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    /// In the system's time zone.
    fn day(&self) -> String {
        let now = Timestamp::from_millisecond(self.now().millis()).unwrap_or_default();
        now.to_zoned(TimeZone::system()).date().to_string()
    }

    fn offset_millis(&self) -> i64 {
        let now = Timestamp::from_millisecond(self.now().millis()).unwrap_or_default();
        i64::from(TimeZone::system().to_offset(now).seconds()) * 1_000
    }
}

/// The user name on this machine; `writer` where the system has none.
#[must_use]
pub(crate) fn user_name() -> String {
    let name = ["USER", "LOGNAME", "USERNAME"].into_iter().find_map(|name| std::env::var(name).ok());
    let name: String = name.unwrap_or_default().chars().filter(|c| !c.is_control()).take(80).collect();
    if name.trim().is_empty() { "writer".into() } else { name }
}

/// Random identities that sort by the time they were made at (UUID version 7).
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemIds;

impl Ids for SystemIds {
    fn next(&self, now: Time) -> String {
        let millis = u64::try_from(now.millis()).unwrap_or(0);
        let nanos = u32::try_from(millis % 1_000).unwrap_or(0) * 1_000_000;
        Uuid::new_v7(Moment::from_unix(NoContext, millis / 1_000, nanos)).to_string()
    }

    fn seed(&self) -> u32 {
        Uuid::new_v4().as_fields().0
    }
}
