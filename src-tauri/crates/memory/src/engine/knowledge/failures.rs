//! Failed operations: recorded, looked up, and dealt with.

use palimpsest_knowledge::failures as rules;

use crate::{
    engine::Engine,
    error::{Error, Result},
    model::{
        Changed, CheckFailure, CheckedFailure, Failure, FailureArguments, FailureId, FailureStatus, ProjectId,
        RecordFailure, Time, Topic, UpdateFailure,
    },
    storage::failures,
    validate,
};

/// Maximum characters of an operation.
const OPERATION_CHARS: usize = 2_000;
/// Maximum characters of a signature, and of an error.
const LINE_CHARS: usize = 200;
/// Maximum characters of a strategy.
const STRATEGY_CHARS: usize = 500;
/// Maximum number of entries of a context, and of the characters of a name and of a value.
const CONTEXT: (usize, usize, usize) = (50, 100, 1_000);

impl Engine {
    /// Records a failure. A known one of the same type and signature is counted as tried again.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, `MEMORY_NOT_FOUND`, those of the store.
    pub fn record_failure(&self, args: &RecordFailure) -> Result<Changed<Failure>> {
        check_failure(args)?;
        let _open = self.visit(&args.project_id)?;
        let now = self.clock.now();
        let signature = match &args.signature {
            Some(signature) => signature.trim().to_owned(),
            None => blake3::hash(args.operation.trim().as_bytes()).to_hex().to_string(),
        };
        let new_id = FailureId::from(self.ids.next(now));
        let failure = self.stores.episodes.open()?.write("record a failure", |tx| {
            let known = failures::of_operation(tx, &args.project_id, (args.operation_type, &signature))?;
            let (failure_id, after) = match &known {
                Some(known) => (known.failure_id.clone(), failed_again(known, now)),
                None => (
                    new_id.clone(),
                    rules::Failure { status: rules::FailureStatus::Pending, failed_at: now.millis(), retry_count: 0 },
                ),
            };
            let failure = Failure {
                failure_id,
                project_id: args.project_id.clone(),
                operation_type: args.operation_type,
                operation: args.operation.trim().to_owned(),
                signature: signature.clone(),
                error: args.error.trim().to_owned(),
                context: args.context.clone(),
                failed_at: Time::from_millis(after.failed_at),
                retry_count: after.retry_count,
                status: wire_status(after.status),
                avoid_strategy: args.avoid_strategy.clone().or(known.and_then(|known| known.avoid_strategy)),
            };
            failures::upsert(tx, &failure)?;
            Ok(failure)
        })?;
        Ok(Changed::new(failure, Some(args.project_id.clone()), [Topic::Knowledge]))
    }

    /// Whether an operation has failed before and should not be tried now.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, `MEMORY_NOT_FOUND`, those of the store.
    pub fn check_failure(&self, args: &CheckFailure) -> Result<CheckedFailure> {
        validate::line("signature", &args.signature, LINE_CHARS)?;
        let _open = self.visit(&args.project_id)?;
        let operation = (args.operation_type, args.signature.trim());
        let failure = failures::of_operation(&*self.stores.episodes.open()?.reader()?, &args.project_id, operation)?;
        let known: Vec<rules::Failure> = failure.iter().map(pure_failure).collect();
        let has_failed_before = rules::has_failed_before(&known, self.clock.now().millis());
        Ok(CheckedFailure { has_failed_before, failure })
    }

    /// A failure of a book.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, `MEMORY_NOT_FOUND`, `MEMORY_SCOPE_DENIED`, those of the store.
    pub fn failure(&self, args: &FailureArguments) -> Result<Failure> {
        let _open = self.visit(&args.project_id)?;
        failure_of(&*self.stores.episodes.open()?.reader()?, &args.project_id, &args.failure_id)
    }

