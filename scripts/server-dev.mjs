// npm run server:dev: builds the server and starts it with a PostgreSQL of its own, on this machine alone. The data stay
// in target/server-dev between runs. Arguments are passed on to `palimpsest-server`; with `project` or `key` as the first
// one it runs that command instead.
// Usage: npm run server:dev -- [--listen ADDRESS:PORT | project … | key …]

import { spawn, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { asSystemUser, canRead, postgres, postgresPrograms } from "./postgres.mjs";
import { ROOT, TARGET, must } from "./run.mjs";

/** Time for the start of PostgreSQL. */
const MAX_START_MS = 60_000;

function stop(why) {
  console.error(why);
  process.exit(1);
}

const asRoot = process.getuid?.() === 0;

/** Runs a program of PostgreSQL to its end; returns whether it succeeded. */
function runs(program, args, output = "inherit") {
  const [first, ...rest] = asSystemUser([join(programs, program), ...args]);
  return spawnSync(first, rest, { stdio: ["ignore", output, output], cwd: "/" }).status === 0;
}

if (!postgres()) process.exit(1);
const programs = postgresPrograms();
if (!canRead(programs)) stop(`The user nobody cannot read ${programs}; run this as another user than root.`);

const home = join(ROOT, "target", "server-dev");
const data = join(home, "data");
mkdirSync(home, { recursive: true });
if (asRoot) chownSync(home, 65534, 65534);
if (!existsSync(join(data, "PG_VERSION"))) {
  console.log(`Making a database in ${data}`);
  const options = ["-U", "postgres", "-A", "trust", "--no-locale", "-E", "UTF8", "--no-instructions"];
  if (!runs("initdb", ["-D", data, ...options], "ignore")) stop("initdb failed.");
}

// A socket in a folder that only this user can enter; no port is opened.
const sockets = mkdtempSync(join(tmpdir(), "palimpsest-"));
if (asRoot) chownSync(sockets, 65534, 65534);
const log = openSync(join(home, "postgres.log"), "a");
const [program, ...args] = asSystemUser([join(programs, "postgres"), "-D", data, "-k", sockets, "-h", ""]);
// A process group of its own: an interrupt of the terminal ends the server first.
const database = spawn(program, args, { stdio: ["ignore", log, log], cwd: "/", detached: true });
process.once("exit", () => database.kill("SIGINT"));
const address = `host=${sockets} user=postgres dbname=postgres`;

let server = null;
/** Ends both programs: the server first, so that its requests end. */
function end(code) {
  process.exitCode = code;
  database.once("exit", () => rmSync(sockets, { recursive: true, force: true }));
  database.kill("SIGINT");
}
database.once("exit", () => {
  if (process.exitCode !== undefined) return;
  console.error(`PostgreSQL ended; see ${join(home, "postgres.log")}`);
  process.exitCode = 1;
  server?.kill("SIGTERM");
  rmSync(sockets, { recursive: true, force: true });
});
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => server?.kill("SIGTERM"));

must(["cargo", "build", "--quiet", "--workspace", "--bin", "palimpsest-server"]);
const begun = Date.now();
while (!runs("pg_isready", ["-q", "-h", sockets], "ignore")) {
  if (Date.now() - begun > MAX_START_MS) stop("PostgreSQL does not start.");
  await new Promise((resolve) => setTimeout(resolve, 50));
}
server = spawn(join(TARGET, "debug", "palimpsest-server"), process.argv.slice(2), {
  stdio: "inherit",
  env: { ...process.env, PALIMPSEST_DATABASE_URL: address },
});
server.once("exit", (code) => end(code ?? 1));
