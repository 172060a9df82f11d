//! An episode from its recording to its deletion, through the engine alone.

use std::sync::Arc;

use palimpsest_text::style::Feature;
use tempfile::TempDir;

use super::*;
use crate::{
    error::Code,
    model::{AssembleRequest, EpisodeDraft, EpisodeQuery, ImplicitSignal, RecallPurpose, ReferenceKind, StoreFile},
    testing::{FixedClock, open_engine},
};

const DAY: i64 = 86_400_000;

struct Desk {
    engine: Engine,
    clock: Arc<FixedClock>,
    book: ProjectId,
    _folder: TempDir,
}

fn desk(language: Language) -> Desk {
    let folder = TempDir::new().unwrap();
    let clock = Arc::new(FixedClock::at("2026-03-15T21:00:00Z".parse().unwrap()));
    let engine = open_engine(folder.path(), &clock);
    let book = engine.open_project(&"book".into(), "夜航", language, None).unwrap().value.project_id;
    Desk { engine, clock, book, _folder: folder }
}

impl Desk {
    fn days(&self, days: i64) {
        self.clock.advance_millis(days * DAY);
    }

    fn draft(&self, candidates: &[&str], final_text: &str) -> EpisodeDraft {
        EpisodeDraft {
            project_id: self.book.clone(),
            chapter_id: "one".into(),
            skill_used: "continue".into(),
            scene_type: Some("action".into()),
            input_context: "码头上的旧灯塔早已没人看守。".into(),
            candidates: candidates.iter().map(|&text| text.into()).collect(),
            selected_index: 0,
            selected_text: None,
            final_text: final_text.into(),
            explicit: None,
            generation_id: None,
            occurred_at: None,
        }
    }

    fn record(&self, candidates: &[&str], final_text: &str) -> EpisodeId {
        self.engine.record(self.draft(candidates, final_text)).unwrap().value.id
    }

    fn get(&self, id: &EpisodeId) -> (Episode, String) {
        episodes::get(&self.engine.stores.episodes.open().unwrap().reader().unwrap(), id).unwrap().unwrap()
    }

    fn found(&self, text: &str) -> Vec<(EpisodeId, Vec<String>)> {
        while self.engine.index_step(100).unwrap().more {}
        let query = EpisodeQuery { query_text: Some(text.into()), ..EpisodeQuery::new(self.book.clone()) };
        let found = self.engine.recall(&query).unwrap().episodes;
        found.into_iter().map(|one| (one.episode.id, one.matched_by)).collect()
    }

    fn in_prompt(&self, before: &str) -> Vec<EpisodeId> {
        let request = AssembleRequest::new(self.book.clone(), "one", "continue", before);
        let context = self.engine.assemble(&request, &[]).unwrap();
        let episodes = context.context.references.into_iter().filter(|one| one.kind == ReferenceKind::Episode);
        episodes.map(|one| one.id.into()).collect()
    }

    fn keep(&self, id: &EpisodeId, user_confirmed: bool) {
        let kept = self.engine.confirm_episode(&self.book, id, user_confirmed).unwrap().value;
        assert_eq!(kept.user_confirmed, user_confirmed);
    }

    fn feedback(&self, id: &EpisodeId, signal: FeedbackSignal, text: Option<&str>) -> Result<Episode> {
        let (episode_id, text) = (id.clone(), text.map(str::to_owned));
        let feedback = EpisodeFeedback { episode_id, project_id: Some(self.book.clone()), signal, text };
        self.engine.feedback(&feedback).map(|changed| changed.value)
    }
}

#[test]
fn a_compressed_episode_is_found_by_its_summary_and_labelled_and_is_no_example_in_a_prompt() {
    let desk = desk(Language::Zh);
    let long = format!("水手跳上甲板，{}", "抓住缆绳，用力一拉。".repeat(30));
    let id = desk.record(&[&long, "雾很大。"], &format!("{long}然后他看见琥珀色的光。"));
    assert_eq!(desk.found("旧灯塔没人看守")[0].1, ["words"]);
    assert_eq!(desk.in_prompt("旧灯塔没人看守。水手跳上甲板"), std::slice::from_ref(&id));

    desk.days(14);
    assert_eq!(desk.engine.compress_due(None, 10).unwrap(), 1);
    assert_eq!(desk.engine.compress_due(None, 10).unwrap(), 0);

    let (episode, draft) = desk.get(&id);
    assert!(episode.compressed && episode.candidates.is_empty() && episode.input_context.is_empty());
    assert_eq!((draft.chars().count(), episode.final_text.chars().count()), (200, 200));
    assert!(draft.starts_with("水手跳上甲板"));
    let summary = episode.summary.unwrap();
    assert!(summary.starts_with("动作·续写：稍改后采用") && summary.contains("水手跳上甲板"), "{summary}");
    assert!(palimpsest_text::tokens::count(&summary) <= 200);

    // The words of the original text no longer find it, those of the summary do.
    assert!(desk.found("旧灯塔没人看守").is_empty());
    assert_eq!(desk.found("水手跳上甲板"), [(id, vec!["words".into(), "sleeping".into(), "compressed".into()])]);
    assert!(desk.in_prompt("旧灯塔没人看守。水手跳上甲板").is_empty());
}

