import type { Meta } from "@storybook/react-vite";
import { userEvent } from "storybook/test";
import { takeIn } from "./cast";
import { CLEARING, NEVER, steps, Window, type Scenario, type Stage } from "./stage";
import { atWork, elsewhere, findRecords, QUESTION, studying } from "./study";

export default {
  title: "Study",
  component: Window,
  args: { chapter: 8, panel: "story", before: takeIn },
} satisfies Meta<typeof Window>;

/** Opens the tray. */
const openTray = async (w: Stage, ...testIds: string[]) => {
  await w.see("study-headline");
  await w.press("study-open");
  for (const testId of ["study-tray", ...testIds]) await w.see(testId);
};

const tray = (...testIds: string[]) => steps((w) => openTray(w, ...testIds));

export const Off: Scenario = {
  name: "Off: one line below the story",
  play: steps(async (w) => void (await w.see("study-headline"))),
};

export const Estimate: Scenario = {
  name: "Off: what it would take, before the switch",
  play: tray("study-estimate", "study-leaves", "study-on"),
};

export const Elsewhere: Scenario = {
  name: "Off: the model is elsewhere, and what it would be sent",
  args: { before: elsewhere },
  play: tray("study-estimate", "study-leaves", "study-on"),
};

export const Estimating: Scenario = {
  name: "Off: it is being estimated",
  args: {
    before: async (stage) => {
      await takeIn(stage);
      stage.backend.waits.delay("knowledge:study:estimate", NEVER);
    },
  },
  play: tray(),
};

export const NoModel: Scenario = {
  name: "Off: no model is chosen",
  args: {
    before: async (stage) => {
      await takeIn(stage);
      stage.backend.study.model = null;
      stage.backend.study.suggested = [
        stage.say("纪伯是谁，书里怎么写他？", "Who is Uncle Ji, and what does the book tell of him?"),
        stage.say("小满和阿满是什么关系？", "What are Xiaoman and Aman to each other?"),
        stage.say("第三章里发生了什么？", "What happens in chapter 3?"),
        stage.say("翠姑后来怎么样了？", "What became of Cuigu?"),
        stage.say("老蔡和纪伯是什么关系？", "What are Cai and Uncle Ji to each other?"),
      ];
    },
  },
  play: tray("study-no-model", "study-gaps"),
};

export const AtWork: Scenario = {
  name: "At work: the question, the phase, the step, and what was found",
  args: { before: atWork },
  play: steps(async (w) => {
    await openTray(w, "study-working", "study-step");
    await w.see("study-record", 3);
  }),
};

export const Folded: Scenario = {
  name: "At work, folded: one line, and how many records wait",
  args: { before: atWork },
  play: steps(async (w) => void (await w.see("study-proposed"))),
};

export const Writing: Scenario = {
  name: "You are writing, so it waits",
  args: {
    before: (stage) => studying({ question: stage.say(...QUESTION), questionId: "question-0" })(stage),
  },
  play: tray("study-writing"),
};

export const LearningPaused: Scenario = {
  name: "Learning is paused, so it waits",
  args: { before: studying({ currentPhase: "stopped", stopReason: "paused" }) },
  play: tray("study-learning-paused"),
};

export const Waiting: Scenario = {
  name: "On, and it begins when you are away",
  args: { before: studying({ questionsToday: 0, explorationsToday: 0 }) },
  play: tray("study-waiting"),
};

export const BackingOff: Scenario = {
  name: "No answer: it waits, and tries again by itself",
  args: {
    before: studying({
      currentPhase: "backingOff",
      consecutiveErrors: 3,
      lastError: "modelFailed",
      // Far away, so that the picture does not change with the second.
      backoffUntil: new Date(Date.now() + 40 * 60_000 - 500).toISOString(),
    }),
  },
  play: tray("study-backing-off"),
};

/** The question at work in a phase. */
const inPhase = (currentPhase: "generatingQuestion" | "summarizing" | "committing") => async (stage: Stage) => {
  await atWork(stage);
  const question = currentPhase === "generatingQuestion" ? { question: null, questionId: null, step: 0 } : {};
  stage.backend.study.move(stage.projectId, { currentPhase, ...question });
};

export const Asking: Scenario = {
  name: "At work: looking for a question",
  args: { before: inPhase("generatingQuestion") },
  play: tray("study-working"),
};

export const SummingUp: Scenario = {
  name: "At work: summing up",
  args: { before: inPhase("summarizing") },
  play: tray("study-working"),
};

export const WritingDown: Scenario = {
  name: "At work: writing down",
  args: { before: inPhase("committing") },
  play: tray("study-working"),
};

export const UserStopped: Scenario = {
  name: "Stopped by the writer",
  args: { before: studying({ currentPhase: "stopped", stopReason: "user" }) },
  play: tray("study-user-stopped"),
};

export const ModelGone: Scenario = {
  name: "On, and no model is chosen any more",
  args: {
    before: async (stage) => {
      await studying({ currentPhase: "stopped", stopReason: "noModel" })(stage);
      stage.backend.study.model = null;
    },
  },
  play: tray("study-no-model"),
};

export const SearchesUsedUp: Scenario = {
  name: "Today’s searches are used",
  args: { before: studying({ stopReason: "quota", questionsToday: 41, explorationsToday: 100 }) },
  play: tray("study-used-up"),
};

export const UsedUp: Scenario = {
  name: "Today’s questions are used",
  args: { before: studying({ stopReason: "quota", questionsToday: 50, explorationsToday: 61 }) },
  play: tray("study-used-up"),
};

