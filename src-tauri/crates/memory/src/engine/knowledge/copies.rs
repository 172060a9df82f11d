//! The contents of the readable copies, with the field names and the names of values of the specification.

use palimpsest_knowledge::question_type::QuestionType as NamedType;
use serde_json::{Map, Value, json};

use crate::model::{
    Answer, Domain, Failure, FailureStatus, GlobalMemory, OperationType, Project, QuestionType, StudyPhase, StudyState,
};

/// Version of the shape of `project_map.json`.
const VERSION: &str = "2.0.0";

/// A learning record. Its vectors are in the database alone.
pub(super) fn record_copy(record: &Answer) -> Value {
    let details = &record.details;
    let steps: Vec<Value> = details
        .exploration_path
        .iter()
        .map(|step| {
            json!({ "toolName": step.tool_name, "parameters": step.parameters, "resultSummary": step.result_summary,
                "timestamp": step.timestamp.millis() })
        })
        .collect();
    json!({
        "id": format!("lr-{}", record.answer_id),
        "projectKey": record.project_id,
        "createdAt": record.created_at.millis(),
        "question": record.question,
        "questionType": question_type(details.question_type.unwrap_or(QuestionType::Plot)),
        "answer": record.answer,
        "explorationPath": steps,
        "confidence": record.confidence,
        "sourceFiles": details.source_files,
        "relatedRecords": details.related_records.iter().map(|id| format!("lr-{id}")).collect::<Vec<_>>(),
        "tags": details.tags,
        "domain": details.domain,
        "metadata": details.metadata,
        "citations": record.citations,
    })
}

/// The name of a type in the specification.
fn question_type(own: QuestionType) -> &'static str {
    let name = json!(own);
    let named = name.as_str().and_then(NamedType::from_name).unwrap_or(NamedType::Plot);
    named.alias()
}

/// A failure, with the times in milliseconds since 1970.
pub(super) fn failure_copy(failure: &Failure) -> Value {
    let operation_type = match failure.operation_type {
        OperationType::Analysis => "PROJECT_ANALYSIS",
        OperationType::Vectors => "CODE_VECTORIZATION",
        OperationType::StudyQuestion => "SELF_EVOLUTION_QUESTION",
        OperationType::StudyExploration => "SELF_EVOLUTION_EXPLORATION",
        OperationType::StudySummary => "SELF_EVOLUTION_SUMMARY",
    };
    let status = match failure.status {
        FailureStatus::Pending => "PENDING",
        FailureStatus::Retrying => "RETRYING",
        FailureStatus::Recovered => "RECOVERED",
        FailureStatus::Failed => "FAILED",
    };
    json!({
        "id": format!("fr-{}", failure.failure_id),
        "projectKey": failure.project_id,
        "operationType": operation_type,
        "operation": failure.operation,
        "error": failure.error,
        "context": failure.context,
        "timestamp": failure.failed_at.millis(),
        "retryCount": failure.retry_count,
        "status": status,
        "avoidStrategy": failure.avoid_strategy,
    })
}

/// A domain, with the file names of its records.
pub(super) fn domain_copy(domain: &Domain) -> Value {
    json!({
        "id": format!("dk-{}", domain.entity_id),
        "domain": domain.domain,
        "summary": domain.summary,
        "keyConcepts": domain.key_concepts,
        "keyFiles": domain.key_files,
        "sourceRecordIds": domain.source_record_ids.iter().map(|id| format!("lr-{id}")).collect::<Vec<_>>(),
    })
}

/// The craft notes, and the patterns of several books, which were counted from the text at `last_counted`.
pub(super) fn global_copies(global: &GlobalMemory, last_counted: Option<i64>) -> (Value, Value) {
    let practice = |note: &crate::model::Practice| {
        json!({ "id": note.practice_id, "title": note.title, "description": note.description,
            "applicableScenarios": note.applicable_scenarios, "sourceProjects": note.source_projects })
    };
    let practices: Vec<Value> = global.best_practices.iter().map(practice).collect();
    let updated_at = global.updated_at.map(crate::model::Time::millis);
    (
        json!({ "version": VERSION, "updatedAt": updated_at, "bestPractices": practices }),
        json!({ "version": VERSION, "updatedAt": last_counted, "crossProjectPatterns": global.cross_project_patterns }),
    )
}

/// A book in the map.
pub(super) struct MappedProject {
    pub project: Project,
    pub study: Option<StudyState>,
    /// The hash of the text of each analyzed chapter, by id.
    pub chapters: Vec<(String, String)>,
    /// Whether all chapters are analyzed, and whether all their passages have vectors.
    pub is_analyzed: bool,
    pub is_encoded: bool,
    /// Time of the last analysis of a chapter, in milliseconds; `None` if it is not known.
    pub last_analyzed: Option<i64>,
    /// Names without their endings.
    pub records: Vec<String>,
    pub failures: Vec<String>,
    pub domains: Vec<String>,
    /// Time of the newest learning record, in milliseconds.
    pub last_evolution: Option<i64>,
}

/// An entry of `project_map.json`. `bookHash` is the BLAKE3 hash of its chapters' hashes. `projectMd5` is its first
/// half: it has the length of an MD5, and like one it changes with the text.
pub(super) fn mapped(one: &MappedProject) -> Value {
    let status = |is_done: bool| if is_done { "COMPLETED" } else { "PENDING" };
    let read = status(one.is_analyzed);
    let files: Map<String, Value> = one.chapters.iter().map(|(id, hash)| (id.clone(), json!(hash))).collect();
    let lines: Vec<String> = one.chapters.iter().map(|(id, hash)| format!("{id} {hash}")).collect();
    let hash = blake3::hash(lines.join("\n").as_bytes()).to_hex();
    json!({
        "path": one.project.path,
        "lastAnalyzed": one.last_analyzed,
        "projectMd5": hash[..32],
        "bookHash": hash.as_str(),
        "analysisStatus": { "passages": read, "names": read, "presence": read, "speech": read, "times": read,
            "vectors": status(one.is_encoded) },
        "mdFiles": files,
        "evolutionStatus": one.study.as_ref().map(evolution),
        "learningRecordIndex": one.records,
        "failureRecordIndex": one.failures,
        "domainKnowledgeIndex": one.domains,
        "lastEvolutionTime": one.last_evolution,
    })
}

fn evolution(study: &StudyState) -> Value {
    let phase = match study.current_phase {
        // The seed's form has no comparison.
        StudyPhase::Idle | StudyPhase::Checking | StudyPhase::Comparing | StudyPhase::Stopped => "IDLE",
        StudyPhase::GeneratingQuestion => "GENERATING_QUESTION",
        StudyPhase::Exploring => "EXPLORING",
        StudyPhase::Summarizing | StudyPhase::Committing => "SUMMARIZING",
        StudyPhase::BackingOff => "BACKING_OFF",
    };
    json!({
        "isEnabled": study.is_enabled,
        "currentPhase": phase,
        "consecutiveErrors": study.consecutive_errors,
        "lastError": study.last_error,
        "backoffUntil": study.backoff_until.map(crate::model::Time::millis),
        "questionsGeneratedToday": study.questions_today,
        "lastResetDate": study.last_reset_date,
        "totalQuestionsExplored": study.total_questions_explored,
    })
}

/// The whole map.
pub(super) fn project_map(projects: &Map<String, Value>, last_update: i64) -> Value {
    json!({ "version": VERSION, "lastUpdate": last_update, "projects": projects })
}
