//! The writer's verdict on a learning record.
//!
//! Keeping writes the proposed facts into `rules.db` first, under the ids of the proposals, and confirms the record in
//! `episodes.db` afterwards: after a crash in between, the same verdict finds the facts and writes none twice. Refusing
//! deletes the record as the deletion of an answer does, for good.
//!
//! Where a model said that one of two sentences tells a change, the fact of the later one replaces that of the earlier
//! one from its sentence on, if both are the writer's now and one of them was proposed.

use crate::{
    engine::{
        Engine,
        answers::ReadChapter,
        canon::Snapshot,
        continuity::{ChangeSide, is_side_of_change},
        entities::{Viewed, next_version},
        facts::{is_replaced_by, new_fact},
    },
    error::{Code, Error, OrLog, Result},
    model::{
        AnswerId, Canon, Certainty, Changed, ChapterId, Citation, CitationDraft, ConfirmAnswer, ContinuityIssue,
        DeleteAnswer, Dismissal, EntityId, Fact, FactId, FactOrigin, JudgeRecord, JudgedFact, JudgedRecord, Knower,
        Position, ProjectId, RecordVerdict, Topic,
    },
    storage::{
        deletions,
        proposed_facts::{self, StoredProposal},
    },
    validate,
};

impl Engine {
    /// Keeps or refuses a learning record. `by` goes into the audit log of a deletion.
    ///
    /// Kept: the record is confirmed, and its proposed facts whose quotes the text still has become the writer's, in
    /// the writer's words where there are some. A fact that is left out, or was proposed in other words, is not
    /// proposed again.
    /// Refused: the record is deleted with its proposals and the words of its question, in every file; nothing undoes
    /// that. Its question is not asked again.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT` for an answer that is no learning record, and for words that are no fact;
    /// `MEMORY_NOT_FOUND`, also for a fact that the record does not propose; `MEMORY_SCOPE_DENIED`,
    /// `MEMORY_STALE_VERSION`, `MEMORY_CAPACITY_EXCEEDED`, those of the stores.
    pub fn judge_record(
        &self,
        args: &JudgeRecord,
        by: &str,
        order: &[ChapterId],
        read: ReadChapter<'_>,
    ) -> Result<Changed<JudgedRecord>> {
        let proposals = {
            let _open = self.visit(&args.project_id)?;
            self.record_at_version(&args.project_id, (&args.answer_id, args.version))?;
            let db = self.stores.episodes.open()?;
            proposed_facts::of_answer(&*db.reader()?, &args.project_id, &args.answer_id)?
        };
        match args.verdict {
            RecordVerdict::Keep => {
                let (kept, given_up) = judged_proposals(proposals, &args.facts)?;
                self.give_up_proposals(&args.project_id, &given_up)?;
                self.keep_record(args, kept, order, read)
            }
            RecordVerdict::Refuse if !args.facts.is_empty() => {
                Err(Error::invalid("facts", "are those of a record that is kept"))
            }
            RecordVerdict::Refuse => self.refuse_record(args, &proposals, by),
        }
    }

    fn keep_record(
        &self,
        args: &JudgeRecord,
        proposals: Vec<StoredProposal>,
        order: &[ChapterId],
        read: ReadChapter<'_>,
    ) -> Result<Changed<JudgedRecord>> {
        let project_id = &args.project_id;
        let accepted = self.accept_proposals(project_id, proposals, order, read)?;
        let record = self
            .confirm_answer(&ConfirmAnswer {
                project_id: project_id.clone(),
                answer_id: args.answer_id.clone(),
                version: args.version,
                user_confirmed: true,
            })?
            .value
            .answer;
        self.forget_proposals(project_id, &args.answer_id)?;
        let (change_id, accepted_facts) = accepted.map_or((None, 0), |(id, count)| (Some(id), count));
        let judged = JudgedRecord { record: Some(record), accepted_facts, change_id };
        let topics = [Topic::Answers, Topic::Story, Topic::Knowledge];
        Ok(Changed::new(judged, Some(project_id.clone()), topics))
    }

