// Preloaded into a process: on exit, prints the number of source files it compiled, whichever hooks resolved them.
import { appendFileSync } from 'node:fs';
import { Session } from 'node:inspector';

let count = 0;
const session = new Session();
session.connect();
session.on('Debugger.scriptParsed', ({ params: { url } }) => {
  if (url.startsWith('file:') || url.startsWith('/')) count++;
});
session.post('Debugger.enable');
process.on('exit', () => appendFileSync(process.env.BENCH_MODULES, `${count}\n`));
