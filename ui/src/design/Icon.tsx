import type { ReactNode } from "react";

const SHAPES = {
  book: (
    <path d="M10 6.1C8.6 4.9 6.7 4.5 4 4.5v10.2c2.7 0 4.6.4 6 1.6 1.4-1.2 3.3-1.6 6-1.6V4.5c-2.7 0-4.6.4-6 1.6zM10 6.1v10.2" />
  ),
  layers: (
    <>
      <path d="M10 3.8 17 7.5l-7 3.7-7-3.7z" />
      <path d="m3.2 10.9 6.8 3.6 6.8-3.6" />
      <path d="m5.4 14.6 4.6 2.4 4.6-2.4" opacity=".5" />
    </>
  ),
  story: (
    <>
      <circle cx="6.6" cy="6.9" r="2.2" />
      <path d="M3 15c.2-2.7 1.5-4.2 3.6-4.2s3.4 1.5 3.6 4.2" />
      <path d="M13 6.5h4M13 10.2h4M13 13.9h4" />
    </>
  ),
  contrast: (
    <>
      <circle cx="10" cy="10" r="6" />
      <path d="M10 4a6 6 0 0 1 0 12z" fill="currentColor" />
    </>
  ),
  sliders: (
    <>
      <path d="M3.5 6.5h7M15 6.5h1.5M3.5 13.5H5M9.5 13.5h7" />
      <circle cx="12.7" cy="6.5" r="2" />
      <circle cx="7.2" cy="13.5" r="2" />
    </>
  ),
  more: (
    <>
      <circle cx="4.6" cy="10" r="1.3" fill="currentColor" stroke="none" />
      <circle cx="10" cy="10" r="1.3" fill="currentColor" stroke="none" />
      <circle cx="15.4" cy="10" r="1.3" fill="currentColor" stroke="none" />
    </>
  ),
  plus: <path d="M10 4.5v11M4.5 10h11" />,
  down: <path d="m6 8 4 4 4-4" />,
  right: <path d="m8 6 4 4-4 4" />,
  check: <path d="m4.5 10.6 3.6 3.6 7.4-8.2" />,
  cross: <path d="m5.5 5.5 9 9M14.5 5.5l-9 9" />,
  again: <path d="M15.6 10.4a5.6 5.6 0 1 1-1.5-4.3M15.6 3.6v3h-3" />,
  stop: <rect x="6" y="6" width="8" height="8" rx="1" />,
  linked: (
    <path d="m8.3 11.7 3.4-3.4M9.3 6.9l1.6-1.6a2.7 2.7 0 0 1 3.8 3.8l-1.6 1.6M6.9 9.3l-1.6 1.6a2.7 2.7 0 0 0 3.8 3.8l1.6-1.6" />
  ),
  enter: <path d="M15.5 5v4a3 3 0 0 1-3 3H4.5M8 8.5 4.5 12 8 15.5" />,
  pen: <path d="m4 16 .8-3.4 8.4-8.4a1.6 1.6 0 0 1 2.3 0l.3.3a1.6 1.6 0 0 1 0 2.3l-8.4 8.4z" />,
  up: <path d="M10 16V5M5.5 9.3 10 4.8l4.5 4.5" />,
  split: <path d="M4 4.5h12M4 15.5h12M3 10h2.5M8.8 10h2.4M14.5 10H17" />,
  below: <path d="M10 4v11M5.5 10.7 10 15.2l4.5-4.5" />,
  bin: <path d="M4.5 6h11M8 6V4.3h4V6M6 6l.7 10h6.6L14 6" />,
  whole: <path d="M3.5 7.5h13M3.5 12.5h13" />,
  broken: (
    <>
      <path d="M3.5 7.5h13" />
      <path d="M3.5 12.5h5M12 12.5h4.5" opacity=".9" />
    </>
  ),
  warning: (
    <>
      <path d="M10 4.2 17 16H3z" />
      <path d="M10 8.6v3.4M10 14v.1" />
    </>
  ),
  info: (
    <>
      <circle cx="10" cy="10" r="6.5" />
      <path d="M10 9.4v4M10 6.7v.1" />
    </>
  ),
  terminal: (
    <>
      <rect x="3.5" y="4.5" width="13" height="11" rx="1.5" />
      <path d="m6.5 8 2 2-2 2M10.5 12.5h3" />
    </>
  ),
  chip: (
    <>
      <rect x="5.5" y="5.5" width="9" height="9" rx="1.5" />
      <path d="M8 3v2.5M12 3v2.5M8 14.5V17M12 14.5V17M3 8h2.5M3 12h2.5M14.5 8H17M14.5 12H17" />
    </>
  ),
  /* send */
  away: (
    <>
      <circle cx="10" cy="10" r="6.5" />
      <path d="M3.5 10h13M10 3.5c2 2 2.8 4 2.8 6.5S12 14.5 10 16.5c-2-2-2.8-4-2.8-6.5S8 5.5 10 3.5z" />
    </>
  ),
  pause: <path d="M7.5 5.5v9M12.5 5.5v9" />,
  play: <path d="M7 5v10l8-5z" />,
  back: <path d="m12 6-4 4 4 4" />,
  dot: <circle cx="10" cy="10" r="2.4" fill="currentColor" stroke="none" />,
  /* compliance */
  full: <circle cx="10" cy="10" r="6.2" fill="currentColor" />,
  half: (
    <>
      <circle cx="10" cy="10" r="6.2" />
      <path d="M10 3.8a6.2 6.2 0 0 0 0 12.4z" fill="currentColor" />
    </>
  ),
  hollow: <circle cx="10" cy="10" r="6.2" strokeDasharray="2.4 2.6" />,
  not: (
    <>
      <circle cx="10" cy="10" r="6.2" />
      <path d="m5.7 5.7 8.6 8.6" />
    </>
  ),
  find: (
    <>
      <circle cx="9" cy="9" r="5" />
      <path d="m12.8 12.8 3.7 3.7" />
    </>
  ),
  clock: (
    <>
      <circle cx="10" cy="10" r="6.5" />
      <path d="M10 6.4V10l2.5 1.8" />
    </>
  ),
  /* decreasing */
  narrow: <path d="M4 6h12M6.5 10h7M9 14h2" />,
  /* pinned */
  keep: <path d="M6 3.8h8v12.4l-4-3-4 3z" />,
  pin: <path d="M7 3.8h6M8 3.8v5L6 12h8l-2-3.2v-5M10 12v4.5" />,
  folder: <path d="M3.5 15.2V5.4a1 1 0 0 1 1-1h3.3l1.7 2h6a1 1 0 0 1 1 1v7.8a1 1 0 0 1-1 1h-11a1 1 0 0 1-1-1z" />,
  /* panels hidden */
  alone: (
    <path d="M4 7.5V5a1 1 0 0 1 1-1h2.5M12.5 4H15a1 1 0 0 1 1 1v2.5M16 12.5V15a1 1 0 0 1-1 1h-2.5M7.5 16H5a1 1 0 0 1-1-1v-2.5" />
  ),
  columns: (
    <>
      <rect x="3.5" y="4.5" width="13" height="11" rx="1.5" />
      <path d="M7.8 4.5v11M12.2 4.5v11" />
    </>
  ),
  panel: (
    <>
      <rect x="3.5" y="4.5" width="13" height="11" rx="1.5" />
      <path d="M12 4.5v11" />
    </>
  ),
} satisfies Record<string, ReactNode>;

export type IconName = keyof typeof SHAPES;
const SIZES = { xs: 14, s: 16, m: 18 };

/** Icons on a 20 px grid. Decorative: the text or the button beside it has the name. */
export function Icon({ name, size = "s" }: { name: IconName; size?: keyof typeof SIZES }) {
  return (
    <svg
      viewBox="0 0 20 20"
      width={SIZES[size]}
      height={SIZES[size]}
      strokeWidth={size === "xs" ? 1.7 : 1.5}
      aria-hidden="true"
    >
      {SHAPES[name]}
    </svg>
  );
}