    /// Makes proposed facts the writer's; returns the id of the change and their number, `None` if there was none to
    /// write.
    fn accept_proposals(
        &self,
        project_id: &ProjectId,
        proposals: Vec<StoredProposal>,
        order: &[ChapterId],
        read: ReadChapter<'_>,
    ) -> Result<Option<(String, u32)>> {
        let open = self.visit(project_id)?;
        let (canon, _) = self.canon(project_id);
        let mut cited: Vec<(StoredProposal, Citation)> = Vec::new();
        for proposal in proposals {
            let draft = CitationDraft {
                chapter_id: proposal.citation.chapter_id.clone(),
                from: proposal.citation.from,
                quote: proposal.citation.quote.clone(),
            };
            let citation =
                read(&draft.chapter_id).and_then(|text| self.cite(project_id, &draft, order, text.as_deref()));
            let citation = match citation {
                Ok(citation) => citation,
                // The text has lost the quote: there is nothing to believe any more.
                Err(error) if matches!(error.code, Code::CitationNotFound | Code::NotFound) => continue,
                Err(error) => return Err(error),
            };
            if is_writable(&canon, &proposal) {
                cited.push((proposal, citation));
            }
        }
        if cited.is_empty() {
            return Ok(None);
        }
        let found = self.names_at(&open, None, order).or_log("find names for proposed facts");
        let changes = self.told_changes(&open, order).or_log("look for told changes").unwrap_or_default();
        let change = self.change_canon(project_id, |canon, now| {
            let (mut change, mut accepted) = (Snapshot::default(), Vec::new());
            for (proposal, citation) in &cited {
                if !is_writable(canon, proposal) {
                    continue;
                }
                let is_stored = |id: &EntityId| canon.entities.iter().any(|entity| entity.entity_id == *id);
                if !is_stored(&proposal.entity_id) && !change.entities.contains_key(&proposal.entity_id) {
                    let Some(found) = found.as_deref() else { continue };
                    let viewed = Viewed { found, writers: canon, order, at: None, now };
                    let Ok(named) = viewed.named("entityId", &proposal.entity_id) else { continue };
                    change.put(viewed.accepted(named));
                }
                let since = Position { chapter_id: citation.chapter_id.clone(), offset: citation.to };
                let knower = |id: &EntityId| Knower { entity_id: id.clone(), since: since.clone() };
                let fact_id = FactId::from(proposal.fact_id.as_str());
                accepted.push(Fact {
                    attribute: proposal.attribute.trim().to_owned(),
                    value: proposal.value.trim().to_owned(),
                    certainty: proposal.certainty,
                    known_by: proposal.known_by.iter().filter(|id| is_stored(id)).map(knower).collect(),
                    citations: vec![citation.clone()],
                    origin: FactOrigin::Confirmed,
                    ..new_fact(proposal.entity_id.clone(), fact_id, now)
                });
            }
            for fact in with_successors(&canon.facts, accepted, &changes) {
                let is_new = canon.facts.iter().all(|one| one.fact_id != fact.fact_id);
                change.put_fact(if is_new { fact } else { next_version(&fact, now) });
            }
            Ok(change)
        })?;
        let is_proposed = |id: &&FactId| cited.iter().any(|(proposal, _)| proposal.fact_id == id.as_str());
        let accepted = u32::try_from(change.after.facts.keys().filter(is_proposed).count()).unwrap_or(u32::MAX);
        Ok((accepted > 0).then_some((change.change_id, accepted)))
    }

    /// Notes that the facts with these signatures are not proposed again.
    fn give_up_proposals(&self, project_id: &ProjectId, signatures: &[String]) -> Result<()> {
        if signatures.is_empty() {
            return Ok(());
        }
        let now = self.clock.now();
        self.stores.rules.open()?.write("refuse proposed facts", |tx| {
            let insert = |one: &String| deletions::insert(tx, deletions::PROPOSED_FACT, one, Some(project_id), now);
            signatures.iter().try_for_each(insert)
        })
    }

    fn forget_proposals(&self, project_id: &ProjectId, answer_id: &AnswerId) -> Result<()> {
        self.stores
            .episodes
            .open()?
            .write("delete proposed facts", |tx| proposed_facts::delete_of_answer(tx, project_id, answer_id))
    }

