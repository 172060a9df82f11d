//! Wording: templates always have one; a model, where one is configured, is queried once a project and run.

use palimpsest_text::{excerpt, names::Mask};
use serde_json::Value;

use super::{RunError, gather::RunInput, restated::ModelQuery};
use crate::{
    context::fenced,
    engine::Engine,
    error::{Code, OrLog},
    lock,
    model::{
        ChangeKind, EpisodeId, Pattern, PatternSource, ProjectId, Reason, Rule, RuleId, RuleStanding, RunChange, Time,
        Tombstone, TombstoneCause,
    },
    ports::{GenerationRequest, Message, Stop, StopReason, TextModel},
    semantic::{
        by_model::{self, Proposal, Question, Remark, ToPlace, ToWord},
        reconcile::{Diff, Suggestion},
        rules::Matter,
    },
    storage::{episodes, remarks},
};

/// Maximum number of remarks that a model is shown in one run: the latest.
const MAX_REMARKS: u32 = 20;
/// Maximum number of rules in words about which a model is queried in one run.
const MAX_UNPLACED: usize = 20;
/// Maximum number of deleted rules that a model is shown in one run, so that it does not propose them again in other
/// words: the latest.
const MAX_DECLINED: usize = 20;
/// Maximum characters of an episode's text or of a remark that a model is shown.
const MAX_SHOWN_CHARS: usize = 240;
/// Maximum tokens of an answer.
const MAX_ANSWER_TOKENS: u32 = 2_000;

pub(super) enum WordingSource<'a> {
    /// The built-in templates.
    Templates,
    Model(&'a dyn TextModel),
    /// The changes of a run that the writer has seen and approved.
    Agreed(&'a [RunChange]),
}

impl WordingSource<'_> {
    /// Whether the writer has approved the removal of every rule that would be dropped.
    pub(super) fn has_agreed(&self, diff: &Diff) -> bool {
        let Self::Agreed(shown) = self else { return false };
        let drops = |change: &&RunChange| matches!(change.kind, ChangeKind::Withdrawn | ChangeKind::Dropped);
        let mut dropped = diff.changes.iter().filter(drops);
        dropped.all(|change| shown.iter().filter(drops).any(|one| one.rule_id == change.rule_id))
    }
}

/// Answers of the model in this run: the same query is not sent twice.
#[derive(Default)]
pub(super) struct AnswerCache(Vec<(Vec<Message>, String)>);

impl Engine {
    /// Words the new rules in `diff`. Returns whether anything has changed.
    pub(super) fn find_words(
        &self,
        seen: &mut RunInput,
        diff: &Diff,
        wording: &WordingSource<'_>,
        cache: &mut AnswerCache,
        stop: &Stop,
    ) -> Result<bool, RunError> {
        match wording {
            WordingSource::Templates => Ok(false),
            WordingSource::Agreed(shown) => Ok(repeat(seen, shown)),
            WordingSource::Model(model) => {
                let mut asked = false;
                for at in 0..seen.books.len() {
                    asked |= self.ask(seen, at, diff, *model, cache, stop)?;
                }
                Ok(asked)
            }
        }
    }

