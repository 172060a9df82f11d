import { composeStories, setProjectAnnotations, type Meta } from "@storybook/react-vite";
import { page } from "vitest/browser";
import { afterEach, beforeEach, describe, expect, test, vi, type MockInstance } from "vitest";
import type { Language } from "../../ui/src/backend";
import { faults } from "../../ui/testing/axe";
import preview from "../.storybook/preview";
import { Stage, Window } from "../stage";

/** Folder of the screenshots; undefined: none are taken. */
const pictures = import.meta.env["VITE_PICTURES"] as string | undefined;

const files = import.meta.glob<Record<string, unknown> & { default: Meta<typeof Window> }>("../*.stories.tsx", {
  eager: true,
});

/** "Memory/Rules", "Still learning: …" → "memory-rules-still-learning-…": valid on every file system. */
const fileName = (...parts: string[]) =>
  parts
    .join("-")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");

/** Text of the interface without the writer's text, which has a language of its own. */
function interfaceWords(): string {
  const words = document.body.cloneNode(true) as HTMLElement;
  for (const own of words.querySelectorAll("[lang], [aria-hidden=true], script, style")) own.remove();
  return words.textContent ?? "";
}

/** Tests every story in one language: its steps pass, nothing is logged, and axe finds nothing in both themes. */
export function testStories(language: Language): void {
  setProjectAnnotations([preview, { initialGlobals: { language, theme: "light" } }]);
  let complaints: MockInstance;
  beforeEach(() => void (complaints = vi.spyOn(console, "error")));
  afterEach(() => complaints.mockRestore());

  describe.each(Object.values(files))("$default.title", (file) => {
    for (const [key, story] of Object.entries(composeStories(file as never)) as [
      string,
      { run: () => Promise<void> },
    ][]) {
      const { name } = file[key] as { name: string };
      test(name, async () => {
        await story.run();
        const stage = Stage.last!;
        for (const theme of ["light", "dark"] as const) {
          await stage.light(theme);
          if (pictures)
            await page.screenshot({ path: `${pictures}/${fileName(file.default.title!, name, language, theme)}.png` });
          expect(await faults(), theme).toEqual([]);
        }
        if (language === "en") expect(interfaceWords()).not.toMatch(/\p{Script=Han}/u);
        expect(complaints.mock.calls).toEqual([]);
      });
    }
  });
}
