import { execFile } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Asks a Node.js binary for its version by executing it, with nothing of ours in its environment; of the one that runs this
 * process that is known, and each start would wait for it.
 *
 * @returns `v<major>.<minor>.<patch>` (spec §2.1)
 * @throws {Error} a sentence, when there is no such binary or it does not answer as one within 10 s
 */
export async function nodeVersion(binary: string): Promise<string> {
  if ((await realpath(binary).catch(() => null)) === process.execPath) return process.version;
  const { stdout } = await run(binary, ['-p', 'process.version'], { env: {}, timeout: 10_000 }).catch(
    (error: unknown) => {
      throw new Error(`Node.js at ${binary} cannot be executed`, { cause: error });
    },
  );
  const version = stdout.trim();
  if (/^v\d+\.\d+\.\d+/.test(version)) return version;
  throw new Error(`${binary} is not Node.js: asked for its version it says ${JSON.stringify(version.slice(0, 40))}`);
}
