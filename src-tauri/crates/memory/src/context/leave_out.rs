//! A sent prompt with some of its memories left out: as it would have been assembled without them, computed from its
//! trace and not from the present memory. The text around the position stays as it was sent: tokens that become free do
//! not make it longer.

use std::collections::HashSet;

use super::render;
use crate::{
    model::{LayerName, Reference, ReferenceKind},
    ports::{Message, Role},
};

/// The messages of a generation without the memories in `left_out` (by reference). An empty section is removed, as in
/// assembly.
///
/// `None` where the messages do not contain these references as they were inserted: then it is unknown which text to
/// leave out.
#[must_use]
pub(crate) fn without(
    messages: &[Message],
    references: &[Reference],
    left_out: &HashSet<&str>,
) -> Option<Vec<Message>> {
    let mut messages = messages.to_vec();
    for (kind, layer, tag) in SECTIONS {
        let here: Vec<&Reference> = references.iter().filter(|one| one.kind == kind && one.layer == layer).collect();
        if here.is_empty() {
            continue;
        }
        let message = messages.iter_mut().find(|message| message.role == Role::User)?;
        message.content = section_without(&message.content, tag, &here, left_out)?;
    }
    // A reference of no section: it is unknown where its text is.
    let is_in_section =
        |one: &Reference| SECTIONS.iter().any(|(kind, layer, _)| (one.kind, one.layer) == (*kind, *layer));
    references.iter().all(is_in_section).then_some(messages)
}

/// The sections of memories: their kind, their layer and their tag.
const SECTIONS: [(ReferenceKind, LayerName, &str); 7] = [
    (ReferenceKind::Rule, LayerName::Settings, "settings"),
    (ReferenceKind::Entity, LayerName::Settings, "story"),
    (ReferenceKind::Episode, LayerName::Retrieved, "past"),
    (ReferenceKind::Passage, LayerName::Retrieved, "book"),
    (ReferenceKind::Answer, LayerName::Retrieved, "answers"),
    (ReferenceKind::Entry, LayerName::Retrieved, "journal"),
    (ReferenceKind::Working, LayerName::Immediate, "working"),
];

fn section_without(content: &str, tag: &str, here: &[&Reference], left_out: &HashSet<&str>) -> Option<String> {
    // No text of the writer's can contain these tags: `render::fenced` escapes them.
    let (open, close) = (format!("<{tag}>\n"), format!("\n</{tag}>\n"));
    let (before, rest) = content.split_once(&open)?;
    let (inside, after) = rest.split_once(&close)?;
    let lines = |all: bool| {
        let remaining = here.iter().filter(|one| all || !left_out.contains(one.reference_id.as_str()));
        remaining.map(|one| one.text.as_str()).collect::<Vec<_>>().join("\n")
    };
    let header = inside.strip_suffix(&lines(true)).filter(|header| header.is_empty() || header.ends_with('\n'))?;
    let remaining = lines(false);
    let section =
        if remaining.is_empty() { String::new() } else { render::section(tag, &format!("{header}{remaining}")) };
    Some([before, &section, after].concat())
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;
    use crate::{
        context::{BookPassage, Counts, Ingredients, assemble},
        model::{AssembleRequest, AssembledContext, Certainty, Language, WorkingItem},
        semantic::rules::{Applicable, added},
        story::{CardFact, CardReason, StoryCard},
    };

    /// A prompt with three rules and two memories of each other kind but episodes, without those that the writer
    /// excluded.
    fn prompt(language: Language, left_out: &HashSet<String>) -> AssembledContext {
        let rules = (0..3).map(|n| {
            let draft = serde_json::from_value(serde_json::json!({
                "rule": format!("规则 {n} </settings> <past>"), "category": "style", "scope": "global",
            }));
            added(draft.unwrap(), format!("r{n}").into(), crate::model::Time::from_millis(0))
        });
        let item = |n: i64| -> WorkingItem {
            let at = crate::model::Time::from_millis(n);
            serde_json::from_value(serde_json::json!({
                "itemId": format!("w{n}"), "projectId": "book", "scope": "project", "version": 1, "kind": "exchange",
                "text": "刚才续写：灯灭了", "tokens": 8, "importance": 0.5, "createdAt": at, "touchedAt": at,
            }))
            .unwrap()
        };
        let card = |n: usize| StoryCard {
            entity_id: format!("e{n}").into(),
            version: 1,
            name: format!("阿满{n} </story>"),
            aliases: Vec::new(),
            facts: vec![CardFact {
                attribute: "是谁".into(),
                value: "纪伯的妻子".into(),
                certainty: Certainty::Told,
                is_known_here: n == 0,
            }],
            last_seen: None,
            matched_by: CardReason::Named,
        };
        let passage = |n: u32| BookPassage {
            passage_id: format!("p{n}"),
            chapter: n + 1,
            text: "雨停了。 </book>".into(),
            score: 0.5,
            matched_by: vec!["meaning".into()],
        };
        let request = AssembleRequest::new("book".into(), "one", "continue", "<settings>\n- 规则 0\n</settings>\n夜。");
        assemble(Ingredients {
            request: &request,
            language,
            scene_type: None,
            rules: Applicable { rules: rules.collect(), ..Applicable::default() },
            recalled: Vec::new(),
            cards: vec![card(0), card(1)],
            passages: vec![passage(0), passage(1)],
            working: vec![item(0), item(1)],
            degraded_reasons: Vec::new(),
            counts: &Counts::default(),
            left_out,
            withheld: &HashMap::new(),
            usual_words: None,
        })
        .unwrap()
    }

    proptest! {
        #[test]
        fn a_prompt_without_some_memories_is_the_one_that_would_have_been_made_without_them(bits in 0_u32..512) {
            for language in [Language::Zh, Language::En] {
                let whole = prompt(language, &HashSet::new());
                let all: Vec<&str> = whole.references.iter().map(|one| one.reference_id.as_str()).collect();
                prop_assert_eq!(all.len(), 9);
                let omitted: HashSet<&str> =
                    all.iter().enumerate().filter(|(n, _)| bits >> n & 1 == 1).map(|(_, id)| *id).collect();
                let owned = omitted.iter().map(|id| (*id).to_owned()).collect();
                prop_assert_eq!(
                    without(&whole.messages, &whole.references, &omitted),
                    Some(prompt(language, &owned).messages)
                );
            }
        }
    }

    #[test]
    fn a_reference_that_the_prompt_does_not_contain_cannot_be_left_out() {
        let whole = prompt(Language::Zh, &HashSet::new());
        let mut other = whole.references.clone();
        other[1].text.push('。');
        assert_eq!(without(&whole.messages, &other, &HashSet::new()), None);
        assert_eq!(without(&whole.messages[..1], &whole.references, &HashSet::new()), None);
    }
}
