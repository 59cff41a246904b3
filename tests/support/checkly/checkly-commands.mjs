// Runs commands of the unmodified `checkly` command line one after another in one process: loading it takes longest.
// `checkly-commands.mjs PROGRAM '[["whoami"], …]'`
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const [program = '', commands = '[]'] = process.argv.slice(2);
const folder = dirname(program);
// As its own launcher does.
const { loadDotenvFile } = await import(join(folder, '../dist/services/load-dotenv.js'));
await loadDotenvFile();
const { run, settings } = await import(createRequire(program).resolve('@oclif/core'));
settings.enableAutoTranspile = false;
for (const words of JSON.parse(commands)) {
  process.exitCode = 0;
  try {
    await run(words, { root: folder });
  } catch (error) {
    process.exitCode = error.oclif?.exit ?? 1;
    if (process.exitCode !== 0) process.stderr.write(error.message);
  }
  // Ends what it printed.
  process.stderr.write('\0');
  process.stdout.write(`\u0001${process.exitCode}\0`);
}
process.exit(0);
