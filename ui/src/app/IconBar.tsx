import { useLingui } from "@lingui/react/macro";
import type { Theme } from "../backend";
import { IconButton } from "../design";
import css from "./app.module.css";
import type { PanelName } from "./window";

interface IconBarProps {
  panel: PanelName;
  onPanel: (panel: PanelName) => void;
  dark: boolean;
  onTheme: (theme: Theme) => void;
}

export function IconBar({ panel, onPanel, dark, onTheme }: IconBarProps) {
  const { t } = useLingui();
  return (
    <nav className={css.iconbar} aria-label={t`主导航`}>
      <span className={css.sign}>
        <svg viewBox="0 0 22 22" role="img" aria-label="Palimpsest">
          <rect className={css.signGround} x="0" y="0" width="22" height="22" rx="5" />
          <path className={css.signInk} d="M5 8h12" />
          <path className={css.signTrace} d="M5 14h4.5M13 14h4" />
        </svg>
      </span>
      <IconButton
        name="book"
        label={t`写作`}
        current={panel === "book"}
        onPress={() => onPanel("book")}
        data-testid="nav-book"
      />
      <IconButton
        name="layers"
        label={t`记忆`}
        current={panel === "memory"}
        onPress={() => onPanel(panel === "memory" ? "book" : "memory")}
        data-testid="nav-memory"
      />
      <IconButton
        name="story"
        label={t`故事（F4）`}
        current={panel === "story"}
        onPress={() => onPanel(panel === "story" ? "book" : "story")}
        data-testid="nav-story"
      />
      <IconButton
        name="find"
        label={t`在全书中查找（F9）`}
        current={panel === "find"}
        onPress={() => onPanel(panel === "find" ? "book" : "find")}
        data-testid="nav-find"
      />
      <span className="grow" />
      <IconButton
        name="contrast"
        label={dark ? t`切换到浅色` : t`切换到深色`}
        onPress={() => onTheme(dark ? "light" : "dark")}
        data-testid="theme-toggle"
      />
      <IconButton
        name="sliders"
        label={t`设置`}
        current={panel === "settings"}
        onPress={() => onPanel(panel === "settings" ? "book" : "settings")}
        data-testid="nav-settings"
      />
    </nav>
  );
}
