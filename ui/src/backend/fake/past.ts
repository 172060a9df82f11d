import type { Backup, Episode, Language } from "../bindings.gen";

/** An episode of the sample book: chapter, age in hours, candidates and outcome. */
interface FakePast extends Partial<
  Pick<
    Episode,
    | "explicit"
    | "userConfirmed"
    | "compressed"
    | "summary"
    | "recallCount"
    | "implicit"
    | "implicitWeight"
    | "editDistance"
    | "selectedIndex"
  >
> {
  chapter: number;
  hours: number;
  skill: string;
  scene: string | null;
  draft: string;
  final: string;
}

export const FAKE_PAST: Record<Language, FakePast[]> = {
  zh: [
    {
      chapter: 2,
      hours: 3,
      skill: "continue",
      scene: "dialogue",
      draft: "“你知不知道这根水尺我爸到底留着它是想要做什么？”我问。",
      final: "“他留着做什么？”我问。",
      implicit: "weakNegative",
      implicitWeight: -0.5,
      editDistance: 0.62,
      recallCount: 3,
      explicit: "问话要短，他不会一口气说这么多",
    },
    {
      chapter: 2,
      hours: 5,
      skill: "continue",
      scene: "description",
      draft: "新漆底下，浅浅地透着一行旧刻度，比现在的高出两指。",
      final: "新漆底下，浅浅地透着一行旧刻度，比现在的高出两指。",
      implicit: "strongPositive",
      implicitWeight: 1,
      editDistance: 0,
      recallCount: 1,
      userConfirmed: true,
    },
    {
      chapter: 1,
      hours: 27,
      skill: "polish",
      scene: "narration",
      draft: "柜子缺了一条腿，下面垫着半块红砖。四十四本簿子整整齐齐地立在里面。",
      final: "柜子缺一条腿，垫着半块砖。四十四本簿子立在里面。",
      implicit: "neutral",
      implicitWeight: 0,
      editDistance: 0.31,
    },
    {
      chapter: 0,
      hours: 50,
      skill: "rewrite",
      scene: "action",
      draft: "他仿佛一头受惊的鹿，猛地从马扎上弹了起来，朝门口狂奔而去。",
      final: "",
      implicit: "strongNegative",
      implicitWeight: -1,
      editDistance: null,
      selectedIndex: -1,
    },
    {
      chapter: 2,
      hours: 74,
      skill: "continue",
      scene: "dialogue",
      draft: "“水记得，”他说，“是人忘了。”",
      final: "“水记得，”他说，“是人忘了。”",
      implicit: "delayedNegative",
      implicitWeight: -1.5,
      editDistance: 0,
    },
    {
      chapter: 0,
      hours: 24 * 70,
      skill: "condense",
      scene: "narration",
      draft: "",
      final: "",
      implicit: "weakPositive",
      implicitWeight: 0.5,
      editDistance: 0.12,
      compressed: true,
      summary:
        "叙述·缩写：稍改后采用（权重 +0.5）。偏少：比喻。文本：“头班渡船六点开。天还没有亮透，水和天是一样的灰。”",
    },
  ],
  en: [
    {
      chapter: 2,
      hours: 3,
      skill: "continue",
      scene: "dialogue",
      draft: "“Do you have any idea at all what my father was keeping this old gauge board for?” I asked.",
      final: "“What did he keep it for?” I asked.",
      implicit: "weakNegative",
      implicitWeight: -0.5,
      editDistance: 0.64,
      recallCount: 3,
      explicit: "questions are short; nobody says all that in one breath",
    },
    {
      chapter: 2,
      hours: 5,
      skill: "continue",
      scene: "description",
      draft: "Under the new paint an older scale showed through, two fingers higher.",
      final: "Under the new paint an older scale showed through, two fingers higher.",
      implicit: "strongPositive",
      implicitWeight: 1,
      editDistance: 0,
      recallCount: 1,
      userConfirmed: true,
    },
    {
      chapter: 1,
      hours: 27,
      skill: "polish",
      scene: "narration",
      draft: "The locker was missing one of its legs and had been propped up on half a red brick.",
      final: "The locker was one leg short and stood on half a brick.",
      implicit: "neutral",
      implicitWeight: 0,
      editDistance: 0.41,
    },
    {
      chapter: 0,
      hours: 50,
      skill: "rewrite",
      scene: "action",
      draft: "He sprang up from the stool as if he were a startled deer and bolted for the door.",
      final: "",
      implicit: "strongNegative",
      implicitWeight: -1,
      editDistance: null,
      selectedIndex: -1,
    },
    {
      chapter: 2,
      hours: 74,
      skill: "continue",
      scene: "dialogue",
      draft: "“The water remembers all right,” he said. “It’s people that don’t.”",
      final: "“The water remembers all right,” he said. “It’s people that don’t.”",
      implicit: "delayedNegative",
      implicitWeight: -1.5,
      editDistance: 0,
    },
    {
      chapter: 0,
      hours: 24 * 70,
      skill: "condense",
      scene: "narration",
      draft: "",
      final: "",
      implicit: "weakPositive",
      implicitWeight: 0.5,
      editDistance: 0.12,
      compressed: true,
      summary:
        "narration · condense: taken with small changes (weight +0.5). Less: similes. Text: “The first ferry left at six. The water and the sky were the same grey.”",
    },
  ],
};

const HOUR_MS = 3_600_000;

/** Episodes of the sample book. */
export function pastOf(language: Language, projectId: string, chapterIds: string[], now: number): Episode[] {
  return FAKE_PAST[language].map(({ chapter, hours, skill, scene, draft, final, ...rest }, index) => ({
    id: `past-${index + 1}`,
    projectId,
    chapterId: chapterIds[chapter] ?? "gone",
    scope: "project",
    version: 1,
    createdAt: new Date(now - hours * HOUR_MS).toISOString(),
    skillUsed: skill,
    sceneType: scene,
    inputContext: "",
    candidates: draft === "" ? [] : [draft],
    selectedIndex: 0,
    finalText: final,
    explicit: null,
    implicit: "neutral",
    implicitWeight: 0,
    editDistance: null,
    importance: 0.4,
    recallCount: 0,
    lastRecalledAt: null,
    userConfirmed: false,
    compressed: false,
    summary: null,
    generationId: null,
    ...rest,
  }));
}

/** Backups of several weeks. */
export function backupsOf(now: number): Backup[] {
  const made = (["rules", "episodes"] as const).flatMap((file) =>
    (
      [
        ["manual", 4],
        ["changed", 20],
        ["changed", 44],
        ["clearing", 70],
        ["changed", 24 * 6],
        ["changed", 24 * 13],
        ["migration", 24 * 20],
        ["changed", 24 * 41],
      ] as const
    ).map(([reason, hours], index): Backup => ({
      backupId: `${file}-${index + 1}`,
      file,
      createdAt: new Date(now - hours * HOUR_MS).toISOString(),
      bytes: file === "rules" ? 98_304 - index * 4_096 : 14_320_640 - index * 917_504,
      reason,
    })),
  );
  return made.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt));
}
