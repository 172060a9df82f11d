//! Numbers of this server in the text format of Prometheus.

use std::{
    collections::BTreeMap,
    fmt::Write,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use parking_lot::Mutex;

/// Upper bounds of the buckets of times, in seconds.
const BUCKETS: [f64; 10] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0];

#[derive(Default)]
struct Times {
    /// Number of requests up to each bound.
    buckets: [u64; BUCKETS.len()],
    count: u64,
    seconds: f64,
}

#[derive(Default)]
struct Counts {
    /// By route and status.
    requests: BTreeMap<(&'static str, u16), u64>,
    times: BTreeMap<&'static str, Times>,
}

/// The counts since the start of this server.
#[derive(Default)]
pub(crate) struct Metrics {
    counts: Mutex<Counts>,
    /// Requests that are being answered.
    pub in_flight: AtomicU64,
    /// Records that were recognized as duplicates.
    pub duplicates: AtomicU64,
}

/// The state of the pool of connections, and of the encoder.
pub(crate) struct Gauges {
    pub connections: usize,
    pub idle: usize,
    pub has_encoder: bool,
}

impl Metrics {
    /// Counts a request that was answered.
    pub(crate) fn observe(&self, route: &'static str, status: u16, time: Duration) {
        let seconds = time.as_secs_f64();
        let mut counts = self.counts.lock();
        *counts.requests.entry((route, status)).or_default() += 1;
        let times = counts.times.entry(route).or_default();
        for (count, _) in times.buckets.iter_mut().zip(BUCKETS).filter(|(_, bound)| seconds <= *bound) {
            *count += 1;
        }
        times.count += 1;
        times.seconds += seconds;
    }

    /// The numbers as text.
    pub(crate) fn to_text(&self, gauges: &Gauges) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        self.write_to(&mut text, gauges).ok();
        text
    }

    fn write_to(&self, out: &mut String, gauges: &Gauges) -> std::fmt::Result {
        let counts = self.counts.lock();
        writeln!(out, "# HELP palimpsest_requests_total Requests that were answered.")?;
        writeln!(out, "# TYPE palimpsest_requests_total counter")?;
        for ((route, status), count) in &counts.requests {
            writeln!(out, "palimpsest_requests_total{{route=\"{route}\",status=\"{status}\"}} {count}")?;
        }
        writeln!(out, "# HELP palimpsest_request_seconds Time from the head of a request to its answer.")?;
        writeln!(out, "# TYPE palimpsest_request_seconds histogram")?;
        for (route, times) in &counts.times {
            for (count, bound) in times.buckets.iter().zip(BUCKETS) {
                writeln!(out, "palimpsest_request_seconds_bucket{{route=\"{route}\",le=\"{bound}\"}} {count}")?;
            }
            let Times { count, seconds, .. } = times;
            writeln!(out, "palimpsest_request_seconds_bucket{{route=\"{route}\",le=\"+Inf\"}} {count}")?;
            writeln!(out, "palimpsest_request_seconds_sum{{route=\"{route}\"}} {seconds}")?;
            writeln!(out, "palimpsest_request_seconds_count{{route=\"{route}\"}} {count}")?;
        }
        let in_flight = self.in_flight.load(Ordering::Relaxed);
        let duplicates = self.duplicates.load(Ordering::Relaxed);
        for (name, kind, help, value) in [
            ("requests_in_flight", "gauge", "Requests that are being answered.", in_flight),
            ("duplicates_total", "counter", "Records that were recognized as duplicates.", duplicates),
            ("database_connections", "gauge", "Open connections to the database.", gauges.connections as u64),
            ("database_connections_idle", "gauge", "Connections without a request.", gauges.idle as u64),
            ("encoder", "gauge", "1 if the encoder is loaded.", u64::from(gauges.has_encoder)),
        ] {
            writeln!(
                out,
                "# HELP palimpsest_{name} {help}\n# TYPE palimpsest_{name} {kind}\npalimpsest_{name} {value}"
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_by_route_and_status_and_their_times_cumulatively() {
        let metrics = Metrics::default();
        metrics.observe("/health", 200, Duration::from_millis(2));
        metrics.observe("/health", 200, Duration::from_millis(20));
        metrics.observe("/health", 503, Duration::from_secs(9));
        let text = metrics.to_text(&Gauges { connections: 2, idle: 1, has_encoder: false });
        for line in [
            "palimpsest_requests_total{route=\"/health\",status=\"200\"} 2",
            "palimpsest_requests_total{route=\"/health\",status=\"503\"} 1",
            "palimpsest_request_seconds_bucket{route=\"/health\",le=\"0.0025\"} 1",
            "palimpsest_request_seconds_bucket{route=\"/health\",le=\"5\"} 2",
            "palimpsest_request_seconds_bucket{route=\"/health\",le=\"+Inf\"} 3",
            "palimpsest_database_connections 2",
            "palimpsest_encoder 0",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} in\n{text}");
        }
    }
}
