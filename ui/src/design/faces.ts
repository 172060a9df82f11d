/**
 * Han faces are the system's, and which one is there has to be found out: under a Chinese locale, WebKit on Linux takes
 * whatever fontconfig offers for a family that is not installed, and the serif of the page would turn into a sans.
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

/** Wide and narrow letters: two faces hardly ever agree on all of them. */
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
  // Where nothing is found, the generic family still knows its kind.
  root.style.setProperty("--face-han-serif", serif ? `"${serif}"` : "serif");
  root.style.setProperty("--face-han-sans", sans ? `"${sans}"` : "sans-serif");
}
