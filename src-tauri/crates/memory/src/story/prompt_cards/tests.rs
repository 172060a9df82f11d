//! The law of the cards: nothing after the position has an influence.

use proptest::prelude::*;

use super::*;
use crate::model::{Citation, CitationStatus, EntityKind, Fact, FactOrigin, Knower, Time};

const CHAPTERS: usize = 4;
const LENGTH: u32 = 40;
const ENTITIES: usize = 5;
/// Forms of each entity.
const FORMS: usize = 2;

fn position(chapter: usize, offset: u32) -> Position {
    Position { chapter_id: format!("c{chapter}").into(), offset }
}

fn place() -> impl Strategy<Value = Position> {
    (0..CHAPTERS, 0..LENGTH).prop_map(|(chapter, offset)| position(chapter, offset))
}

fn entity(number: usize) -> impl Strategy<Value = StoredEntity> {
    let visibility = prop_oneof![
        4 => Just(Visibility::AsOf),
        1 => Just(Visibility::Always),
        1 => Just(Visibility::Hidden),
    ];
    let since = prop::collection::vec(prop::option::of(place()), FORMS);
    (visibility, any::<bool>(), since).prop_map(move |(visibility, is_pinned, since)| {
        let name = |(form, since): (usize, Option<Position>)| EntityName { name: format!("e{number}f{form}"), since };
        StoredEntity {
            entity_id: format!("e{number}").into(),
            kind: EntityKind::Character,
            name: format!("e{number}f0"),
            version: 1,
            names: since.into_iter().enumerate().map(name).collect(),
            visibility,
            is_pinned: is_pinned && number == 0,
            created_at: Time::from_millis(0),
            updated_at: Time::from_millis(0),
        }
    })
}

fn fact(number: usize) -> impl Strategy<Value = Fact> {
    let status = prop_oneof![Just(CitationStatus::Holds), Just(CitationStatus::Changed)];
    let cited = prop::collection::vec((place(), status), 0..3);
    let known_by = prop::collection::vec((0..ENTITIES, place()), 0..2);
    let object = prop::option::of(0..ENTITIES);
    let replaced = prop::option::of(number + 1..14);
    (0..ENTITIES, cited, prop::option::of(place()), known_by, object, replaced).prop_map(
        move |(about, cited, told_at, known_by, object, replaced)| {
            let citation = |(at, status): (Position, CitationStatus)| Citation {
                chapter_id: at.chapter_id,
                from: at.offset.saturating_sub(3),
                to: at.offset,
                quote_hash: String::new(),
                quote: "so it says".into(),
                status,
            };
            let knower = |(who, since): (usize, Position)| Knower { entity_id: format!("e{who}").into(), since };
            Fact {
                fact_id: format!("f{number}").into(),
                entity_id: format!("e{about}").into(),
                attribute: "is".into(),
                value: format!("value {number}"),
                object_id: object.map(|object| format!("e{object}").into()),
                certainty: Certainty::Told,
                told_at,
                valid_from: None,
                valid_until: None,
                superseded_by: replaced.map(|later| format!("f{later}").into()),
                known_by: known_by.into_iter().map(knower).collect(),
                citations: cited.into_iter().map(citation).collect(),
                origin: FactOrigin::Written,
                version: 1,
                created_at: Time::from_millis(0),
                updated_at: Time::from_millis(0),
            }
        },
    )
}

/// The writer's word, which has no debug output of its own.
fn canon() -> impl Strategy<Value = (Vec<StoredEntity>, Vec<Fact>)> {
    ((0..ENTITIES).map(entity).collect::<Vec<_>>(), (0..12).map(fact).collect::<Vec<_>>())
}

/// The forms in a text, in order.
fn forms(most: usize) -> impl Strategy<Value = Vec<FormAt>> {
    let form = (0..ENTITIES, 0..FORMS, 1..LENGTH as usize);
    prop::collection::vec(form, 0..most).prop_map(|forms| {
        let mut forms: Vec<FormAt> =
            forms.into_iter().map(|(entity, form, end)| FormAt { entity, form, end }).collect();
        forms.sort_by_key(|at| at.end);
        forms
    })
}

/// The forms around a position: named, present, recalled, and by chapter.
type Forms = ([Vec<FormAt>; 3], Vec<Vec<FormAt>>);

fn forms_around() -> impl Strategy<Value = Forms> {
    ([forms(4), forms(4), forms(4)], prop::collection::vec(forms(6), CHAPTERS))
}

fn around<'a>([named, present, recalled]: &[Vec<FormAt>; 3], chapters: &'a [Vec<FormAt>]) -> Around<'a> {
    let chapters = chapters.iter().map(Vec::as_slice).collect();
    Around { named: named.clone(), present: present.clone(), recalled: recalled.clone(), chapters }
}

fn order() -> Vec<ChapterId> {
    (0..CHAPTERS).map(|number| format!("c{number}").into()).collect()
}

proptest! {
    #[test]
    fn the_cards_at_a_position_do_not_depend_on_the_text_after_it(
        (entities, facts) in canon(),
        (near, chapters) in forms_around(),
        (chapter, offset) in (0..CHAPTERS, 0..LENGTH),
    ) {
        let canon = Canon { entities, facts, ..Canon::default() };
        let order = order();
        let at = position(chapter, offset);
        let cards = |order: &[ChapterId], chapters: &[Vec<FormAt>]| {
            prompt_cards(&canon, PromptPosition { order, at: &at }, &around(&near, chapters))
        };
        let mut until_here = chapters[..=chapter].to_vec();
        until_here[chapter].retain(|form| form.end <= offset as usize);
        prop_assert_eq!(cards(&order, &chapters), cards(&order[..=chapter], &until_here));
    }

    #[test]
    fn no_card_has_a_hidden_entity_or_a_fact_or_a_form_that_is_known_only_later(
        (entities, facts) in canon(),
        (near, chapters) in forms_around(),
        (chapter, offset) in (0..CHAPTERS, 0..LENGTH),
    ) {
        let canon = Canon { entities, facts, ..Canon::default() };
        let order = order();
        let at = position(chapter, offset);
        let [named, present, recalled] = &near;
        let here = place_of(&order, &at);
        let is_later = |position: &Position| place_of(&order, position) > here;
        for card in prompt_cards(&canon, PromptPosition { order: &order, at: &at }, &around(&near, &chapters)) {
            let stored = canon.entities.iter().find(|one| one.entity_id == card.entity_id).unwrap();
            prop_assert!(stored.visibility != Visibility::Hidden);
            let shown = card.aliases.iter().chain([&card.name]).filter_map(|form| {
                stored.names.iter().find(|name| name.name == *form)
            });
            // A rule of the world is headed by its name wherever it is known from.
            let is_rule = stored.visibility == Visibility::Always;
            prop_assert!(is_rule || shown.filter_map(|name| name.since.as_ref()).all(|since| !is_later(since)));
            for shown in &card.facts {
                let fact = canon.facts.iter().find(|fact| fact.value == shown.value).unwrap();
                prop_assert!(!fact.told_at.as_ref().is_some_and(is_later));
            }
            // A name that is one of the entity only later brings no card.
            let bringing = match card.matched_by {
                CardReason::Named => named,
                CardReason::Present => present,
                CardReason::Meaning => recalled,
                CardReason::Pinned | CardReason::Related => continue,
            };
            let is_known = |form: &FormAt| !stored.names[form.form].since.as_ref().is_some_and(is_later);
            let own = |form: &&FormAt| canon.entities[form.entity].entity_id == card.entity_id;
            prop_assert!(bringing.iter().filter(own).any(is_known));
        }
    }
}
