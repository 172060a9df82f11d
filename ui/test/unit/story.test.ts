import { describe, expect, test } from "vitest";
import type { ChapterInfo, Entity, EntityList, StepKind, StoryEvent, StoryThread } from "../../src/backend";
import { FakeBackend } from "../../src/backend/fake";
import { frequentOf, groupsOf, likenessesOf, mergedInto } from "../../src/features/story/entities";
import { lastIndexOf, positionOf, steppedTo, type AsOf } from "../../src/features/story/position";
import { asTold, threadMarks } from "../../src/features/story/plot";
import { columnsOf, heightsOf, marksOf, rangesOf, STRIP_PX } from "../../src/features/story/presence";
import { StorySession } from "../../src/features/story/session";

const chapters = ["a", "b", "c"].map((chapterId): ChapterInfo => ({
  chapterId,
  title: chapterId,
  file: `${chapterId}.md`,
  words: 10,
  sceneType: null,
}));

const entity = (name: string, part: Partial<Entity> = {}): Entity => {
  const range = { chapterId: "a", from: 0, to: 1 };
  return {
    entityId: name,
    kind: "character",
    name,
    aliases: [],
    standing: "detected",
    version: null,
    firstFact: null,
    mentions: 4,
    presence: [{ chapter: 0, mentions: 4 }],
    first: range,
    last: range,
    sentence: "",
    taggedSpeeches: 0,
    misspellings: [],
    ...part,
  };
};

describe("the position up to which the book is known", () => {
  const caret = { chapterId: "b", offset: 3, paragraphEnd: 9 };
  const asOf = (part: Partial<AsOf>): AsOf => ({ mode: "caret", caret, pinned: null, ...part });

  test("is the end of the caret's paragraph, the end of a pinned chapter, or none", () => {
    expect(positionOf(asOf({}))).toEqual({ chapterId: "b", offset: 9 });
    expect(positionOf(asOf({ caret: null }))).toBeNull();
    const pinned = positionOf(asOf({ mode: "pinned", pinned: "a" }))!;
    expect(pinned.chapterId).toBe("a");
    // The engine reads 32 bits.
    expect(pinned.offset).toBeGreaterThan(10_000_000);
    expect(pinned.offset).toBeLessThan(2 ** 32);
    expect(positionOf(asOf({ mode: "whole" }))).toBeNull();
  });

  test("moves by a chapter, and not beyond the book", () => {
    expect(lastIndexOf(asOf({}), chapters)).toBe(1);
    expect(lastIndexOf(asOf({ mode: "whole" }), chapters)).toBe(2);
    expect(steppedTo(asOf({}), chapters, -1)).toBe("a");
    expect(steppedTo(asOf({}), chapters, 1)).toBe("c");
    expect(steppedTo(asOf({ mode: "pinned", pinned: "a" }), chapters, -1)).toBeNull();
    expect(steppedTo(asOf({ mode: "whole" }), chapters, 1)).toBeNull();
  });
});

describe("the session of the panel", () => {
  test("a jump leaves the writer's caret where it was, until the writer moves it", async () => {
    let read = { chapterId: "b", offset: 3, paragraphEnd: 9 };
    const session = new StorySession(() => read);
    session.follow();
    await session.jump(async () => {
      read = { chapterId: "a", offset: 1, paragraphEnd: 2 };
      session.onCaret();
      session.onChapterOpened();
      return Promise.resolve(true);
    });
    session.follow();
    expect(session.state.getState()).toMatchObject({ isAway: true, caret: { chapterId: "b" } });
    session.onCaret();
    session.follow();
    expect(session.state.getState()).toMatchObject({ isAway: false, caret: { chapterId: "a" } });
  });
});

