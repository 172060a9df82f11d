use palimpsest_knowledge::study::{self, Phase};
use tempfile::TempDir;

use super::*;
use crate::{
    model::{ConfigValue, EpisodeDraft, Language, SetAnswerConfig},
    testing::{FixedClock, open_engine},
};

struct WithoutModel;

impl Surroundings for WithoutModel {
    fn wording_model(&self) -> Option<Box<dyn TextModel>> {
        None
    }

    fn chapter_title(&self, _: &ProjectId, _: &ChapterId) -> Option<String> {
        None
    }

    fn journal_model(&self) -> Option<Box<dyn TextModel>> {
        None
    }

    fn names_in(&self, _: &[&str]) -> Vec<Vec<String>> {
        Vec::new()
    }

    fn on_run_progress(&self, _: &RunProgress) {}
}

struct Fixture {
    engine: Arc<Engine>,
    clock: Arc<FixedClock>,
    folder: TempDir,
}

fn fixture() -> Fixture {
    let folder = TempDir::new().unwrap();
    let clock = Arc::new(FixedClock::at("2026-03-15T21:00:00Z".parse().unwrap()));
    let engine = Arc::new(open_engine(folder.path(), &clock));
    Fixture { engine, clock, folder }
}

impl Fixture {
    fn work(&self, lane: Lane) -> Background {
        Background::new(Arc::clone(&self.engine), lane)
    }

    fn record(&self, episodes: usize) {
        let book = self.engine.open_project(&"book".into(), "夜航", Language::Zh, None).unwrap().value;
        for n in 0..episodes {
            let draft = EpisodeDraft {
                project_id: book.project_id.clone(),
                chapter_id: "one".into(),
                skill_used: "continue".into(),
                scene_type: None,
                input_context: "码头上的旧灯塔早已没人看守。".into(),
                candidates: vec![format!("他推开第{n}道门。")],
                selected_index: 0,
                selected_text: None,
                final_text: format!("他推开第{n}道门。"),
                explicit: None,
                generation_id: None,
                occurred_at: None,
            };
            let _recorded = self.engine.record(draft).unwrap();
        }
    }
}

/// Runs a round to its end; returns its steps, their outcomes, and the delay until the next round.
fn round(work: &mut Background) -> (Vec<Work>, Vec<Outcome>, Option<Duration>) {
    let (mut steps, mut outcomes) = (Vec::new(), Vec::new());
    loop {
        match work.next_step() {
            Next::Idle { retry_in } => return (steps, outcomes, retry_in),
            Next::WaitForQuiet => {}
            Next::Step(step) => {
                steps.push(step.0.clone());
                outcomes.push(work.run(step, &WithoutModel));
            }
        }
    }
}

#[test]
fn a_round_of_the_index_ends_when_everything_is_indexed_and_waits_for_a_wake() {
    let fixture = fixture();
    let mut work = fixture.work(Lane::Index);
    fixture.record(2 * EPISODES_PER_STEP as usize);
    let (steps, _, retry_in) = round(&mut work);
    assert_eq!(steps[0], Work::LoadTokenizer);
    assert_eq!(steps[1], Work::WriteJournal);
    assert!(steps[2..].iter().all(|step| *step == Work::Index) && steps.len() > 4, "{steps:?}");
    assert_eq!(retry_in, None);
    let (steps, _, retry_in) = round(&mut work);
    assert_eq!((steps, retry_in), (vec![Work::Index], None), "nothing was left over");
}

#[test]
fn an_index_that_cannot_be_written_is_tried_again_until_it_can() {
    let fixture = fixture();
    let mut work = fixture.work(Lane::Index);
    let _first = round(&mut work);
    let file = fixture.folder.path().join("episodes.db");
    let aside = file.with_extension("aside");
    std::fs::rename(&file, &aside).unwrap();
    assert_eq!(round(&mut work).2, Some(RETRY_INTERVAL));
    std::fs::rename(&aside, &file).unwrap();
    assert_eq!(round(&mut work).2, None);
}

