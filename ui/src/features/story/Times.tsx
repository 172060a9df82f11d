import { Trans } from "@lingui/react/macro";

interface TimesProps {
  from: string | null;
  until: string | null;
  lang: string;
}

/** The time of the story in which a fact holds, in the writer's words. */
export function Times({ from, until, lang }: TimesProps) {
  const start = <span lang={lang}>{from}</span>;
  const end = <span lang={lang}>{until}</span>;
  if (from !== null && until !== null)
    return (
      <Trans>
        {start} 到 {end}
      </Trans>
    );
  return from === null ? <Trans>到 {end} 为止</Trans> : <Trans>{start} 起</Trans>;
}
