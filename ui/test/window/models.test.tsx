import { userEvent } from "vitest/browser";
import { afterEach, describe, expect, test } from "vitest";
import { openWindow, type Window } from "./openWindow";

let w: Window;
afterEach(() => w.close());

async function openSettings() {
  await w.id("nav-settings").click();
  await expect.element(w.id("what-leaves")).toBeVisible();
}

async function fill(values: { preset?: string; name?: string; url?: string; key?: string }) {
  if (values.preset) {
    await w.id("provider-preset").click();
    await w.id(`provider-preset-${values.preset}`).click();
  }
  if (values.name !== undefined) await w.id("provider-name").fill(values.name);
  if (values.url !== undefined) await w.id("provider-url").fill(values.url);
  if (values.key !== undefined) await w.id("provider-key").fill(values.key);
}

async function add(values: Parameters<typeof fill>[0]) {
  const before = w.id("provider").elements().length;
  await w.id("provider-add").click();
  await fill(values);
  await w.id("provider-save").click();
  await expect.poll(() => w.id("provider").elements().length).toBe(before + 1);
}

async function choose(purpose: string, provider: string, model: string) {
  await w.id(`purpose-${purpose}-provider`).click();
  await w.id(`purpose-${purpose}-provider-${provider}`).click();
  await w.id(`purpose-${purpose}-model`).fill(model);
  await w.press("{Enter}");
  await expect.poll(() => w.backend.models.purposes.find((one) => one.purpose === purpose)?.model).toBe(model);
  // The window reads the choice again before the next step.
  await w.backend.idle();
}

describe("the settings", () => {
  test("lead to the memory: to what was learned, and to its safekeeping", async () => {
    w = await openWindow();
    for (const [way, page] of [
      ["settings-memory", "rules"],
      ["settings-safety", "safety"],
    ] as const) {
      await w.id("nav-settings").click();
      await w.id(way).click();
      await expect.element(w.id(`memory-page-${page}`)).toHaveAttribute("aria-selected", "true");
    }
  });
});

