import { expect } from "vitest";
import type { Answer, Citation } from "../../src/backend";
import type { FakeBackend } from "../../src/backend/fake";
import { openWindow, type Window } from "./openWindow";

export const QUESTION = "水尺上的数是谁改的？";
/** Sentences of the third chapter. */
export const QUOTES = ["“这上头的数，他改过。”", "新漆底下，浅浅地透着一行旧刻度，比现在的高出两指。"] as const;

/** A provider far away whose model answers questions. */
export function withModel({ models }: FakeBackend): void {
  models.providers = [
    { providerId: "away", kind: "openAi", name: "Away", baseUrl: "https://api.example.com", keyKept: "keychain" },
  ];
  models.purposes = models.purposes.map((one) =>
    one.purpose === "asking" ? { ...one, providerId: "away", model: "large" } : one,
  );
}

/** A window with a model that answers, the caret at the end of the third chapter, and the questions open. */
export async function openAsk(
  before: (backend: FakeBackend) => void = () => {},
  model: (backend: FakeBackend) => void = withModel,
): Promise<Window> {
  const w = await openWindow({
    before: (backend) => {
      model(backend);
      before(backend);
    },
  });
  await w.openChapter(2);
  await w.toEnd();
  await w.press("{F1}");
  await expect.element(w.id("ask-field")).toHaveFocus();
  await expect.element(w.id("ask-leaves")).toBeVisible();
  return w;
}

/** Types the question and asks it. */
export async function ask(w: Window, question = QUESTION): Promise<void> {
  await w.id("ask-field").fill(question);
  await w.press("{Enter}");
}

/** Adds a kept answer to the question that passed once, with citations of the third chapter. */
export function keep(backend: FakeBackend, more: Partial<Answer> = {}, quotes: readonly string[] = QUOTES): Answer {
  const { project, files } = backend.books[0]!;
  const { info, text } = files[2]!;
  const citations = quotes.map((quote): Citation => {
    const from = text.indexOf(quote);
    return { chapterId: info.chapterId, from, to: from + quote.length, quoteHash: quote, quote, status: "holds" };
  });
  return backend.answers.add(
    {
      projectId: project.projectId,
      question: QUESTION,
      answer: "是父亲。",
      kind: "canon",
      origin: "asked",
      citations,
      ...more,
    },
    [{ kind: "validated", result: "pass", source: "writer", signalStrength: "strong" }],
  );
}
