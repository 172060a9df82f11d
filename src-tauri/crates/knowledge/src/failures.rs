//! Failures of a study: whether an operation has failed before, whether it may be tried again, and what to avoid.

use palimpsest_text::Language;

/// Milliseconds of a day.
const DAY_MILLIS: i64 = 86_400_000;
/// Maximum number of retries.
pub const MAX_RETRIES: u32 = 2;

/// The standing of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FailureStatus {
    /// Not tried again yet.
    Pending,
    /// Tried again.
    Retrying,
    /// Succeeded after all.
    Recovered,
    /// Failed for good.
    Failed,
}

impl FailureStatus {
    /// The name on the wire and in the store.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Retrying => "retrying",
            Self::Recovered => "recovered",
            Self::Failed => "failed",
        }
    }

    /// The standing of a name in any case; `None` if there is none.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let all = [Self::Pending, Self::Retrying, Self::Recovered, Self::Failed];
        all.into_iter().find(|status| status.name().eq_ignore_ascii_case(name.trim()))
    }
}

/// Why a question of a study failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FailureKind {
    /// No statement had a quote that the code found.
    NoEvidence,
    /// The reply was no object of the schema.
    UnreadableReply,
    /// The reply names a passage or an entity that was not shown.
    UnknownId,
    /// The reply is in another language than the book.
    WrongLanguage,
    /// The reply quotes text after the position.
    AfterPosition,
    /// The model could not be asked, several times.
    ModelFailed,
    /// The program ended in the middle, several times.
    Interrupted,
    /// A cited chapter changed in the meantime.
    TextChanged,
}

impl FailureKind {
    /// All kinds.
    pub const ALL: [Self; 8] = [
        Self::NoEvidence,
        Self::UnreadableReply,
        Self::UnknownId,
        Self::WrongLanguage,
        Self::AfterPosition,
        Self::ModelFailed,
        Self::Interrupted,
        Self::TextChanged,
    ];

    /// The name in the store.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NoEvidence => "noEvidence",
            Self::UnreadableReply => "unreadableReply",
            Self::UnknownId => "unknownId",
            Self::WrongLanguage => "wrongLanguage",
            Self::AfterPosition => "afterPosition",
            Self::ModelFailed => "modelFailed",
            Self::Interrupted => "interrupted",
            Self::TextChanged => "textChanged",
        }
    }

    /// The kind of a name; `None` if there is none.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether it shows that the model replies badly. Such failures count as errors of the study.
    #[must_use]
    pub fn is_bad_reply(self) -> bool {
        matches!(self, Self::UnreadableReply | Self::UnknownId | Self::WrongLanguage | Self::AfterPosition)
    }

    /// One sentence for the next prompt. A template: words of a model would be instructions of a model's own.
    #[must_use]
    pub fn avoid_strategy(self, language: Language) -> &'static str {
        match (self, language) {
            (Self::NoEvidence, Language::Zh) => "书里没有找到这个问题的依据；换一个书里写到的具体问题。",
            (Self::NoEvidence, Language::En) => {
                "The book had no evidence for it; ask about something definite that the book says."
            }
            (Self::UnreadableReply, Language::Zh) => "回复不是要求的 JSON；只回复一个 JSON 对象。",
            (Self::UnreadableReply, Language::En) => {
                "The reply was not the JSON asked for; reply with one JSON object."
            }
            (Self::UnknownId, Language::Zh) => "用了没有给出的编号；只用给出的编号。",
            (Self::UnknownId, Language::En) => "It used a number that was not given; use only numbers that are given.",
            (Self::WrongLanguage, Language::Zh) => "语言不对；用书的语言写。",
            (Self::WrongLanguage, Language::En) => "It was in another language; write in the language of the book.",
            (Self::AfterPosition, Language::Zh) => "引了后面的内容；只用给出的段落。",
            (Self::AfterPosition, Language::En) => "It quoted later text; use only the passages that are given.",
            (Self::ModelFailed, Language::Zh) => "当时模型没有应答；可以再问。",
            (Self::ModelFailed, Language::En) => "The model did not answer then; it may be asked again.",
            (Self::Interrupted, Language::Zh) => "当时中断了；问得小一些。",
            (Self::Interrupted, Language::En) => "It was interrupted; ask something smaller.",
            (Self::TextChanged, Language::Zh) => "引用的章节改动了；按现在的文字再问。",
            (Self::TextChanged, Language::En) => "A cited chapter changed; ask about the text as it is now.",
        }
    }
}

/// A failure that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failure {
    /// Its standing.
    pub status: FailureStatus,
    /// Time of the last attempt, in milliseconds since 1970.
    pub failed_at: i64,
    /// Number of retries so far.
    pub retry_count: u32,
}

