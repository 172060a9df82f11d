import { beforeEach, describe, expect, test } from "vitest";
import type { Commands, FactChange } from "../../src/backend";
import { FakeBackend } from "../../src/backend/fake";

type Save = Commands["story:fact:save"]["args"];

let backend: FakeBackend;
let projectId: string;
let zhou: string;
let father: string;

const save = (args: Partial<Save> = {}) =>
  backend.invoke("story:fact:save", {
    projectId,
    entityId: zhou,
    attribute: "年纪",
    value: "六十",
    ...args,
  }) as Promise<FactChange>;

const refused = (code: string, field: string) => ({ code, details: { field } });

beforeEach(async () => {
  backend = new FakeBackend({});
  await backend.invoke("project:sample", { language: "zh" });
  projectId = backend.books[0]!.project.projectId;
  zhou = backend.entities.idOf(projectId, "老周");
  father = backend.entities.idOf(projectId, "父亲");
});

describe("the fake backend refuses a fact as the engine does:", () => {
  test("a relation or a knower that is not accepted", async () => {
    await expect(save({ objectId: father })).rejects.toMatchObject(refused("MEMORY_NOT_FOUND", "objectId"));
    const { fact } = await save();
    const since = { chapterId: backend.books[0]!.files[0]!.info.chapterId, offset: 0 };
    const known = { projectId, factId: fact!.factId, version: 1, entityId: father, since };
    await expect(backend.invoke("story:fact:known-by", known)).rejects.toMatchObject(
      refused("MEMORY_NOT_FOUND", "entityId"),
    );
    await backend.invoke("story:entity:accept", { projectId, entityIds: [father] });
    await expect(backend.invoke("story:fact:known-by", known)).resolves.toMatchObject({
      fact: { knownBy: [{ entityId: father, since }] },
    });
  });

  test("a relation of an entity to itself, and a position in no chapter", async () => {
    await expect(save({ objectId: zhou })).rejects.toMatchObject(refused("MEMORY_INVALID_ARGUMENT", "objectId"));
    await expect(save({ toldAt: { chapterId: "elsewhere", offset: 0 } })).rejects.toMatchObject(
      refused("MEMORY_INVALID_ARGUMENT", "toldAt.chapterId"),
    );
  });

  test("that replaces a fact of another entity, or a later state of itself", async () => {
    const { fact: first } = await save();
    const { fact: second } = await save({ supersedes: first!.factId });
    const again = { factId: first!.factId, version: 2, supersedes: second!.factId };
    const supersedes = refused("MEMORY_INVALID_ARGUMENT", "supersedes");
    await expect(save(again)).rejects.toMatchObject(supersedes);
    await expect(save({ entityId: father, supersedes: first!.factId })).rejects.toMatchObject(supersedes);
  });
});
