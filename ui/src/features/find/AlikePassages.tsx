import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { queries, type FoundPassage, type Passage, type Project } from "../../backend";
import { GroupHeading, LinkButton } from "../../design";
import { matchSentence } from "../../i18n/words";
import { firstOf } from "../../lib/cut";
import { folded } from "../../lib/find";
import css from "./find.module.css";

interface AlikePassagesProps {
  project: Project;
  query: string;
  /** Whether some chapter has the words of the query. */
  hasWords: boolean;
  onOpen: (passage: Passage) => void;
}

/** Maximum number of close passages shown. */
const MAX_SHOWN = 5;
/** Maximum number of passages shown if none is close. */
const MAX_NEAREST = 3;
/** Maximum UTF-16 code units of a passage on its line. */
const MAX_LINE = 120;

/** Passages close to the query in meaning, without those that contain its words: these are listed by chapter. */
export function AlikePassages({ project, query, hasWords, onOpen }: AlikePassagesProps) {
  const { t } = useLingui();
  const { data, error, isPlaceholderData, refetch } = useQuery(queries.alikePassages(project.projectId, query));
  const { data: chapters } = useQuery(queries.chapters(project.projectId));
  const others = (data?.passages ?? []).filter(({ passage }) => !bare(passage.text).includes(bare(query)));
  const found = others.filter(({ group }) => group === "found").slice(0, MAX_SHOWN);
  const nearest = found.length > 0 || hasWords ? [] : others.slice(0, MAX_NEAREST);
  const shown = found.length > 0 ? found : nearest;
  if (!error && shown.length === 0) return null;
  const lang = project.language === "zh" ? "zh-CN" : "en";
  const titleOf = ({ passage }: FoundPassage) =>
    chapters?.find(({ chapterId }) => chapterId === passage.chapterId)?.title ?? null;

  return (
    <section
      className={css.past}
      aria-label={t`意思相近的段落`}
      aria-busy={isPlaceholderData}
      data-testid="alike-passages"
    >
      <h3>
        <span>{t`意思相近的段落`}</span>
      </h3>
      {error ? (
        <p className={css.quiet} data-testid="alike-failed">
          {t`意思没有查成，字词照常查找。`}{" "}
          <LinkButton onPress={() => void refetch()} data-testid="alike-again">{t`再查一次`}</LinkButton>
        </p>
      ) : (
        <>
          {nearest.length > 0 && (
            <GroupHeading level={4} testId="alike-nearest">{t`没有很接近的。最接近的是：`}</GroupHeading>
          )}
          <ul>
            {shown.map((one) => {
              const matched = matchSentence(one.matchedBy);
              const title = titleOf(one);
              return (
                <li key={one.passage.passageId} data-testid="alike-passage" data-group={one.group}>
                  <button
                    type="button"
                    className={css.hit}
                    lang={lang}
                    data-hit
                    data-testid="alike-open"
                    onClick={() => onOpen(one.passage)}
                  >
                    {lineOf(one.passage.text)}
                  </button>
                  <p className={css.about}>
                    {title !== null && <span lang={lang}>{title}</span>}
                    {matched !== null && <span>{matched}</span>}
                  </p>
                </li>
              );
            })}
          </ul>
        </>
      )}
    </section>
  );
}

/** A text without white space, for comparison: the words of a passage may be on two lines. */
const bare = (text: string) => folded(text).replace(/\s/g, "");

/** The beginning of a passage in one line, without the mark of a heading. */
function lineOf(text: string): string {
  const line = text
    .replace(/^#{1,6} [^\n]*\n+/, "")
    .replace(/\s+/g, " ")
    .trim();
  const first = firstOf(line, MAX_LINE);
  return first === line ? line : `${first}…`;
}