describe("the groups", () => {
  const here = [{ chapter: 1, mentions: 3 }];
  const all = [
    entity("accepted here", { standing: "accepted", presence: here, mentions: 1 }),
    entity("detected here", { presence: here, mentions: 3 }),
    entity("rare here", { presence: here, mentions: 2 }),
    entity("accepted before", { standing: "accepted" }),
    entity("detected before", { mentions: 40 }),
    entity("a place", { kind: "place", standing: "accepted" }),
  ];
  const names = (entities: Entity[]) => entities.map(({ name }) => name);

  test("are those of the last chapter, accepted ones of earlier chapters, and the other detected ones", () => {
    const { here: present, before, proposals } = groupsOf(all, "people", "", 1);
    expect(names(present)).toEqual(["accepted here", "detected here"]);
    expect(names(before)).toEqual(["accepted before"]);
    expect(names(proposals)).toEqual(["rare here", "detected before"]);
    expect(names(groupsOf(all, "places", "", 1).before)).toEqual(["a place"]);
  });

  test("of the whole book have no present chapter; a search compares every name", () => {
    expect(groupsOf(all, "people", "", null).here).toEqual([]);
    const aliased = entity("one", { standing: "accepted", aliases: ["The Skipper"] });
    expect(names(groupsOf([...all, aliased], "people", "skip", null).before)).toEqual(["one"]);
  });

  test("a merge keeps the accepted one, else the one with more mentions", () => {
    const [frequent, accepted] = [entity("frequent", { mentions: 9 }), entity("accepted", { standing: "accepted" })];
    expect(mergedInto(frequent, accepted)).toEqual({ stays: accepted, goes: frequent });
    expect(mergedInto(entity("rare"), frequent).stays).toBe(frequent);
    expect(mergedInto(frequent, entity("rare")).stays).toBe(frequent);
  });

  test("a question needs both entities; only frequent detected ones are accepted at once", () => {
    const list = { entities: all, possibleMerges: [{ entityId: "accepted here", otherId: "rare here" }] } as EntityList;
    expect(likenessesOf(list).get("rare here")?.name).toBe("accepted here");
    const gone = { ...list, possibleMerges: [{ entityId: "gone", otherId: "rare here" }] };
    expect(likenessesOf(gone).size).toBe(0);
    expect(frequentOf(all)).toEqual(["detected before"]);
  });
});

describe("the strip", () => {
  test.each([1, 12, 83, 84, 85, 300, 5_000])("is as wide for %i chapters as for any other number", (count) => {
    const { count: columns, pitch, size, stroke } = columnsOf(count);
    expect(columns * pitch).toBeCloseTo(STRIP_PX);
    expect(columns * size).toBeGreaterThanOrEqual(count);
    expect(columns).toBeLessThanOrEqual(84);
    expect(stroke).toBeGreaterThanOrEqual(1);
    expect(stroke).toBeLessThan(Math.max(pitch, 1.5));
    expect(stroke).toBeLessThanOrEqual(4);
  });

  test("ends at the last known chapter, and chapters without a mention have no height", () => {
    const presence = [
      { chapter: 0, mentions: 1 },
      { chapter: 2, mentions: 4 },
    ];
    const heights = heightsOf(presence, 3, columnsOf(12));
    expect(heights).toHaveLength(3);
    expect(heights[1]).toBe(0);
    expect(heights[2]).toBeGreaterThan(heights[0]!);
    expect(heightsOf(presence, 2, columnsOf(12))).toHaveLength(2);
    // Chapters in one column are added up.
    expect(heightsOf(presence, 3, columnsOf(300))).toHaveLength(1);
  });

  test("is read as numbers of chapters, with runs as ranges", () => {
    const presence = [0, 1, 2, 3, 5, 6, 9].map((chapter) => ({ chapter, mentions: 1 }));
    expect(rangesOf(presence)).toEqual(["1–4", "6", "7", "10"]);
  });

  test.each([
    [12, 9],
    [12, 2],
    [300, 299],
    [3, 1],
  ])("the ruler of %i chapters has the present one, and figures that do not touch", (count, now) => {
    const marks = marksOf(count, now);
    expect(marks).toContain(now);
    const gaps = marks.slice(1).map((mark, index) => (mark - marks[index]!) * (STRIP_PX / count));
    expect(Math.min(...gaps, STRIP_PX)).toBeGreaterThanOrEqual(28);
  });
});