    fn refuse_record(
        &self,
        args: &JudgeRecord,
        proposals: &[StoredProposal],
        by: &str,
    ) -> Result<Changed<JudgedRecord>> {
        let signatures: Vec<String> = proposals.iter().map(|one| one.signature.clone()).collect();
        self.give_up_proposals(&args.project_id, &signatures)?;
        let deletion = DeleteAnswer {
            project_id: args.project_id.clone(),
            answer_id: args.answer_id.clone(),
            version: args.version,
            confirmed: true,
        };
        let mut topics = self.delete_answer(&deletion, by)?.change.what;
        topics.push(Topic::Knowledge);
        let judged = JudgedRecord { record: None, accepted_facts: 0, change_id: None };
        Ok(Changed::new(judged, Some(args.project_id.clone()), topics))
    }
}

/// The proposals that are kept, in the writer's words where there are some, and the signatures of those that are left
/// out or were proposed in other words.
fn judged_proposals(
    mut proposals: Vec<StoredProposal>,
    judged: &[JudgedFact],
) -> Result<(Vec<StoredProposal>, Vec<String>)> {
    let mut given_up = Vec::new();
    for one in judged {
        let Some(at) = proposals.iter().position(|proposal| proposal.fact_id == one.fact_id) else {
            return Err(Error::not_found("facts", "proposed fact"));
        };
        let proposal = &mut proposals[at];
        let words = (proposal.attribute.clone(), proposal.value.clone());
        if let Some(attribute) = &one.attribute {
            validate::line("attribute", attribute.trim(), validate::ATTRIBUTE_CHARS)?;
            attribute.trim().clone_into(&mut proposal.attribute);
        }
        if let Some(value) = &one.value {
            validate::line("value", value.trim(), validate::VALUE_CHARS)?;
            value.trim().clone_into(&mut proposal.value);
        }
        if one.is_left_out || words != (proposal.attribute.clone(), proposal.value.clone()) {
            given_up.push(proposal.signature.clone());
        }
        if one.is_left_out {
            proposals.remove(at);
        }
    }
    Ok((proposals, given_up))
}

/// The accepted facts, and those of the writer that they replace, each with the fact that replaces it by the word of a
/// model on their two sentences.
fn with_successors(writers: &[Fact], accepted: Vec<Fact>, changes: &[ContinuityIssue]) -> Vec<Fact> {
    let first_accepted = writers.len();
    let mut facts: Vec<Fact> = writers.iter().cloned().chain(accepted).collect();
    let mut replaced = Vec::new();
    for change in changes {
        let of_side = |side: ChangeSide| {
            let is_of_side = |fact: &Fact| {
                let value = (&fact.entity_id, fact.value.as_str());
                fact.certainty == Certainty::Told && is_side_of_change((change, side), value, &fact.citations)
            };
            (0..facts.len()).filter(|number| is_of_side(&facts[*number])).collect::<Vec<_>>()
        };
        let (before, after) = (of_side(ChangeSide::Before), of_side(ChangeSide::After));
        for earlier in before {
            let is_successor = |later: &&usize| {
                let (earlier_id, later_id) = (&facts[earlier].fact_id, &facts[**later].fact_id);
                earlier.max(**later) >= first_accepted
                    && earlier != **later
                    && !is_replaced_by(&facts, later_id, earlier_id)
            };
            if facts[earlier].superseded_by.is_some() {
                continue;
            }
            let Some(later) = after.iter().find(is_successor) else { continue };
            facts[earlier].superseded_by = Some(facts[*later].fact_id.clone());
            replaced.push(earlier);
        }
    }
    let is_changed = |number: usize| number >= first_accepted || replaced.contains(&number);
    facts.into_iter().enumerate().filter(|(number, _)| is_changed(*number)).map(|(_, fact)| fact).collect()
}

/// Whether a proposal is a fact that the writer does not have, and has not deleted.
fn is_writable(canon: &Canon, proposal: &StoredProposal) -> bool {
    let fact_id = FactId::from(proposal.fact_id.as_str());
    let is_known = canon.facts.iter().any(|fact| fact.fact_id == fact_id);
    let is_dismissed = canon.dismissals.contains(&Dismissal::Fact(fact_id));
    let is_valid = validate::line("attribute", proposal.attribute.trim(), validate::ATTRIBUTE_CHARS).is_ok()
        && validate::line("value", proposal.value.trim(), validate::VALUE_CHARS).is_ok();
    !is_known && !is_dismissed && is_valid
}
