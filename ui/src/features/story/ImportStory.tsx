import { useLingui } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import { call, type ImportedStory } from "../../backend";
import { ImportDialog, Points } from "../../design";
import { count } from "../../i18n/words";
import { fileOf } from "../../lib/files";
import css from "./files.module.css";
import { storyFileProblem } from "./fileProblems";

interface ImportStoryProps {
  projectId: string;
  path: string;
  /** `null`: nothing was imported. */
  onDone: (changeId: string | null) => void;
}

/** Previews the import of a story, then runs it. */
export function ImportStory({ projectId, path, onDone }: ImportStoryProps) {
  const { t } = useLingui();
  const bring = (dryRun: boolean) => call("story:import", { projectId, path, dryRun });
  const { data: tried, error: refused } = useQuery({
    queryKey: ["storyFile", projectId, path],
    queryFn: () => bring(true),
    gcTime: 0,
    retry: false,
  });
  const take = useMutation({ mutationFn: () => bring(false), onSuccess: ({ changeId }) => onDone(changeId) });
  const changes = tried !== undefined && tried.newEntities + tried.changedEntities + tried.newFacts > 0;
  const problem = take.error ?? refused;
  return (
    <ImportDialog
      title={t`导入“${fileOf(path)}”`}
      reading={!tried && !refused ? t`正在读取，和这本书比较……` : null}
      problem={problem && storyFileProblem(problem, path)}
      nothing={t`什么也没有导入。`}
      verdict={changes ? t`还没有改动。导入后会是这样：` : t`这里都有了，不用导入。`}
      changes={changes}
      isPending={take.isPending}
      words={{ cancel: t`不导入`, close: t`关闭`, take: t`导入`, busy: t`先备份，再导入……` }}
      onTake={() => take.mutate()}
      onDismiss={() => onDone(null)}
      testId="story-file"
    >
      {tried && changes && <Counts story={tried} />}
      {tried && <Consequences story={tried} changes={changes} />}
    </ImportDialog>
  );
}

/** The numbers of names and facts: new, with more to add, and the same. */
function Counts({ story }: { story: ImportedStory }) {
  const { t } = useLingui();
  const rows: [string, number][] = [
    [t`新的名字`, story.newEntities],
    [t`已有的名字，卡上加几条`, story.changedEntities],
    [t`新的事实`, story.newFacts],
    [t`一样的，不动`, story.sameEntities + story.sameFacts],
  ];
  return (
    <dl className={css.counts} data-testid="story-file-counts">
      {rows
        .filter(([, number]) => number > 0)
        .map(([name, number]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{count(number)}</dd>
          </div>
        ))}
    </dl>
  );
}

/** The consequences in words, and the parts of the file that are not imported. */
function Consequences({ story, changes }: { story: ImportedStory; changes: boolean }) {
  const { t } = useLingui();
  const { lostQuotes, leftOut, ignoredFields } = story;
  const left = [
    lostQuotes > 0 && t`有 ${count(lostQuotes)} 句原话在正文里找不到，或者不止一处：那一条照样记下，没有出处。`,
    leftOut > 0 && t`有 ${count(leftOut)} 处不导入：写成匹配式的或太长的名字，还有这里没有的人。`,
    ignoredFields > 0 && t`有 ${count(ignoredFields)} 种设置只有别的程序用得上，不导入。`,
  ].filter((one): one is string => one !== false);
  const origin = t`都算你写的。没有写明从哪一章起知道的，从头就带给模型。`;
  const whole = t`先备份。要么全部导入，要么一条也不导入；导入以后可以撤销。`;
  return (
    <Points
      points={[
        ...left.map((words) => ({ icon: "warning" as const, words, testId: "story-file-left" })),
        ...(changes
          ? [
              { icon: "pen" as const, words: origin },
              { icon: "check" as const, words: whole },
            ]
          : []),
      ]}
    />
  );
}