    fn ask(
        &self,
        seen: &mut RunInput,
        at: usize,
        diff: &Diff,
        model: &dyn TextModel,
        cache: &mut AnswerCache,
        stop: &Stop,
    ) -> Result<bool, RunError> {
        let Some(book) = seen.books.get(at) else { return Ok(false) };
        let project = book.project.project_id.clone();
        // Names on a project's list are sent to no model; where they cannot be read, nothing is sent.
        self.names_of(&project)?;
        let new = new_matters(diff, &project);
        let places: Vec<usize> =
            (0..book.pieces.len()).filter(|place| new.contains(&book.pieces[*place].finding.matter)).collect();
        // A remark of the same moment, or made during that run, is read twice rather than never. Rules made of it are
        // known.
        let since = book.read_from.unwrap_or(Time::from_millis(i64::MIN));
        let said =
            self.stores.episodes.open().and_then(|db| remarks::since(&*db.reader()?, &project, since, MAX_REMARKS));
        let said = said.or_log("read remarks").unwrap_or_default();
        let unplaced: Vec<Rule> = seen
            .known
            .rules
            .iter()
            .filter(|rule| rule.project_id.as_ref() == Some(&project) && rule.pattern.is_none())
            .filter(|rule| rule.pattern_by.is_none() && rule.standing == RuleStanding::Active)
            .take(MAX_UNPLACED)
            .cloned()
            .collect();
        if places.is_empty() && said.is_empty() && unplaced.is_empty() {
            return Ok(false);
        }
        let unwanted = |stone: &&Tombstone| stone.why != TombstoneCause::Drifted && stone.holds_in(&project);
        let stones = seen.known.tombstones.iter().rev().filter(unwanted);
        // A rule whose words were erased is not mentioned to a model.
        let declined: Vec<&Tombstone> = stones.filter(|stone| !stone.words.is_empty()).collect();
        let mut examples = Vec::new();
        for place in &places {
            examples.push(self.examples(&project, &book.pieces[*place].examples));
        }
        let all_texts: Vec<&str> = examples
            .iter()
            .flatten()
            .flat_map(|(before, after)| [before.as_str(), after.as_str()])
            .chain(unplaced.iter().map(|rule| rule.rule.as_str()))
            .chain(declined.iter().filter(|stone| stone.project_id.is_some()).map(|stone| stone.words.as_str()))
            .chain(places.iter().map(|place| book.pieces[*place].finding.words.as_str()))
            .collect();
        // A rule that was global may contain names of any project, and a remark may quote it.
        let shared: Vec<&str> = declined
            .iter()
            .filter(|stone| stone.project_id.is_none())
            .map(|stone| stone.words.as_str())
            .chain(said.iter().map(|(_, text)| text.as_str()))
            .collect();
        let mask = self.mask_over(&project, &all_texts, &shared).map_err(|error| match error.code {
            Code::InvalidArgument => unhidden(),
            _ => RunError::Store(error),
        })?;
        // Names are hidden before the text is cut, so that no half of a name is left.
        let shown = |text: &str| fenced(&excerpt(&mask.hide(text), MAX_SHOWN_CHARS));
        let shown_shared = |text: &str| fenced(&excerpt(&mask.hide_shared(text), MAX_SHOWN_CHARS));
        let said: Vec<(EpisodeId, String)> = said.iter().map(|(id, text)| (id.clone(), shown_shared(text))).collect();
        let in_words: Vec<(RuleId, String)> =
            unplaced.iter().map(|rule| (rule.id.clone(), shown(&rule.rule))).collect();
        let declined_texts: Vec<String> = declined
            .iter()
            .take(MAX_DECLINED)
            .map(|stone| match stone.project_id {
                Some(_) => shown(&stone.words),
                None => shown_shared(&stone.words),
            })
            .collect();
        let question = Question {
            language: book.project.language,
            declined: declined_texts.iter().map(String::as_str).collect(),
            patterns: places
                .iter()
                .zip(&examples)
                .map(|(place, examples)| {
                    let finding = &book.pieces[*place].finding;
                    ToWord {
                        feature: finding.matter.feature,
                        direction: finding.matter.direction,
                        template: mask.hide(&finding.words),
                        examples: examples.iter().map(|(before, after)| (shown(before), shown(after))).collect(),
                    }
                })
                .collect(),
            remarks: said.iter().map(|(id, text)| Remark { episode_id: id.clone(), text }).collect(),
            unplaced: in_words.iter().map(|(id, text)| ToPlace { rule_id: id.clone(), text }).collect(),
        };
        let messages = by_model::messages(&question);
        let answer = self.query_model(model, messages, &by_model::answer_schema(), cache, stop)?;
        let words = by_model::parse_answer(&question, &answer).map_err(|fault| {
            tracing::warn!(fault = fault.name(), "answer of the model refused");
            RunError::Model(Reason::Unbelievable)
        })?;
        let suggested: Vec<Suggestion> =
            words.proposals.into_iter().map(|proposal| suggestion(&mask, proposal)).collect();
        let query = ModelQuery { model, language: book.project.language, mask: &mask };
        let suggested = self.mark_restatements(suggested, &project, &seen.known, &query, cache, stop)?;
        let Some(book) = seen.books.get_mut(at) else { return Ok(false) };
        for (place, words) in places.iter().zip(words.worded) {
            if let Some(piece) = book.pieces.get_mut(*place) {
                piece.finding.words = mask.restore(&words);
            }
        }
        book.suggested = suggested;
        for (rule, dimension) in words.placed {
            match dimension {
                Some((feature, direction)) => {
                    let pattern = Pattern { feature: feature.as_str().into(), direction, threshold: None };
                    book.placed.push((rule, pattern));
                }
                None => book.immeasurable.push(rule),
            }
        }
        Ok(true)
    }

