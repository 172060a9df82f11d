import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const src = fileURLToPath(new URL("../../src", import.meta.url));

function sources(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return sources(path);
    return /\.tsx?$/.test(name) && !name.endsWith(".d.ts") ? [path] : [];
  });
}

const imports = (text: string) =>
  [...text.matchAll(/(?:from|import)\s*\(?\s*["']([^"']+)["']/g)].map((found) => found[1]!);

/** The folder a file belongs to: a folder of `src`, or one feature folder. */
function folderOf(path: string): string {
  const [first = "", second = ""] = relative(src, path).split("/");
  if (first === "features") return `features/${second}`;
  return first.includes(".") ? "root" : first;
}

const MAY: Record<string, string[]> = {
  root: ["app", "backend", "design"],
  app: ["features", "backend", "design", "i18n", "lib"],
  features: ["backend", "design", "i18n", "lib"],
  design: ["lib"],
  // Its sentences are keyed by the types of the wire.
  i18n: ["backend", "lib"],
  backend: ["lib"],
  lib: [],
};

describe("imports between folders", () => {
  const files = sources(src);
  const edges = files.flatMap((file) =>
    imports(readFileSync(file, "utf8")).map((target) => ({
      file: relative(src, file),
      from: folderOf(file),
      target,
      to: target.startsWith(".") ? folderOf(join(dirname(file), target)) : null,
    })),
  );

  test("all folders are read", () => expect(new Set(files.map(folderOf)).size).toBeGreaterThan(8));

  test("imports go downwards only, and no feature folder imports another", () => {
    const wrong = edges.filter(({ from, to }) => {
      if (to === null || to === from) return false;
      const kind = from.startsWith("features/") ? "features" : from;
      const allowed = MAY[kind] ?? [];
      return !allowed.includes(to.startsWith("features/") ? "features" : to);
    });
    expect(wrong.map(({ file, target }) => `${file} → ${target}`)).toEqual([]);
  });

  test("only the backend imports Tauri", () => {
    const wrong = edges.filter(({ from, target }) => target.startsWith("@tauri-apps/") && from !== "backend");
    expect(wrong.map(({ file }) => file)).toEqual([]);
  });

  test("only the editor imports CodeMirror", () => {
    const wrong = edges.filter(({ from, target }) => target.startsWith("@codemirror/") && from !== "features/editor");
    expect(wrong.map(({ file }) => file)).toEqual([]);
  });

  test("the fake backend is imported only where a release build leaves it out", () => {
    const wrong = edges.filter(
      ({ file, target }) => /(^|\/)fake(\/|$)/.test(target) && !file.startsWith("backend/fake/") && file !== "main.tsx",
    );
    expect(wrong.map(({ file }) => file)).toEqual([]);
  });
});

describe("no remote resources", () => {
  test("code, styles and page contain no remote address; the known model services are data in one file", () => {
    const texts = [...sources(src), ...styles(src), join(src, "../index.html")].filter(
      (path) => relative(src, path) !== "features/settings/presets.ts",
    );
    const remote = texts.flatMap((path) =>
      [...readFileSync(path, "utf8").matchAll(/https?:\/\/(?!www\.w3\.org\/2000\/svg)[^\s"'`)]+/g)].map(
        (found) => `${relative(src, path)}: ${found[0]}`,
      ),
    );
    expect(remote).toEqual([]);
  });
});

function styles(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return styles(path);
    return name.endsWith(".css") ? [path] : [];
  });
}

describe("file sizes", () => {
  test("no file is over 600 lines", () => {
    const large = sources(src)
      .filter((path) => !path.endsWith(".gen.ts"))
      .map((path) => [relative(src, path), readFileSync(path, "utf8").split("\n").length] as const)
      .filter(([, lines]) => lines > 600);
    expect(large).toEqual([]);
  });
});