describe("a service", () => {
  test("is added from a preset; its key goes in and is never seen again", async () => {
    w = await openWindow();
    await openSettings();
    await add({ preset: "deepseek", key: "sk-secret-42" });
    await expect
      .poll(() => w.backend.callsOf("ai:provider:save"))
      .toEqual([{ kind: "openAi", name: "DeepSeek", baseUrl: "https://api.deepseek.com/v1", key: "sk-secret-42" }]);
    await expect.element(w.id("provider-at")).toHaveTextContent("api.deepseek.com·密钥在系统钥匙串里");
    await w.id("provider-edit").click();
    expect((w.id("provider-key").element() as HTMLInputElement).type).toBe("password");
    await expect.element(w.id("provider-key")).toHaveValue("");
    expect(document.body.innerHTML).not.toContain("sk-secret-42");
  });

  test("without a keychain a notice explains that keys last for this session", async () => {
    w = await openWindow();
    w.backend.models.keychain = false;
    w.backend.emit("memory:changed", { projectId: null, what: ["models"] });
    await openSettings();
    await expect.element(w.id("no-keychain")).toHaveTextContent("这台电脑上没有钥匙串");
    await add({ preset: "openai", key: "sk-1" });
    await expect.element(w.id("provider-at")).toHaveTextContent("密钥只保留到关闭程序");
  });

  test("changing its name leaves its key; taking the key away says so and does it", async () => {
    w = await openWindow();
    await openSettings();
    await add({ preset: "openai", key: "sk-1" });
    await w.id("provider-edit").click();
    await fill({ name: "我的" });
    await w.id("provider-save").click();
    await expect.element(w.id("provider")).toHaveTextContent("我的");
    expect(w.backend.callsOf("ai:provider:save")[1]).not.toHaveProperty("key");
    await expect.poll(() => w.backend.models.keys.get("provider-1")).toBe("sk-1");
    await w.id("provider-edit").click();
    await w.id("provider-key-drop").click();
    await w.id("provider-save").click();
    await expect.element(w.id("provider-at")).toHaveTextContent("没有密钥");
    await expect.poll(() => w.backend.callsOf("ai:provider:save")[2]).toMatchObject({ key: "" });
  });

  test("another host does not get the old key, and the form says so before", async () => {
    w = await openWindow();
    await openSettings();
    await add({ preset: "openai", key: "sk-1" });
    await w.id("provider-edit").click();
    await expect.element(w.id("provider-form")).toHaveTextContent("现有的密钥在系统钥匙串里");
    await fill({ url: "https://api.example.com/v1" });
    await expect.element(w.id("provider-form")).toHaveTextContent("原来的密钥不会带过去");
  });

  test("an address that cannot be used is refused at its field, and what was typed stays", async () => {
    w = await openWindow();
    await openSettings();
    await w.id("provider-add").click();
    await fill({ preset: "other", name: "自己的", url: "http://example.com/v1", key: "sk-1" });
    await w.press("{Enter}");
    await expect.element(w.id("provider-form")).toHaveTextContent("要以 https 开头");
    await expect.element(w.id("provider-url")).toHaveValue("http://example.com/v1");
    expect(w.backend.models.providers).toEqual([]);
    await fill({ url: "https://example.com/v1" });
    await w.id("provider-save").click();
    await expect.element(w.id("provider")).toHaveTextContent("自己的");
  });

  test("says while the address is typed where the text would go", async () => {
    w = await openWindow();
    await openSettings();
    await w.id("provider-add").click();
    await expect.element(w.id("provider-form")).toHaveTextContent("文字发往 api.openai.com");
    await fill({ url: "http://127.0.0.1:9000/v1" });
    await expect.element(w.id("provider-form")).toHaveTextContent("就在这台电脑上");
    await fill({ url: "http://192.168.1.5:11434" });
    await expect.element(w.id("provider-form")).toHaveTextContent("在局域网里");
  });

  test("is deleted only after it was asked in place; its purposes fall back", async () => {
    w = await openWindow();
    await openSettings();
    await add({ preset: "deepseek", key: "sk-1" });
    await choose("writing", "provider-1", "deepseek-chat");
    await w.id("provider-delete").click();
    await expect.element(w.id("provider")).toHaveTextContent("它的密钥会一起删除；写作改用自带的。");
    await expect.element(w.id("provider-delete-cancel")).toHaveFocus();
    await w.press("{Escape}");
    await expect.element(w.id("provider-delete")).toHaveFocus();
    expect(w.backend.callsOf("ai:provider:delete")).toEqual([]);
    await w.id("provider-delete").click();
    await w.id("provider-delete-confirm").click();
    await expect.poll(() => w.id("provider").elements()).toEqual([]);
    await expect.element(w.id("purpose-writing-provider")).toHaveTextContent("示例模型");
  });

  test("Ollama that is on this machine is offered, and taken with one press", async () => {
    w = await openWindow();
    w.backend.models.found = ["qwen3:8b", "bge-m3"];
    await openSettings();
    await expect.element(w.id("settings-panel")).toHaveTextContent("这台电脑上有 Ollama，里面有 2 个模型");
    await w.id("ollama-add").click();
    await expect.element(w.id("provider")).toHaveTextContent("Ollama");
    await expect
      .poll(() => w.backend.callsOf("ai:provider:save"))
      .toEqual([{ kind: "ollama", name: "Ollama", baseUrl: "http://127.0.0.1:11434" }]);
    await expect.poll(() => w.id("ollama-add").elements()).toEqual([]);
  });
});

