import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { Button as Press } from "react-aria-components/Button";
import { useStore } from "zustand";
import { queries, type Project, type ProviderList, type HealthProblem } from "../backend";
import { Icon, tooltip, type IconName } from "../design";
import type { SaveState } from "../features/editor";
import { studyLine } from "../features/study";
import { problemTitle } from "../i18n/healthProblems";
import { count, providerName, when } from "../i18n/words";
import { whereIs } from "../lib/address";
import css from "./app.module.css";
import { useProgram } from "./program";

interface StatusBarProps {
  project: Project | null;
  problems: HealthProblem[];
  /** Opens the page where the problems can be solved. */
  onMend: () => void;
}

export function StatusBar({ project, problems, onMend }: StatusBarProps) {
  return (
    <footer className={css.status}>
      <Saved />
      {project && <Length project={project} />}
      <span className="grow" />
      {project && <StudyLine projectId={project.projectId} />}
      <Memory project={project} problems={problems} onMend={onMend} />
      <Provider />
    </footer>
  );
}

function Saved() {
  const { t } = useLingui();
  const { save, savedAt, chapter, problem } = useStore(useProgram().editor.state);
  const now = useNow();
  const failed = problem?.of === "save";
  if (!chapter) return <span data-testid="save-state" data-state="saved" />;
  const icon: Record<SaveState, IconName> = { saved: "check", dirty: "pen", saving: "dot", conflict: "warning" };
  const recent = savedAt && now - new Date(savedAt).getTime() < 60_000 ? t`刚刚` : savedAt && when(savedAt);
  const words: Record<SaveState, string> = {
    saved: recent ? t`已保存·${recent}` : t`已保存`,
    dirty: failed ? t`还没有保存` : t`正在写`,
    saving: t`正在保存`,
    conflict: t`等你选择保留哪一份`,
  };
  return (
    <span
      role="status"
      data-testid="save-state"
      data-state={save}
      className={save === "conflict" || failed ? css.warn : undefined}
    >
      <Icon name={failed ? "warning" : icon[save]} size="xs" />
      {words[save]}
    </span>
  );
}

function Length({ project }: { project: Project }) {
  const { t } = useLingui();
  const chapterId = useStore(useProgram().editor.state, (state) => state.chapter?.chapterId);
  const { data: chapters } = useQuery(queries.chapters(project.projectId));
  const chapter = chapters?.find((one) => one.chapterId === chapterId);
  if (!chapter) return null;
  return (
    <>
      <i className={css.sep} />
      <span>{t`本章 ${count(chapter.words)} 字`}</span>
    </>
  );
}

function Memory({ project, problems, onMend }: StatusBarProps) {
  const { t } = useLingui();
  const { data: status } = useQuery(queries.status());
  const { data: rules } = useQuery({ ...queries.rules(project?.projectId ?? null), enabled: project !== null });
  const { data: learning } = useQuery(queries.learning());
  const { index } = useStore(useProgram().window);
  const [gravest, ...others] = problems;
  // While vectors are rebuilt, weaker recall is expected: only the progress is shown.
  const mending = index !== null && problems.every(({ kind }) => kind === "meaning" || kind === "meaningSubstituted");
  if (gravest && !mending) {
    const title = problemTitle(gravest.kind);
    return (
      <span role="status" className={css.warn}>
        <Press
          className={css.mend}
          onPress={onMend}
          data-testid="degraded-notice"
          data-kinds={problems.map(({ kind }) => kind).join(" ")}
        >
          <Icon name="warning" size="xs" />
          <span>{others.length > 0 ? t`${title}，另有 ${count(others.length)} 个问题` : title}</span>
        </Press>
      </span>
    );
  }
  if (index) {
    return (
      <span data-testid="index-progress">
        <Icon name="layers" size="xs" />
        {t`换了模型，正在重读往事 ${count(index.done)}/${count(index.total)}`}
      </span>
    );
  }
  if (learning) {
    const percent = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 0 }).format(
      learning.fraction ?? 0,
    );
    return (
      <span data-testid="learning-status">
        <Icon name="layers" size="xs" />
        {t`正在更新偏好 ${percent}`}
      </span>
    );
  }
  if (!status || !rules) return null;
  return (
    <span>
      <Icon name="layers" size="xs" />
      {t`记忆正常·${count(rules.rules.length)} 条规则`}
    </span>
  );
}

/** The study of the book while it is at work: its phase, and its step. */
function StudyLine({ projectId }: { projectId: string }) {
  const { data: state } = useQuery(queries.study(projectId));
  const words = state && studyLine(state);
  if (!words) return null;
  return (
    <>
      <span data-testid="study-status">
        <Icon name="layers" size="xs" />
        {words}
      </span>
      <i className={css.sep} />
    </>
  );
}

/** The model that writes, and how far the text travels to it: visible before anything is sent. */
function Provider() {
  const { data } = useQuery(queries.models());
  const writer = useWriter(data);
  if (!writer) return null;
  const { words, away } = writer;
  return (
    <>
      <i className={css.sep} />
      <span data-testid="provider-label" data-away={away || undefined} className={css.provider} {...tooltip(words)}>
        <Icon name={away ? "away" : "chip"} size="xs" />
        <span>{words}</span>
      </span>
    </>
  );
}

function useWriter(models: ProviderList | undefined): { words: string; away: boolean } | null {
  const { t } = useLingui();
  if (!models) return null;
  const { writing, providers, purposes } = models;
  const providerId = purposes.find(({ purpose }) => purpose === "writing")?.providerId;
  const provider = providers.find((one) => one.providerId === providerId);
  if (writing.sample || !provider) return { words: providerName(writing), away: false };
  const { reach, host } = whereIs(provider.baseUrl);
  if (reach === "machine") return { words: t`${writing.model}·本机`, away: false };
  if (reach === "network") return { words: t`${writing.model}·局域网 ${host}`, away: true };
  return { words: t`${writing.model}·发往 ${host}`, away: true };
}

/** The current time, updated every half minute. */
function useNow(): number {
  return useSyncExternalStore(everyHalfMinute, () => Math.floor(Date.now() / 30_000) * 30_000);
}

function everyHalfMinute(tick: () => void): () => void {
  const timer = setInterval(tick, 30_000);
  return () => clearInterval(timer);
}
