import type { Answer, AnswerEvent, Citation } from "../ui/src/backend";
import { steps, type Stage } from "./stage";

/** A provider far away whose model answers questions. */
export function withModel({ backend }: Stage): void {
  backend.models.providers = [
    { providerId: "away", kind: "openAi", name: "DeepSeek", baseUrl: "https://api.deepseek.com", keyKept: "keychain" },
  ];
  choose(backend, "asking", "away", "deepseek-chat");
}

/** Chooses the model of a purpose. */
export function choose({ models }: Stage["backend"], purpose: string, providerId: string, model: string): void {
  models.purposes = models.purposes.map((one) =>
    one.purpose === purpose ? { ...one, providerId, model, contextTokens: 32_768 } : one,
  );
}

export const QUESTION: [zh: string, en: string] = [
  "水尺上的数是谁改的？原来的还在吗？",
  "Who changed the numbers on the gauge, and are the first ones still there?",
];

/** Opens the questions. */
export async function open(w: Stage): Promise<void> {
  await w.press("mode-ask");
  await w.see("ask-field");
}

export async function ask(w: Stage, question = w.say(...QUESTION)): Promise<void> {
  await open(w);
  await w.fill("ask-field", question);
  await w.press("ask-run");
}

/** Asks, and sends that many pieces of the answer. */
export async function asked(w: Stage, pieces = Infinity): Promise<void> {
  await ask(w);
  await w.see("ask-loop");
  w.backend.asking.advance(pieces);
}

export async function answered(w: Stage): Promise<void> {
  await asked(w);
  await w.see("ask-copy");
}

/** A sentence of a chapter of the sample book. */
export function cited(
  { backend }: Stage,
  chapter: number,
  quote: string,
  status: Citation["status"] = "holds",
): Citation {
  const { info, text } = backend.books[0]!.files[chapter]!;
  const from = Math.max(0, text.indexOf(quote));
  return { chapterId: info.chapterId, from, to: from + quote.length, quoteHash: quote, quote, status };
}

const DAY = 86_400_000;
export const daysAgo = (days: number) => new Date(Date.now() - days * DAY).toISOString();
export const said = (result: "pass" | "fail", days: number): Partial<AnswerEvent> & Pick<AnswerEvent, "kind"> => ({
  kind: "validated",
  result,
  source: "writer",
  signalStrength: "strong",
  wasUsed: true,
  at: daysAgo(days),
});

/** A kept answer to the question, with the sentences that it rests on. */
export function keep(
  stage: Stage,
  more: Partial<Answer> = {},
  events = [said("pass", 20), said("pass", 9), said("pass", 3)],
) {
  const { backend, projectId } = stage;
  withModel(stage);
  return backend.answers.add(
    {
      projectId,
      question: stage.say(...QUESTION),
      answer: stage.say(
        "是父亲改的，老周说的。原来的刻度还在新漆底下，比现在的高出两指。",
        "The father did, as Zhou says. The first scale still shows under the new paint, two fingers higher.",
      ),
      kind: "canon",
      origin: "asked",
      createdAt: daysAgo(47),
      updatedAt: daysAgo(3),
      citations: [
        cited(stage, 2, stage.say("“这上头的数，他改过。”", "“He changed these.”")),
        cited(
          stage,
          2,
          stage.say(
            "新漆底下，浅浅地透着一行旧刻度，比现在的高出两指。",
            "Under the new paint an older scale showed through, two fingers higher.",
          ),
        ),
      ],
      ...more,
    },
    events,
  );
}

/** Presses the earlier question and shows its answer. */
export const shown = steps(async (w) => {
  await open(w);
  await w.press("ask-earlier-question");
  await w.see("ask-card");
});
