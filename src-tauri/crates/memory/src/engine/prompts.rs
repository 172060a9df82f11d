//! Gathering for a prompt: the contribution of each part of the memory, and the parts that could not be read.

use std::collections::{HashMap, HashSet};

use palimpsest_text::{names::Mask, scene};

use super::{
    Engine,
    books::KnownProject,
    episodes::{MAX_RECALLED, past_unavailable},
    story_prompt::StoryPart,
};
use crate::{
    context::{self, Ingredients},
    episodic::{
        length::usual_length,
        recall::{self, Recollection, Summaries},
    },
    error::{Error, OrLog, Result},
    model::{
        AssembleRequest, AssembledContext, ChapterId, CutReason, DegradedCode, DegradedReason, EpisodeQuery, Language,
        ProjectId, RecallPurpose,
    },
    semantic::rules::{Applicable, applicable},
    storage::{episodes, feedback, rules},
    validate,
};

/// Maximum characters of the recall query: the end of the passage. Text far above was part of earlier queries.
const MAX_QUERY_CHARS: usize = 600;
/// Number of recalled episodes from which those of a prompt are chosen.
const RECALL_POOL: u32 = 3 * recall::DEFAULT_LIMIT;
/// Prefix of the references of episodes.
const EPISODE: &str = "episode:";

/// A prompt, and the mask for its answers.
#[derive(Debug)]
pub struct Assembled {
    /// The text to send, with the names of the project hidden.
    pub context: AssembledContext,
    /// Restores the names.
    pub mask: Mask,
    /// Why the names to be hidden are not known; then the prompt must not leave the machine.
    pub names_unread: Option<Error>,
}

impl Engine {
    /// Assembles the prompt for a passage, with its references. Does not count as a recall. `order` are the chapters of
    /// the book; without them no entity is known but the rules of the world.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, `MEMORY_NOT_FOUND`, `MEMORY_BACKPRESSURE`. A part of the memory that cannot serve is
    /// no error: the prompt is made without it and reports it.
    pub fn assemble(&self, request: &AssembleRequest, order: &[ChapterId]) -> Result<Assembled> {
        let project = self.look_up_project(&request.project_id)?;
        let project_id = project.project_id();
        check_request(request)?;
        let _pass = self.retrieval.admit_recall()?;
        let mut degraded_reasons = Vec::new();
        // Held until the prompt is made, so that no clearing comes in between.
        let open = self.visit(project_id);

        let passage = passage_of(&request.before, request.selection.as_deref());
        let scene_type = request.scene_type.clone().or_else(|| scene::guess(&passage).map(Into::into));

        let all = || self.stores.ask_rules(|db| rules::list(db, Some(project_id), None));
        let mut rules = match if open.is_ok() { all() } else { Ok((Vec::new(), None)) } {
            Ok((all, old)) => {
                degraded_reasons.extend(old.map(|old| DegradedReason::new(DegradedCode::RulesFromBackup, old)));
                applicable(all, project_id, scene_type.as_deref(), &request.skill)
            }
            Err(error) => {
                let why = format!("rules are built-in: {}", error.message);
                degraded_reasons.push(DegradedReason::new(DegradedCode::RulesBuiltIn, why));
                Applicable::default()
            }
        };
        // For a project that cannot be looked up, the language is detected in the passage.
        let language = match &project {
            KnownProject::Recorded(project) => project.language,
            KnownProject::Unrecorded(_) => match palimpsest_text::detect(&passage) {
                palimpsest_text::Language::Zh => Language::Zh,
                palimpsest_text::Language::En => Language::En,
            },
        };
        // Where it cannot be read, nothing is recalled either, and the prompt reports it.
        let left_out = self.left_out(project_id, &request.skill, scene_type.as_deref());
        let left_out = left_out.or_log("read what is left out of prompts").unwrap_or_default();
        let examples = left_out.iter().filter(|id| id.starts_with(EPISODE)).count();
        let query = EpisodeQuery {
            project_id: project_id.clone(),
            query_text: Some(passage.clone()),
            scene_type: scene_type.clone(),
            skill_used: Some(request.skill.clone()),
            purpose: Some(RecallPurpose::Prompt),
            fields: None,
            // Extra results, because episodes that the writer excluded and duplicates are dropped afterwards.
            limit: Some(RECALL_POOL.saturating_add(u32::try_from(examples).unwrap_or(u32::MAX)).min(MAX_RECALLED)),
        };
        let Recollection { episodes: recalled, nearest, .. } =
            self.recall_unguarded(&query, Summaries::LeftOut).unwrap_or_else(|error| {
                let why = past_unavailable(&self.stores.episodes.examine(error));
                degraded_reasons.push(DegradedReason::new(DegradedCode::PastUnavailable, why));
                Recollection::default()
            });
        let (unwanted, wanted): (Vec<_>, Vec<_>) =
            recalled.into_iter().partition(|found| left_out.contains(&format!("{EPISODE}{}", found.episode.id)));
        let context::Varied { taken: mut recalled, alike } = context::varied(wanted, recall::DEFAULT_LIMIT as usize);
        recalled.extend(unwanted);
        let mut working = match &open {
            Ok(_) => self.working.list(project_id, self.clock.now()).items,
            Err(_) => Vec::new(),
        };
        working.retain(|item| recalled.iter().all(|found| found.episode.id.as_str() != item.item_id));
        let withheld = alike.iter().map(|found| (found, CutReason::Alike));
        let withheld = withheld.chain(nearest.iter().map(|found| (found, CutReason::NotOutstanding)));
        let withheld: HashMap<String, CutReason> =
            withheld.map(|(found, reason)| (format!("{EPISODE}{}", found.episode.id), reason)).collect();
        recalled.extend(alike.into_iter().chain(nearest));
        let mut story = match &open {
            Ok(open) => self.story_part(open, request, order, &passage),
            Err(_) => StoryPart::default(),
        };
        degraded_reasons.append(&mut story.degraded_reasons);
        let names_unread = self.names_of(project_id).err();
        if let Some(error) = &names_unread {
            let why = format!("no names are hidden: {}", error.message);
            degraded_reasons.push(DegradedReason::new(DegradedCode::NamesUnread, why));
        }
        let mut request = request.clone();
        let mask = context::mask(
            &mut request,
            &mut rules,
            &mut recalled,
            &mut working,
            (&mut story.cards, &mut story.passages),
            |own, shared| match names_unread {
                None => self.mask_over(project_id, own, shared),
                Some(_) => Ok(Mask::default()),
            },
        )?;
        // Without it, the default length is asked for; that the past cannot be read is reported already.
        let usual_words = self.usual_words(project_id, &request.skill, scene_type.as_deref());
        let usual_words = usual_words.or_log("read the usual length of continuations").flatten();
        let counts = &self.token_counts;
        let ingredients = Ingredients {
            request: &request,
            language,
            scene_type,
            rules,
            recalled,
            cards: story.cards,
            passages: story.passages,
            working,
            degraded_reasons,
            counts,
            left_out: &left_out,
            withheld: &withheld,
            usual_words,
        };
        Ok(Assembled { context: context::assemble(ingredients)?, mask, names_unread })
    }
}

