//! Distillation runs beside other work: their causes, and the writer's concurrent changes, which count.

use std::{
    sync::{Arc, Condvar, Mutex},
    thread,
    time::Duration,
};

use palimpsest_api::ports::Clock;
use palimpsest_tests::{Writer, text};
use rusqlite::{Connection, types::Value as Sql};
use serde_json::{Value, json};

use crate::{
    add_rule,
    evidence::wait_for_evidence,
    learning::{Life, Taste, about, distil},
    undoing::rules_in_agreement,
};

const PROGRESS: &str = "memory:distill:progress";
const WEEK: i64 = 7 * 86_400_000;

/// Pauses a run at the start of one of its stages, by blocking the subscriber to its progress.
#[derive(Clone, Default)]
pub(crate) struct RunPause(Arc<(Mutex<PausePoint>, Condvar)>);

#[derive(Default)]
struct PausePoint {
    at: Option<&'static str>,
    /// The identity of the paused run.
    run: Option<String>,
}

impl RunPause {
    /// Longer than any step takes.
    const PATIENCE: Duration = Duration::from_secs(60);

    pub(crate) fn writer(&self) -> Writer {
        let hold = self.clone();
        Writer::with(|options| {
            let sink = Arc::clone(&options.events);
            options.events = Arc::new(move |name: &str, payload: Value| {
                sink(name, payload.clone());
                if name == PROGRESS {
                    hold.pause_at_stage(&payload);
                }
            });
        })
    }

    fn pause_at_stage(&self, progress: &Value) {
        let mut state = self.0.0.lock().unwrap();
        if state.at.is_some_and(|stage| progress["stage"] == stage) {
            state.run = Some(text(progress, "runId"));
            self.0.1.notify_all();
            drop(self.0.1.wait_timeout_while(state, Self::PATIENCE, |state| state.at.is_some()).unwrap());
        }
    }

    /// Begins a run and waits until it is paused. Returns its identity.
    #[track_caller]
    pub(crate) fn begin(&self, life: &Life<'_>, stage: &'static str) -> String {
        *self.0.0.lock().unwrap() = PausePoint { at: Some(stage), run: None };
        let begun = life.writer.ask("memory:semantic:distill", json!({ "projectId": life.project }));
        assert_eq!(begun["status"], "running");
        assert_eq!(self.wait_until_paused(), text(&begun, "runId"));
        text(&begun, "runId")
    }

    /// Waits until a run is paused. Returns its identity.
    #[track_caller]
    fn wait_until_paused(&self) -> String {
        let state = self.0.0.lock().unwrap();
        let (state, waited) = self.0.1.wait_timeout_while(state, Self::PATIENCE, |state| state.run.is_none()).unwrap();
        assert!(!waited.timed_out(), "no run is held");
        state.run.clone().unwrap()
    }

    fn resume(&self) {
        self.0.0.lock().unwrap().at = None;
        self.0.1.notify_all();
    }

    /// Resumes the run to its end. Returns the message of its end.
    #[track_caller]
    pub(crate) fn resume_to_end(&self, writer: &Writer, run_id: &str) -> String {
        self.resume();
        loop {
            let progress = writer.wait_for_event(PROGRESS);
            if progress["runId"] == run_id && progress["stage"] == "done" {
                return text(&progress, "message");
            }
        }
    }
}

pub(crate) fn runs(writer: &Writer, project: Option<&str>) -> Vec<Value> {
    writer.ask("memory:distill:list", json!({ "projectId": project }))["runs"].as_array().unwrap().clone()
}

/// The rule about the length of passages, active or not.
pub(crate) fn length(rules: &[Value]) -> Option<Value> {
    rules.iter().find(|rule| rule["pattern"]["feature"] == "length").cloned()
}

/// Every row of `rules.db`, except those of some tables.
fn rows(writer: &Writer, but: &[&str]) -> Vec<String> {
    let db = Connection::open(writer.data_dir().join("rules.db")).unwrap();
    let mut tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").unwrap();
    let tables: Vec<String> = tables.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let mut all = Vec::new();
    for table in tables.iter().filter(|table| !but.contains(&table.as_str())) {
        let mut statement = db.prepare(&format!("SELECT * FROM {table}")).unwrap();
        let width = statement.column_count();
        let mut found = statement.query([]).unwrap();
        while let Some(row) = found.next().unwrap() {
            let cells: Vec<Sql> = (0..width).map(|at| row.get(at).unwrap()).collect();
            all.push(format!("{table} {cells:?}"));
        }
    }
    // The observed clock and the number of writes are not effects of a run.
    all.retain(|row| !["clock-", "writes"].iter().any(|name| row.starts_with(&format!("watermarks [Text(\"{name}"))));
    all.sort();
    all
}

