//! Gathering and testing: one state of `rules.db` is read, project by project, and folded into supported rules.

use std::collections::{BTreeMap, HashMap, HashSet};

use palimpsest_learning::{ActiveRule, Direction, NoRuleReason, Outcome, State, Verdict, distill};
use palimpsest_text::{Language as Script, style::Feature};
use rusqlite::Connection;

use super::RunError;
use crate::{
    engine::{
        Engine,
        bearing::{FindingWithExamples, ProjectEvidence, restarts},
    },
    error::Result,
    model::{
        ChangeKind, EpisodeId, EvidenceFingerprint, Language, Pattern, Project, ProjectId, Rule, RuleId, RuleOrigin,
        RuleStanding, RunReason, Scope, Time,
    },
    ports::Stop,
    semantic::{
        evidence::{Strata, Table, settings, table},
        reconcile::{ProjectFindings, StateBefore, Suggestion},
        rules::Matter,
        triggers,
    },
    storage::{
        conflicts, evidence, remarks, rules, runs,
        support::{self},
        tombstones::{self},
    },
};

/// The input of a run, read at one time.
pub(super) struct RunInput {
    pub(super) books: Vec<BookInput>,
    pub(super) known: StateBefore,
    /// Every rule that was read: id and version.
    pub(super) versions: Vec<(RuleId, u32)>,
    /// Number of episodes that count.
    pub(super) episodes: u32,
    /// Why there is no rule, in case there is none.
    pub(super) reason: RunReason,
}

/// The input of a run from one project.
pub(super) struct BookInput {
    pub(super) project: Project,
    pub(super) evidence: EvidenceFingerprint,
    pub(super) episodes: u32,
    pub(super) pieces: Vec<FindingWithExamples>,
    /// Rules that recent evidence contradicts, with the time up to which earlier evidence counts no more.
    pub(super) retired: Vec<(Rule, Time)>,
    /// The episodes that bear on each found or known matter; `true` where they agree.
    pub(super) support: HashMap<Matter, Vec<(EpisodeId, bool)>>,
    pub(super) seen_until: Time,
    /// When the last run that learned from the project began.
    pub(super) read_from: Option<Time>,
    /// Rules that the writer restored by undoing a run, while no later evidence contradicts them.
    pub(super) restored: Vec<RuleId>,
    pub(super) suggested: Vec<Suggestion>,
    pub(super) placed: Vec<(RuleId, Pattern)>,
    /// Rules in words that a model has classified as not measurable.
    pub(super) immeasurable: Vec<RuleId>,
}

impl BookInput {
    pub(super) fn as_found(&self) -> ProjectFindings {
        ProjectFindings {
            project_id: self.project.project_id.clone(),
            language: self.project.language,
            found: self.pieces.iter().map(|piece| piece.finding.clone()).collect(),
            retired: self.retired.iter().map(|(rule, _)| rule.id.clone()).collect(),
            restored: self.restored.clone(),
            seen_until: self.seen_until,
            suggested: self.suggested.clone(),
            placed: self.placed.clone(),
        }
    }
}

impl Engine {
    /// Reads and tests one project, or all that have evidence; `report` receives the share that is done. All is read in
    /// one state of the file; later writes are read by the next run.
    pub(super) fn gather(
        &self,
        project: Option<&ProjectId>,
        stop: &Stop,
        report: &dyn Fn(f64),
    ) -> Result<RunInput, RunError> {
        let db = self.stores.rules.open()?;
        let reader = db.reader()?;
        let reader = reader.snapshot()?;
        let books: Vec<Project> = match project {
            Some(id) => vec![self.known_project(id)?],
            None => remarks::project_ids(&reader)?.iter().filter_map(|id| self.known_project(id).ok()).collect(),
        };
        let known = self.state_before(&reader, &books)?;
        let undone = restored_rules(runs::undone(&reader)?);
        let mut seen = RunInput {
            versions: known.rules.iter().map(|rule| (rule.id.clone(), rule.version)).collect(),
            books: Vec::new(),
            known,
            episodes: 0,
            reason: RunReason::NoEvidence,
        };
        let asked_for_one = project.is_some();
        let share = 1.0 / books.len().max(1) as f64;
        for (at, project) in books.into_iter().enumerate() {
            report(at as f64 * share);
            if stop.is_set() {
                return Err(RunError::Stopped);
            }
            // A project that is being cleared contributes nothing; it is an error if it was asked for by id.
            let _open = match self.visit(&project.project_id) {
                Ok(open) => open,
                Err(error) if asked_for_one => return Err(error.into()),
                Err(_) => continue,
            };
            let (book, reason) = evaluate_book(&reader, project, &seen.known, &undone)?;
            seen.episodes += book.episodes;
            seen.reason = nearer_reason(seen.reason, reason);
            seen.books.push(book);
        }
        Ok(seen)
    }

