//! Names are hidden before a prompt is assembled, not after it: so no cut leaves half of a name, and the budget counts
//! the text that is sent.

use palimpsest_text::names::Mask;

use super::BookPassage;
use crate::{
    error::Result,
    model::{AssembleRequest, Recalled, Rule, WorkingItem},
    semantic::rules::Applicable,
    story::StoryCard,
};

/// Hides names in all parts of a prompt. `make` computes the mask for the texts of the project, and for those of global
/// rules, in which the names of every project are hidden.
///
/// # Errors
/// Those of `make`: then nothing may be sent.
pub(crate) fn mask(
    request: &mut AssembleRequest,
    rules: &mut Applicable,
    recalled: &mut [Recalled],
    working: &mut [WorkingItem],
    story: (&mut [StoryCard], &mut [BookPassage]),
    make: impl FnOnce(&[&str], &[&str]) -> Result<Mask>,
) -> Result<Mask> {
    let (mut own, mut shared) = texts(request, rules, recalled, working);
    own.extend(story_texts(story.0, story.1));
    let mask = {
        let own: Vec<&str> = own.iter().map(|text| text.as_str()).collect();
        let shared: Vec<&str> = shared.iter().map(|text| text.as_str()).collect();
        make(&own, &shared)?
    };
    if !mask.is_empty() {
        own.iter_mut().for_each(|text| **text = mask.hide(text));
        shared.iter_mut().for_each(|text| **text = mask.hide_shared(text));
    }
    Ok(mask)
}

/// The texts of cards and passages.
fn story_texts<'a>(cards: &'a mut [StoryCard], passages: &'a mut [BookPassage]) -> Vec<&'a mut String> {
    let mut texts: Vec<&mut String> = passages.iter_mut().map(|passage| &mut passage.text).collect();
    for StoryCard { name, aliases, facts, .. } in cards {
        texts.push(name);
        texts.extend(aliases);
        texts.extend(facts.iter_mut().flat_map(|fact| [&mut fact.attribute, &mut fact.value]));
    }
    texts
}

/// Every text of the writer's or a model's that can come into a prompt: those of the project, and those shared by all
/// projects.
fn texts<'a>(
    request: &'a mut AssembleRequest,
    rules: &'a mut Applicable,
    recalled: &'a mut [Recalled],
    working: &'a mut [WorkingItem],
) -> (Vec<&'a mut String>, Vec<&'a mut String>) {
    let mut texts = vec![&mut request.skill, &mut request.before];
    let mut shared = Vec::new();
    texts.extend([&mut request.selection, &mut request.after, &mut request.instruction].into_iter().flatten());
    for Rule { rule, scene_type, project_id, .. } in rules.rules.iter_mut().chain(&mut rules.overruled) {
        let list = if project_id.is_none() { &mut shared } else { &mut texts };
        list.push(rule);
        list.extend(scene_type);
    }
    for found in recalled {
        let episode = &mut found.episode;
        texts.extend([&mut episode.skill_used, &mut episode.input_context, &mut episode.final_text]);
        texts.extend(&mut episode.candidates);
        texts.extend(&mut episode.scene_type);
        // Words about a rule quote it, and it may be global.
        shared.extend([&mut episode.explicit, &mut episode.summary].into_iter().flatten());
    }
    texts.extend(working.iter_mut().map(|item| &mut item.text));
    (texts, shared)
}
