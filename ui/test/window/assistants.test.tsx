// Programs of this machine that answer questions: set up in the settings, chosen in the menu of who answers, asked with
// what leaves said before. A program that fails keeps the question in the field.

import { afterEach, describe, expect, test } from "vitest";
import type { Backend, Reason } from "../../src/backend";
import type { FakeBackend } from "../../src/backend/fake";
import { faults } from "../../testing/axe";
import { withModel } from "./askPanel";
import { openWindow, type Window } from "./openWindow";

let w: Window;
afterEach(() => w.close());

const QUESTION = "水尺上的数是谁改的？";
const COPY = "在书的一份抄本里自己翻，只读，到第 3 章为止，名字换成化名。";

const claude: Backend = {
  backendId: "claude",
  kind: "claude",
  name: "Claude Code",
  program: "claude",
  arguments: [],
  model: null,
  isolation: "asked",
};
const codex: Backend = { ...claude, backendId: "codex", kind: "codex", name: "Codex", program: "codex" };
const own: Backend = { ...claude, backendId: "own", kind: "own", name: "脚本", program: "/opt/tide/answer" };

/** A window with a model and three programs, the caret at the end of the third chapter, and the questions open. */
async function open(before: (backend: FakeBackend) => void = () => {}, model = withModel) {
  w = await openWindow({
    before: (backend) => {
      model(backend);
      backend.backends.backends = [claude, codex, own];
      before(backend);
    },
  });
  await w.openChapter(2);
  await w.toEnd();
  await w.press("{F1}");
  await expect.element(w.id("ask-leaves")).toBeVisible();
}

async function choose({ backendId }: Backend = claude) {
  await w.id("ask-who").click();
  await w.id(`ask-who-program:${backendId}`).click();
}

async function ask() {
  await w.id("ask-field").fill(QUESTION);
  await w.press("{Enter}");
}

async function fail(reason: Reason, pieces = 0) {
  await ask();
  await expect.element(w.id("ask-loop")).toBeVisible();
  if (pieces > 0) w.backend.asking.advance(pieces);
  w.backend.asking.end("failed", { code: "MEMORY_MODEL_UNAVAILABLE", message: "no answer", details: { reason } });
}

async function openSettings() {
  await w.id("nav-settings").click();
  await expect.element(w.id("assistants")).toBeVisible();
}

const unfenced = ({ backends }: FakeBackend) =>
  void (backends.tested = { version: "2.1.0", ready: true, fence: "asked", reason: null });
const runs = () => w.backend.callsOf("ask:run");
const leaves = () => w.id("ask-leaves");
const tests = () => w.backend.callsOf("backend:test").map(({ backendId }) => backendId);
const gone = (testId: string) => expect.poll(() => w.id(testId).elements()).toEqual([]);

