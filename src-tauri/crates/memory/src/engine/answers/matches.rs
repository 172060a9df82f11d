//! The matches of a run: as the search found them, as the gatekeeper reads them, and as they are stored.

use palimpsest_answers::gate::{self, Match, Prepared, TextChange};

use super::search::Found;
use crate::{
    model::{AnswerStatus, BlockedBy, MatchDecision, Staleness, Time},
    storage::answer_runs::StoredMatch,
};

/// A match as the gatekeeper reads it.
pub(super) fn match_of(found: &StoredMatch) -> Match {
    Match {
        answer_id: found.answer_id.to_string(),
        version: found.version,
        relevance: found.relevance,
        same: found.same,
        status: status_name(found.status).to_owned(),
        level: found.level,
        trust_milli: u16::try_from(found.trust_milli).unwrap_or(u16::MAX),
        freshness: found.freshness,
        fails_half: found.fails_half,
        shown_count: found.shown_count,
        used_count: found.used_count,
        times_blocked: found.times_blocked,
        last_failed_at: found.last_failed_at.map(Time::millis),
        is_blocked_by_writer: found.blocked_by == Some(BlockedBy::Writer),
        user_confirmed: found.user_confirmed,
        changed: match found.staleness {
            Staleness::Current => TextChange::No,
            Staleness::Maybe => TextChange::Maybe,
            Staleness::Stale => TextChange::Yes,
        },
        is_remote: found.service.is_some(),
    }
}

/// The status in the word of the gatekeeper and of other memories.
pub(super) fn status_name(status: AnswerStatus) -> &'static str {
    match status {
        AnswerStatus::Active => "active",
        AnswerStatus::Verified => "verified",
        AnswerStatus::Blocked => gate::BLOCKED_STATUS,
    }
}

pub(super) fn handle(number: u32) -> String {
    format!("QA:{number}")
}

/// A match in the numbers of this moment, before it is decided.
pub(super) fn numbers_of(found: &Found) -> StoredMatch {
    let (answer, standing) = (&found.stored.answer, &found.stored.standing);
    StoredMatch {
        answer_id: answer.answer_id.clone(),
        version: answer.version,
        handle: None,
        relevance: found.relevance,
        same: f64::from(found.question.score),
        level: standing.level,
        trust_milli: standing.trust_milli,
        freshness: found.freshness,
        fails_half: standing.fails_half,
        shown_count: answer.hit_count,
        used_count: answer.use_count,
        status: answer.status,
        blocked_by: standing.blocked_by,
        times_blocked: standing.times_blocked,
        last_failed_at: standing.last_failed_at,
        user_confirmed: standing.user_confirmed,
        staleness: answer.staleness,
        decision: MatchDecision::LeftOut,
        why: None,
        was_used: None,
        service: None,
        words: None,
    }
}

/// The matches of a run as they are stored: those of the prompt first, in its order.
pub(super) fn decided(found: Vec<StoredMatch>, prepared: &Prepared) -> Vec<StoredMatch> {
    let with_id = |id: &str| found.iter().find(|one| one.answer_id.as_str() == id).cloned();
    let shown = prepared.shown().zip(1_u32..).filter_map(|(id, number)| {
        let is_on_trial = prepared.probation.as_deref() == Some(id);
        let decision = if is_on_trial { MatchDecision::Probation } else { MatchDecision::Injected };
        Some(StoredMatch { handle: Some(number), decision, ..with_id(id)? })
    });
    let left_out = prepared
        .left_out
        .iter()
        .filter_map(|(id, why)| Some(StoredMatch { why: Some(why.as_str().to_owned()), words: None, ..with_id(id)? }));
    shown.chain(left_out).collect()
}
