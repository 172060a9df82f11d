import type { Meta } from "@storybook/react-vite";
import { NEVER, shows, steps, Window, type Scenario, type Stage } from "./stage";

/** Milliseconds of a minute, an hour and a day. */
const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];

/** Fills the journal of the sample book with entries of three days. */
function fill({ backend, projectId, language, say }: Stage): void {
  const noon = new Date();
  noon.setHours(12, 0, 0, 0);
  const chapterId = backend.books[0]!.files[2]!.info.chapterId;
  const generationId = [...backend.traces.keys()][0] ?? null;
  const tell = say.bind({ language });
  const entries = [
    {
      ago: 3 * DAY,
      kind: "skill" as const,
      content: tell(
        "《渡船》，续写（动作）。三稿中取第三稿，改了 41%。",
        "“The Ferry”: continue (action). Draft 3 of 3 was taken, 41% of it changed.",
      ),
    },
    {
      ago: 3 * DAY - 20 * MINUTE,
      kind: "skill" as const,
      content: tell(
        "《渡船》，续写（动作）。取下的一稿 20 分钟后撤回了。",
        "“The Ferry”: continue (action). The draft that was taken was undone 20 min later.",
      ),
    },
    {
      ago: DAY + 2 * HOUR,
      kind: "note" as const,
      content: tell("这一条写着不该留下的话。", "This entry says something that must not stay."),
    },
    {
      ago: DAY,
      kind: "session" as const,
      content: tell(
        "写了 1 小时 40 分钟：续写 9 次、润色 3 次。取用 8 稿，4 次都没要。写的是《渡船》、《旧水尺》。",
        "A session of 1 h 40 min: continue × 9, polish × 3. Drafts taken: 8; all rejected: 4. Chapters: “The Ferry”, “The Old Gauge”.",
      ),
    },
    {
      ago: HOUR,
      kind: "skill" as const,
      content: tell(
        "《旧水尺》，润色（描写）。几稿都没要，自己写了。",
        "“The Old Gauge”: polish (description). All drafts were rejected; the writer wrote it instead.",
      ),
    },
    {
      ago: 20 * MINUTE,
      kind: "skill" as const,
      content: tell(
        "《旧水尺》，续写（对话）。三稿中取第二稿，改了 18%。作者说：“短一点，别解释”。文中有老周。",
        "“The Old Gauge”: continue (dialogue). Draft 2 of 3 was taken, 18% of it changed. The writer said: “shorter, do not explain”. It mentions Zhou.",
      ),
    },
  ];
  for (const { ago, kind, content } of entries)
    backend.journal.add({
      projectId,
      kind,
      content,
      timestamp: new Date(noon.getTime() - ago).toISOString(),
      chapterId: kind === "skill" ? chapterId : null,
      generationId: kind === "skill" && ago < DAY ? generationId : null,
    });
}

export default {
  title: "Memory/Journal",
  component: Window,
  args: { page: "journal", before: fill },
} satisfies Meta<typeof Window>;

export const Usual: Scenario = {
  name: "What was done, by day, and the proof that nothing was changed",
  play: steps(async (w) => {
    await w.see("journal-entry", 6);
    await w.press("journal-verify");
    await w.see("journal-check");
  }),
};

export const None: Scenario = {
  name: "An empty journal: how it begins",
  args: { before: () => {} },
  play: shows("journal-nothing", "journal-check"),
};

export const Focused: Scenario = {
  name: "An entry that has the focus: where it leads",
  play: steps(async (w) => {
    const [why] = await w.see("journal-why");
    why!.focus();
  }),
};

export const Asked: Scenario = {
  name: "An entry is to be redacted: asked in its place",
  play: steps(async (w) => {
    await w.see("journal-entry", 6);
    await w.press("journal-redact", 3);
    await w.see("journal-confirm-confirm");
  }),
};

export const Redacted: Scenario = {
  name: "A redacted entry: a hole with its time",
  play: steps(async (w) => {
    await w.see("journal-entry", 6);
    await w.press("journal-redact", 3);
    await w.press("journal-confirm-confirm");
    await w.see("journal-hole");
  }),
};

