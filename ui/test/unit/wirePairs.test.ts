import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Commands } from "../../src/backend";
import { FakeBackend } from "../../src/backend/fake";
import { DIFFERENCES, UNCOVERED } from "./wireDifferences";

type Json = null | boolean | number | string | Json[] | { [field: string]: Json };

/** A request, and what the engine answered (`tests/contract/wire_pairs.rs`). */
interface Pair {
  name: string;
  command: keyof Commands;
  args: Json;
  answer?: Json;
  error?: Json;
  ended?: Json;
  changed: { projectId: Json; what: string[] }[];
}

const { files, pairs } = JSON.parse(
  readFileSync(new URL("../../../tests/fixtures/wire-pairs.json", import.meta.url), "utf8"),
) as { files: Record<string, string>; pairs: Pair[] };

const FOLDER = "/replayed";
const TOKEN = /\{[a-z]+-\d+\}/g;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** The ids that stand for the tokens of the recorded answers, bound at their first appearance. */
class Tokens {
  private readonly ids = new Map<string, string>([["{folder}", FOLDER]]);
  private readonly tokens = new Map<string, string>();

  resolve<T extends Json>(value: T): T {
    let text = JSON.stringify(value);
    for (const [token, id] of this.ids) text = text.replaceAll(token, id);
    return JSON.parse(text) as T;
  }

  /** Whether a text is the recorded one. Binds a token that has no id yet, and no token shares its id with another. */
  matches(recorded: string, actual: string): boolean {
    const unbound = (recorded.match(TOKEN) ?? []).find((token) => !this.ids.has(token));
    if (unbound !== undefined) {
      const [before, after] = recorded.split(unbound) as [string, string];
      const id = actual.slice(before.length, actual.length - after.length);
      if (id === "" || this.tokens.has(id)) return false;
      this.ids.set(unbound, id);
      this.tokens.set(id, unbound);
    }
    return this.resolve(recorded) === actual;
  }
}

