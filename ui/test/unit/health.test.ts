import { describe, expect, test } from "vitest";
import { healthProblems } from "../../src/backend/health";
import type { Part, PartState, Status } from "../../src/backend";
import { problemDetail, problemTitle } from "../../src/i18n/healthProblems";
import { i18n } from "../../src/i18n/locale";

const PARTS: Part[] = ["rules", "episodes", "words", "embedder", "maintenance", "config", "audit"];

function status(states: Partial<Record<Part, PartState>>, maintenance: Status["maintenance"] = []): Status {
  const parts = PARTS.map((part) => ({
    part,
    state: states[part] ?? "ok",
    reason: null,
    message: states[part] ? "why" : null,
  }));
  return {
    degraded: parts.some(({ state }) => state === "unavailable" || state === "substituted"),
    parts,
    clock: null,
    missing: [],
    maintenance,
    lastBackup: null,
    files: [],
    capacities: [],
    journalDue: 0,
    answerOutbox: 0,
  };
}

const down = (...parts: Part[]) => status(Object.fromEntries(parts.map((part) => [part, "unavailable"])));
const LIVE = { failed: false, fromBackup: false };
const BACKUP = { failed: false, fromBackup: true };
const NONE = { failed: true, fromBackup: false };

describe("what is missing of the memory", () => {
  test.each([
    ["nothing, when all is well", down(), LIVE, []],
    [
      "nothing, while something is only caught up with",
      status({ words: "catchingUp", embedder: "catchingUp" }),
      LIVE,
      [],
    ],
    ["meaning: recall is less precise", down("embedder"), LIVE, ["meaning"]],
    [
      "the chosen encoder, while the bundled one fills in",
      status({ embedder: "substituted" }),
      LIVE,
      ["meaningSubstituted"],
    ],
    ["the index of words", down("words"), LIVE, ["words"]],
    [
      "past examples; what stands in their file is not counted again",
      down("episodes", "words", "embedder"),
      LIVE,
      ["episodes"],
    ],
    ["writing of episodes, where their file is still read", down("episodes"), LIVE, ["episodesUnwritten"]],
    ["the rules' file: those of a backup are read-only", down("rules"), BACKUP, ["rulesOld"]],
    ["the rules' file without a backup: built-in ones", down("rules"), NONE, ["rulesBuiltIn"]],
    ["writing of rules, where their file is still read", down("rules"), LIVE, ["rulesUnwritten"]],
    ["both files", down("rules", "episodes", "words"), NONE, ["all"]],
    [
      "both files, and the jobs of the night with them",
      down("rules", "episodes", "words", "maintenance"),
      BACKUP,
      ["all", "maintenance"],
    ],
    ["rules and recall at once, the graver first", down("rules", "embedder"), BACKUP, ["rulesOld", "meaning"]],
    ["parts of config.toml, which have other values meanwhile", status({ config: "substituted" }), LIVE, ["config"]],
    ["the audit of questions alone", down("audit"), LIVE, ["audit"]],
    [
      "entries that were recorded and are gone",
      { ...down(), degraded: true, missing: [{ file: "rules", count: 2 }] } as Status,
      LIVE,
      ["missingWrites"],
    ],
  ] as const)("%s", (_, now, rules, kinds) => {
    expect(healthProblems(now, false, rules).map(({ kind }) => kind)).toEqual(kinds);
  });

  test("when the health cannot be asked at all, nothing of the memory is promised", () => {
    expect(healthProblems(down(), true, LIVE).map(({ kind }) => kind)).toEqual(["all"]);
    expect(healthProblems(undefined, false, LIVE)).toEqual([]);
  });

  test("an unknown part is reported as missing too", () => {
    expect(healthProblems({ ...down(), degraded: true }, false, LIVE).map(({ kind }) => kind)).toEqual(["other"]);
  });

  test("a job that failed says when it was begun, and why in the backend's words", () => {
    const run = (job: "daily" | "weekly", begunAt: string, failure: string | null) => ({
      job,
      begunAt,
      doneAt: null,
      failure,
    });
    const [problem] = healthProblems(
      status({ maintenance: "unavailable" }, [
        run("daily", "2026-10-19T18:00:00Z", null),
        run("weekly", "2026-10-19T18:00:05Z", "full"),
      ]),
      false,
      LIVE,
    );
    expect(problem).toMatchObject({ kind: "maintenance", failedAt: "2026-10-19T18:00:05Z", message: "why" });
  });

  test.each(["zh-CN", "en"])("every problem has words of its own, and says what still works, %s", (locale) => {
    i18n.activate(locale);
    const kinds = [
      "all",
      "rulesOld",
      "rulesBuiltIn",
      "rulesUnwritten",
      "episodes",
      "episodesUnwritten",
      "meaning",
      "meaningSubstituted",
      "words",
      "maintenance",
      "config",
      "audit",
    ] as const;
    expect(new Set(kinds.map((kind) => problemTitle(kind) + problemDetail(kind))).size).toBe(kinds.length);
    expect(problemTitle("all")).toBe(
      locale === "en"
        ? "Memory is unavailable for now; AI will work in general mode"
        : "记忆系统暂时不可用，AI 将以通用模式工作",
    );
    expect(problemTitle("episodes")).toBe(locale === "en" ? "Past examples unavailable" : "过往示例暂不可用");
  });
});
