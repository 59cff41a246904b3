// Loaded before a process: at its end it writes how many files it has compiled as programs, whichever hooks have found them.
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
