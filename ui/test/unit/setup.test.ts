import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** The part of `scripts/setup.mjs` that compares versions. It is plain JavaScript without types. */
interface Setup {
  isAtLeast: (version: string, least: string) => boolean;
  isInRange: (version: string, range: string) => boolean;
}
const { isAtLeast, isInRange } = (await import(/* @vite-ignore */ root("scripts/setup.mjs"))) as Setup;

describe("the set-up compares versions", () => {
  test("by number, part by part, whether or not all parts are given", () => {
    expect(["1.92.0", "1.92.1", "1.100.0", "2.0.0"].map((version) => isAtLeast(version, "1.92"))).toEqual(
      Array(4).fill(true),
    );
    expect(["1.91.9", "1.9.0", "0.99.0"].map((version) => isAtLeast(version, "1.92"))).toEqual(Array(3).fill(false));
    expect(isAtLeast("1.93.0-nightly", "1.92")).toBe(true);
  });

  test("Node by the range in package.json, which is the bundler's", () => {
    const { engines } = JSON.parse(readFileSync(root("package.json"), "utf8")) as { engines: { node: string } };
    const vite = JSON.parse(readFileSync(root("node_modules/vite/package.json"), "utf8")) as {
      engines: { node: string };
    };
    expect(engines.node).toBe(vite.engines.node);
    const fits = (version: string) => isInRange(version, engines.node);
    expect(["20.19.0", "20.20.2", "22.12.0", "22.13.1", "24.0.0"].map(fits)).toEqual(Array(5).fill(true));
    expect(["18.20.0", "20.18.9", "21.7.0", "22.11.0"].map(fits)).toEqual(Array(4).fill(false));
  });
});