#[test]
fn a_sleeping_example_is_not_crowded_out_of_a_prompt_by_summaries() {
    let desk = desk(Language::Zh);
    for _ in 0..60 {
        desk.record(&["水手跳上甲板。"], "水手跳上甲板。");
    }
    desk.days(20);
    assert_eq!(desk.engine.compress_due(Some(&desk.book), 60).unwrap(), 60);
    let whole = desk.record(&["水手跳上甲板，雾散了。"], "水手跳上甲板，雾散了。");
    desk.days(13);
    while desk.engine.index_step(100).unwrap().more {}
    assert_eq!(desk.in_prompt("水手跳上甲板"), [whole]);
}

#[test]
fn the_style_of_every_text_is_measured_when_it_is_recorded_and_outlives_the_texts() {
    let desk = desk(Language::Zh);
    let id = desk.record(&["他走。他停。", "他慢慢地走着。"], "他走。停！");
    let kinds = |id: &str| {
        let db = desk.engine.stores.episodes.open().unwrap();
        let found = crate::storage::style_vectors::of_episode(&db.reader().unwrap(), &desk.book, &id.into()).unwrap();
        for one in &found {
            assert_eq!((one.numbers.len(), one.version), (Feature::COUNT, palimpsest_text::style::VERSION));
        }
        let exclaims = |kind: &str| {
            let of_kind = found.iter().find(|one| one.kind == kind).unwrap();
            of_kind.numbers[Feature::Exclamations.index()]
        };
        assert!(exclaims("final") > exclaims("candidate"));
        found.iter().map(|one| format!("{} {}", one.kind, one.part)).collect::<Vec<_>>()
    };
    let all = ["candidate 0", "candidate 1", "final 0", "input 0"];
    assert_eq!(kinds(id.as_str()), all);
    desk.days(30);
    desk.engine.compress_due(None, 10).unwrap();
    assert_eq!(kinds(id.as_str()), all);
}

#[test]
fn episodes_from_before_styles_were_measured_are_measured_before_their_texts_are_deleted() {
    let desk = desk(Language::En);
    let id = desk.record(&["He ran."], "He ran.");
    let db = desk.engine.stores.episodes.open().unwrap();
    let forget = |tx: &Tx<'_>| Ok(tx.execute("DELETE FROM episode_features", [])?);
    db.write("test", forget).unwrap();
    desk.days(30);
    desk.engine.compress_due(None, 10).unwrap();
    assert_eq!(crate::storage::style_vectors::of_episode(&db.reader().unwrap(), &desk.book, &id).unwrap().len(), 3);
}

#[test]
fn a_summary_includes_an_undo_and_remarks_made_after_it() {
    let desk = desk(Language::En);
    let id = desk.record(&["The rope held."], "The rope held.");
    desk.days(30);
    desk.engine.compress_due(None, 10).unwrap();
    desk.feedback(&id, FeedbackSignal::Undo, None).unwrap();
    let episode = desk.feedback(&id, FeedbackSignal::Explicit, Some("too nautical")).unwrap();
    let summary = episode.summary.clone().unwrap();
    assert!(summary.contains("taken and undone later (weight -1.5)"), "{summary}");
    assert!(summary.contains("“too nautical”") && summary.contains("The rope held."), "{summary}");
    assert_eq!(desk.get(&id).0, episode);
    assert_eq!(desk.found("nautical").len(), 1);
}

#[test]
fn work_goes_in_steps_and_ends() {
    let desk = desk(Language::Zh);
    for _ in 0..7 {
        desk.record(&["灯灭了。"], "灯灭了。");
    }
    desk.days(30);
    let steps: Vec<u32> = (0..4).map(|_| desk.engine.compress_due(None, 3).unwrap()).collect();
    assert_eq!(steps, [3, 3, 1, 0]);
    desk.days(366);
    let steps: Vec<u32> = (0..3).map(|_| desk.engine.delete_expired(5).unwrap()).collect();
    assert_eq!(steps, [5, 2, 0]);
    assert!(desk.found("灯灭了").is_empty());
    // The use count of the skill outlasts the episodes.
    let order = desk.engine.skill_order(&desk.book, Some("action")).unwrap();
    assert_eq!((order[0].skill.as_str(), order[0].weight), ("continue", 0.7));
}

#[test]
fn a_pinned_episode_is_neither_compressed_nor_deleted_until_it_is_unpinned() {
    let desk = desk(Language::Zh);
    let (kept, summary) = (desk.record(&["灯灭了。"], "灯灭了。"), desk.record(&["船来了。"], "船来了。"));
    desk.keep(&kept, true);
    desk.days(400);
    assert_eq!(desk.engine.compress_due(None, 10).unwrap(), 1);
    desk.keep(&summary, true);
    desk.days(400);
    assert_eq!((desk.engine.compress_due(None, 10).unwrap(), desk.engine.delete_expired(10).unwrap()), (0, 0));
    desk.keep(&summary, false);
    assert_eq!(desk.engine.delete_expired(10).unwrap(), 1);
    assert!(!desk.get(&kept).0.compressed);
}