    /// The rules that a run over these projects may change, and the decisions about them.
    pub(super) fn state_before(&self, db: &Connection, books: &[Project]) -> Result<StateBefore> {
        let all = changeable_rules(db, books.iter().map(|book| &book.project_id))?;
        let mut languages = BTreeMap::new();
        for rule in all.iter().filter(|rule| rule.origin == RuleOrigin::Distilled) {
            let home = rule.project_id.as_ref().and_then(|id| self.known_project(id).ok());
            languages.insert(rule.id.clone(), home.map_or_else(|| language_of_words(&rule.rule), |home| home.language));
        }
        let mut open = Vec::new();
        for book in books {
            open.extend(conflicts::list_open(db, Some(&book.project_id))?);
        }
        let mut known_conflicts = HashSet::new();
        open.retain(|conflict| known_conflicts.insert(conflict.conflict_id.clone()));
        Ok(StateBefore {
            rules: all,
            books: support::list_projects(db)?,
            tombstones: tombstones::list(db)?,
            conflicts: open,
            promoted: rules::promoted(db)?,
            languages,
        })
    }
}

/// The rules of some projects, the global ones, and rules learned elsewhere: each once.
pub(super) fn changeable_rules<'a>(db: &Connection, books: impl Iterator<Item = &'a ProjectId>) -> Result<Vec<Rule>> {
    let mut all: Vec<Rule> = Vec::new();
    let mut known = HashSet::new();
    for book in books {
        let here = rules::list(db, Some(book), None)?;
        let elsewhere = rules::learned_elsewhere(db, book)?;
        all.extend(here.into_iter().chain(elsewhere).filter(|rule| known.insert(rule.id.clone())));
    }
    Ok(all)
}

fn language_of_words(words: &str) -> Language {
    match palimpsest_text::detect(words) {
        Script::Zh => Language::Zh,
        Script::En => Language::En,
    }
}

/// Of two reasons for finding nothing, the one that is nearer to a rule.
fn nearer_reason(one: RunReason, other: RunReason) -> RunReason {
    let near = |reason: &RunReason| match reason {
        RunReason::NothingToSay { .. } => 2.0,
        RunReason::NotYet { progress, .. } => progress.clamp(0.0, 1.0),
        _ => -1.0,
    };
    if near(&other) > near(&one) { other } else { one }
}

