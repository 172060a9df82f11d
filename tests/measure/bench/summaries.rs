//! A year of summaries, inserted into a file in the form that compression leaves: recording fifty thousand episodes
//! only to compress them would take most of an hour.

use std::path::Path;

use rusqlite::{Connection, params};

use crate::corpus::Corpus;

const DAY: i64 = 86_400_000;
/// The age of the youngest and of the oldest summary, in days.
const AGES: (i64, i64) = (60, 365);
/// Texts of an episode whose style vectors are stored: kind, and number among its kind.
const MEASURED: [(&str, u32); 5] = [("candidate", 0), ("candidate", 1), ("candidate", 2), ("final", 0), ("input", 0)];
const NUMBERS: usize = 42;
/// Characters of a stored excerpt.
const EXCERPT: usize = 120;

/// Inserts `count` summaries of a book into the closed memory in `data_dir`. The program indexes them by itself.
pub fn put(data_dir: &Path, project: &str, corpus: &mut Corpus, count: usize) {
    let mut db = Connection::open(data_dir.join("episodes.db")).expect("the file opens");
    let tx = db.transaction().expect("nobody else writes");
    {
        let mut insert = tx
            .prepare(
                "INSERT INTO episodes (id, project_id, chapter_id, version, created_at, skill_used, scene_type, \
                 input_context, candidates, selected_index, final_text, implicit, implicit_weight, edit_distance, \
                 importance, compressed, summary, compressed_at, draft_excerpt) VALUES (?1, ?2, 'c', 2, ?3, 'continue', \
                 'action', '', '[]', 0, ?4, 'strongPositive', 1, 0, 0.4, 1, ?5, ?6, ?4)",
            )
            .expect("the schema");
        let mut measure = tx
            .prepare(
                "INSERT INTO episode_features (project_id, episode_id, kind, part, version, language, numbers) \
                 VALUES (?1, ?2, ?3, ?4, 1, 'zh', ?5)",
            )
            .expect("the schema");
        let now = corpus.now_millis();
        let step = (AGES.1 - AGES.0) * DAY / i64::try_from(count.max(1)).unwrap_or(1);
        for n in 0..count {
            let id = format!("00000000-0000-7000-9000-{n:012x}");
            let at = now - AGES.1 * DAY + step * i64::try_from(n).unwrap_or(0);
            let written = corpus.prose(EXCERPT);
            let summary = format!("动作·续写：原样采用（权重 +1.0）。文本：“{written}”");
            insert.execute(params![id, project, at, written, summary, at + 30 * DAY]).expect("a row");
            let numbers: Vec<u8> = (0..NUMBERS).flat_map(|i| ((n + i) as f32).to_le_bytes()).collect();
            for (kind, part) in MEASURED {
                measure.execute(params![project, id, kind, part, numbers]).expect("a row");
            }
        }
    }
    tx.commit().expect("there is room");
}
