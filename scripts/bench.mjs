// npm run bench: measures what the design promises figures for. Arguments go to the benchmark.

import { run } from './run.mjs';

process.exitCode = run([
  'cargo', 'run', '--release', '-p', 'palimpsest-tests', '--bin', 'bench', '--', ...process.argv.slice(2),
]);