describe("testing the connection", () => {
  test("shows that it is under way, then how long it took and what is there", async () => {
    w = await openWindow();
    await openSettings();
    await add({ preset: "deepseek" });
    const release = w.backend.waits.hold("ai:provider:test");
    await w.id("provider-test").click();
    await expect.element(w.id("provider-tested")).toHaveTextContent("正在测试……");
    release();
    await expect.element(w.id("provider-tested")).toHaveTextContent("连接成功，有 3 个模型，用时 230 毫秒。");
    await expect.poll(() => w.backend.callsOf("ai:provider:test")).toEqual([{ providerId: "provider-1", model: null }]);
  });

  test("lets the chosen model write a word; one for vectors is not asked to", async () => {
    w = await openWindow();
    await openSettings();
    await add({ preset: "ollama" });
    await choose("embedding", "provider-1", "bge-m3");
    await w.id("provider-test").click();
    await expect
      .poll(() => w.backend.callsOf("ai:provider:test").at(-1))
      .toEqual({ providerId: "provider-1", model: null });
    await choose("writing", "provider-1", "qwen3:8b");
    await w.id("provider-test").click();
    await expect.element(w.id("provider-tested")).toHaveTextContent("选中的能写作");
    await expect
      .poll(() => w.backend.callsOf("ai:provider:test").at(-1))
      .toEqual({ providerId: "provider-1", model: "qwen3:8b" });
  });

  test("a refusal says what to do", async () => {
    w = await openWindow();
    await openSettings();
    await add({ preset: "openai" });
    w.backend.fail("ai:provider:test", {
      code: "MEMORY_MODEL_UNAVAILABLE",
      message: "401",
      details: { reason: "keyRefused" },
    });
    await w.id("provider-test").click();
    await expect
      .element(w.id("provider-tested"))
      .toHaveTextContent("服务不认这个密钥。到设置里换一个，或者看看它是不是过期了。");
  });
});

describe("a model for each purpose", () => {
  test("is chosen from what the provider has, and only then takes effect", async () => {
    w = await openWindow();
    await openSettings();
    await add({ preset: "ollama" });
    await w.id("purpose-writing-provider").click();
    await w.id("purpose-writing-provider-provider-1").click();
    await expect.element(w.id("purpose-writing")).toHaveTextContent("再选一个模型，更换才生效。");
    expect(w.backend.callsOf("ai:purpose:set")).toEqual([]);
    await w.id("purpose-writing-model").click();
    await w.press("{ArrowDown}");
    await expect
      .poll(() =>
        w
          .id("purpose-writing-model-option")
          .elements()
          .map((one) => one.textContent),
      )
      .toEqual(["qwen3:8b", "qwen3:30b", "bge-m3"]);
    await w.press("{ArrowDown}{Enter}");
    await expect
      .poll(() => w.backend.callsOf("ai:purpose:set"))
      .toEqual([{ purpose: "writing", providerId: "provider-1", model: "qwen3:30b" }]);
    await expect.element(w.id("purpose-writing")).toHaveTextContent("一次最多读 32,768 词元");
    await expect.element(w.id("purpose-writing-model")).toHaveValue("qwen3:30b");
    await expect.element(w.id("purpose-writing-model")).toHaveFocus();
  });

  test("may be typed if the list is unavailable, and the reason is shown", async () => {
    w = await openWindow();
    await openSettings();
    await add({ preset: "vllm" });
    w.backend.fail("ai:provider:models", {
      code: "MEMORY_MODEL_UNAVAILABLE",
      message: "refused",
      details: { reason: "unreachable" },
    });
    await w.id("purpose-distilling-provider").click();
    await w.id("purpose-distilling-provider-provider-1").click();
    await expect.element(w.id("purpose-distilling-problem")).toHaveTextContent("这个地址没有响应。");
    await w.id("purpose-distilling-model").fill("my-model");
    await w.press("{Enter}");
    await expect
      .poll(() => w.backend.callsOf("ai:purpose:set"))
      .toEqual([{ purpose: "distilling", providerId: "provider-1", model: "my-model" }]);
  });

  test("goes back to what is built in with one choice", async () => {
    w = await openWindow();
    await openSettings();
    await add({ preset: "ollama" });
    await choose("writing", "provider-1", "qwen3:8b");
    await w.id("purpose-writing-provider").click();
    await w.id("purpose-writing-provider-builtIn").click();
    await expect
      .poll(() => w.backend.callsOf("ai:purpose:set").at(-1))
      .toEqual({ purpose: "writing", providerId: null, model: null });
    await expect.poll(() => w.id("purpose-writing-model").elements()).toEqual([]);
  });

  test("by the keyboard alone: a service from nothing to the model that writes", async () => {
    w = await openWindow();
    await openSettings();
    (w.id("provider-add").element() as HTMLElement).focus();
    await w.press("{Enter}");
    (w.id("provider-preset").element() as HTMLElement).focus();
    await w.press("{Enter}");
    await w.press("Olla{Enter}");
    await expect.element(w.id("provider-url")).toHaveValue("http://127.0.0.1:11434");
    (w.id("provider-name").element() as HTMLElement).focus();
    await w.press("{Enter}");
    await expect.poll(() => w.backend.models.providers.length).toBe(1);
    await expect.element(w.id("provider-test")).toBeVisible();
  });
});

