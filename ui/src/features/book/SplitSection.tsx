import { useLingui } from "@lingui/react/macro";
import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { call, type Commands } from "../../backend";
import { Busy, IconButton, LinkButton, Search } from "../../design";
import { errorSentence } from "../../i18n/errors";
import css from "./import.module.css";

/** A file as it was read, with the splits of its sections. */
export type ReadFile = Omit<Commands["project:import:paragraphs"]["args"], "section" | "containing" | "from">;

interface SplitSectionProps {
  file: ReadFile;
  /** Index of the section. */
  section: number;
  /** Language of the paragraphs. */
  lang: string;
  /** Splits the section at the paragraph with this position. */
  onSplit: (at: number) => Promise<void>;
  onClose: () => void;
}

/** The paragraphs of a section: the writer chooses the one that begins a new chapter. */
export function SplitSection({ file, section, lang, onSplit, onClose }: SplitSectionProps) {
  const { t } = useLingui();
  const [containing, setContaining] = useState("");
  const { data, error, hasNextPage, fetchNextPage, isFetching } = useInfiniteQuery({
    queryKey: ["import", "paragraphs", file, section, containing],
    queryFn: ({ pageParam }) =>
      call("project:import:paragraphs", {
        ...file,
        section,
        ...(containing !== "" && { containing }),
        ...(pageParam !== null && { from: pageParam }),
      }),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
    gcTime: 0,
    staleTime: Infinity,
    retry: false,
  });
  const split = useMutation({ mutationFn: onSplit });
  const paragraphs = data?.pages.flatMap((page) => page.paragraphs);
  const problem = split.error ?? error;
  const label = t`新的一章从哪一段开始`;

  return (
    <li className={css.splitting} data-testid="import-split-panel">
      <div className={css.splitHead}>
        <p>{label}</p>
        <IconButton name="cross" size="xs" label={t`不拆`} onPress={onClose} data-testid="import-split-close" />
      </div>
      <Search label={t`找段落里的字词`} value={containing} onSearch={setContaining} testId="import-split-find" />
      {problem !== null && <p className={css.splitNote}>{errorSentence(problem)}</p>}
      {!paragraphs && problem === null && (
        <p className={css.splitNote}>
          <Busy>{t`正在读取文件…`}</Busy>
        </p>
      )}
      {paragraphs?.length === 0 && (
        <p className={css.splitNote} role="status" data-testid="import-split-none">
          {containing === "" ? t`这里只有一段，不能再拆。` : t`没有这样的段落。`}
        </p>
      )}
      {paragraphs !== undefined && paragraphs.length > 0 && (
        <ul className={css.paragraphs} aria-label={label} lang={lang}>
          {paragraphs.map(({ at, opening }) => (
            <li key={at}>
              <button
                type="button"
                disabled={split.isPending}
                onClick={() => split.mutate(at)}
                data-testid="import-paragraph"
              >
                {opening}
              </button>
            </li>
          ))}
        </ul>
      )}
      {hasNextPage && (
        <LinkButton
          isDisabled={isFetching}
          onPress={() => void fetchNextPage()}
          data-testid="import-split-more"
        >{t`后面的段落`}</LinkButton>
      )}
    </li>
  );
}
