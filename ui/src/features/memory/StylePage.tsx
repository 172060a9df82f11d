import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { queries, type Language, type Project, type StyleSide } from "../../backend";
import { Button, Icon, Notice } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { featureName } from "../../i18n/features";
import { count } from "../../i18n/words";
import css from "./memory.module.css";

/** Style profile of the chapters. For information only: nothing is learned from it. */
export function StylePage({ project: { projectId, language } }: { project: Project }) {
  const { t } = useLingui();
  const { data: style, error, refetch } = useQuery(queries.style(projectId));
  return (
    <>
      <div className={css.rules} data-testid="style-page" aria-busy={!style && !error}>
        <p className={css.explain}>
          <Icon name="info" size="s" />
          <span>{t`这里显示章节现在的文风，仅供查看。这些数字不算依据：规则只从你的取舍里学。`}</span>
        </p>
        {error && (
          <Notice
            warn
            title={t`章节读不出来`}
            actions={<Button size="s" onPress={() => void refetch()}>{t`重新读取`}</Button>}
          >
            {errorSentence(error)}
          </Notice>
        )}
        {!style && !error && <p className={css.loading} role="status">{t`正在读章节……`}</p>}
        {style && style.sides.length === 0 && (
          <p className={css.nothing} data-testid="style-nothing">{t`写满一页（约三百字）以后，这里会显示数字。`}</p>
        )}
        {style && style.sides.length > 0 && (
          <table className={css.style} data-testid="style-sides">
            <thead>
              <tr>
                <th scope="col">{t`写法`}</th>
                <th scope="col">{t`整本`}</th>
                <th scope="col">{t`多数段落`}</th>
              </tr>
            </thead>
            <tbody>
              {style.sides.map((side) => (
                <Side key={side.feature} side={side} language={language} />
              ))}
            </tbody>
          </table>
        )}
      </div>
      <div className={css.foot}>
        <p className={css.recorded}>
          {style &&
            (style.byAssistant > 0
              ? t`看了 ${count(style.chapters)} 章里的 ${count(style.words)} 字；AI 写的 ${count(style.byAssistant)} 字没有算进去`
              : t`看了 ${count(style.chapters)} 章里的 ${count(style.words)} 字`)}
        </p>
        <Button
          icon="again"
          isDisabled={!style}
          onPress={() => void refetch()}
          data-testid="style-again"
        >{t`重新统计`}</Button>
      </div>
    </>
  );
}

function Side({ side: { feature, mean, low, high }, language }: { side: StyleSide; language: Language }) {
  const format = useFormat(feature, language);
  const [about, from, to] = [mean, low, high].map((quantity) => format.figure(quantity ?? 0));
  return (
    <tr>
      <th scope="row">{featureName(feature)}</th>
      <td>{format.unit(about!)}</td>
      <td>{from === to ? from : `${from}–${to}`}</td>
    </tr>
  );
}

/** Unit and format of a feature's value. */
function useFormat(
  feature: string,
  language: Language,
): { figure: (quantity: number) => string; unit: (figure: string) => string } {
  const { t, i18n } = useLingui();
  const written = (digits: number) => (value: number) =>
    new Intl.NumberFormat(i18n.locale, { maximumFractionDigits: digits }).format(value);
  const plain = (unit: (figure: string) => string, times = 1, digits = 0) => ({
    figure: (quantity: number) => written(digits)(quantity * times),
    unit,
  });
  switch (feature) {
    case "sentenceLength":
      return plain((figure) => (language === "zh" ? t`一句 ${figure} 字` : t`一句 ${figure} 词`));
    case "paragraphLength":
      return plain((figure) => t`一段 ${figure} 句`, 1, 1);
    case "exclamations":
      return plain((figure) => t`百句 ${figure} 个`, 100);
    case "shortSentences":
    case "longSentences":
    case "dialogueShare":
      return {
        figure: (quantity) => new Intl.NumberFormat(i18n.locale, { style: "percent" }).format(quantity),
        unit: (figure) => figure,
      };
    default:
      // Stored per hundred, shown per thousand.
      return plain((figure) => (language === "zh" ? t`千字 ${figure} 处` : t`千词 ${figure} 处`), 10);
  }
}