/// Whether an operation has failed before, by the failures with its signature: one of them is pending for less than a
/// day, or failed for good.
#[must_use]
pub fn has_failed_before(failures: &[Failure], now: i64) -> bool {
    failures.iter().any(|failure| match failure.status {
        FailureStatus::Pending => !is_day_over(failure, now),
        FailureStatus::Failed => true,
        FailureStatus::Retrying | FailureStatus::Recovered => false,
    })
}

/// Whether a failed operation may be tried again: at most twice, and only after a day or after the change of a chapter
/// that it cited.
#[must_use]
pub fn can_retry(failure: &Failure, has_chapter_changed: bool, now: i64) -> bool {
    let is_open = matches!(failure.status, FailureStatus::Pending | FailureStatus::Retrying);
    is_open && failure.retry_count < MAX_RETRIES && (has_chapter_changed || is_day_over(failure, now))
}

/// The failure after the start of a retry. The caller has checked that it [`can_retry`].
#[must_use]
pub fn begin_retry(failure: Failure) -> Failure {
    Failure { status: FailureStatus::Retrying, retry_count: failure.retry_count + 1, ..failure }
}

/// The failure after another failure of its operation: failed for good after the last retry. One that succeeded in the
/// meantime begins again.
#[must_use]
pub fn after_failure(failure: Failure, now: i64) -> Failure {
    match failure.status {
        FailureStatus::Recovered => Failure { status: FailureStatus::Pending, failed_at: now, retry_count: 0 },
        FailureStatus::Failed => failure,
        FailureStatus::Pending | FailureStatus::Retrying if failure.retry_count >= MAX_RETRIES => {
            Failure { status: FailureStatus::Failed, failed_at: now, ..failure }
        }
        FailureStatus::Pending | FailureStatus::Retrying => Failure { failed_at: now, ..failure },
    }
}

/// The failure after a success of its operation.
#[must_use]
pub fn after_success(failure: Failure) -> Failure {
    Failure { status: FailureStatus::Recovered, ..failure }
}

/// Whether a day has passed since the last attempt. Under a clock that was set back it has not.
fn is_day_over(failure: &Failure, now: i64) -> bool {
    now.saturating_sub(failure.failed_at) >= DAY_MILLIS
}

#[cfg(test)]
mod tests {
    use super::*;

    const PENDING: Failure = Failure { status: FailureStatus::Pending, failed_at: 1_000, retry_count: 0 };

    #[test]
    fn a_failure_counts_for_a_day_and_for_ever_when_it_is_final() {
        let day_later = 1_000 + DAY_MILLIS;
        for (status, at_once, later) in [
            (FailureStatus::Pending, true, false),
            (FailureStatus::Retrying, false, false),
            (FailureStatus::Recovered, false, false),
            (FailureStatus::Failed, true, true),
        ] {
            let failure = Failure { status, ..PENDING };
            assert_eq!(has_failed_before(&[failure], day_later - 1), at_once, "{status:?}");
            assert_eq!(has_failed_before(&[failure], day_later), later, "{status:?}");
        }
        assert!(!has_failed_before(&[], 0));
        assert!(has_failed_before(&[PENDING], 0), "under a clock that was set back");
    }

    #[test]
    fn an_operation_is_tried_again_twice_and_never_at_once() {
        let mut failure = PENDING;
        assert!(!can_retry(&failure, false, 2_000));
        assert!(can_retry(&failure, true, 2_000));
        assert!(can_retry(&failure, false, 1_000 + DAY_MILLIS));
        for retry in 1..=MAX_RETRIES {
            failure = begin_retry(failure);
            assert_eq!((failure.status, failure.retry_count), (FailureStatus::Retrying, retry));
            failure = after_failure(failure, 5_000);
        }
        assert_eq!(failure.status, FailureStatus::Failed);
        assert!(!can_retry(&failure, true, i64::MAX));
        assert!(has_failed_before(&[failure], i64::MAX));
    }

    #[test]
    fn a_success_recovers_a_failure() {
        let recovered = after_success(begin_retry(PENDING));
        assert_eq!(recovered.status, FailureStatus::Recovered);
        assert!(!has_failed_before(&[recovered], 1_001) && !can_retry(&recovered, true, i64::MAX));
        let again = after_failure(recovered, 9_000);
        assert_eq!((again.status, again.retry_count), (FailureStatus::Pending, 0));
    }

    #[test]
    fn every_kind_has_a_template_in_both_languages() {
        for kind in FailureKind::ALL {
            assert_eq!(FailureKind::from_name(kind.name()), Some(kind));
            let (zh, en) = (kind.avoid_strategy(Language::Zh), kind.avoid_strategy(Language::En));
            assert!(zh.chars().any(palimpsest_text::is_han) && en.is_ascii() && !en.contains('\n'), "{kind:?}");
        }
        assert_eq!(FailureStatus::from_name(" RETRYING"), Some(FailureStatus::Retrying));
    }
}