#[test]
fn compressing_an_episode_that_was_just_pinned_or_used_does_nothing() {
    let desk = desk(Language::Zh);
    let (kept, used) = (desk.record(&["灯灭了。"], "灯灭了。"), desk.record(&["船来了。"], "船来了。"));
    desk.days(30);
    let db = desk.engine.stores.episodes.open().unwrap();
    let now = desk.engine.clock.now();
    let prepared: Vec<(Episode, evict::Prepared)> = [&kept, &used]
        .map(|id| {
            let episode = desk.get(id).0;
            let rest = evict::prepare(&db.reader().unwrap(), &episode, Language::Zh).unwrap();
            (episode, rest)
        })
        .into();
    desk.keep(&kept, true);
    db.write("test", |tx| episodes::mark_recalled(tx, &desk.book, std::slice::from_ref(&used), now)).unwrap();
    for (episode, rest) in &prepared {
        assert_eq!(db.write("test", |tx| evict::compress(tx, episode, rest, now)).unwrap(), None);
    }
}

#[test]
fn an_undo_is_the_strongest_signal_and_counts_only_once() {
    let desk = desk(Language::Zh);
    let id = desk.record(&["灯灭了。"], "灯灭了。");
    let undone = desk.feedback(&id, FeedbackSignal::Undo, None).unwrap();
    assert_eq!((undone.implicit, undone.implicit_weight), (ImplicitSignal::DelayedNegative, -1.5));
    assert!((undone.importance - 0.6).abs() < 1e-9);
    assert_eq!(desk.feedback(&id, FeedbackSignal::Undo, None).unwrap(), undone);
    let working = desk.engine.working(&desk.book).unwrap().items;
    assert_eq!(working.len(), 1);
    assert!(working[0].text.contains("撤销"), "{}", working[0].text);

    let mut rejected = desk.draft(&["灯灭了。"], "");
    rejected.selected_index = -1;
    let rejected = desk.engine.record(rejected).unwrap().value.id;
    assert_eq!(desk.feedback(&rejected, FeedbackSignal::Undo, None).unwrap_err().code, Code::InvalidArgument);
}

/// Number of occurrences of a word in the files of a data folder, logs included.
fn in_files(desk: &Desk, word: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(desk._folder.path()).unwrap() {
        let path = entry.unwrap().path();
        let Ok(bytes) = std::fs::read(&path) else { continue };
        let times = bytes.windows(word.len()).filter(|at| *at == word.as_bytes()).count();
        if times > 0 {
            found.push(format!("{times} in {}", path.file_name().unwrap().to_string_lossy()));
        }
    }
    found
}

#[test]
fn nothing_of_a_deleted_episode_is_left_in_any_file_when_the_background_has_been_through() {
    let desk = desk(Language::En);
    let mut ids = Vec::new();
    for n in 0..120 {
        // Of several lengths: pages are split, merged and refilled meanwhile.
        let word = if n % 40 == 7 { "zyxquorn" } else { "lantern" };
        let text = format!("The {word} went out. {}", "Nobody had seen the harbour before dawn. ".repeat(n % 30));
        ids.push(desk.record(&[&text, "Fog."], &text));
        if n % 5 == 0 {
            while desk.engine.index_step(4).unwrap().more {}
        }
    }
    while desk.engine.index_step(4).unwrap().more {}
    assert!(!in_files(&desk, "zyxquorn").is_empty());
    for id in ids.iter().skip(7).step_by(40) {
        drop(desk.engine.delete_episode(&desk.book, id).unwrap());
    }
    while desk.engine.index_step(4).unwrap().more {}
    assert_eq!(in_files(&desk, "zyxquorn"), Vec::<String>::new());
    let query = EpisodeQuery {
        query_text: Some("lantern".into()),
        purpose: Some(RecallPurpose::Search),
        ..EpisodeQuery::new(desk.book.clone())
    };
    let found = desk.engine.recall(&query).unwrap().episodes;
    assert!(found.iter().all(|one| one.matched_by == ["words"]), "the others are still found");
    assert_eq!(found.len(), 8);
}

#[test]
fn a_file_is_backed_up_a_minute_after_it_was_first_seen_to_hold_something_and_then_left_to_the_nights() {
    let desk = desk(Language::Zh);
    let look = || {
        desk.clock.advance_millis(60_000);
        let made = desk.engine.back_up_first().unwrap();
        made.map_or_else(Vec::new, |made| made.value.into_iter().map(|backup| backup.file).collect())
    };
    // The project is known.
    assert_eq!((look(), look()), (vec![], vec![StoreFile::Rules]));
    assert_eq!(look(), []);
    desk.record(&["灯灭了。"], "灯灭了。");
    assert_eq!((look(), look()), (vec![], vec![StoreFile::Episodes]));
    desk.record(&["灯亮着。"], "灯亮着。");
    assert_eq!(look(), []);
}
