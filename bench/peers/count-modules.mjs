// Loaded before a process: at its end it writes how many files it has loaded as programs.
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

let count = 0;
registerHooks({
  load(url, context, next) {
    if (url.startsWith('file:')) count++;
    return next(url, context);
  },
});
process.on('exit', () => appendFileSync(process.env.BENCH_MODULES, `${count}\n`));