/// Folds the evidence of one project.
fn evaluate_book(
    db: &Connection,
    project: Project,
    known: &StateBefore,
    put_back: &BTreeMap<RuleId, Time>,
) -> Result<(BookInput, RunReason)> {
    let id = project.project_id.clone();
    let evidence = evidence::of_project(db, &id)?;
    let table = table(&evidence);
    let here: Vec<&Rule> = known
        .rules
        .iter()
        .filter(|rule| rule.scope == Scope::Global || rule.project_id.as_ref() == Some(&id))
        .collect();
    let (standing, of): (Vec<ActiveRule>, Vec<&Rule>) = here
        .iter()
        .filter_map(|rule| {
            let mut standing = active_rule(rule, &table.strata)?;
            // Only evidence later than the undo can contradict a rule that the writer restored.
            if let Some(at) = put_back.get(&rule.id) {
                standing.since = standing.since.max(at.millis());
            }
            Some((standing, *rule))
        })
        .unzip();
    let is_contradicted = |id: &RuleId| {
        let mut all = standing.iter().zip(&of).filter(|(_, rule)| rule.id == *id);
        all.any(|(standing, _)| is_contradicted(&table, standing))
    };
    let mut restored: Vec<RuleId> = here
        .iter()
        .filter(|rule| rule.standing == RuleStanding::Active && put_back.contains_key(&rule.id))
        .filter(|rule| !is_contradicted(&rule.id))
        .map(|rule| rule.id.clone())
        .collect();
    let restarts = restarts(&known.tombstones, &id, &table.strata);
    let verdicts = tombstones::verdicts(db, &id)?;
    let verdicts = verdicts.into_iter().filter_map(|said| {
        let place = (said.scene_type.as_deref(), said.skill_used.as_deref());
        Some(Verdict {
            feature: Feature::parse(&said.feature)?.index(),
            direction: Direction::from_sign(said.direction as f32)?,
            stratum: table.strata.stratum(place.0, place.1)?,
            at: said.at.millis(),
        })
    });
    let state = State { restarts: restarts.clone(), active: standing.clone(), verdicts: verdicts.collect() };
    let Outcome { rules: found, retired, nothing, .. } = distill(&table.rows, Feature::COUNT, &settings(), &state);

    let mut restarts = restarts;
    let mut stepped = Vec::new();
    for one in &retired {
        let Some(rule) = of.get(one.rule) else { continue };
        if !rule.user_confirmed {
            restarts.push(one.restart);
        }
        restored.retain(|id| *id != rule.id);
        stepped.push(((*rule).clone(), Time::from_millis(one.restart.since)));
    }
    let bearing =
        ProjectEvidence { evidence: &evidence, table: &table, restarts: &restarts, language: project.language };
    let pieces: Vec<FindingWithExamples> = found.iter().filter_map(|found| bearing.finding(found)).collect();
    let matters = here.iter().filter_map(|rule| Matter::from_rule(rule));
    let matters: HashSet<Matter> = matters.chain(pieces.iter().map(|piece| piece.finding.matter.clone())).collect();
    let support = matters.into_iter().map(|matter| (matter.clone(), bearing.support(&matter))).collect();
    let book = BookInput {
        evidence: remarks::fingerprint(db, &id)?,
        episodes: evidence::count(db, &id)?,
        pieces,
        retired: stepped,
        support,
        seen_until: Time::from_millis(table.rows.last().map_or(0, |row| row.order)),
        read_from: runs::last_read_from(db, &id)?,
        restored,
        suggested: Vec::new(),
        placed: Vec::new(),
        immeasurable: Vec::new(),
        project,
    };
    let reason = match nothing {
        // There are rules, but the figures of none agree with it.
        None if book.pieces.is_empty() => {
            RunReason::NothingToSay { features: u32::try_from(found.len()).unwrap_or(u32::MAX) }
        }
        nothing => run_reason(nothing),
    };
    Ok((book, reason))
}

/// The rules that a run dropped or marked as doubtful, and that the writer restored by undoing it; with the time.
fn restored_rules(undone: Vec<runs::Undone>) -> BTreeMap<RuleId, Time> {
    let mut all: BTreeMap<RuleId, Time> = BTreeMap::new();
    for one in undone {
        let is_loss = matches!(
            one.kind,
            ChangeKind::Withdrawn
                | ChangeKind::SteppedBack
                | ChangeKind::Dropped
                | ChangeKind::Replaced
                | ChangeKind::Localised
                | ChangeKind::Challenged
        );
        if is_loss {
            let at = all.entry(one.rule_id).or_insert(one.at);
            *at = (*at).max(one.at);
        }
    }
    all
}

/// Whether the evidence since a rule came into force contradicts it significantly.
fn is_contradicted(table: &Table, standing: &ActiveRule) -> bool {
    let sign = if standing.direction == Direction::More { 1.0 } else { -1.0 };
    let new = table.rows.iter().filter(|row| row.order > standing.since && standing.stratum.contains(row));
    triggers::contradict(new.map(|row| row.evidence(standing.feature) * sign))
}

fn active_rule(rule: &Rule, strata: &Strata) -> Option<ActiveRule> {
    let matter = Matter::from_rule(rule).filter(|_| rule.standing == RuleStanding::Active)?;
    Some(ActiveRule {
        feature: matter.feature.index(),
        direction: Direction::from_sign(matter.direction as f32)?,
        stratum: strata.stratum(matter.scene_type.as_deref(), matter.skill_used.as_deref())?,
        since: rule.learned_at.unwrap_or(rule.created_at).millis(),
        // A rule that the writer wrote counts as confirmed, even if it was never confirmed.
        confirmed: rule.user_confirmed || rule.origin != RuleOrigin::Distilled,
    })
}

fn run_reason(nothing: Option<NoRuleReason>) -> RunReason {
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    match nothing {
        None => RunReason::NothingNew,
        Some(NoRuleReason::NoEvidence) => RunReason::NoEvidence,
        Some(NoRuleReason::NotYet { choices, edits, nearest, progress }) => RunReason::NotYet {
            choices: count(choices),
            edits: count(edits),
            nearest: Feature::ALL.get(nearest).map(|feature| feature.as_str().into()),
            progress: progress.clamp(0.0, 1.0),
        },
        Some(NoRuleReason::TooWeak { features }) => RunReason::NothingToSay { features: count(features) },
    }
}