#[test]
fn episodes_recorded_during_a_run_count_in_the_next_one() {
    for (language, seed) in [("zh", 51), ("en", 52)] {
        let hold = RunPause::default();
        let writer = hold.writer();
        let mut life = Life::new(&writer, "夜航", language, seed);
        life.choose_often(36, "action", Taste::Short);
        // The run has opened its inputs and has not examined them yet; the state that it reads stays open.
        let run = hold.begin(&life, "testing");
        let meanwhile: Vec<Value> = (0..6).map(|_| json!(life.choose("action", Taste::Short))).collect();
        wait_for_evidence(&writer);
        assert_eq!(hold.resume_to_end(&writer, &run), "committed");
        let rule = about(&life.rules(), "length")[0].clone();
        assert_eq!(rule["evidenceCount"], 36, "{language}");
        let bears = rule["supportingEpisodes"].as_array().unwrap();
        assert!(meanwhile.iter().all(|episode| !bears.contains(episode)));

        // The last stage: the run has decided everything and written nothing.
        let run = hold.begin(&life, "committing");
        let last = json!(life.choose("action", Taste::Short));
        wait_for_evidence(&writer);
        assert_eq!(hold.resume_to_end(&writer, &run), "committed");
        let rule = about(&life.rules(), "length")[0].clone();
        let bears = rule["supportingEpisodes"].as_array().unwrap();
        assert_eq!((&rule["evidenceCount"], bears.len()), (&json!(42), 42));
        assert!(meanwhile.iter().all(|episode| bears.contains(episode)) && !bears.contains(&last));
        life.distil();
        assert_eq!(about(&life.rules(), "length")[0]["evidenceCount"], 43);
        let list = writer.ask("memory:semantic:list", json!({ "projectId": life.project }));
        assert_eq!(list["episodesRecorded"], 43);
    }
}

#[test]
fn the_writers_change_of_a_rule_during_a_run_holds_and_the_run_reads_again() {
    let hold = RunPause::default();
    let writer = hold.writer();
    let mut life = Life::new(&writer, "High Water", "en", 53);
    life.choose_often(36, "action", Taste::Short);
    life.distil();
    let had = length(&life.rules()).unwrap();

    // Edited: the wording stays, and the numbers include all evidence.
    life.choose_often(3, "action", Taste::Short);
    let run = hold.begin(&life, "committing");
    let edit = json!({ "ruleId": had["id"], "version": had["version"], "rule": "In a fight, be brief" });
    let edited = writer.ask("memory:semantic:update", edit);
    assert_eq!(hold.resume_to_end(&writer, &run), "committed");
    let now = length(&life.rules()).unwrap();
    assert_eq!((&now["id"], &now["rule"]), (&had["id"], &json!("In a fight, be brief")));
    assert_eq!((&now["userModified"], &now["evidenceCount"]), (&json!(true), &json!(39)));
    let done = runs(&writer, Some(&life.project)).remove(0);
    let change = done["changes"].as_array().unwrap().iter().find(|change| change["ruleId"] == had["id"]).unwrap();
    assert_eq!(change["before"]["version"], edited["version"], "what it shows is what the writer had made of it");

    // Confirmed: the rule stays exactly as it was confirmed.
    life.choose_often(3, "action", Taste::Short);
    let run = hold.begin(&life, "committing");
    let confirm = json!({ "ruleId": now["id"], "version": now["version"] });
    let confirmed = writer.ask("memory:semantic:confirm", confirm);
    hold.resume_to_end(&writer, &run);
    let now = length(&life.rules()).unwrap();
    for field in ["rule", "confidence", "evidenceCount", "version", "userConfirmed", "standing"] {
        assert_eq!(now[field], confirmed[field], "{field}");
    }

    // Deleted: the run does not restore the rule from evidence that it had read before.
    life.choose_often(3, "action", Taste::Short);
    let run = hold.begin(&life, "committing");
    writer.ask("memory:semantic:delete", json!({ "ruleId": had["id"] }));
    hold.resume_to_end(&writer, &run);
    assert_eq!(length(&life.rules()), None);
    life.distil();
    assert_eq!(length(&life.rules()), None);
}

