//! Compares the findings of a run with the known rules: pure and idempotent.
//!
//! ```text
//! found, known as a rule ─► its numbers          not in force ─► in force again
//! found, not known       ─► learned              its opposite known ─► the same rule turns round
//! known, not found       ─► withdrawn            turned against ─► steps back
//! ```
//!
//! Invariant: no rule that the writer confirmed or wrote is changed here, except for the note that recent evidence
//! contradicts it. Invariant: wording from one project reaches no other: a rule that becomes global gets new words.

mod balance;
mod questions;

use std::collections::{BTreeMap, HashSet};

use crate::{
    model::{
        Category, ChangeKind, ConfidenceInProject, Language, OpenConflict, Pattern, PatternSource, ProjectId, Rule,
        RuleId, RuleOrigin, RuleStanding, RunChange, Scope, Time, Tombstone, TombstoneCause,
    },
    semantic::rules::Matter,
};

/// A matter that the evidence of a project supports.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// Feature, direction and stratum.
    pub matter: Matter,
    /// The category in the panel.
    pub category: Category,
    /// Words with this project's figures.
    pub words: String,
    /// Words without figures, for several projects.
    pub plain: String,
    /// Every wording of the template, with any figures: words of a template follow the figures, those of a model stay.
    pub templates: Vec<String>,
    /// 0..1.
    pub confidence: f64,
    /// Lower bound, 0..1.
    pub confidence_low: f64,
    /// Number of choices and edits that bear on it.
    pub evidence_count: u32,
    /// The writer deleted such a rule: it may only become a question.
    pub is_question: bool,
}

/// A rule that a model reads out of remarks.
#[derive(Debug, Clone, PartialEq)]
pub struct Suggestion {
    /// The sentence, as the model worded it.
    pub words: String,
    /// The category in the panel.
    pub category: Category,
    /// Number of remarks it rests on.
    pub remarks: u32,
    /// The rules, also deleted ones, that say the same in other words.
    pub like: Vec<RuleId>,
}

/// The input of a run from one project.
#[derive(Debug, Clone, PartialEq)]
pub struct ProjectFindings {
    /// UUID of the project.
    pub project_id: ProjectId,
    /// The language of the sentences.
    pub language: Language,
    /// Its findings, clearest first.
    pub found: Vec<Finding>,
    /// Identities of rules in force that recent evidence contradicts.
    pub retired: Vec<RuleId>,
    /// Identities of rules that the writer restored by undoing a run, while no later evidence contradicts them: the
    /// same evidence does not drop them again.
    pub restored: Vec<RuleId>,
    /// Time of its latest evidence.
    pub seen_until: Time,
    /// Suggestions that a model read out of remarks.
    pub suggested: Vec<Suggestion>,
    /// The matters of rules in words, according to a model.
    pub placed: Vec<(RuleId, Pattern)>,
}

/// The state before the run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StateBefore {
    /// All rules that a run may change: of its projects, global ones, and learned ones of other projects.
    pub rules: Vec<Rule>,
    /// The projects in which rules were found before.
    pub books: Vec<ConfidenceInProject>,
    /// Tombstones of rules that must not return.
    pub tombstones: Vec<Tombstone>,
    /// Conflicts that the writer has not answered.
    pub conflicts: Vec<OpenConflict>,
    /// Rules that the writer made global by hand.
    pub promoted: HashSet<RuleId>,
    /// The language of rules of projects outside this run; a missing rule matches any language.
    pub languages: BTreeMap<RuleId, Language>,
}

/// The changes of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Diff {
    /// The changes, in the order in which they were found.
    pub changes: Vec<RunChange>,
    /// Projects in which rules were found.
    pub found_in: Vec<ConfidenceInProject>,
    /// Rule and project in which it is no longer found.
    pub lost_in: Vec<(RuleId, ProjectId)>,
    /// More than a quarter of a book's rules would be dropped.
    pub asks_first: bool,
    /// Number of findings that could become a rule.
    pub findings: usize,
}

