//! `npm run bench -- cards`: prompts with the story in them, cards and lists, in a book of a million characters with
//! five hundred accepted entities, two thousand facts and four thousand passages, beside ten thousand episodes and five
//! hundred rules.

use std::{cell::RefCell, sync::Arc};

use palimpsest_api::Api;
use serde_json::{Value, json};

use crate::{
    Bench, ROUNDS, RULES, add_rules, ask, call,
    corpus::Corpus,
    create,
    figures::{Figures, Rounds, time},
    settle,
    synthetic::Synthetic,
};

pub const ENTITIES: usize = 500;
const FACTS_EACH: usize = 4;
pub const CHAPTERS: usize = 100;
/// Characters of a chapter.
pub const CHAPTER: usize = 10_000;
/// Names in a chapter.
const NAMES: usize = 40;
/// Cards, lists and edits that are timed.
const TIMES: usize = 200;

const SURNAMES: &str = "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许";
const GIVEN: &str = "潮汐波浪岸礁帆桨锚缆灯塔鸥鹭沙石风雨云月";

/// A unique name of three characters.
pub fn name(number: usize) -> String {
    let pick = |from: &str, at: usize| from.chars().nth(at % 20).unwrap_or('一');
    [pick(SURNAMES, number), pick(GIVEN, number / 20), pick(GIVEN, number / 3 + number / 400)].iter().collect()
}

fn sentence(number: usize) -> String {
    format!("{}站在码头上，一句话也没有说，看着水一点一点涨上来。", name(number))
}

/// The chapters of the book: prose, and in each some names in sentences of their own.
pub fn chapters(corpus: &mut Corpus) -> Vec<String> {
    let chapter = |number: usize, corpus: &mut Corpus| {
        let mut text = format!("第{number}章\n\n");
        let part = CHAPTER / NAMES;
        for at in 0..NAMES {
            let who = (number * NAMES * 7 + at * 13) % ENTITIES;
            text += &format!("{}{}\n\n", sentence(who), corpus.prose(part));
        }
        text
    };
    (0..CHAPTERS).map(|number| chapter(number, corpus)).collect()
}

/// Fills the book and measures.
pub fn run(encoder: &Arc<Synthetic>) {
    let bench = Bench::new(encoder, 7);
    let (api, project, mut corpus) = bench.full();
    add_rules(&api);
    let texts = chapters(&mut corpus);
    let analyze = |numbers: std::ops::Range<usize>, more: &str| {
        let chapter =
            |number: usize| json!({ "chapterId": number.to_string(), "text": format!("{}{more}", texts[number]) });
        let chapters: Vec<Value> = numbers.clone().map(chapter).collect();
        let is_whole = chapters.len() == CHAPTERS;
        ask(&api, "story:analyze", json!({ "projectId": project, "chapters": chapters, "isWhole": is_whole }))
    };
    let status = analyze(0..CHAPTERS, "");
    write_canon(&api, &project, &texts);
    settle(&api);
    let passages = status["passages"].clone();

    let turn = RefCell::new(0_usize);
    let prompt = |is_in_book: bool| {
        let number = *turn.borrow() % CHAPTERS;
        *turn.borrow_mut() += 1;
        let text = &texts[number];
        let before: String = text.chars().skip(CHAPTER / 2).collect();
        let chapter_id = if is_in_book { number.to_string() } else { format!("unknown-{number}") };
        let args = json!({ "projectId": project, "chapterId": chapter_id, "skill": "continue", "before": before,
            "offset": text.encode_utf16().count() });
        drop(call(&api, "memory:context:assemble", args));
    };
    Rounds::beside(&format!("prompt in no chapter of the book, {RULES} rules (floor)"), 10, || prompt(false))
        .and(format!("prompt, {ENTITIES} entities, {} facts, {passages} passages", ENTITIES * FACTS_EACH), 25, || {
            prompt(true);
        })
        .run(ROUNDS)
        .print();

    let listed = ask(&api, "story:entity:list", json!({ "projectId": project }));
    let listed = listed["entities"].as_array().cloned().unwrap_or_default();
    let timed = || drop(call(&api, "story:entity:list", json!({ "projectId": project })));
    time(TIMES, timed).print(&format!("list of {} entities", listed.len()), None);
    list_of_the_accepted(&api);
    let entities: Vec<&Value> = listed.iter().filter(|entity| entity["standing"] == "accepted").collect();
    let shown = RefCell::new(entities.iter().cycle());
    let card = || {
        let entity_id = shown.borrow_mut().next().map(|entity| entity["entityId"].clone());
        drop(call(&api, "story:entity:get", json!({ "projectId": project, "entityId": entity_id })));
    };
    time(TIMES, card).print("card of an entity, as of a position whose names are known", None);
    let hovered = RefCell::new(0_usize);
    let hover = || {
        let number = *hovered.borrow() % 5;
        *hovered.borrow_mut() += 1;
        let at = json!({ "chapterId": number.to_string(), "offset": 20 });
        drop(call(&api, "story:at", json!({ "projectId": project, "at": at })));
    };
    (0..5).for_each(|_| hover());
    time(TIMES, hover).print("the name at a position, of five that were asked for before", None);
    let mut saved = Figures::default();
    for entity in entities.iter().take(TIMES) {
        let fact =
            json!({ "projectId": project, "entityId": entity["entityId"], "attribute": "记", "value": "又一条" });
        saved.join(time(1, || drop(call(&api, "story:fact:save", fact.clone()))));
    }
    saved.print("a fact written, acknowledged on disk", None);
    let mut edited = Figures::default();
    for number in 0..20 {
        edited.join(time(1, || drop(analyze(number..number + 1, &format!("又一段，{number}。\n")))));
    }
    edited.print("a changed chapter with its citations followed", None);
}