    /// Says how far a failure has been dealt with. An operation is tried again twice at most.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, also for a third retry; `MEMORY_NOT_FOUND`, `MEMORY_SCOPE_DENIED`, those of the
    /// store.
    pub fn update_failure(&self, args: &UpdateFailure) -> Result<Changed<Failure>> {
        let strategy = args.avoid_strategy.as_deref();
        strategy.map_or(Ok(()), |strategy| super::check_words("avoidStrategy", strategy, STRATEGY_CHARS))?;
        let _open = self.visit(&args.project_id)?;
        let failure = self.stores.episodes.open()?.write("change a failure", |tx| {
            let mut failure = failure_of(tx, &args.project_id, &args.failure_id)?;
            if args.status == FailureStatus::Retrying && failure.status != FailureStatus::Retrying {
                if failure.retry_count >= rules::MAX_RETRIES {
                    return Err(Error::invalid("status", format!("tried again {} times", rules::MAX_RETRIES)));
                }
                failure.retry_count = rules::begin_retry(pure_failure(&failure)).retry_count;
            }
            failure.status = args.status;
            if let Some(strategy) = strategy {
                failure.avoid_strategy = Some(strategy.trim().to_owned());
            }
            failures::upsert(tx, &failure)?;
            Ok(failure)
        })?;
        Ok(Changed::new(failure, Some(args.project_id.clone()), [Topic::Knowledge]))
    }
}

fn check_failure(args: &RecordFailure) -> Result<()> {
    super::check_words("operation", &args.operation, OPERATION_CHARS)?;
    args.signature.as_deref().map_or(Ok(()), |signature| validate::line("signature", signature, LINE_CHARS))?;
    validate::line("error", &args.error, LINE_CHARS)?;
    let strategy = args.avoid_strategy.as_deref();
    strategy.map_or(Ok(()), |strategy| super::check_words("avoidStrategy", strategy, STRATEGY_CHARS))?;
    let (max_entries, name_chars, value_chars) = CONTEXT;
    if args.context.len() > max_entries {
        return Err(Error::invalid("context", format!("more than {max_entries} entries")));
    }
    for (name, value) in &args.context {
        validate::line("context", name, name_chars)?;
        if !value.is_empty() {
            super::check_words("context", value, value_chars)?;
        }
    }
    Ok(())
}

fn failure_of(db: &rusqlite::Connection, project_id: &ProjectId, failure_id: &FailureId) -> Result<Failure> {
    validate::identity("failureId", failure_id.as_str())?;
    let failure = failures::get(db, failure_id)?.ok_or_else(|| Error::not_found("failureId", "failure"))?;
    if failure.project_id == *project_id { Ok(failure) } else { Err(Error::scope_denied("failure")) }
}

/// A known failure after another one. A retry that was announced is counted already; the end of a retry is waited for
/// like a first failure.
fn failed_again(known: &Failure, now: Time) -> rules::Failure {
    let known = pure_failure(known);
    let is_pending = known.status == rules::FailureStatus::Pending;
    let after = rules::after_failure(if is_pending { rules::begin_retry(known) } else { known }, now.millis());
    match after.status {
        rules::FailureStatus::Retrying => rules::Failure { status: rules::FailureStatus::Pending, ..after },
        _ => after,
    }
}

pub(in crate::engine) fn pure_failure(failure: &Failure) -> rules::Failure {
    let status = match failure.status {
        FailureStatus::Pending => rules::FailureStatus::Pending,
        FailureStatus::Retrying => rules::FailureStatus::Retrying,
        FailureStatus::Recovered => rules::FailureStatus::Recovered,
        FailureStatus::Failed => rules::FailureStatus::Failed,
    };
    rules::Failure { status, failed_at: failure.failed_at.millis(), retry_count: failure.retry_count }
}

pub(in crate::engine) fn wire_status(status: rules::FailureStatus) -> FailureStatus {
    match status {
        rules::FailureStatus::Pending => FailureStatus::Pending,
        rules::FailureStatus::Retrying => FailureStatus::Retrying,
        rules::FailureStatus::Recovered => FailureStatus::Recovered,
        rules::FailureStatus::Failed => FailureStatus::Failed,
    }
}