describe("what leaves the machine", () => {
  test("nothing, a machine near by, or a host by name", async () => {
    w = await openWindow();
    await openSettings();
    await expect.element(w.id("what-leaves")).toHaveTextContent("文字不离开这台电脑");
    await add({ preset: "ollama" });
    await choose("writing", "provider-1", "qwen3:8b");
    await expect.element(w.id("what-leaves")).toHaveTextContent("文字只发给这台电脑上的模型，不离开这台电脑。");
    await add({ preset: "deepseek" });
    await choose("writing", "provider-2", "deepseek-chat");
    await choose("distilling", "provider-2", "deepseek-chat");
    await expect.element(w.id("what-leaves")).toHaveTextContent("写作、学习：文字发往 api.deepseek.com。不会发往别处");
  });

  test("is in the status bar before the first run", async () => {
    w = await openWindow();
    await expect.element(w.id("provider-label")).toHaveTextContent("示例模型·内置句子，不联网");
    expect(w.backend.callsOf("ai:skill:run")).toEqual([]);
    await openSettings();
    await add({ preset: "deepseek" });
    await choose("writing", "provider-1", "deepseek-chat");
    await expect.element(w.id("provider-label")).toHaveTextContent("deepseek-chat·发往 api.deepseek.com");
    await expect.element(w.id("provider-label")).toHaveAttribute("data-away", "true");
    await add({ preset: "ollama" });
    await choose("writing", "provider-2", "qwen3:8b");
    await expect.element(w.id("provider-label")).toHaveTextContent("qwen3:8b·本机");
    await expect.element(w.id("provider-label")).not.toHaveAttribute("data-away");
  });
});

describe("today's use", () => {
  test("is counted beside a limit that may be set and lifted", async () => {
    w = await openWindow();
    Object.assign(w.backend.models.usage, { requests: 12, tokens: 34_567 });
    await openSettings();
    await expect.element(w.id("usage-requests")).toHaveTextContent("请求了 12 次");
    await expect.element(w.id("usage-tokens")).toHaveTextContent("用了 34,567 词元");
    await w.id("limit-tokens").fill("50000");
    await w.press("{Enter}");
    await expect
      .poll(() => w.backend.callsOf("ai:usage:limit"))
      .toEqual([{ requestsPerDay: null, tokensPerDay: 50_000 }]);
    await w.id("limit-tokens").fill("");
    await w.press("{Enter}");
    await expect
      .poll(() => w.backend.callsOf("ai:usage:limit").at(-1))
      .toEqual({ requestsPerDay: null, tokensPerDay: null });
  });

  test("keeps a second change that is made while the first is being stored", async () => {
    w = await openWindow();
    await openSettings();
    const release = w.backend.waits.hold("ai:usage:limit");
    await w.id("limit-tokens").fill("50000");
    await w.press("{Enter}");
    await w.id("limit-requests").fill("20");
    await w.press("{Enter}");
    await w.id("limit-tokens").fill("");
    await w.press("{Enter}");
    release();
    await expect
      .poll(() => w.backend.callsOf("ai:usage:limit"))
      .toEqual([
        { requestsPerDay: null, tokensPerDay: 50_000 },
        { requestsPerDay: 20, tokensPerDay: 50_000 },
        { requestsPerDay: 20, tokensPerDay: null },
      ]);
    await expect.element(w.id("limit-requests")).toHaveValue("20");
    await expect.element(w.id("limit-tokens")).toHaveValue("");
  });

  test("is read again when a run has ended", async () => {
    w = await openWindow();
    await openSettings();
    await expect.element(w.id("usage-requests")).toHaveTextContent("请求了 0 次");
    w.backend.models.usage = { ...w.backend.models.usage, requests: 3 };
    w.backend.emit("ai:skill:done", { generationId: "x", status: "finished", candidates: [], error: null });
    await expect.element(w.id("usage-requests")).toHaveTextContent("请求了 3 次");
  });
});

