import { afterEach, expect, test } from "vitest";
import { openWindow, type Window } from "./openWindow";

let w: Window;
afterEach(() => w.close());

test("plain files of what was read are written only once the writer wants them", async () => {
  w = await openWindow();
  await w.id("nav-settings").click();
  const box = w.id("settings-readable-copies");
  await expect.element(box).toBeVisible();
  const isWanted = async () =>
    ((await w.backend.invoke("settings:get", {})) as { readableCopies: boolean }).readableCopies;
  expect(await isWanted()).toBe(false);
  await box.click();
  await expect.poll(isWanted).toBe(true);
  await box.click();
  await expect.poll(isWanted).toBe(false);
});
