import { execFile } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Returns the version of a Node.js binary by running it with an empty environment. The version of the current process
 * is known without running it, which would delay every start.
 *
 * @returns `v<major>.<minor>.<patch>` (spec §2.1)
 * @throws {Error} with a message if the binary does not exist or does not answer within 10 s
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
  throw new Error(`${binary} is not Node.js: its version output is ${JSON.stringify(version.slice(0, 40))}`);
}