impl Engine {
    /// The length of a continuation that the writer keeps, in a scene type if the writer changed enough there.
    fn usual_words(&self, project_id: &ProjectId, skill: &str, scene_type: Option<&str>) -> Result<Option<u32>> {
        if skill != "continue" {
            return Ok(None);
        }
        let changed = episodes::changed_continuations(&*self.stores.episodes.open()?.reader()?, project_id)?;
        Ok(usual_length(&changed, scene_type))
    }

    /// The references that the writer excluded for a skill in a scene type.
    fn left_out(&self, project_id: &ProjectId, skill: &str, scene_type: Option<&str>) -> Result<HashSet<String>> {
        feedback::left_out(&*self.stores.episodes.open()?.reader()?, project_id, skill, scene_type)
    }
}

impl Engine {
    /// The scene type that a prompt for this passage would have if the writer names none; `None` for too little text.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`.
    pub fn guess_scene(&self, before: &str, selection: Option<&str>) -> Result<Option<String>> {
        validate::text("before", before, validate::CONTEXT)?;
        selection.map_or(Ok(()), |text| validate::text("selection", text, validate::TEXT))?;
        Ok(guess_scene(before, selection).map(Into::into))
    }
}

/// As [`Engine::guess_scene`], without checks.
#[must_use]
pub fn guess_scene(before: &str, selection: Option<&str>) -> Option<&'static str> {
    scene::guess(&passage_of(before, selection))
}

/// The query of recall and of scene detection: the end of the text before, and the selection.
fn passage_of(before: &str, selection: Option<&str>) -> String {
    let end = palimpsest_text::last_chars(before, MAX_QUERY_CHARS);
    let selection: String = selection.iter().flat_map(|text| text.chars()).take(MAX_QUERY_CHARS).collect();
    format!("{end}\n{selection}").trim().to_owned()
}

fn check_request(request: &AssembleRequest) -> Result<()> {
    validate::identity("chapterId", request.chapter_id.as_str())?;
    validate::label("skill", &request.skill)?;
    validate::optional_name("sceneType", request.scene_type.as_deref())?;
    validate::text("before", &request.before, validate::CONTEXT)?;
    let optional =
        |field, text: &Option<String>, max| text.as_deref().map_or(Ok(()), |text| validate::text(field, text, max));
    optional("selection", &request.selection, validate::TEXT)?;
    optional("after", &request.after, validate::CONTEXT)?;
    optional("instruction", &request.instruction, validate::REMARK)?;
    let budget = request.budget_tokens.unwrap_or(context::DEFAULT_BUDGET);
    validate::within("budgetTokens", budget, context::MIN_BUDGET, context::MAX_BUDGET)
}