/// A comparison under way. Projects are added one after another; each sees the changes of the previous ones.
pub struct Reconciliation<'a> {
    now: Time,
    /// Maximum number of rules of one project, and of global ones.
    most: usize,
    new_id: &'a mut dyn FnMut() -> RuleId,
    known: StateBefore,
    before: BTreeMap<RuleId, Rule>,
    rules: Vec<Rule>,
    kinds: Vec<(RuleId, ChangeKind)>,
    found_in: BTreeMap<(RuleId, ProjectId), ConfidenceInProject>,
    findings: usize,
    visited: Vec<ProjectId>,
    /// The words of each project for its findings.
    words: BTreeMap<(ProjectId, Matter), String>,
    /// Rules with numbers of this run: the deduction for a conflict is still due.
    fresh: HashSet<RuleId>,
    /// Not found in their stratum, but in a wider or narrower one: nothing is lost with them.
    moved: HashSet<RuleId>,
    /// Restored by the writer: they do not count towards the capacity and are never dropped for it.
    restored: HashSet<RuleId>,
}

impl<'a> Reconciliation<'a> {
    /// Starts with the known state. `most` is the soft capacity of rules a project, and of global ones.
    pub fn new(known: StateBefore, most: usize, now: Time, new_id: &'a mut dyn FnMut() -> RuleId) -> Self {
        let before = known.rules.iter().map(|rule| (rule.id.clone(), rule.clone())).collect();
        let found_in = known.books.iter().map(|one| ((one.rule_id.clone(), one.project_id.clone()), one.clone()));
        Self {
            now,
            most,
            new_id,
            rules: known.rules.clone(),
            found_in: found_in.collect(),
            before,
            known,
            kinds: Vec::new(),
            findings: 0,
            visited: Vec::new(),
            words: BTreeMap::new(),
            fresh: HashSet::new(),
            moved: HashSet::new(),
            restored: HashSet::new(),
        }
    }

    /// Compares one project.
    pub fn add_project(&mut self, book: &ProjectFindings) {
        self.findings += book.found.len();
        self.visited.push(book.project_id.clone());
        let mut held: HashSet<RuleId> = HashSet::new();
        self.restored.extend(book.restored.iter().cloned());
        let mut opposed: HashSet<RuleId> = HashSet::new();
        for finding in &book.found {
            opposed.extend(self.said_otherwise(book, &finding.matter).map(|rule| rule.id.clone()));
            self.words.insert((book.project_id.clone(), finding.matter.clone()), finding.words.clone());
        }
        for finding in &book.found {
            if let Some(at) = self.position(book, &finding.matter) {
                self.strengthen(at, book, finding);
                held.insert(self.rules[at].id.clone());
            } else {
                let id = self.create_rule(book, finding, &held);
                held.insert(id);
            }
        }
        self.withdraw_not_found(book, &held);
        self.challenge(book, &held, &opposed);
        self.update_scopes(book);
        self.suggest(book);
        self.classify(book);
    }

    /// A rule that applies in the project and has exactly this matter: the project's own before a global one.
    fn position(&self, book: &ProjectFindings, matter: &Matter) -> Option<usize> {
        let is = |rule: &Rule| Matter::from_rule(rule).as_ref() == Some(matter);
        let own = |rule: &Rule| rule.project_id.as_ref() == Some(&book.project_id) && is(rule);
        // Of several rules the one in force.
        let best = |here: &dyn Fn(&Rule) -> bool| {
            let all = self.rules.iter().enumerate().filter(|(_, rule)| here(rule));
            all.min_by_key(|(_, rule)| (!rule.user_confirmed, rule.standing != RuleStanding::Active)).map(|(at, _)| at)
        };
        // Rules learned from Chinese projects have Chinese words.
        let understood = |rule: &Rule| !is_learned(rule) || self.speaks(rule, book.language);
        best(&own).or_else(|| best(&|rule| rule.scope == Scope::Global && is(rule) && understood(rule)))
    }

