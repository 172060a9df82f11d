import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queries, useScenes, type DeletedWords, type Project, type HealthProblem } from "../../backend";
import { Busy, Button, Notice, Picker, Search } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { sceneName } from "../../i18n/words";
import { ErasedWords } from "./Erased";
import css from "./memory.module.css";
import { Missing } from "./Missing";
import { PastCard } from "./PastCard";

interface PastPageProps {
  project: Project;
  problems: HealthProblem[];
  onMend: () => void;
  onOpenChapter: (chapterId: string) => void;
}

const ANY = "any";

/** The episodes of the book. */
export function PastPage({ project, problems, onMend, onOpenChapter }: PastPageProps) {
  const { t } = useLingui();
  const { projectId } = project;
  const [text, setText] = useState("");
  const [scene, setScene] = useState<string>(ANY);
  const [erased, setErased] = useState<DeletedWords | null>(null);
  const { data, error, isPlaceholderData, refetch } = useQuery(
    queries.episodes(projectId, text, scene === ANY ? null : scene),
  );
  const { data: chapters } = useQuery(queries.chapters(projectId));
  const scenes = useScenes(projectId);
  const unavailable = problems.filter(({ kind }) => kind === "episodes" || kind === "all");
  const less = problems.filter(
    ({ kind }) => kind === "episodesUnwritten" || ((kind === "meaning" || kind === "words") && text !== ""),
  );
  const found = data?.episodes ?? [];
  const isFiltered = text !== "" || scene !== ANY;

  return (
    <>
      <div className={css.bar}>
        <Search label={t`在往事中查找`} onSearch={setText} testId="past-search" />
        <Picker
          label={t`场景`}
          value={scene}
          onChange={setScene}
          options={[{ key: ANY, label: t`全部场景` }, ...scenes.map((key) => ({ key, label: sceneName(key) }))]}
          testId="past-scene"
        />
      </div>
      <div className={css.rules} aria-busy={isPlaceholderData}>
        <Missing problems={unavailable.length > 0 ? unavailable : less} onMend={onMend} />
        {error && unavailable.length === 0 && (
          <Notice
            warn
            title={t`往事读不出来`}
            actions={<Button size="s" onPress={() => void refetch()}>{t`重新读取`}</Button>}
          >
            {errorSentence(error)}
          </Notice>
        )}
        {!data && !error && <Busy>{t`正在读取……`}</Busy>}
        {data && unavailable.length === 0 && found.length === 0 && (
          <p className={css.nothing} data-testid="past-nothing">
            {isFiltered ? t`没有找到。换个说法，或者换个场景。` : t`还没有往事。让助手写一次，采用或都不要以后就有了。`}
          </p>
        )}
        {unavailable.length === 0 && (
          <ul>
            {found.map((recalled) => (
              <PastCard
                key={recalled.episode.id}
                recalled={recalled}
                language={project.language}
                chapter={chapters?.find(({ chapterId }) => chapterId === recalled.episode.chapterId)?.title ?? null}
                onOpenChapter={onOpenChapter}
                onErased={setErased}
              />
            ))}
          </ul>
        )}
      </div>
      <div className={css.foot}>
        {erased && <ErasedWords words={erased} onDone={() => setErased(null)} />}
        <p className={css.recorded}>{t`这里列出最近的，更早的可以在上面查找。在这里查看不算想起。`}</p>
      </div>
    </>
  );
}
