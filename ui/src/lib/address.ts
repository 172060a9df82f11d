/** How far text sent to an address travels. */
export type Reach = "machine" | "network" | "away";

export interface Whereabouts {
  reach: Reach;
  /** Host and port: `api.example.com`, `127.0.0.1:11434`. */
  host: string;
}

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;
/** RFC 1918, link-local, unique local, and `.local` names. */
const PRIVATE =
  /^(10(\.\d{1,3}){3}|192\.168(\.\d{1,3}){2}|172\.(1[6-9]|2\d|3[01])(\.\d{1,3}){2}|169\.254(\.\d{1,3}){2}|\[f[cd][0-9a-f:]*\]|\[fe80:[0-9a-f:]*\]|.+\.local)$/;

/** An unreadable address counts as `away`: the interface must not claim that text stays here when it may not. */
export function whereIs(address: string): Whereabouts {
  if (!URL.canParse(address)) return { reach: "away", host: address };
  const { hostname, host } = new URL(address);
  const name = hostname.toLowerCase();
  return { reach: LOOPBACK.test(name) ? "machine" : PRIVATE.test(name) ? "network" : "away", host };
}
