use super::*;
use crate::{
    model::Choice,
    storage::{Database, Schema},
};

fn database(schema: Schema) -> (tempfile::TempDir, Database) {
    let folder = tempfile::TempDir::new().unwrap();
    let db = Database::open(&folder.path().join("file.db"), schema).unwrap();
    (folder, db)
}

fn at(millis: i64) -> Time {
    Time::from_millis(millis)
}

fn row(project: &str, episode: &str, occurred_at: i64) -> EvidenceRow {
    let number = occurred_at as f32;
    EvidenceRow {
        project_id: project.into(),
        episode_id: episode.into(),
        occurred_at: at(occurred_at),
        scene_type: Some("dialogue".into()),
        skill_used: "polish".into(),
        language: Language::Zh,
        feature_version: 1,
        texts: vec![vec![number, 1.0], Vec::new(), vec![2.0, -number]],
        candidates: 2,
        selected_index: Choice::Taken(0),
        choice: Some(Evidence { a: vec![0.5, -1.0], dz: vec![0.7, -2.5] }),
        written: Some((WrittenKind::Edit, Evidence { a: vec![0.0, 1.0], dz: vec![0.05, 3.0] })),
        undone: false,
        paused: false,
    }
}

fn folded(rows: &[&EvidenceRow]) -> Spread {
    let mut spread = Spread::new(Feature::COUNT);
    for row in rows {
        row.texts.iter().take(row.candidates as usize).for_each(|text| spread.observe(text));
    }
    spread
}

#[test]
fn episodes_are_returned_unchanged_and_in_the_order_of_time() {
    let (_folder, db) = database(Schema::Rules);
    let (late, early) = (row("book", "a", 9), EvidenceRow { written: None, ..row("book", "b", 3) });
    let other = EvidenceRow { choice: None, selected_index: Choice::AllRejected, ..row("other", "c", 1) };
    db.write("test", |tx| [&late, &early, &other].into_iter().try_for_each(|row| upsert(tx, row, None))).unwrap();
    let reader = db.reader().unwrap();
    assert_eq!(of_project(&reader, &"book".into()).unwrap(), [early, late.clone()]);
    assert_eq!(get(&reader, &"book".into(), &"a".into()).unwrap(), Some(late));
    assert_eq!(get(&reader, &"book".into(), &"c".into()).unwrap(), None, "one book's evidence is no other's");
    assert_eq!((count(&reader, &"book".into()).unwrap(), count(&reader, &"other".into()).unwrap()), (2, 1));
    assert_eq!(
        (
            version(&reader, &"other".into(), &"c".into()).unwrap(),
            version(&reader, &"other".into(), &"a".into()).unwrap()
        ),
        (Some(1), None)
    );
}

#[test]
fn an_undo_changes_one_thing_and_the_numbers_stay() {
    let (_folder, db) = database(Schema::Rules);
    let had = row("book", "a", 9);
    db.write("test", |tx| upsert(tx, &had, None).and_then(|()| revise(tx, &"book".into(), &"a".into(), true))).unwrap();
    let reader = db.reader().unwrap();
    assert_eq!(get(&reader, &"book".into(), &"a".into()).unwrap(), Some(EvidenceRow { undone: true, ..had }));
}

#[test]
fn a_deleted_episode_is_taken_out_of_evidence_support_and_spread() {
    let (_folder, db) = database(Schema::Rules);
    let rows = ["a", "b", "c"].map(|id| row("book", id, i64::from(id.as_bytes()[0])));
    db.write("test", |tx| {
        rows.iter().try_for_each(|row| upsert(tx, row, None))?;
        tx.execute(
            "INSERT INTO rule_support (rule_id, project_id, episode_id, agrees) VALUES ('r', 'book', 'b', 1)",
            [],
        )?;
        upsert_spread(tx, &"book".into(), Language::Zh, 1, &folded(&[&rows[0], &rows[1], &rows[2]]))?;
        assert!(delete(tx, &"book".into(), &"b".into())?);
        assert!(!delete(tx, &"book".into(), &"b".into())?);
        delete(tx, &"other".into(), &"a".into()).map(|gone| assert!(!gone))
    })
    .unwrap();
    let reader = db.reader().unwrap();
    assert_eq!(count(&reader, &"book".into()).unwrap(), 2);
    let support: i64 = reader.query_row("SELECT count(*) FROM rule_support", [], |row| row.get(0)).unwrap();
    assert_eq!(support, 0);
    let left = spread(&reader, &"book".into(), Language::Zh, 1).unwrap();
    assert_eq!(left, Some(folded(&[&rows[0], &rows[2]])), "as if it had never been");
    db.write("test", |tx| {
        delete(tx, &"book".into(), &"a".into()).and_then(|_| delete(tx, &"book".into(), &"c".into()))
    })
    .unwrap();
    assert_eq!(spread(&db.reader().unwrap(), &"book".into(), Language::Zh, 1).unwrap(), None);
}

