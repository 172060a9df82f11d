import { Program } from "../src/app/program";
import { installHost } from "../src/backend";
import { FakeBackend, type FakeOptions } from "../src/backend/fake";

/** A program on a fake backend before its first render, for tests and stories. */
export async function raise(options: FakeOptions = {}) {
  localStorage.clear();
  const backend = new FakeBackend({
    pace: null,
    now: "2026-10-20T14:32:00Z",
    settings: { interfaceLanguage: options.language === "en" ? "en" : "zh-CN" },
    ...options,
  });
  installHost(backend);
  const program = new Program();
  await program.prepare();
  return { backend, program };
}
