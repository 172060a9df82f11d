import { describe, expect, test } from "vitest";
import type { EpisodeQuery, RecallAnswer } from "../../src/backend";
import { FakeBackend } from "../../src/backend/fake";

async function book(empty = false) {
  const backend = new FakeBackend({ past: !empty, now: "2026-03-15T21:00:00Z" });
  await backend.invoke("project:sample", { language: "zh" });
  const { projectId } = backend.books[0]!.project;
  return {
    backend,
    projectId,
    ask: (query: Partial<EpisodeQuery>) =>
      backend.invoke("memory:episode:query", { projectId, ...query }) as Promise<RecallAnswer>,
  };
}

const groups = ({ episodes }: RecallAnswer) => episodes.map(({ episode, group }) => `${episode.id} ${group}`);

describe("the fake backend's search of the past", () => {
  test("has the texts with the query first, and then the others by the letters they share", async () => {
    const { ask } = await book();
    expect(groups(await ask({ purpose: "search", queryText: "四十四本簿子" }))).toEqual([
      "past-3 found",
      "past-6 perhaps",
      "past-1 perhaps",
      "past-2 perhaps",
      "past-4 perhaps",
      "past-5 perhaps",
    ]);
    const { episodes } = await ask({ purpose: "search", queryText: "水记得谁", limit: 2 });
    expect(episodes.map(({ episode, group, matchedBy }) => [episode.id, group, matchedBy])).toEqual([
      ["past-5", "perhaps", ["meaning"]],
      ["past-6", "perhaps", ["meaning", "compressed"]],
    ]);
  });

  test("answers eight at most, and of a prompt five that have the query", async () => {
    const { backend, ask } = await book();
    const [first] = backend.episodes;
    for (let n = 0; n < 10; n += 1) backend.episodes.push({ ...first!, id: `more-${n}` });
    expect((await ask({ purpose: "search" })).episodes).toHaveLength(8);
    expect((await ask({ purpose: "search", limit: 50 })).episodes).toHaveLength(16);
    expect((await ask({})).episodes).toHaveLength(5);
    expect(groups(await ask({ queryText: "四十四本簿子" }))).toEqual(["past-3 found"]);
  });

  test("filters by scene and skill; a prompt with a text only orders by them", async () => {
    const { ask } = await book();
    expect(groups(await ask({ purpose: "search", queryText: "簿子", sceneType: "dialogue" }))).toEqual([
      "past-1 perhaps",
      "past-5 perhaps",
    ]);
    expect(groups(await ask({ purpose: "search", skillUsed: "polish" }))).toEqual(["past-3 found"]);
    expect(groups(await ask({ queryText: "簿子", sceneType: "dialogue" }))).toEqual(["past-3 found"]);
  });

  test("answers with the requested fields and the id, null ones too", async () => {
    const { ask } = await book();
    const { episodes } = await ask({ purpose: "search", limit: 1, fields: ["skillUsed", "summary"] });
    expect(episodes[0]!.episode).toEqual({ id: "past-1", skillUsed: "continue", summary: null });
    expect((await ask({ limit: 1, fields: [] })).episodes[0]!.episode).toEqual({ id: "past-1" });
  });

  test("is empty only in a book without past passages", async () => {
    const { ask } = await book(true);
    expect((await ask({ purpose: "search", queryText: "簿子" })).episodes).toEqual([]);
  });

  test.each([
    [{ purpose: "other" }, "purpose"],
    [{ fields: ["id", "mood"] }, "fields[1]"],
    [{ limit: 0 }, "limit"],
    [{ limit: 51 }, "limit"],
    [{ sceneType: " " }, "sceneType"],
    [{ skillUsed: "" }, "skillUsed"],
  ])("%j is refused with its field", async (query, field) => {
    const { ask } = await book();
    await expect(ask(query as never)).rejects.toMatchObject({ code: "MEMORY_INVALID_ARGUMENT", details: { field } });
  });
});