#[test]
fn a_rule_is_not_learned_over_one_that_the_writer_wrote_while_the_run_went_on() {
    let hold = RunPause::default();
    let writer = hold.writer();
    let mut life = Life::new(&writer, "夜航", "zh", 54);
    life.choose_often(36, "action", Taste::Short);
    let run = hold.begin(&life, "committing");
    let pattern = json!({ "feature": "length", "direction": 1, "threshold": null });
    let opposite = json!({ "rule": "打斗要写得从容", "category": "pacing", "scope": "project", "projectId": life.project,
        "sceneType": "action", "dimension": { "pattern": pattern } });
    let written = writer.ask("memory:semantic:add", opposite);
    hold.resume_to_end(&writer, &run);
    let rules = life.rules();
    assert_eq!(about(&rules, "length").iter().map(|rule| &rule["id"]).collect::<Vec<_>>(), [&written["id"]]);
    let conflicts = writer.ask("memory:conflict:list", json!({ "projectId": life.project }));
    assert_eq!(conflicts["conflicts"].as_array().unwrap().len(), 1, "the writer is asked");
}

#[test]
fn a_book_cleared_during_a_run_gets_no_results_of_it() {
    for (stage, whole, seed) in [("wording", false, 55), ("committing", false, 56), ("committing", true, 57)] {
        let hold = RunPause::default();
        let writer = hold.writer();
        let mut life = Life::new(&writer, "夜航", "zh", seed);
        life.choose_often(36, "action", Taste::Short);
        life.distil();
        let words = text(&length(&life.rules()).unwrap(), "rule");
        life.choose_often(6, "action", Taste::Short);
        wait_for_evidence(&writer);
        let run = hold.begin(&life, stage);
        if whole {
            writer.ask("memory:clear:all", json!({ "confirmed": true }));
        } else {
            writer.ask("memory:clear:project", json!({ "projectId": life.project, "confirmed": true }));
        }
        assert_eq!(hold.resume_to_end(&writer, &run), "cancelled", "{stage}");
        if whole {
            writer.ask("project:create", json!({ "title": "夜航", "language": "zh", "projectId": life.project }));
        }
        assert_eq!(life.rules(), Vec::<Value>::new());
        assert_eq!(runs(&writer, Some(&life.project)), Vec::<Value>::new());
        let left = rows(&writer, &["projects", "clearings", "maintenance", "settings"]);
        let of_book: Vec<&String> = left
            .iter()
            .filter(|row| row.contains(&life.project) || row.contains(&words) || row.contains(&run))
            .collect();
        assert_eq!(of_book, Vec::<&String>::new(), "{stage}");
        // Only later episodes count as evidence.
        life.choose_often(3, "action", Taste::Short);
        assert_eq!(life.distil()["status"], "nothing");
        assert_eq!(life.rules(), Vec::<Value>::new());
    }
}

#[test]
fn a_run_over_all_books_brings_nothing_back_of_the_one_that_is_cleared_meanwhile() {
    let hold = RunPause::default();
    let writer = hold.writer();
    let mut one = Life::new(&writer, "甲", "zh", 58);
    one.choose_often(36, "action", Taste::Short);
    let mut other = Life::new(&writer, "乙", "zh", 59);
    other.choose_often(36, "description", Taste::Long);
    wait_for_evidence(&writer);
    *hold.0.0.lock().unwrap() = PausePoint { at: Some("committing"), run: None };
    let run = text(&writer.ask("memory:semantic:distill", json!({})), "runId");
    assert_eq!(hold.wait_until_paused(), run);
    writer.ask("memory:clear:project", json!({ "projectId": one.project, "confirmed": true }));
    assert_eq!(hold.resume_to_end(&writer, &run), "failed");
    assert_eq!((one.rules().len(), other.rules().len()), (0, 0));
    let ended = runs(&writer, None).remove(0);
    assert_eq!((&ended["runId"], &ended["changes"]), (&json!(run), &json!([])));
    // The next run learns from the other book alone.
    assert_eq!(distil(&writer, json!({}))["status"], "committed");
    assert!(one.rules().is_empty() && length(&other.rules()).is_some());
    assert!(rows(&writer, &["projects", "clearings"]).iter().all(|row| !row.contains(&one.project)));
}