    fn speaks(&self, rule: &Rule, language: Language) -> bool {
        self.known.languages.get(&rule.id).is_none_or(|spoken| *spoken == language)
    }

    fn strengthen(&mut self, at: usize, book: &ProjectFindings, finding: &Finding) {
        let mut rule = self.rules[at].clone();
        if !is_learned(&rule) {
            return;
        }
        self.note_found(&rule.id, book, finding);
        let global = rule.scope == Scope::Global;
        let (confidence, low, count) = if global { self.pooled(&rule.id) } else { numbers(finding) };
        rule.confidence = confidence;
        rule.confidence_low = low;
        rule.evidence_count = count;
        self.fresh.insert(rule.id.clone());
        if !rule.user_modified && !global {
            rule.rule = refreshed(&rule.rule, finding);
        }
        let had = rule.standing;
        let asked = self.is_asked(book, finding);
        rule.standing = match had {
            RuleStanding::Active => RuleStanding::Active,
            // The writer has not answered the question about it yet.
            RuleStanding::Suspended => RuleStanding::Suspended,
            RuleStanding::Proposed | RuleStanding::SteppedBack if asked => RuleStanding::Proposed,
            RuleStanding::Proposed | RuleStanding::SteppedBack => RuleStanding::Active,
        };
        let kind = match (had == rule.standing, rule.standing) {
            (true, _) => ChangeKind::Strengthened,
            (false, RuleStanding::Proposed) => ChangeKind::Proposed,
            (false, _) => ChangeKind::Returned,
        };
        if had != RuleStanding::Active && rule.standing == RuleStanding::Active {
            rule.learned_at = Some(book.seen_until);
        }
        self.change(at, rule, kind);
    }

    /// Turns a new finding into a rule.
    fn create_rule(&mut self, book: &ProjectFindings, finding: &Finding, held: &HashSet<RuleId>) -> RuleId {
        let asked = self.is_asked(book, finding);
        if !asked && let Some(at) = self.shared(book, finding) {
            return self.globalise(at, book, finding);
        }
        // A rule that the writer has worded cannot say the opposite in the same words; and a question replaces nothing.
        let opposite = finding.matter.opposite();
        let turned = self.rules.iter().position(|rule| {
            !asked
                && rule.project_id.as_ref() == Some(&book.project_id)
                && is_learned(rule)
                && !rule.user_modified
                && rule.standing != RuleStanding::Suspended
                && !held.contains(&rule.id)
                && !book.restored.contains(&rule.id)
                && Matter::from_rule(rule).as_ref() == Some(&opposite)
        });
        if let Some(at) = turned {
            let had = &self.rules[at];
            let id = had.id.clone();
            let rule = Rule {
                created_at: had.created_at,
                version: had.version,
                recently_updated: true,
                ..new_rule(book, finding, id.clone(), RuleStanding::Active, self.now)
            };
            self.note_found(&id, book, finding);
            self.fresh.insert(id.clone());
            self.change(at, rule, ChangeKind::Replaced);
            return id;
        }
        let standing = if asked { RuleStanding::Proposed } else { RuleStanding::Active };
        let id = (self.new_id)();
        self.note_found(&id, book, finding);
        self.fresh.insert(id.clone());
        self.rules.push(new_rule(book, finding, id.clone(), standing, self.now));
        self.kinds.push((id.clone(), if asked { ChangeKind::Proposed } else { ChangeKind::Learned }));
        id
    }

