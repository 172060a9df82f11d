import { useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { call, type AnalysisProgress, type ChapterInfo, type HealthProblem, type Language } from "../../backend";
import { Button, Notice, Progress } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { count } from "../../i18n/words";
import type { StoryPage } from "./entities";
import css from "./story.module.css";

/** Words that are analyzed in a second, by language: an estimate on the slow side. */
const WORDS_PER_SECOND: Record<Language, number> = { zh: 5_000, en: 20_000 };

interface NotAnalyzedProps {
  projectId: string;
  language: Language;
  chapters: readonly ChapterInfo[];
}

/** A book of which no chapter is analyzed. */
export function NotAnalyzed({ projectId, language, chapters }: NotAnalyzedProps) {
  const { t } = useLingui();
  const analyze = useMutation({ mutationFn: () => call("story:analyze", { projectId }) });
  const words = chapters.reduce((sum, chapter) => sum + chapter.words, 0);
  const seconds = Math.max(1, Math.ceil(words / WORDS_PER_SECOND[language]));
  const size = t`${count(chapters.length)} 章，${count(words)} 字`;
  const time = seconds < 90 ? t`读一遍大约 ${count(seconds)} 秒` : t`读一遍大约 ${count(Math.ceil(seconds / 60))} 分钟`;
  return (
    <div className={css.empty} data-testid="story-not-analyzed">
      <svg className={css.sheet} viewBox="0 0 84 40" aria-hidden="true">
        <path className={css.sheetInk} d="M6 6h72" />
        <path d="M6 16h72" />
        <path d="M6 26h34M50 26h28" />
        <path d="M6 36h14M32 36h18M62 36h16" opacity=".7" />
      </svg>
      <p>{t`这本书还没有从头读过一遍。`}</p>
      <small>{t`${size}，${time}。只在这台电脑上读，用不着模型。`}</small>
      <Button
        kind="primary"
        onPress={() => analyze.mutate()}
        isDisabled={analyze.isPending}
        data-testid="story-analyze"
      >{t`读一遍`}</Button>
      {analyze.error && (
        <p className={css.problem} role="alert">
          {errorSentence(analyze.error)}
        </p>
      )}
    </div>
  );
}

export function Analyzing({ progress: { step, done, total } }: { progress: AnalysisProgress }) {
  const { t } = useLingui();
  const number = count(Math.min(done + 1, total));
  return (
    <div className={css.analyzing} data-testid="story-analyzing">
      <p>
        <span>
          {step === "chapters" ? t`第 ${number} 章，共 ${count(total)} 章` : t`第 ${number} 段，共 ${count(total)} 段`}
        </span>
        <Progress label={t`正在读这本书`} done={done} total={total} />
      </p>
      <small>{t`读到哪里，先列出哪里的。你写你的，它让着。`}</small>
    </div>
  );
}

interface NothingFoundProps {
  page: StoryPage;
  /** The chapters up to the position. */
  chapters: readonly ChapterInfo[];
}

export function NothingFound({ page, chapters }: NothingFoundProps) {
  const { t } = useLingui();
  const number = count(chapters.length);
  const words = count(chapters.reduce((sum, chapter) => sum + chapter.words, 0));
  return (
    <div className={css.nothing} data-testid="story-nothing">
      <p>
        {chapters.length === 0
          ? t`这本书还没有章节。`
          : page === "people"
            ? t`读了 ${number} 章，${words} 字，还看不出谁是谁。`
            : t`读了 ${number} 章，${words} 字，还没有认出地方与物。`}
      </p>
      <small>{t`再写一些，会自己再看。`}</small>
    </div>
  );
}

/** Chinese names that only a tagger finds are missing from the list. */
export function NamesMissing({ isTaggerMissing }: { isTaggerMissing: boolean }) {
  const { t } = useLingui();
  return (
    <Notice title={t`中文只认得出带姓氏和称呼的名字`} testId="story-tagger">
      {isTaggerMissing ? t`“纪伯”“老蔡”认得出，“阿满”认不出。英文不受影响。` : t`其余的还在读，读完自己会添上。`}
    </Notice>
  );
}

export interface FailedWords {
  title: string;
  /** Where the past passages cannot be read. */
  past: string;
}

interface FilesDownProps {
  problems: readonly HealthProblem[];
  /** The error of the list; `null`: it is there. */
  error: unknown;
  /** By default those of a list of names. */
  failed?: FailedWords | undefined;
  onRetry: () => void;
  onMend: () => void;
}

/** The files of the memory that cannot serve, and what goes on without them. */
export function FilesDown({ problems, error, failed, onRetry, onMend }: FilesDownProps) {
  const { t } = useLingui();
  const kindOf = (...kinds: HealthProblem["kind"][]) => problems.find(({ kind }) => kinds.includes(kind))?.kind;
  const rules = kindOf("rulesOld", "rulesBuiltIn", "rulesUnwritten");
  const isPastDown = kindOf("episodes", "all") !== undefined;
  const look = <Button size="s" onPress={onMend} data-testid="story-mend">{t`去看看`}</Button>;
  const retry = <Button size="s" onPress={onRetry} data-testid="story-retry">{t`再试一次`}</Button>;
  return (
    <>
      {error != null && (
        <Notice
          warn
          title={failed?.title ?? t`出场和引文暂时数不了`}
          testId="story-failed"
          actions={
            <>
              {retry}
              {isPastDown && look}
            </>
          }
        >
          {isPastDown ? (failed?.past ?? t`写作照常。名字和出场都在往事库里，往事库打不开。`) : errorSentence(error)}
        </Notice>
      )}
      {error == null && isPastDown && (
        <Notice warn title={failed?.title ?? t`出场和引文暂时数不了`} testId="story-past-down" actions={look}>
          {failed?.past ?? t`卡片照常看、照常改，也照常带给模型。往事库打不开。`}
        </Notice>
      )}
      {rules && (
        <Notice warn title={t`卡片暂时只读`} testId="story-rules-down" actions={look}>
          {rules === "rulesOld"
            ? t`规则库打不开，先用备份里的：照常看、照常用，只是改不了。`
            : rules === "rulesBuiltIn"
              ? t`规则库打不开，也没有备份。读到的名字照常看，只是改不了。`
              : t`照常看、照常用，只是写不进磁盘。看看磁盘是不是满了。`}
        </Notice>
      )}
    </>
  );
}
