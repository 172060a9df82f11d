import { useLingui } from "@lingui/react/macro";
import { Fragment, useState } from "react";
import type { FoundSection, ImportSection } from "../../backend";
import { IconButton, NameField, tooltip } from "../../design";
import { count } from "../../i18n/words";
import css from "./import.module.css";
import {
  chapterWords,
  hasChapterAbove,
  leaveOut,
  PROPOSED_KINDS,
  setChapter,
  setKind,
  takeIn,
  type ProposedKind,
} from "./sections";
import { SplitSection, type ReadFile } from "./SplitSection";

interface SectionsProps {
  file: ReadFile;
  sections: FoundSection[];
  choices: ImportSection[];
  /** Language of the titles. */
  lang: string;
  isDisabled: boolean;
  onChange: (choices: ImportSection[]) => void;
  /** Splits a section at the paragraph with this position. */
  onSplit: (section: number, at: number) => Promise<void>;
}

/** The sections of a file: the writer ticks those that begin chapters, renames them and leaves others out. */
export function Sections({ file, sections, choices, lang, isDisabled, onChange, onSplit }: SectionsProps) {
  const { t } = useLingui();
  const [renamed, setRenamed] = useState<number | null>(null);
  // The section whose paragraphs are listed.
  const [split, setSplit] = useState<number | null>(null);
  const uses = choices.map(({ use }) => use);
  const words = chapterWords(sections, choices);
  const kindName: Record<ProposedKind, string> = {
    numeral: t`只有数字的行`,
    capitals: t`全大写的行`,
    centred: t`居中的行`,
    shortLine: t`单独的短行`,
    ornament: t`分隔符`,
  };
  const kinds = PROPOSED_KINDS.map((kind) => {
    const of = sections.flatMap((section, index) => (section.kind === kind && uses[index] !== "omit" ? [index] : []));
    return { kind, number: of.length, areChapters: of.length > 0 && of.every((index) => uses[index] === "chapter") };
  }).filter(({ number }) => number > 0);

  return (
    <>
      {kinds.length > 0 && (
        <div className={css.kinds} role="group" aria-label={t`可能是标题的行`}>
          {kinds.map(({ kind, number, areChapters }) => (
            <button
              key={kind}
              type="button"
              className={css.kind}
              aria-pressed={areChapters}
              disabled={isDisabled}
              onClick={() => onChange(setKind(sections, choices, kind, !areChapters))}
              data-testid={`import-kind-${kind}`}
            >
              {kindName[kind]} <span>{count(number)}</span>
            </button>
          ))}
        </div>
      )}
      <ol className={css.chapters} lang={lang}>
        {sections.map((section, index) => {
          const use = uses[index]!;
          const title = choices[index]!.title ?? section.title;
          return (
            // Sections have no ids, and their titles may repeat.
            <Fragment key={index}>
              <li
                className={use === "chapter" ? undefined : css[use]}
                data-testid={use === "chapter" ? "import-chapter" : "import-section"}
                data-use={use}
                {...tooltip(section.opening)}
              >
                <input
                  type="checkbox"
                  aria-label={t`“${title}”是一章`}
                  checked={use === "chapter"}
                  disabled={isDisabled || (use === "chapter" && !hasChapterAbove(choices, index))}
                  onChange={({ target }) => onChange(setChapter(choices, index, target.checked))}
                  data-testid="import-tick"
                />
                {renamed === index ? (
                  <NameField
                    initial={title}
                    label={t`这一章的名称`}
                    longest={200}
                    testId="import-title"
                    onDone={(name) => {
                      setRenamed(null);
                      if (name) onChange(choices.map((one, at) => (at === index ? { ...one, title: name } : one)));
                    }}
                  />
                ) : (
                  <span className={css.title}>{title}</span>
                )}
                <span className={css.words}>{wordsShown(words[index] ?? null)}</span>
                <span className={css.tools}>
                  {use === "chapter" && (
                    <IconButton
                      name="pen"
                      size="xs"
                      label={t`改“${title}”的名称`}
                      isDisabled={isDisabled}
                      onPress={() => setRenamed(index)}
                      data-testid="import-rename"
                    />
                  )}
                  {use !== "omit" && (
                    <IconButton
                      name="split"
                      size="xs"
                      label={t`从“${title}”里拆出一章`}
                      aria-expanded={split === index}
                      isDisabled={isDisabled}
                      onPress={() => setSplit(split === index ? null : index)}
                      data-testid="import-split"
                    />
                  )}
                  <IconButton
                    name={use === "omit" ? "plus" : "cross"}
                    size="xs"
                    label={use === "omit" ? t`导入“${title}”` : t`不导入“${title}”`}
                    isDisabled={isDisabled}
                    onPress={() => onChange(use === "omit" ? takeIn(choices, index) : leaveOut(choices, index))}
                    data-testid="import-omit"
                  />
                </span>
              </li>
              {split === index && use !== "omit" && (
                <SplitSection
                  file={file}
                  section={index}
                  lang={lang}
                  onSplit={async (at) => {
                    await onSplit(index, at);
                    setSplit(null);
                    // Its first words are rarely the title that is wanted.
                    setRenamed(index + 1);
                  }}
                  onClose={() => setSplit(null)}
                />
              )}
            </Fragment>
          );
        })}
      </ol>
    </>
  );
}

const wordsShown = (words: number | null) => (words === null ? "" : words > 0 ? count(words) : "—");
