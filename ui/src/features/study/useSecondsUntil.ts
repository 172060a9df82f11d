import { useEffect, useState } from "react";

const secondsFrom = (now: number, time: string | null): number =>
  time === null ? 0 : Math.max(0, Math.ceil((new Date(time).getTime() - now) / 1_000));

/** Whole seconds until a time, counted down; 0 without one, and after it. */
export function useSecondsUntil(time: string | null): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (time === null) return;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [time]);
  return secondsFrom(now, time);
}
