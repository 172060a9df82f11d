//! The entities of English names: which forms are one, and what each of them is.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    super::{DetectedEntity, EntityKind, Form, KnownEntity, MergeReason, Names, Position, counts::lower_into, sorted},
    NamedForm, kind,
    merge::{self, PersonForm},
};

/// The names of the writer in small letters without full stops, with the index of their entity.
pub(super) fn known_forms(known: &[KnownEntity]) -> FxHashMap<String, usize> {
    let mut forms = FxHashMap::default();
    for (at, entity) in known.iter().enumerate() {
        for name in &entity.names {
            forms.entry(folded(name)).or_insert(at);
        }
    }
    forms
}

pub(super) fn folded(name: &str) -> String {
    let mut small = String::new();
    lower_into(&mut small, &palimpsest_text::single_spaced(name));
    small.retain(|c| c != '.');
    small
}

/// Groups the forms, and decides what each group is.
pub(super) fn build(names: &[NamedForm<'_>], known: &[KnownEntity], known_forms: &FxHashMap<String, usize>) -> Names {
    let families = families(names);
    // The kind of each form alone decides which may be a person's.
    let alone = |at: usize, persons: &FxHashSet<u32>| {
        let NamedForm { form, evidence, .. } = &names[at];
        let beside = evidence.beside.iter().filter(|other| persons.contains(other)).count();
        kind::kind_of(form, evidence, families.contains(&at), beside)
    };
    let mut persons: FxHashSet<u32> = FxHashSet::default();
    for _ in 0..2 {
        let is_person = |at: &usize| alone(*at, &persons) == EntityKind::Character;
        persons = (0..names.len()).filter(is_person).map(|at| names[at].number).collect();
    }
    let (mut candidates, mut others) = (Vec::new(), Vec::new());
    let known_of: Vec<Option<usize>> = names.iter().map(|name| known_forms.get(&*name.form.folded).copied()).collect();
    let mut by_writer: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, name) in names.iter().enumerate() {
        if let Some(entity) = known_of[at] {
            by_writer.entry(entity).or_default().push(at);
        }
        match known_of[at] {
            Some(entity) if known[entity].kind != EntityKind::Character => {}
            // A short form may join a name that the writer has entered.
            Some(_) => candidates.push(at),
            None if persons.contains(&name.number) => candidates.push(at),
            None => others.push(at),
        }
    }
    let person = |at: &usize| {
        let NamedForm { form, evidence, chapters, .. } = &names[*at];
        PersonForm { parts: &form.parts, evidence, chapters }
    };
    let forms: Vec<PersonForm<'_>> = candidates.iter().map(person).collect();
    let merged = merge::merge(&forms);
    let mut entities: Vec<DetectedEntity> = Vec::new();
    // The entity of each group: its index, or the writer's.
    let mut of_group: Vec<Result<usize, usize>> = Vec::with_capacity(merged.groups.len());
    for group in &merged.groups {
        let members: Vec<usize> = group.iter().map(|&form| candidates[form]).collect();
        let written: BTreeSet<usize> = members.iter().filter_map(|&at| known_of[at]).collect();
        let unwritten: Vec<usize> = members.iter().copied().filter(|&at| known_of[at].is_none()).collect();
        match (written.first(), written.len()) {
            (Some(&entity), 1) => {
                by_writer.entry(entity).or_default().extend(unwritten);
                of_group.push(Err(entity));
            }
            // Two entities of the writer are never joined: forms that fit both become a separate entity.
            (Some(&entity), _) if unwritten.is_empty() => of_group.push(Err(entity)),
            _ => {
                of_group.push(Ok(entities.len()));
                entities.push(entity(names, &unwritten, EntityKind::Character, None));
            }
        }
    }
    for at in others {
        entities.push(entity(names, &[at], alone(at, &persons), None));
    }
    let mut of_writer: FxHashMap<usize, usize> = FxHashMap::default();
    for (number, members) in by_writer {
        of_writer.insert(number, entities.len());
        entities.push(entity(names, &members, known[number].kind, Some(number)));
    }
    let index = |group: usize| match of_group[group] {
        Ok(entity) => Some(entity),
        Err(written) => of_writer.get(&written).copied(),
    };
    let questions: Vec<(usize, usize, MergeReason)> = merged
        .questions
        .iter()
        .filter_map(|&(a, b, reason)| Some((index(a)?, index(b)?, reason)))
        .filter(|(a, b, _)| a != b)
        .collect();
    sorted(entities, &questions)
}

/// Forms that are a family in the plural: `the Musgroves` beside `Mrs Musgrove`.
fn families(names: &[NamedForm<'_>]) -> FxHashSet<usize> {
    let parts = |at: usize| &names[at].form.parts;
    let surnames: FxHashSet<&str> = (0..names.len())
        .map(parts)
        .filter(|parts| !parts.titles.is_empty() || parts.words.len() > 1)
        .filter_map(|parts| parts.words.last().map(String::as_str))
        .collect();
    let is_family = |at: &usize| {
        let Some(last) = parts(*at).words.last() else { return false };
        let singular = ["s", "es"].iter().filter_map(|ending| last.strip_suffix(ending));
        let is_plural = singular.clone().any(|one| surnames.contains(one));
        is_plural && (names[*at].evidence.article > 0 || !parts(*at).titles.is_empty())
    };
    (0..names.len()).filter(is_family).collect()
}

fn entity(names: &[NamedForm<'_>], members: &[usize], kind: EntityKind, known: Option<usize>) -> DetectedEntity {
    let mut forms: Vec<Form> = Vec::new();
    let mut first: Option<(u32, u32)> = None;
    for &at in members {
        let NamedForm { evidence, surfaces, .. } = &names[at];
        forms.extend(surfaces.iter().map(|(text, count)| Form { text: (*text).to_owned(), count: *count }));
        first = Some(first.map_or(evidence.first, |before| before.min(evidence.first)));
    }
    forms.sort_unstable_by(|a, b| b.count.cmp(&a.count).then_with(|| a.text.cmp(&b.text)));
    let count = forms.iter().map(|form| form.count).sum();
    let is_usual = |form: &&Form| form.count > 1 || count < 4;
    let fullest = forms
        .iter()
        .filter(is_usual)
        .max_by_key(|form| (form.text.split(' ').count(), form.count, std::cmp::Reverse(form.text.as_str())));
    let name = fullest.or(forms.first()).map(|form| form.text.clone()).unwrap_or_default();
    let (chapter, offset) = first.unwrap_or_default();
    let first = Position { chapter: chapter as usize, offset: offset as usize };
    DetectedEntity { kind, name, forms, count, first, known }
}