    /// The same matter learned in another project of the same language, nowhere deleted and unchanged by its writer.
    fn shared(&self, book: &ProjectFindings, finding: &Finding) -> Option<usize> {
        let unwanted =
            |stone: &Tombstone| stone.why != TombstoneCause::Drifted && is_about_or_around(stone, &finding.matter);
        if self.known.tombstones.iter().any(unwanted) {
            return None;
        }
        self.rules.iter().position(|rule| {
            rule.scope == Scope::Project
                && rule.project_id.as_ref() != Some(&book.project_id)
                && is_learned(rule)
                && !rule.user_modified
                && rule.standing == RuleStanding::Active
                && self.speaks(rule, book.language)
                && Matter::from_rule(rule).as_ref() == Some(&finding.matter)
        })
    }

    fn globalise(&mut self, at: usize, book: &ProjectFindings, finding: &Finding) -> RuleId {
        let mut rule = self.rules[at].clone();
        let id = rule.id.clone();
        if let Some(home) = &rule.project_id {
            // Its evidence in its own project continues to count.
            let at_home = ConfidenceInProject {
                rule_id: id.clone(),
                project_id: home.clone(),
                confidence: rule.confidence,
                confidence_low: rule.confidence_low,
                evidence_count: rule.evidence_count,
            };
            self.found_in.entry((id.clone(), home.clone())).or_insert(at_home);
        }
        self.note_found(&id, book, finding);
        (rule.confidence, rule.confidence_low, rule.evidence_count) = self.pooled(&id);
        self.fresh.insert(id.clone());
        rule.scope = Scope::Global;
        rule.project_id = None;
        rule.rule.clone_from(&finding.plain);
        self.change(at, rule, ChangeKind::Globalised);
        id
    }

    fn note_found(&mut self, rule_id: &RuleId, book: &ProjectFindings, finding: &Finding) {
        let (confidence, confidence_low, evidence_count) = numbers(finding);
        let key = (rule_id.clone(), book.project_id.clone());
        let (rule_id, project_id) = key.clone();
        self.found_in
            .insert(key, ConfidenceInProject { rule_id, project_id, confidence, confidence_low, evidence_count });
    }

    /// The numbers of a rule over its projects, each weighted by its evidence.
    fn pooled(&self, rule_id: &RuleId) -> (f64, f64, u32) {
        let (mut sum, mut low, mut count) = (0.0, 0.0, 0_u32);
        for one in self.found_in.values().filter(|one| one.rule_id == *rule_id) {
            sum += one.confidence * f64::from(one.evidence_count);
            low += one.confidence_low * f64::from(one.evidence_count);
            count = count.saturating_add(one.evidence_count);
        }
        let all = f64::from(count.max(1));
        (sum / all, low / all, count)
    }

    /// Withdraws known rules that were not found.
    fn withdraw_not_found(&mut self, book: &ProjectFindings, held: &HashSet<RuleId>) {
        for at in 0..self.rules.len() {
            let rule = &self.rules[at];
            let stays = held.contains(&rule.id) || book.restored.contains(&rule.id);
            if stays || !is_learned(rule) || !is_measured(rule) {
                continue;
            }
            if rule.scope == Scope::Global {
                self.found_in.remove(&(rule.id.clone(), book.project_id.clone()));
                continue;
            }
            if rule.project_id.as_ref() != Some(&book.project_id) {
                continue;
            }
            self.found_in.remove(&(rule.id.clone(), book.project_id.clone()));
            let waits = matches!(rule.standing, RuleStanding::SteppedBack | RuleStanding::Suspended);
            // The evidence does not drop a suggestion of a model that the writer has accepted.
            let is_suggestion = rule.standing == RuleStanding::Proposed && rule.learned_at.is_none();
            if waits || is_suggestion {
                continue;
            }
            let kind = if book.retired.contains(&rule.id) { ChangeKind::SteppedBack } else { ChangeKind::Withdrawn };
            let aim = Matter::from_rule(rule).map(|matter| (matter.feature, matter.direction));
            if book.found.iter().any(|finding| Some((finding.matter.feature, finding.matter.direction)) == aim) {
                self.moved.insert(rule.id.clone());
            }
            let rule = Rule { standing: RuleStanding::SteppedBack, ..rule.clone() };
            self.change(at, rule, kind);
        }
    }

