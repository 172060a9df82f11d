import { useEffect, useLayoutEffect, useState } from "react";
import type { Settings } from "../backend";
import { speak } from "../i18n/locale";

type Look = Pick<Required<Settings>, "theme" | "interfaceLanguage">;

const KEY = "palimpsest:look";
const DARK = "(prefers-color-scheme: dark)";

/** Language and theme of the last session, used until the settings are read. */
export function lastLook(): Look {
  const system: Look = { theme: "system", interfaceLanguage: "system" };
  try {
    const { theme, interfaceLanguage } = JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Look>;
    return {
      theme: theme === "light" || theme === "dark" ? theme : system.theme,
      interfaceLanguage:
        interfaceLanguage === "zh-CN" || interfaceLanguage === "en" ? interfaceLanguage : system.interfaceLanguage,
    };
  } catch {
    return system;
  }
}

/** Without local storage the window follows the system until the settings are read. */
function rememberLook({ theme, interfaceLanguage }: Look): void {
  try {
    localStorage.setItem(KEY, JSON.stringify({ theme, interfaceLanguage }));
  } catch {
    // as above
  }
}

/** Sets the language and the theme of the document before its first paint. */
export function useLook(settings: Look | undefined): { interfaceLanguage: Look["interfaceLanguage"]; dark: boolean } {
  const [last] = useState(lastLook);
  const { theme, interfaceLanguage } = settings ?? last;
  const [systemDark, setSystemDark] = useState(() => matchMedia(DARK).matches);
  useEffect(() => {
    const query = matchMedia(DARK);
    const follow = () => setSystemDark(query.matches);
    query.addEventListener("change", follow);
    return () => query.removeEventListener("change", follow);
  }, []);
  const dark = theme === "dark" || (theme === "system" && systemDark);
  useLayoutEffect(() => {
    document.documentElement.dataset.theme = dark ? "dark" : "light";
  }, [dark]);
  useLayoutEffect(() => speak(interfaceLanguage), [interfaceLanguage]);
  useEffect(() => {
    if (settings) rememberLook(settings);
  }, [settings]);
  return { interfaceLanguage, dark };
}