const isObject = (value: Json | undefined): value is { [field: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const shown = (value: unknown): string => JSON.stringify(value)?.slice(0, 160) ?? "missing";

interface Difference {
  path: string;
  text: string;
  /** Whether a field is missing or has another type, which no entry of the list permits. */
  isOfShape: boolean;
}

/** The differences between a recorded value and an actual one; times are compared by their form. */
function differences(tokens: Tokens, recorded: Json | undefined, actual: Json | undefined, path: string): Difference[] {
  const differ = (isOfShape: boolean): Difference[] => [
    { path, text: `${path}: ${shown(actual)}, recorded ${shown(recorded)}`, isOfShape },
  ];
  if (recorded === undefined || actual === undefined) return recorded === actual ? [] : differ(true);
  if (typeof recorded === "string" && typeof actual === "string") {
    if (TIME.test(recorded) && TIME.test(actual)) return [];
    return tokens.matches(recorded, actual) ? [] : differ(false);
  }
  if (Array.isArray(recorded) && Array.isArray(actual)) {
    const [first] = recorded;
    if (recorded.length !== actual.length)
      return [
        ...differ(false).map((one) => ({ ...one, path: `${path}[]` })),
        // Items are compared by their fields.
        ...(first === undefined ? [] : actual).flatMap((item) =>
          differences(tokens, first, item, `${path}[]`).filter(({ isOfShape }) => isOfShape),
        ),
      ];
    return recorded.flatMap((item, index) => differences(tokens, item, actual[index], `${path}[]`));
  }
  if (isObject(recorded) && isObject(actual))
    return [...new Set([...Object.keys(recorded), ...Object.keys(actual)])].flatMap((field) =>
      differences(tokens, recorded[field], actual[field], path === "" ? field : `${path}.${field}`),
    );
  if (recorded === null || actual === null) return recorded === actual ? [] : differ(false);
  return recorded === actual ? [] : differ(typeof recorded !== typeof actual);
}

/** A fake backend in the state in which the engine was when the pairs were recorded. */
function backendOfPairs(): FakeBackend {
  const backend = new FakeBackend({ rules: false, pace: 0, now: "2026-03-15T21:00:00Z" });
  backend.degradeFor("encoderMissing", "embedder");
  backend.models.keychain = false;
  backend.projects.hasStyle = false;
  backend.life.toCompress = 0;
  Object.assign(backend.study, { model: null, gaps: [], passages: 0, isHidingNames: false });
  backend.models.usage = { ...backend.models.usage, day: "2026-03-15" };
  const chapters = files["draft.md"]!.split(/^# /m).slice(1);
  backend.manuscripts.files.set(`${FOLDER}/draft.md`, {
    encoding: "UTF-8",
    chapters: chapters.map((chapter) => {
      const [title, ...text] = chapter.split("\n");
      return { title: title!, text: text.join("\n").trim() };
    }),
  });
  return backend;
}

/** The fake learns nothing by itself: what a learning run finds, and which rules conflict, is set before the request. */
const SCRIPT: Record<string, (backend: FakeBackend) => void> = {
  "a learning run without evidence": ({ learning }) => {
    learning.next = { status: "nothing", reason: { kind: "noEvidence" } };
  },
  conflicts: ({ learning, rules }) => {
    const by = (words: string) => rules.find(({ rule }) => rule === words);
    const more = by("多用感叹号");
    for (const less of [by("不用感叹号"), by("少用感叹号")]) if (less && more) learning.oppose(less, more);
  },
};

const ENDS = { "ai:skill:run": "ai:skill:done", "memory:semantic:distill": "memory:distill:progress" } as const;

/** The outcome of a request, in the form of a pair. */
async function outcome(backend: FakeBackend, command: string, args: Json): Promise<Partial<Pair>> {
  const changed: Pair["changed"] = [];
  const stop = await backend.listen("memory:changed", (change) => changed.push(change as Pair["changed"][number]));
  const event = ENDS[command as keyof typeof ENDS];
  let ended: Json | undefined;
  const end = new Promise<void>((resolve) => {
    if (event)
      void backend.listen(event, (payload) => {
        if ((payload as { stage?: string }).stage !== undefined && (payload as { stage?: string }).stage !== "done")
          return;
        ended = payload as Json;
        resolve();
      });
  });
  let found: Partial<Pair>;
  try {
    const answer = JSON.parse(JSON.stringify(await backend.invoke(command, args))) as Json;
    if (event) await end;
    found = { answer };
  } catch (reason) {
    if (!isObject(reason as Json)) throw reason;
    const { message: _, ...error } = reason as { message: string } & { [field: string]: Json };
    found = { error };
  }
  // An event of the end is followed by that of its changes.
  await new Promise((resolve) => setTimeout(resolve, 0));
  stop();
  return JSON.parse(JSON.stringify({ ...found, ended, changed })) as Partial<Pair>;
}

/** The topics that changed, by project. */
const topics = (changed: Pair["changed"]): string[] =>
  [
    ...new Set(changed.flatMap(({ projectId, what }) => what.map((topic) => `${String(projectId)} ${topic}`))),
  ].toSorted();

describe("the fake backend answers as the engine does", async () => {
  const backend = backendOfPairs();
  const tokens = new Tokens();
  const found: { pair: Pair; difference: Difference }[] = [];
  for (const pair of pairs) {
    SCRIPT[pair.name]?.(backend);
    const { answer, error, ended, changed } = await outcome(backend, pair.command, tokens.resolve(pair.args));
    const recorded = { answer: pair.answer, error: pair.error, ended: pair.ended };
    const all = [
      ...differences(tokens, recorded as Json, { answer, error, ended } as Json, ""),
      ...differences(tokens, topics(pair.changed), topics(changed ?? []), "changed"),
    ];
    found.push(...all.map((difference) => ({ pair, difference })));
  }
  const entries = DIFFERENCES.flatMap(({ commands, path }) => commands.map((command) => ({ command, path })));
  const covers = ({ pair, difference }: (typeof found)[number], entry: (typeof entries)[number]) =>
    pair.command === entry.command && difference.path === entry.path;

  test("every request has the same outcome, fields and values, but for the listed differences", () => {
    const wrong = found.filter((one) => one.difference.isOfShape || !entries.some((entry) => covers(one, entry)));
    expect(wrong.map(({ pair, difference }) => `${pair.name} (${pair.command}) ${difference.text}`)).toEqual([]);
  });

  test("every listed difference exists", () => {
    const needless = entries.filter((entry) => !found.some((one) => covers(one, entry)));
    expect(needless).toEqual([]);
  });

  test("every command is covered by a pair, or listed with a reason", () => {
    const covered = new Set<string>(pairs.map(({ command }) => command));
    const uncovered = backend.commandNames.filter((name) => !covered.has(name));
    expect(uncovered.toSorted()).toEqual(Object.keys(UNCOVERED).toSorted());
  });

  test("a differing answer is found, with its path", () => {
    const values = [{ a: [{ n: 1, t: "2026-01-01T00:00:00.000Z" }] }, { a: [{ n: 2, t: "2027-01-01T00:00:00.000Z" }] }];
    expect(differences(new Tokens(), values[0], values[1], "").map(({ path }) => path)).toEqual(["a[].n"]);
    expect(differences(new Tokens(), { a: 1 }, { b: 1 }, "").map(({ isOfShape }) => isOfShape)).toEqual([true, true]);
    expect(differences(new Tokens(), ["{x-1}", "{x-2}"], ["one", "one"], "")).toHaveLength(1);
  });
});