    /// A confirmed rule stays as it is; a note says that recent evidence contradicts it.
    fn challenge(&mut self, book: &ProjectFindings, held: &HashSet<RuleId>, opposed: &HashSet<RuleId>) {
        for at in 0..self.rules.len() {
            let rule = &self.rules[at];
            let own = rule.project_id.as_ref() == Some(&book.project_id);
            if !rule.user_confirmed || rule.pattern.is_none() || !(own || rule.scope == Scope::Global) {
                continue;
            }
            let turned = book.retired.contains(&rule.id) || (own && opposed.contains(&rule.id));
            let turned = turned && !book.restored.contains(&rule.id);
            let challenged = match (held.contains(&rule.id), turned) {
                (true, _) => false,
                (false, true) => true,
                // Another project may have challenged a global rule.
                (false, false) => !own && rule.challenged,
            };
            if challenged != rule.challenged {
                let kind = if challenged { ChangeKind::Challenged } else { ChangeKind::Strengthened };
                let rule = Rule { challenged, ..rule.clone() };
                self.change(at, rule, kind);
            }
        }
    }

    fn change(&mut self, at: usize, rule: Rule, kind: ChangeKind) {
        if self.rules[at] != rule {
            self.kinds.push((rule.id.clone(), kind));
            self.rules[at] = rule;
        }
    }

    /// Completes the comparison.
    #[must_use]
    pub fn finish(mut self) -> Diff {
        self.enforce_capacity();
        self.doubt();
        let mut order: Vec<RuleId> = Vec::new();
        let mut kinds: BTreeMap<RuleId, ChangeKind> = BTreeMap::new();
        for (id, kind) in &self.kinds {
            if !kinds.contains_key(id) {
                order.push(id.clone());
            }
            // The first change of a rule determines its kind; later ones follow from it, except a removal.
            let weightier = matches!(kind, ChangeKind::Dropped | ChangeKind::Localised);
            if weightier || !kinds.contains_key(id) {
                kinds.insert(id.clone(), *kind);
            }
        }
        let mut changes = Vec::new();
        for id in order {
            let Some(kind) = kinds.get(&id).copied() else { continue };
            let before = self.before.get(&id);
            let after = self.rules.iter().find(|rule| rule.id == id);
            let (before, after) = match (before, after) {
                (None, None) => continue,
                (Some(before), Some(after)) if !is_visible(before, after) => continue,
                pair => (pair.0.cloned(), pair.1.cloned()),
            };
            let after = after.map(|after| Rule {
                version: before.as_ref().map_or(1, |before| before.version + 1),
                updated_at: self.now,
                ..after
            });
            // The final confidence is known only now.
            let less = before
                .as_ref()
                .zip(after.as_ref())
                .is_some_and(|(before, after)| hundredths(after.confidence) < hundredths(before.confidence));
            let kind = match kind {
                ChangeKind::Strengthened | ChangeKind::Weakened if less => ChangeKind::Weakened,
                ChangeKind::Weakened => ChangeKind::Strengthened,
                kind => kind,
            };
            let of = |rule: &Option<Rule>| rule.as_ref().and_then(|rule| rule.project_id.clone());
            let project_id = of(&before).or_else(|| of(&after));
            changes.push(RunChange { rule_id: id, project_id, kind, before, after, kept: false });
        }
        let had: BTreeMap<(RuleId, ProjectId), &ConfidenceInProject> =
            self.known.books.iter().map(|one| ((one.rule_id.clone(), one.project_id.clone()), one)).collect();
        let found_in = self.found_in.iter().filter(|(key, now)| had.get(*key).is_none_or(|had| had != now));
        let found_in = found_in.map(|(_, now)| now.clone()).collect();
        let lost_in = had.into_keys().filter(|key| !self.found_in.contains_key(key)).collect();
        let asks_first = self.visited.iter().any(|book| self.drops_a_quarter(book, &changes));
        Diff { changes, found_in, lost_in, asks_first, findings: self.findings }
    }
}

