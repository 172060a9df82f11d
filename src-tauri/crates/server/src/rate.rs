//! The rate of requests of each key at this server: a bucket of tokens that fills up evenly.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use uuid::Uuid;

/// The most buckets that are remembered; full ones are dropped first, which changes nothing.
const MAX_BUCKETS: usize = 10_000;

/// Rates by key.
pub(crate) struct Rates {
    per_minute: f64,
    buckets: Mutex<HashMap<Uuid, Bucket>>,
}

struct Bucket {
    tokens: f64,
    at: Instant,
}

impl Rates {
    /// At most this number of requests a minute, of which a sixth may arrive at once.
    pub(crate) fn new(per_minute: u32) -> Self {
        Self { per_minute: f64::from(per_minute.max(1)), buckets: Mutex::default() }
    }

    fn burst(&self) -> f64 {
        (self.per_minute / 6.0).max(1.0)
    }

    /// Takes a token of a key; else the time until there is one.
    pub(crate) fn take(&self, key: Uuid, now: Instant) -> Result<(), Duration> {
        let (burst, per_second) = (self.burst(), self.per_minute / 60.0);
        let filled = |bucket: &Bucket| {
            (bucket.tokens + now.saturating_duration_since(bucket.at).as_secs_f64() * per_second).min(burst)
        };
        let mut buckets = self.buckets.lock();
        if buckets.len() >= MAX_BUCKETS && !buckets.contains_key(&key) {
            buckets.retain(|_, bucket| filled(bucket) < burst);
        }
        let bucket = buckets.entry(key).or_insert(Bucket { tokens: burst, at: now });
        let tokens = filled(bucket);
        (bucket.tokens, bucket.at) = (tokens, now);
        if tokens < 1.0 {
            return Err(Duration::from_secs_f64((1.0 - tokens) / per_second));
        }
        bucket.tokens -= 1.0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_its_burst_and_then_its_rate_and_another_key_its_own() {
        let rates = Rates::new(60);
        let (first, second, start) = (Uuid::new_v4(), Uuid::new_v4(), Instant::now());
        assert_eq!((0..12).filter(|_| rates.take(first, start).is_ok()).count(), 10);
        let wait = rates.take(first, start).unwrap_err();
        assert!(wait > Duration::ZERO && wait <= Duration::from_secs(1), "{wait:?}");
        assert!(rates.take(first, start + wait).is_ok());
        assert!(rates.take(first, start + wait).is_err());
        assert!(rates.take(second, start).is_ok());
        assert_eq!((0..99).filter(|_| rates.take(first, start + Duration::from_secs(900)).is_ok()).count(), 10);
    }
}
