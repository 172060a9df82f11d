import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { queries } from "../../backend";
import css from "./settings.module.css";

/** The settings of answers that `config.toml` sets: they are read here and changed in the file. */
export function SetByFile() {
  const { data } = useQuery(queries.answerConfig());
  const ofFile = data?.settings.filter(({ source }) => source === "file") ?? [];
  if (ofFile.length === 0) return null;
  return (
    <div data-testid="set-by-file">
      <p className={css.note}>
        <Trans>下面几项由 config.toml 设定，在这里改不了：</Trans>
      </p>
      <ul className={css.note}>
        {ofFile.map(({ key, value }) => (
          <li key={key}>
            <code>{`${key} = ${JSON.stringify(value)}`}</code>
          </li>
        ))}
      </ul>
    </div>
  );
}