#[test]
fn an_audit_that_cannot_be_written_is_tried_again_by_itself_until_it_can() {
    let fixture = fixture();
    let mut work = fixture.work(Lane::Index);
    let on = [("events_out.enabled".to_owned(), Some(ConfigValue::Switch(true)))];
    let in_the_way = fixture.folder.path().join("audit");
    std::fs::write(&in_the_way, "a file").unwrap();
    let _on = fixture.engine.set_answer_config(&SetAnswerConfig { values: on.into() }).unwrap();
    let (steps, _, retry_in) = round(&mut work);
    assert_eq!((steps.last(), retry_in), (Some(&Work::WriteAudit), Some(RETRY_INTERVAL)));
    std::fs::remove_file(in_the_way).unwrap();
    let (steps, _, retry_in) = round(&mut work);
    assert_eq!((steps.last(), retry_in), (Some(&Work::WriteAudit), None));
    assert!(!round(&mut work).0.contains(&Work::WriteAudit), "nothing is left to be written");
}

#[test]
fn a_round_that_ended_in_a_panic_restarts_automatically() {
    let fixture = fixture();
    let mut work = fixture.work(Lane::Index);
    let _first = round(&mut work);
    work.abandon_round();
    assert_eq!(work.next_step(), Next::Idle { retry_in: Some(RETRY_INTERVAL) });
    assert_eq!(round(&mut work).2, None);
}

#[test]
fn a_missed_job_runs_once_when_the_program_is_opened_again_and_reports_its_steps() {
    let fixture = fixture();
    let mut work = fixture.work(Lane::Maintenance);
    let (steps, _, retry_in) = round(&mut work);
    assert_eq!((steps, retry_in), (vec![Work::FirstBackup], Some(CHECK_INTERVAL)), "nothing was missed");
    fixture.clock.advance_millis(86_400_000);
    let (steps, outcomes, _) = round(&mut work);
    assert_eq!(steps[0], Work::Job(Job::Daily));
    assert!(matches!(&outcomes[0].report, Some(Report::JobDone(report)) if !report.steps.is_empty()));
    assert_eq!(round(&mut work).0, [Work::FirstBackup]);
}

#[test]
fn nothing_is_due_for_the_learning_of_a_book_without_evidence() {
    let fixture = fixture();
    fixture.record(3);
    let mut work = fixture.work(Lane::Learning);
    let (steps, _, retry_in) = round(&mut work);
    assert_eq!((steps, retry_in), (vec![], Some(CHECK_INTERVAL)));
}

#[test]
fn a_run_that_is_due_waits_for_the_question_of_a_study() {
    let fixture = fixture();
    fixture.record(60);
    let _indexed = round(&mut fixture.work(Lane::Index));
    fixture.clock.advance_millis(86_400_000);
    let set_study = |phase: Phase| {
        let question =
            study::Question { id: "q".to_owned(), text: "谁掌舵？".to_owned(), ..study::Question::default() };
        let work = study::Work { stage: phase, question: Some(question), ..study::Work::default() };
        let work = phase.is_active().then_some(work);
        let state = study::State { phase, work, ..study::State::default() }.to_json().unwrap();
        let now = fixture.engine.clock.now();
        let written = fixture
            .engine
            .stores
            .episodes
            .open()
            .unwrap()
            .write("study", |tx| crate::storage::study::upsert(tx, &"book".into(), &state, now));
        written.unwrap();
    };
    let is_learned =
        || round(&mut fixture.work(Lane::Learning)).0.iter().any(|work| matches!(work, Work::Learn { .. }));
    set_study(Phase::Exploring);
    assert!(!is_learned());
    set_study(Phase::Idle);
    assert!(is_learned());
}

#[test]
fn a_stopped_lane_begins_no_further_step() {
    let fixture = fixture();
    let mut work = fixture.work(Lane::Index);
    work.stopper().stop();
    assert!(matches!(work.next_step(), Next::Idle { .. }));
}