export const Stopped: Scenario = {
  name: "Stopped after five failures",
  args: {
    before: studying({
      currentPhase: "stopped",
      stopReason: "error",
      consecutiveErrors: 5,
      lastError: "unreadableReply",
    }),
  },
  play: tray("study-stopped", "study-again"),
};

export const KeyRefused: Scenario = {
  name: "The key was refused",
  args: { before: studying({ currentPhase: "stopped", stopReason: "noKey", consecutiveErrors: 1 }) },
  play: tray("study-stopped", "study-settings"),
};

export const NothingLeft: Scenario = {
  name: "Nothing left to ask",
  args: { before: studying({ stopReason: "fullyLearned" }) },
  play: tray("study-nothing-left"),
};

export const Unanswered: Scenario = {
  name: "Nothing to rest on, and the queue with a question of yours",
  args: {
    before: async (stage) => {
      await studying({})(stage);
      const { study } = stage.backend;
      const add = (zh: string, en: string, ...rest: ["failed" | "queued", null?]) =>
        study.addQuestion(stage.projectId, stage.say(zh, en), ...rest);
      add("井口是哪一年加的盖子？", "What year was the well covered?", "failed");
      add("小满是谁带大的？", "Who brought Xiaoman up?", "queued");
      add("郑科长和高工是什么关系？", "How do Zheng and Gao belong together?", "queued");
      add("那张名单最后交上去了吗？", "Was the list handed in at last?", "queued");
      add("纪伯为什么不肯签字？", "Why won’t Ji sign?", "queued", null);
    },
  },
  play: tray("study-unanswered", "study-queue"),
};

export const Judged: Scenario = {
  name: "One is kept, with a fact for its card; one is refused for good",
  args: { before: atWork },
  play: steps(async (w) => {
    await openTray(w, "study-working");
    const [, , third] = await w.see("study-record", 3);
    third!.focus();
    await userEvent.keyboard("k");
    await w.see("study-kept");
    await w.press("study-refuse");
    await w.see("study-refused");
  }),
};

export const FactWords: Scenario = {
  name: "One fact of a record is worded anew, another is left out",
  args: { before: atWork },
  play: steps(async (w) => {
    await openTray(w, "study-working");
    await w.see("study-fact", 2);
    const [, second] = await w.see("study-fact-leave-out", 2);
    await userEvent.click(second!);
    await w.press("study-fact-edit");
    await w.see("study-fact-form");
  }),
};

export const All: Scenario = {
  name: "All of the last records",
  args: { before: findRecords },
  play: steps(async (w) => {
    await openTray(w, "study-estimate");
    await w.press("study-records-all");
    await w.see("study-record", 4);
  }),
};

export const OwnWords: Scenario = {
  name: "The writer’s introduction of the book and a craft note, saved, and another one in its form",
  args: {
    before: async (stage) => {
      await studying({})(stage);
      const { backend, projectId } = stage;
      const background = stage.say(
        "海岛，一九八三年前后；看潮的人和他们没有说出来的事。",
        "An island around 1983; the people who read the tide, and what they did not say.",
      );
      await backend.invoke("knowledge:project:update", { projectId, background, version: 1 });
      const title = stage.say("对话里不解释", "No explaining in dialogue");
      const description = stage.say("读者猜得到的，不说。", "What readers can guess is left out.");
      await backend.invoke("knowledge:practice:add", { title, description });
    },
  },
  play: steps(async (w) => {
    await openTray(w, "study-notes", "study-practice");
    await w.press("study-practice-add");
    await userEvent.keyboard(w.say("一章一个地方", "One place a chapter"));
    await w.press("study-practice-save");
    await w.see("study-notes-undo");
    await w.press("study-practice-edit", 1);
    (await w.see("study-practice-form"))[0]!.scrollIntoView();
  }),
};

export const OtherHost: Scenario = {
  name: "The model was changed: another host has to be agreed to",
  args: {
    before: async (stage) => {
      await studying({ stopReason: "user", currentPhase: "stopped" })(stage);
      stage.backend.study.model = { name: "deepseek-chat", host: "api.deepseek.com", isLocal: false };
      stage.backend.study.isHidingNames = false;
    },
  },
  play: tray("study-other-host"),
};

export const ReadOnly: Scenario = {
  name: "The file of rules cannot be opened: to be read only",
  args: {
    memory: { past: true },
    before: async (stage) => {
      await atWork(stage);
      stage.backend.degrade("rules");
    },
  },
  play: tray("study-working"),
};

export const Clearing: Scenario = {
  name: "The memory of the book is being cleared",
  args: {
    before: async (stage) => {
      await takeIn(stage);
      stage.backend.fail("knowledge:study:get", CLEARING, 99);
      stage.backend.fail("knowledge:record:list", CLEARING, 99);
    },
  },
  play: steps(async (w) => void (await w.see("study-failed"))),
};

export const Failed: Scenario = {
  name: "It cannot be read, and says why",
  args: {
    before: async (stage) => {
      await takeIn(stage);
      stage.backend.fail("knowledge:study:get", { code: "MEMORY_STORE_UNAVAILABLE", message: "damaged" }, 9);
    },
  },
  play: steps(async (w) => void (await w.see("study-failed"))),
};

export const OtherPage: Scenario = {
  name: "Another page above an open tray",
  args: { before: atWork },
  play: steps(async (w) => {
    await openTray(w, "study-working");
    await w.press("story-page-threads");
    await w.see("threads-none");
  }),
};