describe("a program", () => {
  test("is chosen with what leaves for it, asked, and answers with its steps and its passages", async () => {
    await open();
    await choose();
    await expect.element(leaves()).toHaveTextContent(`${COPY}它读到的会发给 Anthropic。`);
    await ask();
    await expect.element(w.id("ask-loop")).toBeVisible();
    await expect.poll(runs).toMatchObject([{ question: QUESTION, backendId: "claude" }]);
    expect(runs()[0]).not.toHaveProperty("isUnfencedAllowed");
    w.backend.asking.advance(1);
    await expect.element(w.id("ask-loop")).toHaveTextContent("在文件里找");
    await w.id("ask-loop").click();
    w.backend.asking.advance();
    await expect.element(w.id("ask-loop")).toHaveTextContent("查了 3 步·11 秒");
    await expect.element(w.id("ask-steps")).toHaveTextContent("它自己在文件里找它自己读文件它自己读文件");
    await expect.element(w.id("ask-struck")).toBeVisible();
    await w.id("ask-chip").first().click();
    await expect.element(w.id("ask-passage").first()).toHaveAttribute("aria-pressed", "true");
    await expect.element(w.id("ask-verdicts")).toBeVisible();
    expect(await faults()).toEqual([]);
  });

  test("says where its text goes, up to where, and stays chosen for every book of the session", async () => {
    await open();
    await choose(codex);
    await expect.element(leaves()).toHaveTextContent(`${COPY}它读到的会发给 OpenAI。`);
    await w.id("ask-as-of").click();
    await w.id(`ask-as-of-pin:${w.file(0).info.chapterId}`).click();
    await expect.element(leaves()).toHaveTextContent("到第 1 章为止，名字换成化名。");
    await w.id("ask-as-of").click();
    await w.id("ask-as-of-whole").click();
    await expect.element(leaves()).toHaveTextContent("只读，名字换成化名。它读到的会发给 OpenAI。后面的事也会带上。");
    // That a program of the writer's own cannot write is not promised.
    await choose(own);
    await expect.element(leaves()).not.toHaveTextContent("只读");
    await expect.element(leaves()).toHaveTextContent("它读到的发往哪里，由它自己定。");
    await w.program.openPath("/another");
    await expect.element(w.id("ask-who")).toHaveTextContent("脚本");
  });

  test("is tested while the menu is open, and not before; a refusal stands beside it", async () => {
    await open(({ backends }) => {
      backends.tested = { version: null, ready: false, fence: "system", reason: "notLoggedIn" };
    });
    await w.backend.idle();
    expect(tests()).toEqual([]);
    await w.id("ask-who").click();
    await expect.element(w.id("ask-who-program:claude")).toHaveTextContent("Claude Code用不了这个程序还没有登录");
    await expect.poll(tests).toEqual(["claude", "codex", "own"]);
    expect(await faults()).toEqual([]);
    await w.press("{Escape}");
    // The writer has signed in.
    w.backend.backends.tested = { version: "2.1.0 (Claude Code)", ready: true, fence: "system", reason: null };
    await w.id("ask-who").click();
    await expect.element(w.id("ask-who-program:claude")).toHaveTextContent(`Claude Code2.1.0${COPY}`);
    await expect.element(w.id("ask-who-program:codex")).toHaveTextContent("同样是抄本。它读到的会发给 OpenAI。");
    await expect.element(w.id("ask-who-program:own")).toHaveTextContent("在书的一份抄本里自己翻，到第 3 章为止");
  });

  test("is offered while its test is slow", async () => {
    await open(({ waits }) => waits.delay("backend:test", 3_600_000));
    await choose();
    await expect.element(leaves()).toHaveTextContent("Anthropic");
  });

  test("that is removed answers no more: the model does, and the field says so", async () => {
    await open();
    await choose();
    await expect.element(leaves()).toHaveTextContent("Anthropic");
    await w.backend.invoke("backend:delete", { backendId: "claude" });
    await expect.element(leaves()).toHaveTextContent("发往 api.example.com：");
    await ask();
    await expect.poll(() => runs().length).toBe(1);
    expect(runs()[0]).not.toHaveProperty("backendId");
  });

  test("is not asked where the book alone is", async () => {
    await open();
    await choose();
    await w.id("ask-who").click();
    await w.id("ask-who-book").click();
    await ask();
    await expect.poll(() => runs()[0]?.onlyBook).toBe(true);
    expect(runs()[0]).not.toHaveProperty("backendId");
  });
});

describe("a program that the system cannot keep in", () => {
  test("is not started; this once it is, and the next time not again", async () => {
    await open(unfenced);
    await choose();
    await ask();
    await expect.element(w.id("ask-program-failed")).toHaveTextContent("Claude Code 看得到这个文件夹以外的东西");
    await expect.element(w.id("ask-program-failed")).toHaveTextContent("所以没有启动。问题还在框里。");
    await expect.element(w.id("ask-field")).toHaveValue(QUESTION);
    expect(await faults()).toEqual([]);
    await w.id("ask-unfenced").click();
    await expect.poll(() => runs().length).toBe(2);
    expect(runs()[1]).toMatchObject({ question: QUESTION, backendId: "claude", isUnfencedAllowed: true });
    w.backend.asking.advance();
    await expect.element(w.id("ask-copy")).toBeVisible();
    await ask();
    await expect.poll(() => runs().length).toBe(3);
    expect(runs()[2]).not.toHaveProperty("isUnfencedAllowed");
  });

  test("gives way to the model, which is asked only after the field has said where it goes", async () => {
    await open(unfenced);
    await choose();
    await ask();
    await w.id("ask-model").click();
    await expect.element(leaves()).toHaveTextContent("发往 api.example.com：");
    await expect.element(w.id("ask-field")).toHaveFocus();
    await expect.poll(runs).toHaveLength(1);
    await w.press("{Enter}");
    await expect.poll(() => runs().length).toBe(2);
    expect(runs()[1]).toMatchObject({ question: QUESTION });
    expect(runs()[1]).not.toHaveProperty("backendId");
  });

  test("gives way to the book alone where no model can answer", async () => {
    await open(unfenced, () => {});
    await choose();
    await gone("ask-no-model");
    await ask();
    await w.id("ask-only-book").click();
    await expect.poll(() => runs()[1]?.onlyBook).toBe(true);
  });

  test("is not offered this once where it is to run behind the fence alone", async () => {
    await open((backend) => {
      unfenced(backend);
      backend.backends.backends = [{ ...claude, isolation: "system" }];
    });
    await choose();
    await ask();
    await expect.element(w.id("ask-model")).toBeVisible();
    expect(w.id("ask-unfenced").elements()).toEqual([]);
  });
});

