/**
 * Chooses the Han typefaces among those installed. With a Chinese locale, WebKit on Linux replaces a missing family by
 * whatever fontconfig offers, which may be a sans for the serif text.
 */
const SERIF = ["Source Han Serif SC", "Noto Serif CJK SC", "Noto Serif SC", "Songti SC", "STSong", "SimSun"];
const SANS = [
  "Source Han Sans SC",
  "Noto Sans CJK SC",
  "Noto Sans SC",
  "PingFang SC",
  "Microsoft YaHei UI",
  "Microsoft YaHei",
];

/** Wide and narrow letters: two typefaces rarely have the same width for all. */
const SAMPLE = "mmwwWWiillMQ0123@&";
const NOWHERE = '"No Such Face 3f9a"';

export function chooseFaces(root: HTMLElement = document.documentElement): void {
  const pen = document.createElement("canvas").getContext("2d");
  if (!pen) return;
  const width = (family: string) => {
    pen.font = `64px ${family}`;
    return pen.measureText(SAMPLE).width;
  };
  const absent = width(NOWHERE);
  const first = (families: string[]) => families.find((family) => width(`"${family}"`) !== absent);
  const [serif, sans] = [first(SERIF), first(SANS)];
  // Fallback: the generic family.
  root.style.setProperty("--face-han-serif", serif ? `"${serif}"` : "serif");
  root.style.setProperty("--face-han-sans", sans ? `"${sans}"` : "sans-serif");
}