export const Unredacted: Scenario = {
  name: "A redaction that could not be written",
  play: steps(async (w) => {
    w.backend.fail("journal:redact", { code: "MEMORY_WRITE_FAILED", message: "disk full" });
    await w.see("journal-entry", 6);
    await w.press("journal-redact", 3);
    await w.press("journal-confirm-confirm");
    await w.reads("没能写进磁盘", "disk");
  }),
};

export const Found: Scenario = {
  name: "A search: the best match first, each with its day, also of another year",
  args: {
    before: (stage) => {
      fill(stage);
      stage.backend.journal.add({
        projectId: stage.projectId,
        content: stage.say("《旧水尺》的卡上添了一条。", "A fact was added to the card of the old gauge."),
        timestamp: "2024-09-28T12:00:00.000Z",
      });
    },
  },
  play: steps(async (w) => {
    await w.see("journal-entry", 7);
    await w.fill("journal-search", w.say("旧水尺", "gauge"));
    await w.see("journal-found");
    await w.see("journal-entry", 4);
  }),
};

export const NotFound: Scenario = {
  name: "A search that finds nothing",
  play: steps(async (w) => {
    await w.see("journal-entry", 6);
    await w.fill("journal-search", w.say("灯塔", "lighthouse"));
    await w.see("journal-nothing");
  }),
};

export const OfKind: Scenario = {
  name: "The sessions alone",
  play: steps(async (w) => {
    await w.see("journal-entry", 6);
    await w.press("journal-kind");
    await w.press("journal-kind-session");
    await w.see("journal-day");
  }),
};

export const Broken: Scenario = {
  name: "A chain that another program broke",
  args: {
    before: (stage) => {
      fill(stage);
      stage.backend.journal.brokenAt = stage.backend.journal.entries[1]!.id;
    },
  },
  play: steps((w) => w.reads("链断了", "chain is broken")),
};

export const Missing: Scenario = {
  name: "Entries at the end that another program removed",
  args: {
    before: (stage) => {
      fill(stage);
      stage.backend.journal.missing = 2;
    },
  },
  play: steps((w) => w.reads("少了至少 2 条", "Missing: at least 2")),
};

export const LeftBehind: Scenario = {
  name: "A backup that does not have the latest entries",
  args: {
    before: (stage) => {
      fill(stage);
      stage.backend.journal.leftBehind = 24;
    },
  },
  play: shows("journal-check", "journal-left-behind"),
};

export const Waiting: Scenario = {
  name: "Entries that are still to be written",
  args: {
    before: (stage) => {
      fill(stage);
      stage.backend.life.status = { ...stage.backend.life.status, journalDue: 3 };
    },
  },
  play: shows("journal-waiting"),
};

export const Off: Scenario = {
  name: "A book of which no journal is kept",
  play: steps(async (w) => {
    await w.see("journal-entry", 6);
    await w.press("journal-keep");
    await w.see("journal-off");
  }),
};

export const Incoming: Scenario = {
  name: "What an import would bring, before anything is changed",
  play: steps(async (w) => {
    w.backend.chosenFile = "/home/writer/entries.json";
    await w.press("journal-import");
    await w.see("journal-incoming-verdict");
  }),
};

export const Refused: Scenario = {
  name: "A file with a mistake: its place, and nothing is imported",
  play: steps(async (w) => {
    w.backend.chosenFile = "/home/writer/entries.json";
    w.backend.fail("journal:import", {
      code: "MEMORY_INVALID_ARGUMENT",
      message: "line 4 cannot be taken",
      details: { line: 4, reason: "badValue", field: "content" },
    });
    await w.press("journal-import");
    await w.see("journal-incoming-problem");
  }),
};

export const Exported: Scenario = {
  name: "The journal is exported",
  play: steps(async (w) => {
    w.backend.savePath = "/home/writer/entries.json";
    await w.see("journal-entry", 6);
    await w.press("journal-export");
    await w.see("journal-done");
  }),
};

export const Loading: Scenario = {
  name: "While the journal is read",
  args: { before: ({ backend }) => backend.waits.delay("journal:list", NEVER) },
  play: steps((w) => w.reads("正在读取……", "Looking…")),
};

export const Gone: Scenario = {
  name: "A journal that cannot be read now",
  args: { before: ({ backend }) => backend.degrade("episodes") },
  play: shows("missing-episodes", "degraded-notice"),
};