describe("a program that fails keeps the question in the field, and says why:", () => {
  for (const [reason, words, pieces] of [
    ["programMissing", "找不到 Claude Code", 0],
    ["notLoggedIn", "Claude Code 还没有登录", 0],
    ["versionTooOld", "Claude Code 太旧了", 0],
    ["untrustedFolder", "没有答上来这个程序不信任", 0],
    ["startFailed", "没有答上来这个程序没能启动", 0],
    ["silent", "Claude Code 1 秒没有出声，停掉了", 0],
    ["silent", "Claude Code 很久没有出声，停掉了", 10],
    ["timeout", "没有答上来等了很久", 0],
    ["tooMuch", "答到一半断了这个程序说得太多", 10],
    ["wroteFiles", "它想改书，正文没有动改的是抄本，没有采用。", 10],
  ] as const)
    test(`${reason} after ${pieces} pieces`, async () => {
      await open();
      const { text } = w;
      await choose();
      await fail(reason, pieces);
      await expect.element(w.id("ask-program-failed")).toHaveTextContent(words);
      await expect.element(w.id("ask-program-failed")).toHaveTextContent("问题还在框里。");
      await expect.element(w.id("ask-field")).toHaveValue(QUESTION);
      expect(w.id("ask-verdicts").elements()).toEqual([]);
      await expect.poll(() => w.text).toBe(text);
    });

  test("and is asked again, or set right in the settings", async () => {
    await open();
    await choose();
    await fail("silent");
    await w.id("ask-again").click();
    await expect.poll(() => runs().length).toBe(2);
    expect(runs()[1]).toMatchObject({ question: QUESTION, backendId: "claude", fresh: true });
    w.backend.asking.end("failed", {
      code: "MEMORY_MODEL_UNAVAILABLE",
      message: "missing",
      details: { reason: "programMissing" },
    });
    await w.id("ask-to-settings").click();
    await expect.element(w.id("assistants")).toBeVisible();
  });
});

