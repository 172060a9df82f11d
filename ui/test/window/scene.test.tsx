import { afterEach, describe, expect, test } from "vitest";
import { composition, openWindow, type Window } from "./openWindow";

let w: Window;
afterEach(() => w.close());

const picked = () => w.id("scene-select").element().getAttribute("data-value");
async function say(scene: string) {
  await w.id("scene-select").click();
  await w.id(`scene-select-${scene}`).click();
}
async function drafts() {
  await w.toEnd();
  await w.id("run").click();
  await expect.poll(() => w.id("candidate").elements().length).toBe(3);
  w.backend.advance();
  await expect.element(w.id("candidate").first()).toHaveAttribute("data-state", "ready");
}
const recorded = () => w.backend.callsOf("memory:episode:record").at(-1);

describe("the kind of scene", () => {
  test("that the writer says of a chapter stays with it, and only with it", async () => {
    w = await openWindow();
    await w.openChapter(0);
    await say("action");
    await expect.poll(picked).toBe("action");
    await w.openChapter(1);
    await expect.poll(picked).toBe(" auto");
    await w.openChapter(0);
    await expect.poll(picked).toBe("action");
    await drafts();
    await expect.poll(() => w.backend.callsOf("ai:skill:run").at(-1)).toMatchObject({ sceneType: "action" });
    await say(" auto");
    expect(w.file(0).info.sceneType).toBeNull();
  });

  test("may have a name of the writer's, which is then offered wherever scenes are", async () => {
    w = await openWindow({ past: true });
    await say(" other");
    const field = w.id("scene-name");
    await expect.element(field).toHaveFocus();
    const method = composition(field.element() as HTMLElement);
    method.begin();
    method.key("Enter");
    expect(w.backend.callsOf("chapter:scene")).toEqual([]);
    method.end("");
    await field.fill(" 梦境 ");
    await w.press("{Enter}");
    await expect.element(w.id("scene-select")).toHaveTextContent("梦境");
    await expect.poll(() => w.file(0).info.sceneType).toBe("梦境");
    await w.openChapter(1);
    await w.id("scene-select").click();
    await expect.element(w.id("scene-select-梦境")).toBeVisible();
    await w.press("{Escape}");
    await w.id("nav-memory").click();
    await w.id("rule-add").click();
    await w.id("rule-scene").click();
    await expect.element(w.id("rule-scene-梦境")).toBeVisible();
  });

  test("stays as it was when naming it is cancelled", async () => {
    w = await openWindow();
    await say("dialogue");
    await say(" other");
    await expect.element(w.id("scene-name")).toHaveFocus();
    await w.press("{Escape}");
    await expect.poll(picked).toBe("dialogue");
    await expect.poll(() => w.backend.callsOf("chapter:scene").length).toBe(1);
  });

  test("that was guessed wrong and put right while the drafts are there is remembered right", async () => {
    w = await openWindow();
    await drafts();
    await expect.element(w.id("scene-select")).toHaveTextContent("（推测）");
    await say("monologue");
    await w.id("take").first().click();
    await expect.poll(recorded).toMatchObject({ sceneType: "monologue" });
  });

  test("that cannot be stored is reported, and applies while the chapter is open", async () => {
    w = await openWindow();
    const invoke = w.backend.invoke.bind(w.backend);
    w.backend.invoke = async (name, args) => {
      if (name === "chapter:scene") throw { code: "MEMORY_STORE_UNAVAILABLE", message: "disk" };
      return invoke(name, args);
    };
    await say("action");
    await expect.element(w.id("problem")).toBeVisible();
    await expect.poll(picked).toBe("action");
  });
});