#[test]
fn a_second_run_is_refused_with_the_id_of_the_one_under_way() {
    let hold = RunPause::default();
    let writer = hold.writer();
    let mut life = Life::new(&writer, "High Water", "en", 60);
    life.choose_often(36, "action", Taste::Short);
    let foreign = writer.book("Low Water", "en");
    let run = hold.begin(&life, "wording");
    for args in [
        json!({ "projectId": life.project }),
        json!({ "projectId": life.project, "wait": true }),
        json!({ "projectId": life.project, "dryRun": true }),
        json!({ "projectId": foreign }),
        json!({}),
    ] {
        let answer = writer.ask("memory:semantic:distill", args);
        assert_eq!((&answer["status"], &answer["runId"]), (&json!("alreadyRunning"), &json!(run)));
        assert_eq!(answer["diff"], Value::Null);
    }
    assert_eq!(hold.resume_to_end(&writer, &run), "committed");
    assert_eq!(runs(&writer, Some(&life.project)).len(), 1);
}

#[test]
fn a_run_that_is_cancelled_leaves_nothing_of_itself_whenever_that_is() {
    let hold = RunPause::default();
    let writer = hold.writer();
    let mut life = Life::new(&writer, "夜航", "zh", 61);
    life.choose_often(36, "action", Taste::Short);
    wait_for_evidence(&writer);
    let before = rows(&writer, &["runs"]);
    for stage in ["gathering", "testing", "wording", "reconciling", "committing"] {
        let run = hold.begin(&life, stage);
        let cancelled = writer.ask("memory:distill:cancel", json!({ "runId": run }));
        assert_eq!(cancelled["status"], "cancelled");
        assert_eq!(hold.resume_to_end(&writer, &run), "cancelled", "{stage}");
        assert_eq!(rows(&writer, &["runs"]), before, "{stage}");
        let ended = runs(&writer, Some(&life.project)).remove(0);
        assert_eq!((&ended["runId"], &ended["status"]), (&json!(run), &json!("cancelled")));
        assert_eq!(ended["changes"], json!([]));
    }
    assert_eq!(life.distil()["status"], "committed");
}

#[test]
fn a_dry_run_writes_nothing_to_disk_and_can_be_stopped() {
    let hold = RunPause::default();
    let writer = hold.writer();
    let mut life = Life::new(&writer, "High Water", "en", 62);
    life.choose_often(36, "action", Taste::Short);
    wait_for_evidence(&writer);
    let before = rows(&writer, &[]);
    let look = json!({ "projectId": life.project, "dryRun": true });
    assert!(!distil(&writer, look.clone())["diff"].as_array().unwrap().is_empty());
    assert_eq!(rows(&writer, &[]), before);

    *hold.0.0.lock().unwrap() = PausePoint { at: Some("wording"), run: None };
    let stopped = thread::scope(|scope| {
        let looking = scope.spawn(|| writer.ask("memory:semantic:distill", look));
        let run = hold.wait_until_paused();
        let cancelled = writer.ask("memory:distill:cancel", json!({ "runId": run }));
        assert_eq!((&cancelled["runId"], &cancelled["status"]), (&json!(run), &json!("cancelled")));
        hold.resume();
        looking.join().unwrap()
    });
    assert_eq!((&stopped["status"], &stopped["diff"]), (&json!("cancelled"), &json!([])));
    assert_eq!(rows(&writer, &[]), before);
    // A run that has ended cannot be cancelled.
    let over = json!({ "runId": stopped["runId"] });
    assert_eq!(writer.refused("memory:distill:cancel", over).0, "MEMORY_NOT_FOUND");
}

/// Waits for the end of a run that began by itself. Returns its cause.
#[track_caller]
fn began_by_itself(writer: &Writer, project: &str) -> String {
    while writer.wait_for_event(PROGRESS)["stage"] != "done" {}
    text(&runs(writer, Some(project))[0], "cause")
}