describe("the settings of programs", () => {
  test("add one that was found, test it, and remove it", async () => {
    w = await openWindow();
    await openSettings();
    await expect.element(w.id("assistant-found")).toHaveTextContent("Claude Code找到了·/usr/local/bin/claude");
    expect(await faults()).toEqual([]);
    await w.id("assistant-add").click();
    await expect.element(w.id("assistant")).toHaveTextContent("Claude Code");
    await gone("assistant-found");
    await expect.poll(() => w.backend.callsOf("backend:save")).toEqual([{ kind: "claude", name: "Claude Code" }]);
    expect(tests()).toEqual([]);

    await w.id("assistant-test").click();
    await expect.element(w.id("assistant-tested")).toHaveTextContent("2.1.0·可以问。系统把它关在抄本里，别的读不到。");
    w.backend.backends.tested = { version: "2.1.0", ready: true, fence: "asked", reason: null };
    await w.id("assistant-test").click();
    await expect.element(w.id("assistant-tested")).toHaveTextContent("系统关不住它：靠它自己的选项不写文件");
    w.backend.backends.tested = { version: "1.0.1", ready: false, fence: "asked", reason: "versionTooOld" };
    await w.id("assistant-test").click();
    await expect.element(w.id("assistant-tested")).toHaveTextContent("1.0.1·这个程序的版本太旧");

    await w.id("assistant-remove").click();
    await expect.element(w.id("assistant-remove-cancel")).toHaveFocus();
    await w.press("{Escape}");
    await expect.element(w.id("assistant-remove")).toHaveFocus();
    await w.id("assistant-remove").click();
    await w.id("assistant-remove-confirm").click();
    await gone("assistant");
    await expect.element(w.id("assistant-found")).toBeVisible();
  });

  test("add a program of the writer's own by its path and its arguments; a refusal stands at its field", async () => {
    w = await openWindow();
    await openSettings();
    await w.id("assistant-own").click();
    await expect.element(w.id("assistant-name")).toHaveFocus();
    await w.id("assistant-name").fill("脚本");
    await w.id("assistant-program").fill("bin/answer");
    await w.id("assistant-arguments").fill("--quiet\n\n --model={model} ");
    await w.id("assistant-model").fill("large");
    await w.id("assistant-save").click();
    await expect.element(w.id("assistant-program")).toHaveAccessibleDescription(expect.stringContaining("完整的路径"));
    await expect.element(w.id("assistant-program")).toHaveAttribute("aria-invalid", "true");
    expect(await faults()).toEqual([]);
    await w.id("assistant-program").fill("/opt/tide/answer");
    await w.id("assistant-save").click();
    await expect.element(w.id("assistant-at")).toHaveTextContent("/opt/tide/answer --quiet --model={model}");
    await expect
      .poll(() => w.backend.callsOf("backend:save")[1])
      .toEqual({
        kind: "own",
        name: "脚本",
        program: "/opt/tide/answer",
        arguments: ["--quiet", "--model={model}"],
        model: "large",
      });
    await expect.element(w.id("assistant-own")).toHaveFocus();
    // It is offered at once.
    await w.id("nav-book").click();
    await w.press("{F1}");
    await w.id("ask-who").click();
    await expect.element(w.id("ask-who-program:backend-1")).toHaveTextContent("脚本");
  });

  test("change one in the same form, prefilled; a refusal stands at its field, and the old one stays", async () => {
    const script: Backend = { ...own, arguments: ["--quiet", "--model={model}"], model: "large", isolation: "system" };
    w = await openWindow({ before: ({ backends }) => void (backends.backends = [claude, script]) });
    await openSettings();
    await w.id("assistant-edit").nth(1).click();
    await expect.element(w.id("assistant-name")).toHaveFocus();
    await expect.element(w.id("assistant-name")).toHaveValue("脚本");
    await expect.element(w.id("assistant-program")).toHaveValue("/opt/tide/answer");
    await expect.element(w.id("assistant-arguments")).toHaveValue("--quiet\n--model={model}");
    await expect.element(w.id("assistant-model")).toHaveValue("large");
    await w.id("assistant-program").fill("bin/answer");
    await w.id("assistant-save").click();
    await expect.element(w.id("assistant-program")).toHaveAttribute("aria-invalid", "true");
    expect(await faults()).toEqual([]);
    await expect.poll(() => w.backend.backends.backends).toEqual([claude, script]);
    await w.press("{Escape}");
    await expect.element(w.id("assistant-edit").nth(1)).toHaveFocus();
    await expect.element(w.id("assistant-at").nth(1)).toHaveTextContent("/opt/tide/answer --quiet");

    await w.id("assistant-edit").nth(1).click();
    await w.id("assistant-program").fill("/opt/tide/reply");
    await w.id("assistant-arguments").fill("");
    await w.id("assistant-save").click();
    await expect.element(w.id("assistant-at").nth(1)).toHaveTextContent("/opt/tide/reply");
    await expect.element(w.id("assistant-edit").nth(1)).toHaveFocus();
    // The rest of it is as it was.
    await expect
      .poll(() => w.backend.backends.backends[1])
      .toEqual({
        ...script,
        program: "/opt/tide/reply",
        arguments: [],
        model: null,
      });
  });

  test("change the model of a known program, and tell that one could not be stored or is gone", async () => {
    w = await openWindow({ before: ({ backends }) => void (backends.backends = [claude]) });
    await openSettings();
    await w.id("assistant-edit").click();
    expect(w.id("assistant-arguments").elements()).toEqual([]);
    await w.id("assistant-model").fill("opus");
    w.backend.fail("backend:save", { code: "MEMORY_WRITE_FAILED", message: "disk full" });
    await w.id("assistant-save").click();
    await expect.element(w.id("assistant-form-problem")).toHaveTextContent("没能写进磁盘");
    await expect.element(w.id("assistant-model")).toHaveValue("opus");
    await expect.poll(() => w.backend.backends.backends).toEqual([claude]);
    await w.id("assistant-save").click();
    await expect.element(w.id("assistant-at")).toHaveTextContent("claude·模型 opus");
    await expect.poll(() => w.backend.backends.backends).toEqual([{ ...claude, model: "opus" }]);
    await w.id("assistant-edit").click();
    w.backend.fail("backend:save", { code: "MEMORY_NOT_FOUND", message: "gone", details: { field: "backendId" } });
    await w.id("assistant-save").click();
    await expect.element(w.id("assistant-form-problem")).toHaveTextContent("找不到了，可能已经删除。");
  });

  test("say that none was found, and that one could not be stored", async () => {
    w = await openWindow({ before: ({ backends }) => void (backends.installed = []) });
    await openSettings();
    await expect.element(w.id("assistants-none")).toBeVisible();
    w.backend.backends.installed = [{ kind: "codex", program: "/usr/bin/codex" }];
    await w.id("settings-close").click();
    await openSettings();
    w.backend.fail("backend:save", { code: "MEMORY_WRITE_FAILED", message: "disk full" });
    await w.id("assistant-add").click();
    await expect.element(w.id("assistant-problem")).toHaveTextContent("没有保存。没能写进磁盘");
    expect(w.id("assistant").elements()).toEqual([]);
  });
});