describe("how much is looked up for a question", () => {
  const changes = () => w.backend.callsOf("settings:set").filter((change) => "journalTopK" in change);

  test("is set in two fields, which say when it applies", async () => {
    w = await openWindow();
    await openSettings();
    await expect.element(w.id("question-entries")).toHaveValue("5");
    await expect.element(w.id("question-rounds")).toHaveAttribute("data-value", "3");
    await expect.element(w.id("questions")).toHaveTextContent("提问的时候，照这里的数去找。");
    await expect
      .element(w.id("question-entries"))
      .toHaveAccessibleDescription(expect.stringContaining("“流水”页的查找不受影响。"));
    await w.id("question-entries").fill("12");
    await w.press("{Enter}");
    await expect.poll(changes).toEqual([{ journalTopK: 12, journalCognitionRounds: 3 }]);
    await w.id("question-rounds-2").click();
    await expect.poll(changes).toHaveLength(2);
    expect(changes()[1]).toEqual({ journalTopK: 12, journalCognitionRounds: 2 });
    await expect.element(w.id("question-rounds")).toHaveAttribute("data-value", "2");
    await w.id("settings-close").click();
    await openSettings();
    await expect.element(w.id("question-entries")).toHaveValue("12");
    await expect.element(w.id("question-rounds")).toHaveAttribute("data-value", "2");
  });

  test("names the settings that config.toml sets, and nothing without one", async () => {
    w = await openWindow();
    await openSettings();
    await expect.element(w.id("questions")).toBeVisible();
    await expect.poll(() => w.backend.callsOf("answer:config:get").length).toBeGreaterThan(0);
    await w.backend.idle();
    expect(w.id("set-by-file").elements()).toEqual([]);
    await w.id("settings-close").click();
    w.backend.answers.settings.file.set("gatekeeper.max_inject", 2);
    w.backend.emit("memory:changed", { projectId: null, what: ["settings"] });
    await openSettings();
    await expect.element(w.id("set-by-file")).toHaveTextContent("由 config.toml 设定");
    await expect.element(w.id("set-by-file")).toHaveTextContent("gatekeeper.max_inject = 2");
    await expect.element(w.id("set-by-file")).not.toHaveTextContent("memory.enabled");
  });

  test("is never outside its range, and never empty", async () => {
    w = await openWindow();
    await openSettings();
    await w.id("question-entries").fill("99");
    await w.press("{Enter}");
    await expect.element(w.id("question-entries")).toHaveValue("50");
    await w.id("question-entries").fill("");
    await w.press("{Enter}");
    await expect.element(w.id("question-entries")).toHaveValue("50");
    await w.backend.idle();
    await expect.poll(changes).toEqual([{ journalTopK: 50, journalCognitionRounds: 3 }]);
  });

  test("is changed by the keyboard alone", async () => {
    w = await openWindow();
    await openSettings();
    (w.id("question-entries").element() as HTMLElement).focus();
    await w.press("{ArrowUp}");
    await expect.poll(changes).toEqual([{ journalTopK: 6, journalCognitionRounds: 3 }]);
    await w.press("{Tab}");
    await expect.element(w.id("question-rounds").getByRole("radio", { name: "1" })).toHaveFocus();
    await w.press("{ArrowRight}{Enter}");
    await expect.poll(() => changes().at(-1)).toEqual({ journalTopK: 6, journalCognitionRounds: 2 });
  });

  test("keeps a second change that is made while the first is being stored", async () => {
    w = await openWindow();
    await openSettings();
    const release = w.backend.waits.hold("settings:set");
    await w.id("question-entries").fill("8");
    await w.press("{Enter}");
    await w.id("question-rounds-1").click();
    release();
    await expect.poll(() => changes().at(-1)).toEqual({ journalTopK: 8, journalCognitionRounds: 1 });
    await expect.element(w.id("question-entries")).toHaveValue("8");
    await expect.element(w.id("question-rounds")).toHaveAttribute("data-value", "1");
  });

  test("that could not be stored is shown as it is, with the reason", async () => {
    w = await openWindow();
    await openSettings();
    w.backend.fail("settings:set", { code: "MEMORY_WRITE_FAILED", message: "disk full" });
    await w.id("question-rounds-1").click();
    await expect.element(w.id("questions-problem")).toHaveTextContent("没有保存。没能写进磁盘");
    await expect.element(w.id("question-rounds")).toHaveAttribute("data-value", "3");
    w.backend.fail("settings:set", {
      code: "MEMORY_INVALID_ARGUMENT",
      message: "journalTopK: refused",
      details: { field: "journalTopK" },
    });
    await w.id("question-entries").fill("9");
    await w.press("{Enter}");
    await expect.element(w.id("questions-problem")).toHaveTextContent("没有保存。条数要在 1 到 50 之间。");
    await expect.element(w.id("question-entries")).toHaveValue("5");
    await w.id("question-entries").fill("9");
    await w.press("{Enter}");
    await expect.poll(() => w.id("questions-problem").elements()).toEqual([]);
    await expect.element(w.id("question-entries")).toHaveValue("9");
  });
});

