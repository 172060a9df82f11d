//! Questions: findings that may only be asked about, suggestions that a model reads out of remarks, and its
//! classification of rules in words.

use super::{Finding, ProjectFindings, Reconciliation, is_about, is_about_or_around, pattern_of};
use crate::{
    model::{ChangeKind, PatternSource, Rule, RuleId, RuleOrigin, RuleStanding, Scope, TombstoneCause},
    semantic::{lexicon, rules::Matter},
};

/// Confidence of a rule that a model read out of a remark: it has passed no test.
const PROPOSED: f64 = 0.3;

impl Reconciliation<'_> {
    /// Whether a finding may only become a question: the writer deleted such a rule, undid the run that learned it, or
    /// has written the opposite.
    pub(super) fn is_asked(&self, book: &ProjectFindings, finding: &Finding) -> bool {
        finding.is_question
            || self.was_undone(book, &finding.matter)
            || self.was_put_back(book, &finding.matter.opposite())
            || self.said_otherwise(book, &finding.matter).next().is_some()
    }

    fn was_undone(&self, book: &ProjectFindings, matter: &Matter) -> bool {
        self.known
            .tombstones
            .iter()
            .filter(|stone| stone.why == TombstoneCause::Undone && stone.holds_in(&book.project_id))
            .any(|stone| is_about(stone, matter))
    }

    /// Whether the writer restored a rule with this matter.
    fn was_put_back(&self, book: &ProjectFindings, matter: &Matter) -> bool {
        let restored = |rule: &&Rule| rule.standing == RuleStanding::Active && book.restored.contains(&rule.id);
        self.rules.iter().filter(restored).any(|rule| Matter::from_rule(rule).as_ref() == Some(matter))
    }

    /// The rules in force that the writer wrote with the opposite in the same stratum; there may be more than one.
    pub(super) fn said_otherwise(&self, book: &ProjectFindings, matter: &Matter) -> impl Iterator<Item = &Rule> {
        let opposite = matter.opposite();
        let book = book.project_id.clone();
        self.rules.iter().filter(move |rule| {
            rule.user_confirmed
                && rule.standing == RuleStanding::Active
                && rule.project_id.as_ref().is_none_or(|id| *id == book)
                && Matter::from_rule(rule).as_ref() == Some(&opposite)
        })
    }

    /// Turns a suggestion into a question, unless the rule is known or was deleted.
    pub(super) fn suggest(&mut self, book: &ProjectFindings) {
        for suggestion in &book.suggested {
            let says_so =
                |id: &RuleId, words: &str| suggestion.like.contains(id) || lexicon::restates(words, &suggestion.words);
            let known = self
                .rules
                .iter()
                .filter(|rule| rule.project_id.as_ref().is_none_or(|id| *id == book.project_id))
                .any(|rule| says_so(&rule.id, &rule.rule));
            let understood = lexicon::understand(&suggestion.words);
            let matter = understood.as_ref().map(|understood| Matter {
                feature: understood.feature,
                direction: understood.direction,
                scene_type: understood.scene_type.clone(),
                skill_used: None,
            });
            let deleted = self.known.tombstones.iter().filter(|stone| stone.holds_in(&book.project_id)).any(|stone| {
                stone.why != TombstoneCause::Drifted
                    && (says_so(&stone.rule_id, &stone.words)
                        || matter.as_ref().is_some_and(|matter| is_about_or_around(stone, matter)))
            });
            let held = matter.as_ref().is_some_and(|matter| self.position(book, matter).is_some());
            if known || deleted || held {
                continue;
            }
            let pattern = matter.as_ref().map(pattern_of);
            let id = (self.new_id)();
            self.rules.push(Rule {
                id: id.clone(),
                rule: suggestion.words.clone(),
                category: suggestion.category,
                scope: Scope::Project,
                project_id: Some(book.project_id.clone()),
                scene_type: matter.and_then(|matter| matter.scene_type),
                skill_used: None,
                confidence: PROPOSED,
                supporting_episodes: Vec::new(),
                contradicting_episodes: Vec::new(),
                user_confirmed: false,
                user_modified: false,
                recently_updated: false,
                pattern_by: pattern.as_ref().map(|_| PatternSource::Lexicon),
                pattern,
                evidence_count: suggestion.remarks,
                confidence_low: 0.0,
                origin: RuleOrigin::Distilled,
                standing: RuleStanding::Proposed,
                challenged: false,
                wrong_count: 0,
                other_books: 0,
                learned_at: None,
                version: 1,
                created_at: self.now,
                updated_at: self.now,
            });
            self.kinds.push((id, ChangeKind::Proposed));
        }
    }

    /// Classifies rules in words according to the model, where there is no other classification.
    pub(super) fn classify(&mut self, book: &ProjectFindings) {
        for (id, pattern) in &book.placed {
            let Some(at) = self.rules.iter().position(|rule| rule.id == *id) else { continue };
            if self.rules[at].pattern.is_none() && self.rules[at].pattern_by.is_none() {
                let mut rule = self.rules[at].clone();
                rule.pattern = Some(pattern.clone());
                rule.pattern_by = Some(PatternSource::Model);
                self.change(at, rule, ChangeKind::Understood);
            }
        }
    }
}