#[test]
fn each_cause_starts_one_run_automatically_and_none_while_learning_is_paused() {
    let writer = Writer::new();
    let mut life = Life::new(&writer, "High Water", "en", 63);
    life.choose_often(36, "action", Taste::Short);
    writer.ask("memory:editor:activity", json!({ "projectId": life.project }));
    wait_for_evidence(&writer);
    writer.clock.advance_millis(5 * 60_000 + 1);
    writer.api.clock_moved();
    assert_eq!(began_by_itself(&writer, &life.project), "idle");
    assert_eq!(about(&life.rules(), "length").len(), 1);

    writer.clock.advance_millis(WEEK);
    writer.api.clock_moved();
    assert_eq!(began_by_itself(&writer, &life.project), "weekly");

    life.choose_often(6, "action", Taste::Long);
    assert_eq!(began_by_itself(&writer, &life.project), "contradiction");

    life.choose_often(50, "dialogue", Taste::Neither);
    assert_eq!(began_by_itself(&writer, &life.project), "episodes");

    // During the pause every cause occurs, also for episodes recorded before it, and none of them begins a run.
    life.choose_often(2, "dialogue", Taste::Neither);
    wait_for_evidence(&writer);
    writer.ask("memory:learning:pause", json!({}));
    writer.ask("memory:editor:activity", json!({ "projectId": life.project }));
    life.choose_often(60, "action", Taste::Long);
    wait_for_evidence(&writer);
    writer.clock.advance_millis(WEEK);
    writer.api.clock_moved();
    let click = json!({ "projectId": life.project, "wait": true });
    assert_eq!(writer.refused("memory:semantic:distill", click).0, "MEMORY_LEARNING_PAUSED");
    assert_eq!(runs(&writer, Some(&life.project)).len(), 4);
    writer.clock.advance_millis(1_000);
    writer.ask("memory:learning:resume", json!({}));
    writer.api.clock_moved();
    assert_eq!(began_by_itself(&writer, &life.project), "idle");
    let all = runs(&writer, Some(&life.project));
    let of = |what: &str| all.iter().map(|run| run[what].clone()).collect::<Vec<Value>>();
    assert_eq!(of("cause"), ["idle", "episodes", "contradiction", "weekly", "idle"], "each of them once");
    assert_eq!(of("episodes"), [94, 92, 42, 36, 36]);
    assert_eq!(all[0]["begunAt"], json!(writer.clock.now()), "not before learning went on");
}

#[test]
fn above_two_hundred_rules_the_least_certain_is_evicted_and_never_a_confirmed_one() {
    let writer = Writer::new();
    let mut life = Life::new(&writer, "夜航", "zh", 64);
    for n in 0..40 {
        life.choose("action", Taste::Short);
        // Every tenth choice is the opposite, which lowers the confidence.
        life.choose("description", if n % 10 == 9 { Taste::Short } else { Taste::Long });
    }
    life.distil();
    let learned = life.rules();
    assert!(learned.len() >= 2, "{learned:#?}");
    let by_confidence = |one: &&Value, other: &&Value| {
        let sure = |rule: &Value| rule["confidence"].as_f64().unwrap();
        sure(one).total_cmp(&sure(other)).then_with(|| text(one, "id").cmp(&text(other, "id")))
    };
    let least = learned.iter().min_by(by_confidence).unwrap();
    let surest = learned.iter().max_by(by_confidence).unwrap();
    let mut written = 0;
    let mut write_up_to = |count: usize| {
        while written + learned.len() < count {
            written += 1;
            add_rule(&writer, Some(&life.project), &format!("第{written}条：某人从不提起往事"));
        }
    };
    write_up_to(200);
    assert_eq!(life.distil()["status"], "nothing", "there is room for two hundred");
    write_up_to(201);
    // The change may exceed a quarter of the learned rules, and then the writer is asked first here too.
    let run = rules_in_agreement(&life);
    assert_eq!(run["status"], "committed");
    let dropped: Vec<&Value> = run["diff"].as_array().unwrap().iter().filter(|one| one["kind"] == "dropped").collect();
    assert_eq!(dropped.iter().map(|one| &one["ruleId"]).collect::<Vec<_>>(), [&least["id"]]);
    let left = life.rules();
    assert_eq!(left.len(), 200);
    assert_eq!(left.iter().filter(|rule| rule["userConfirmed"] == true).count(), written);
    assert_eq!(life.distil()["status"], "nothing", "it does not come and go");

    // The hard limit: adding a rule evicts another one, as long as an unconfirmed rule exists.
    let mut n = left.len();
    while n < 500 {
        n += 1;
        add_rule(&writer, Some(&life.project), &format!("又第{n}条：门总是开着"));
    }
    let unconfirmed = |rules: &[Value]| rules.iter().filter(|rule| rule["userConfirmed"] == false).count();
    let had = unconfirmed(&life.rules());
    for gone in 1..=had {
        assert!(life.rules().iter().any(|rule| rule["id"] == surest["id"]), "the surest goes last");
        add_rule(&writer, Some(&life.project), &format!("再第{gone}条：窗总是关着"));
        assert_eq!((life.rules().len(), unconfirmed(&life.rules())), (500, had - gone));
    }
    let draft = json!({ "rule": "再来一条", "category": "style", "scope": "project", "projectId": life.project });
    assert_eq!(writer.refused("memory:semantic:add", draft).0, "MEMORY_CAPACITY_EXCEEDED");
}