/// Measures the list of a book that names the accepted entities and nothing else, each in many chapters.
fn list_of_the_accepted(api: &Api) {
    let project = create(api);
    let plain = "水一点一点涨上来。".repeat(CHAPTER / NAMES / 10);
    let chapter = |number: usize| {
        let paragraph = |at: usize| format!("{}{plain}\n\n", sentence((number * NAMES * 7 + at * 13) % ENTITIES));
        format!("第{number}章\n\n{}", (0..NAMES).map(paragraph).collect::<String>())
    };
    let texts: Vec<String> = (0..CHAPTERS).map(chapter).collect();
    let of = |(number, text): (usize, &String)| json!({ "chapterId": number.to_string(), "text": text });
    let chapters: Vec<Value> = texts.iter().enumerate().map(of).collect();
    ask(api, "story:analyze", json!({ "projectId": project, "chapters": chapters, "isWhole": true }));
    write_canon(api, &project, &texts);
    let args = json!({ "projectId": project });
    let listed = ask(api, "story:entity:list", args.clone());
    let count = listed["entities"].as_array().map_or(0, Vec::len);
    time(TIMES, || drop(call(api, "story:entity:list", args.clone())))
        .print(&format!("list of {count} entities"), None);
}

/// The entities, accepted, with facts that cite their sentences.
fn write_canon(api: &Api, project: &str, texts: &[String]) {
    for number in 0..ENTITIES {
        let entity = json!({ "projectId": project, "kind": "character", "name": name(number) });
        let id = ask(api, "story:entity:save", entity)["entityIds"][0].clone();
        let quote = sentence(number);
        let cited: Vec<(usize, usize)> =
            texts.iter().enumerate().filter_map(|(chapter, text)| Some((chapter, text.find(&quote)?))).collect();
        for fact in 0..FACTS_EACH {
            let mut args = json!({ "projectId": project, "entityId": id, "attribute": format!("事{fact}"),
                "value": format!("{}的第{fact}件事", name(number)) });
            if let Some((chapter, byte)) = cited.get(fact) {
                let from = texts[*chapter][..*byte].encode_utf16().count();
                args["citation"] = json!({ "chapterId": chapter.to_string(), "from": from, "quote": quote });
            }
            ask(api, "story:fact:save", args);
        }
    }
}