describe("another model for finding by meaning", () => {
  test("rereads the past in sight, in the settings and in the status bar", async () => {
    w = await openWindow();
    await openSettings();
    w.backend.emit("memory:index:progress", { part: "embedder", done: 120, total: 400 });
    await expect.element(w.id("rereading")).toHaveTextContent("正在重读往事 120/400，写作照常。");
    await expect.element(w.id("index-progress")).toHaveTextContent("换了模型，正在重读往事 120/400");
    w.backend.emit("memory:index:progress", { part: "embedder", done: 400, total: 400 });
    await expect.poll(() => w.id("index-progress").elements()).toEqual([]);
  });

  test("that does not answer: the message gives first what still works and then the reason", async () => {
    w = await openWindow();
    await openSettings();
    w.backend.degradeFor("unreachable", "embedder");
    await expect
      .element(w.id("embedder-problem"))
      .toHaveTextContent("往事照常按字词和场景找，只是不按意思找。这个地址没有响应。");
  });
});

describe("the way there and back", () => {
  test("a refused key leads to the settings, and the words on the page stay", async () => {
    w = await openWindow();
    await w.toEnd();
    const before = w.text;
    await w.id("run").click();
    await expect.poll(() => w.id("candidate").elements().length).toBe(3);
    w.backend.end("failed", { code: "MEMORY_MODEL_UNAVAILABLE", message: "401", details: { reason: "keyRefused" } });
    await expect.element(w.id("run-problem")).toHaveTextContent("没有写出来，正文没有变");
    await expect.element(w.id("run-problem")).toHaveTextContent("服务不认这个密钥");
    await w.id("to-settings").click();
    await expect.element(w.id("settings-panel")).toBeVisible();
    await w.id("settings-close").click();
    await expect.element(w.id("run-problem")).toBeVisible();
    await expect.poll(() => w.text).toBe(before);
  });

  test("in English too", async () => {
    w = await openWindow({ language: "en" });
    await openSettings();
    await expect.element(w.id("what-leaves")).toHaveTextContent("No text leaves this machine.");
    await add({ preset: "deepseek" });
    await choose("writing", "provider-1", "deepseek-chat");
    await expect.element(w.id("what-leaves")).toHaveTextContent("Writing: text goes to api.deepseek.com.");
    w.backend.fail("ai:provider:test", {
      code: "MEMORY_MODEL_UNAVAILABLE",
      message: "429",
      details: { reason: "rateLimited", retryAfterSeconds: 30 },
    });
    await userEvent.click(w.id("provider-test"));
    await expect
      .element(w.id("provider-tested"))
      .toHaveTextContent("Too many requests; the service asks for 30 seconds. Try again then.");
  });
});
