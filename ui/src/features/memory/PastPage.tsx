import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import {
  MAX_MATCHES,
  queries,
  useScenes,
  type DeletedWords,
  type HealthProblem,
  type PastEpisode,
  type Project,
  type Searched,
} from "../../backend";
import { GroupHeading, LinkButton, Picker, Search } from "../../design";
import { sceneName } from "../../i18n/words";
import { ErasedWords } from "./Erased";
import css from "./memory.module.css";
import { PastCard } from "./PastCard";
import { ReadState } from "./ReadState";

/** A past passage that was found elsewhere in the window, with the text of that search. */
export interface PastTarget {
  episodeId: string;
  query: string;
}

interface PastPageProps {
  project: Project;
  /** The past passage that the page shows at first; `null`: the newest ones. */
  target: PastTarget | null;
  problems: HealthProblem[];
  onMend: () => void;
  onOpenChapter: (chapterId: string) => void;
}

const ANY = "any";

/** The episodes of the book: the newest ones, or the best matches of a search. */
export function PastPage({ project, target, problems, onMend, onOpenChapter }: PastPageProps) {
  const { t } = useLingui();
  const { projectId } = project;
  const [shown, setShown] = useState(target);
  const [text, setText] = useState(target?.query ?? "");
  const [scene, setScene] = useState<string>(ANY);
  /** The text of which all matches were requested. */
  const [wide, setWide] = useState<string | null>(null);
  const [erased, setErased] = useState<DeletedWords | null>(null);
  const isSearch = text !== "";
  const isWide = isSearch && wide === text;
  const { data, error, isPlaceholderData, refetch } = useQuery(
    queries.past(projectId, text, scene === ANY ? null : scene, isWide),
  );
  const { data: chapters } = useQuery(queries.chapters(projectId));
  const scenes = useScenes(projectId);
  const unavailable = problems.filter(({ kind }) => kind === "episodes" || kind === "all");
  const less = problems.filter(
    ({ kind }) => kind === "episodesUnwritten" || ((kind === "meaning" || kind === "words") && isSearch),
  );
  const episodes = data?.episodes ?? [];
  const found = episodes.filter(({ group }) => group === "found");
  // All matches were requested: the others are of no use beside so many.
  const perhaps = isWide ? [] : episodes.filter(({ group }) => group === "perhaps");

  const look = (next: string) => {
    if (next === text) return;
    setText(next);
    setShown(null);
  };
  const filter = (next: string) => {
    setScene(next);
    setShown(null);
  };
  const listOf = (group: Searched<PastEpisode>[]) => (
    <ul>
      {group.map((recalled) => (
        <PastCard
          key={recalled.episode.id}
          projectId={projectId}
          recalled={recalled}
          query={text}
          showsMatch={isSearch || scene !== ANY}
          isTarget={recalled.episode.id === shown?.episodeId}
          language={project.language}
          chapter={chapters?.find(({ chapterId }) => chapterId === recalled.episode.chapterId)?.title ?? null}
          onOpenChapter={onOpenChapter}
          onErased={setErased}
        />
      ))}
    </ul>
  );

  return (
    <>
      <div className={css.bar}>
        <Search label={t`在往事中查找`} value={text} onSearch={look} testId="past-search" />
        <Picker
          label={t`场景`}
          value={scene}
          onChange={filter}
          options={[{ key: ANY, label: t`全部场景` }, ...scenes.map((key) => ({ key, label: sceneName(key) }))]}
          testId="past-scene"
        />
      </div>
      <div className={css.rules} aria-busy={isPlaceholderData}>
        <ReadState
          unavailable={unavailable}
          less={less}
          error={error}
          errorTitle={t`往事读不出来`}
          isRead={data !== undefined}
          onMend={onMend}
          onRetry={() => void refetch()}
        />
        {data && unavailable.length === 0 && (
          <>
            {episodes.length === 0 && (
              <p className={css.nothing} data-testid="past-nothing">
                {nothing()}
              </p>
            )}
            {found.length > 0 && listOf(found)}
            {found.length === MAX_MATCHES && isSearch && !isWide && (
              <LinkButton
                className={css.more}
                onPress={() => setWide(text)}
                data-testid="past-more"
              >{t`多找一些`}</LinkButton>
            )}
            {perhaps.length > 0 && (
              <>
                <GroupHeading testId="past-perhaps">
                  {found.length > 0 ? t`也许相关` : t`没有很接近的。最接近的是：`}
                </GroupHeading>
                {listOf(perhaps)}
              </>
            )}
          </>
        )}
      </div>
      <div className={css.foot}>
        {erased && <ErasedWords words={erased} onDone={() => setErased(null)} />}
        <p className={css.recorded}>
          {isSearch
            ? t`越接近的越靠前。在这里查看不算想起。`
            : t`这里列出最近的，更早的可以在上面查找。在这里查看不算想起。`}
        </p>
      </div>
    </>
  );

  /** Without a scene, an empty answer means an empty book, unless a part could not be searched. */
  function nothing(): string {
    if (scene !== ANY) return t`没有这种场景的往事。换个场景看看。`;
    if (isSearch && data?.degraded) return t`没有找到。换个说法看看。`;
    return t`还没有往事。让助手写一次，采用或都不要以后就有了。`;
  }
}