describe("the marks of a thread", () => {
  const book = Array.from({ length: 200 }, (_, index): ChapterInfo => ({ ...chapters[0]!, chapterId: `${index + 1}` }));
  const thread = (...steps: [kind: StepKind, chapter: number | null, isStale?: boolean][]) =>
    ({
      steps: steps.map(([kind, chapter, isStale = false]) => ({
        kind,
        isStale,
        position: chapter === null ? null : { chapterId: `${chapter}`, offset: 0 },
      })),
    }) as unknown as StoryThread;

  test("stand in the middle of their chapters, and steps without a place have none", () => {
    const marks = threadMarks(thread(["planted", null], ["planted", 1], ["touched", 3], ["leftOpen", 4]), book, 12);
    expect(marks.map(({ kind, x, chapters: numbers }) => [kind, x, numbers])).toEqual([
      ["planted", 9, [1]],
      ["touched", 45, [3]],
    ]);
  });

  test("share a column in a long book, where the later kind of step is shown, with every chapter", () => {
    const marks = threadMarks(thread(["planted", 1, true], ["touched", 2], ["paid", 3], ["touched", 4]), book, 200);
    expect(marks.map(({ kind, chapters: numbers, isStale }) => [kind, numbers, isStale])).toEqual([
      ["paid", [1, 2, 3], false],
      ["touched", [4], false],
    ]);
  });

  test("of events in the order of the book begin with those that have no place", () => {
    const event = (name: string, ...positions: [chapter: number, offset: number][]) =>
      ({ name, positions: positions.map(([chapter, offset]) => ({ chapterId: `${chapter}`, offset })) }) as StoryEvent;
    const events = [event("a", [2, 9]), event("b", [2, 3], [7, 0]), event("c"), event("d", [1, 40])];
    expect(asTold(events, book).map(({ name }) => name)).toEqual(["c", "d", "b", "a"]);
  });
});

describe("the fake backend's entities", () => {
  async function sample() {
    const backend = new FakeBackend({ language: "zh" });
    const { project } = (await backend.invoke("project:sample", { language: "zh" })) as {
      project: { projectId: string };
    };
    const { projectId } = project;
    const run = (name: string, args: object) => backend.invoke(name, { projectId, ...args });
    return { backend, run, idOf: (form: string) => backend.entities.idOf(projectId, form) };
  }

  test("nothing after the position has an influence", async () => {
    const { backend, run } = await sample();
    const [first] = backend.books[0]!.files;
    const { chapterId } = first!.info;
    const list = (await run("story:entity:list", { at: { chapterId, offset: 10_000 } })) as EntityList;
    expect(list.entities.map(({ name }) => name)).toEqual(["船老大"]);
    expect(list.chapters).toEqual([chapterId]);
  });

  test("a stale version is refused, and a change that was changed since is not undone", async () => {
    const { run, idOf } = await sample();
    const entityIds = [idOf("老周")];
    const { changeId } = (await run("story:entity:accept", { entityIds })) as { changeId: string };
    await expect(run("story:entity:accept", { entityIds, kind: "thing" })).rejects.toMatchObject({
      details: { field: "version" },
    });
    await run("story:entity:accept", { entityIds, version: 1, name: "周叔" });
    await expect(run("story:entity:accept", { entityIds, version: 1, name: "老周" })).rejects.toMatchObject({
      code: "MEMORY_STALE_VERSION",
    });
    await expect(run("story:undo", { changeId })).rejects.toMatchObject({ code: "MEMORY_STALE_VERSION" });
  });

  test("unknown entities, changes and positions are refused", async () => {
    const { run } = await sample();
    for (const [name, args] of [
      ["story:mentions", { entityId: "none" }],
      ["story:entity:dismiss", { entityId: "none" }],
      ["story:undo", { changeId: "none" }],
      ["story:entity:list", { at: { chapterId: "none", offset: 0 } }],
    ] as const)
      await expect(run(name, args)).rejects.toMatchObject({ code: "MEMORY_NOT_FOUND" });
    await expect(run("story:entity:accept", { entityIds: [] })).rejects.toMatchObject({
      details: { field: "entityIds" },
    });
  });
});