#[test]
fn episodes_recorded_in_a_pause_count_only_if_the_writer_chose_so_for_that_pause() {
    let (_folder, db) = database(Schema::Rules);
    let [before, first, second] = ["a", "b", "c"].map(|id| row("book", id, 5));
    let (one, two) = db
        .write("test", |tx| {
            assert_eq!(paused_since(tx)?, None);
            let one = pause(tx, at(100))?;
            assert_eq!((pause(tx, at(150))?, paused_since(tx)?), (one, Some(one)), "a pause in a pause is none");
            resume(tx, at(200), false)?;
            resume(tx, at(201), true)?;
            // The clock was set back.
            let two = pause(tx, at(50))?;
            upsert(tx, &before, None)?;
            upsert(tx, &first, Some(one))?;
            upsert(tx, &second, Some(two))?;
            upsert_spread(tx, &"book".into(), Language::Zh, 1, &folded(&[&before]))?;
            Ok((one, two))
        })
        .unwrap();
    assert!(two > one);
    let paused = || -> Vec<bool> {
        of_project(&db.reader().unwrap(), &"book".into()).unwrap().iter().map(|row| row.paused).collect()
    };
    assert_eq!((paused(), count(&db.reader().unwrap(), &"book".into()).unwrap()), (vec![false, true, true], 1));
    db.write("test", |tx| resume(tx, at(300), true)).unwrap();
    assert_eq!((paused(), count(&db.reader().unwrap(), &"book".into()).unwrap()), (vec![false, true, false], 2));
    let reader = db.reader().unwrap();
    assert_eq!(spread(&reader, &"book".into(), Language::Zh, 1).unwrap(), Some(folded(&[&before, &second])));
    assert_eq!((is_counted(&reader, Some(one)).unwrap(), is_counted(&reader, Some(two)).unwrap()), (false, true));
}

fn record(tx: &Tx<'_>, project: &ProjectId, id: &str) {
    tx.execute(
        "INSERT INTO episodes (id, project_id, chapter_id, version, created_at, skill_used, input_context, candidates, \
         selected_index, final_text, implicit, implicit_weight, importance) \
         VALUES (?1, ?2, 'c', 1, 0, 's', '', '[]', -1, '', 'neutral', 0, 0)",
        params![id, project],
    )
    .unwrap();
}

#[test]
fn an_episode_that_changes_while_its_evidence_is_written_stays_due() {
    let (_folder, db) = database(Schema::Episodes);
    db.write("test", |tx| {
        for id in ["a", "b", "c", "d"] {
            record(tx, &"book".into(), id);
        }
        record(tx, &"other".into(), "z");
        Ok(())
    })
    .unwrap();
    let listed = || -> Vec<(EpisodeId, bool)> {
        let due = list_due(&db.reader().unwrap(), &"book".into(), 9).unwrap();
        due.into_iter().map(|due| (due.episode_id, due.deleted)).collect()
    };
    assert_eq!(due_projects(&db.reader().unwrap()).unwrap(), ["book", "other"].map(ProjectId::from));
    let read = list_due(&db.reader().unwrap(), &"book".into(), 9).unwrap();
    db.write("test", |tx| {
        // Undone, deleted and evicted in between.
        tx.execute("UPDATE episodes SET implicit = 'delayedNegative', version = 2 WHERE id = 'b'", [])?;
        note_deleted(tx, &"book".into(), &"c".into())?;
        tx.execute("DELETE FROM episodes WHERE id IN ('c', 'd')", [])?;
        // And recalled, which says nothing: it would be due until something else is.
        tx.execute("UPDATE episodes SET recall_count = 1, version = 2 WHERE id = 'a'", [])?;
        read.iter().try_for_each(|due| done(tx, &"book".into(), due, Some(ImplicitSignal::Neutral)).map(drop))
    })
    .unwrap();
    assert_eq!(listed(), [("b".into(), false), ("c".into(), true)]);
    assert_eq!(deleted(&db.reader().unwrap()).unwrap(), [("book".into(), "c".into())]);
    let read = list_due(&db.reader().unwrap(), &"book".into(), 9).unwrap();
    db.write("test", |tx| {
        assert_eq!(
            (
                done(tx, &"book".into(), &read[0], Some(ImplicitSignal::DelayedNegative))?,
                done(tx, &"book".into(), &read[1], None)?
            ),
            (1, 1)
        );
        Ok(())
    })
    .unwrap();
    assert_eq!(listed(), []);
    assert!(is_due(&db.reader().unwrap()).unwrap(), "the other book's");
    db.write("test", |tx| {
        tx.execute("UPDATE episodes SET recall_count = 7, version = 9", [])?;
        tx.execute("UPDATE episodes SET compressed = 1 WHERE id = 'a'", [])?;
        all_due(tx, true)
    })
    .unwrap();
    assert_eq!(listed(), [("b".into(), false)], "being recalled says nothing about style");
}