    /// The proposed texts and the writer's versions of them, where the texts still exist.
    fn examples(&self, project_id: &ProjectId, episodes: &[EpisodeId]) -> Vec<(String, String)> {
        let read = |id: &EpisodeId| {
            let found = self.stores.episodes.open().and_then(|db| episodes::get(&*db.reader()?, id));
            let (episode, draft) = found.or_log("read the texts of an episode")??;
            if episode.project_id != *project_id {
                return None;
            }
            let chosen = episode.selected_index.taken();
            // A rejected candidate is more informative than one taken unchanged.
            let unchanged = chosen.and_then(|at| episode.candidates.get(at)) == Some(&episode.final_text);
            let other = (0..episode.candidates.len()).find(|at| Some(*at) != chosen);
            let before = if unchanged { other } else { chosen.or(other) };
            let before = before.and_then(|at| episode.candidates.get(at)).cloned().unwrap_or(draft);
            (!before.is_empty() && !episode.final_text.is_empty()).then(|| (before, episode.final_text.clone()))
        };
        episodes.iter().filter_map(read).collect()
    }

    /// The model's answer; for a query repeated in a run, the cached one.
    pub(super) fn query_model(
        &self,
        model: &dyn TextModel,
        messages: Vec<Message>,
        schema: &Value,
        cache: &mut AnswerCache,
        stop: &Stop,
    ) -> Result<String, RunError> {
        if let Some((_, answer)) = cache.0.iter().find(|(asked, _)| *asked == messages) {
            return Ok(answer.clone());
        }
        let request = GenerationRequest {
            messages: &messages,
            seed: 1,
            max_tokens: MAX_ANSWER_TOKENS,
            temperature: 0.2,
            schema: Some(schema),
            tools: &[],
            stop,
        };
        lock::assert_none_held("a model answers");
        let completion = model.generate(&request, &mut |_| {}).map_err(|error| RunError::Model(error.kind.into()))?;
        match completion.stop {
            StopReason::Cancelled => Err(RunError::Stopped),
            StopReason::Finished | StopReason::Length => {
                cache.0.push((messages, completion.text.clone()));
                Ok(completion.text)
            }
        }
    }
}

fn suggestion(mask: &Mask, proposal: Proposal) -> Suggestion {
    Suggestion {
        words: mask.restore(&proposal.text),
        category: proposal.category,
        remarks: u32::try_from(proposal.episodes.len()).unwrap_or(u32::MAX),
        like: Vec::new(),
    }
}

fn unhidden() -> RunError {
    RunError::Model(Reason::NamesUnread)
}

/// The matters that a run newly learned in a project and that need words.
fn new_matters(diff: &Diff, project: &ProjectId) -> Vec<Matter> {
    diff.changes
        .iter()
        .filter(|change| {
            let is_new = matches!(change.kind, ChangeKind::Learned | ChangeKind::Replaced);
            is_new || (change.kind == ChangeKind::Proposed && change.before.is_none())
        })
        .filter_map(|change| change.after.as_ref())
        .filter(|rule| rule.project_id.as_ref() == Some(project))
        .filter(|rule| rule.pattern_by == Some(PatternSource::Measured))
        .filter_map(Matter::from_rule)
        .collect()
}

/// Reuses the wording that was shown: an approved run has the words that the writer saw.
fn repeat(seen: &mut RunInput, shown: &[RunChange]) -> bool {
    let mut any = false;
    for book in &mut seen.books {
        let here = |rule: &&Rule| rule.project_id.as_ref() == Some(&book.project.project_id);
        for change in shown {
            let Some(after) = change.after.as_ref().filter(here) else { continue };
            let measured = after.pattern_by == Some(PatternSource::Measured);
            match change.kind {
                ChangeKind::Learned | ChangeKind::Replaced | ChangeKind::Proposed if measured => {
                    let matter = Matter::from_rule(after);
                    for piece in &mut book.pieces {
                        if Some(&piece.finding.matter) == matter.as_ref() {
                            piece.finding.words.clone_from(&after.rule);
                            any = true;
                        }
                    }
                }
                ChangeKind::Proposed if change.before.is_none() => {
                    let suggestion = Suggestion {
                        words: after.rule.clone(),
                        category: after.category,
                        remarks: after.evidence_count,
                        like: Vec::new(),
                    };
                    book.suggested.push(suggestion);
                    any = true;
                }
                ChangeKind::Understood => {
                    book.placed.extend(after.pattern.clone().map(|pattern| (after.id.clone(), pattern)));
                    any = true;
                }
                _ => {}
            }
        }
    }
    any
}
