// What runs of scripts leave on this machine: folders, and processes that work there, wherever they have put themselves.
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { until } from '../until.ts';

/** Gives this process a folder of its own for runs, because scripts of other tests run at the same time. Answers with it; the caller removes it. */
export function useOwnTmp(): string {
  process.env['TMPDIR'] = mkdtempSync(join(tmpdir(), 'tsn-'));
  chmodSync(tmpdir(), 0o755);
  return tmpdir();
}

/**
 * Processes whose files are in that folder, by what is mounted for them, where they stand or what they were given.
 *
 * @param part what their command line holds; absent = anything
 */
export function processesThere(part = ''): readonly string[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
  return pids.filter((pid) => {
    const place = `/proc/${pid}`;
    const polls = [
      () => readFileSync(`${place}/mountinfo`, 'utf8'),
      () => readlinkSync(`${place}/cwd`),
      () => readFileSync(`${place}/environ`, 'latin1'),
    ];
    const isThere = polls.some((inspect) => orNothing(inspect).includes(basename(tmpdir())));
    return isThere && orNothing(() => readFileSync(`${place}/cmdline`, 'utf8')).includes(part);
  });
}

/** No folder of a run and no process in one remains after it ended; terminating may take a moment. */
export async function nothingLeft(): Promise<void> {
  assert.deepEqual(
    readdirSync(tmpdir()).filter((name) => name.startsWith('tocsin-script-')),
    [],
  );
  const seen = (): string =>
    processesThere()
      .map((pid) => orNothing(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')))
      .join();
  await until('its processes to end', () => processesThere().length === 0, { seen });
}

function orNothing(inspect: () => string): string {
  try {
    return inspect();
  } catch {
    // It has ended, or is nobody's to be asked.
    return '';
  }
}
