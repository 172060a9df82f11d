//! Names are hidden before a prompt is made and not after it: so no cut goes through a name and leaves a half of it, and
//! what the budget counts is what is sent.

use palimpsest_text::names::Mask;

use crate::{
    error::{Error, Result},
    model::{AssembleRequest, HiddenName, Recalled, Rule, WorkingItem},
    retrieval::names::pairs,
    semantic::rules::Applicable,
};

/// Hides names in everything that a prompt is made of; what it was hidden by puts them back in the answer.
///
/// # Errors
/// `MEMORY_INVALID_ARGUMENT` when no aliases can be told from these texts: then nothing must be sent.
pub fn mask(
    names: &[HiddenName],
    request: &mut AssembleRequest,
    rules: &mut Applicable,
    recalled: &mut [Recalled],
    working: &mut [WorkingItem],
) -> Result<Mask> {
    if names.is_empty() {
        return Ok(Mask::default());
    }
    let pairs = pairs(names);
    let mut texts = texts(request, rules, recalled, working);
    let mask = {
        let said: Vec<&str> = texts.iter().map(|text| text.as_str()).collect();
        Mask::over(&pairs, &said).ok_or_else(|| Error::invalid("names", "the aliases cannot be told from the text"))?
    };
    for text in &mut texts {
        **text = mask.hide(text);
    }
    Ok(mask)
}

/// Every text of the writer's or a model's that can come into a prompt.
fn texts<'a>(
    request: &'a mut AssembleRequest,
    rules: &'a mut Applicable,
    recalled: &'a mut [Recalled],
    working: &'a mut [WorkingItem],
) -> Vec<&'a mut String> {
    let mut texts = vec![&mut request.skill, &mut request.before];
    texts.extend([&mut request.selection, &mut request.after, &mut request.instruction].into_iter().flatten());
    for Rule { rule, scene_type, .. } in rules.rules.iter_mut().chain(&mut rules.overruled) {
        texts.push(rule);
        texts.extend(scene_type);
    }
    for found in recalled {
        let episode = &mut found.episode;
        texts.extend([&mut episode.skill_used, &mut episode.input_context, &mut episode.final_text]);
        texts.extend(&mut episode.candidates);
        texts.extend([&mut episode.scene_type, &mut episode.explicit, &mut episode.summary].into_iter().flatten());
    }
    texts.extend(working.iter_mut().map(|item| &mut item.text));
    texts
}
