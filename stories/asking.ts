import type { Stage } from "./stage";

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