/// Whether a run may change the rule: it was learned, and is not confirmed.
fn is_learned(rule: &Rule) -> bool {
    rule.origin == RuleOrigin::Distilled && !rule.user_confirmed
}

/// Whether evidence decides about the rule, not the writer's classification.
fn is_measured(rule: &Rule) -> bool {
    rule.pattern.is_some() && rule.pattern_by != Some(PatternSource::Writer)
}

fn numbers(finding: &Finding) -> (f64, f64, u32) {
    (finding.confidence, finding.confidence_low, finding.evidence_count)
}

fn hundredths(confidence: f64) -> i64 {
    (confidence * 100.0).round() as i64
}

/// Whether the difference is visible to the writer.
fn is_visible(before: &Rule, after: &Rule) -> bool {
    let seen = |rule: &Rule| Rule {
        confidence: 0.0,
        confidence_low: 0.0,
        recently_updated: false,
        learned_at: None,
        version: 0,
        updated_at: Time::default(),
        ..rule.clone()
    };
    hundredths(before.confidence) != hundredths(after.confidence) || seen(before) != seen(after)
}

/// The words of a known rule with the present figures. Words of a model stay as they are.
fn refreshed(had: &str, finding: &Finding) -> String {
    let frame = |text: &str| -> String { text.chars().filter(|c| !c.is_ascii_digit() && *c != '.').collect() };
    let had_frame = frame(had);
    let is_template = finding.templates.iter().any(|template| frame(template) == had_frame);
    if is_template { finding.words.clone() } else { had.to_owned() }
}

fn pattern_of(matter: &Matter) -> Pattern {
    Pattern { feature: matter.feature.as_str().into(), direction: matter.direction, threshold: None }
}

fn new_rule(book: &ProjectFindings, finding: &Finding, id: RuleId, standing: RuleStanding, now: Time) -> Rule {
    let (confidence, confidence_low, evidence_count) = numbers(finding);
    Rule {
        id,
        rule: finding.words.clone(),
        category: finding.category,
        scope: Scope::Project,
        project_id: Some(book.project_id.clone()),
        scene_type: finding.matter.scene_type.clone(),
        skill_used: finding.matter.skill_used.clone(),
        confidence,
        supporting_episodes: Vec::new(),
        contradicting_episodes: Vec::new(),
        user_confirmed: false,
        user_modified: false,
        recently_updated: false,
        pattern: Some(pattern_of(&finding.matter)),
        evidence_count,
        confidence_low,
        origin: RuleOrigin::Distilled,
        standing,
        pattern_by: Some(PatternSource::Measured),
        challenged: false,
        wrong_count: 0,
        other_books: 0,
        learned_at: Some(book.seen_until),
        version: 1,
        created_at: now,
        updated_at: now,
    }
}

fn is_about(stone: &Tombstone, matter: &Matter) -> bool {
    stone.dimension.as_ref().is_some_and(|(feature, direction)| {
        feature == matter.feature.as_str()
            && direction.signum() == matter.direction
            && stone.scene_type == matter.scene_type
            && stone.skill_used == matter.skill_used
    })
}

/// Whether the matters are equal, or the stratum of one contains that of the other.
fn is_about_or_around(stone: &Tombstone, matter: &Matter) -> bool {
    let within = |one: &Option<String>, two: &Option<String>| one.is_none() || two.is_none() || one == two;
    stone.dimension.as_ref().is_some_and(|(feature, direction)| {
        feature == matter.feature.as_str()
            && direction.signum() == matter.direction
            && within(&stone.scene_type, &matter.scene_type)
            && within(&stone.skill_used, &matter.skill_used)
    })
}

#[cfg(test)]
mod tests;
