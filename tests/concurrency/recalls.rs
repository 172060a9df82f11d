//! At most 32 concurrent recalls. They are held open in the encoder, which each of them calls.

use std::{
    sync::{
        Arc, Condvar, Mutex,
        mpsc::{Sender, channel},
    },
    thread,
};

use palimpsest_api::{
    EncoderSource,
    ports::{Embedder, EmbedderError},
};
use palimpsest_tests::Writer;
use serde_json::{Value, json};

/// The maximum of concurrent recalls, fixed by the owner.
const AT_ONCE: usize = 32;
const ASKED: usize = 80;

/// An encoder that blocks each request for the vector of a question until the gate is opened.
struct Gate {
    arrived: Mutex<Sender<()>>,
    open: Mutex<bool>,
    opened: Condvar,
}

impl Embedder for Gate {
    fn model(&self) -> &str {
        "gate/1"
    }

    fn dimensions(&self) -> usize {
        4
    }

    fn embed(&self, text: &str) -> Result<Vec<f32>, EmbedderError> {
        if text.contains('？') {
            let _counted = self.arrived.lock().unwrap().send(());
            drop(self.opened.wait_while(self.open.lock().unwrap(), |open| !*open).unwrap());
        }
        Ok(vec![0.5; 4])
    }
}

#[test]
fn of_eighty_concurrent_recalls_exactly_thirty_two_are_served_and_the_rest_refused_at_once() {
    let (arrived, arrivals) = channel();
    let gate = Arc::new(Gate { arrived: Mutex::new(arrived), open: Mutex::new(false), opened: Condvar::new() });
    let writer = Writer::with(|options| options.encoder = EncoderSource::Loaded(Arc::clone(&gate) as _));
    let project = writer.book("夜航", "zh");
    let written = "雨夜的手稿还在桌上。";
    writer.ask(
        "memory:episode:record",
        json!({ "projectId": project, "chapterId": "c", "skillUsed": "continue", "inputContext": "",
            "candidates": [written], "selectedIndex": 0, "finalText": written }),
    );

    let (answer, answers) = channel();
    thread::scope(|scope| {
        for n in 0..ASKED {
            // Each recall has a question of its own, because vectors of known ones are cached; every other one is a
            // whole prompt.
            let (api, answer, project) = (Arc::clone(&writer.api), answer.clone(), project.clone());
            scope.spawn(move || {
                let (command, args) = if n % 2 == 0 {
                    ("memory:episode:query", json!({ "projectId": project, "queryText": format!("雨夜的手稿{n}？") }))
                } else {
                    let before = format!("雨夜的手稿{n}？");
                    let args = json!({ "projectId": project, "chapterId": "c", "skill": "continue", "before": before });
                    ("memory:context:assemble", args)
                };
                answer.send(api.call(command, args)).unwrap();
            });
        }
        // The surplus recalls are refused at once: all refusals arrive while the others are still held.
        let refused: Vec<Value> = (0..ASKED - AT_ONCE).map(|_| json!(answers.recv().unwrap().unwrap_err())).collect();
        assert!(refused.iter().all(|error| error["code"] == "MEMORY_BACKPRESSURE"), "{refused:?}");
        // Each refusal names the delay before a retry, in seconds.
        assert!(refused.iter().all(|error| error["details"]["retryAfterSeconds"] == 1), "{refused:?}");
        for _ in 0..AT_ONCE {
            arrivals.recv().unwrap();
        }
        assert!(answers.try_recv().is_err(), "everybody else is inside");
        // Commands other than recalls are not delayed.
        writer.ask("memory:semantic:list", json!({ "projectId": project }));

        *gate.open.lock().unwrap() = true;
        gate.opened.notify_all();
        for _ in 0..AT_ONCE {
            let served = answers.recv().unwrap().expect("who is inside is served");
            assert!(served.contains(written), "{served}");
        }
    });
    assert!(arrivals.try_recv().is_err(), "nobody else was let in");
    // Afterwards there is capacity again.
    let again = json!({ "projectId": project, "queryText": "雨夜的手稿" });
    assert_eq!(writer.ask("memory:episode:query", again)["episodes"].as_array().unwrap().len(), 1);
}
