// Folders of compiled code: whoever writes there decides what scripts run, so that only our own are used, and marks tell whose are (docs/decisions/0082).
import { randomUUID } from 'node:crypto';
import { lstatSync, rmSync, type Stats, statSync, writeFileSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Why nothing is run that lies in a folder; null = nobody else writes there, or it is not there yet.
 *
 * @param folder of all compiled code of scripts; the one around it may also be root's, who may do anything anyway, and be reached by
 *   a link of the operator's
 */
export function problemOf(folder: string): string | null {
  const around = dirname(folder);
  return judged(around, statSync(around, { throwIfNoEntry: false }), true) ?? problemOfOwn(folder);
}

/** The same of a folder that only we have made, in one that was looked at. */
export function problemOfOwn(folder: string): string | null {
  return judged(folder, lstatSync(folder, { throwIfNoEntry: false }), false);
}

const writableByOthers = 0o022;

function judged(path: string, facts: Stats | undefined, mayBeRoot: boolean): string | null {
  if (facts === undefined) return null;
  if (!facts.isDirectory()) return `${path} is no folder`;
  const user = process.getuid?.();
  if (user !== undefined && facts.uid !== user && !(mayBeRoot && facts.uid === 0)) {
    return `${path} belongs to the user ${facts.uid}, and Tocsin runs as ${user}`;
  }
  const mode = facts.mode & 0o777;
  return (mode & writableByOthers) === 0
    ? null
    : `${path} can be written by others than its owner (mode ${mode.toString(8)})`;
}

/** Stands before the name of a place: a file that is as new as the last run that began with what lies there. */
const mark = '.used-';
/** Far longer than any run, ms. */
const usedMs = 3_600_000;
/** How often one process marks a place, ms. */
const markedEveryMs = 60_000;

/** The marks of one process. */
export interface UseMarks {
  /** A run is about to begin with what lies there. @param name of the place, in the folder */
  note(name: string): void;
  /** This process uses none any more. */
  remove(): void;
}

/** Over whatever separates processes: they need share nothing but the folder. */
export function createUseMarks(folder: string): UseMarks {
  const id = randomUUID();
  const notedAt = new Map<string, number>();
  const pathOf = (name: string): string => join(folder, `${mark}${name}-${id}`);
  return {
    note(name) {
      const ageMs = Date.now() - (notedAt.get(name) ?? Number.NEGATIVE_INFINITY);
      if (ageMs >= 0 && ageMs < markedEveryMs) return;
      try {
        writeFileSync(pathOf(name), new Date().toISOString());
        notedAt.set(name, Date.now());
      } catch {
        // A full disk holds up no script.
      }
    },
    remove() {
      for (const name of notedAt.keys()) rmSync(pathOf(name), { force: true });
    },
  };
}

/** A runtime and what its code was compiled for. */
const placeName = /^\d{4}\.\d{2}-[0-9a-f]{16}$/;

/**
 * Removes what nobody can use any more: places that are not wanted and that no run of any process has begun with within an
 * hour, and the marks of processes that are gone. Answers what it has removed.
 *
 * @param isWanted by the name of a place
 * @throws {Error} when something cannot be removed
 */
export async function removeOldPlaces(folder: string, isWanted: (name: string) => boolean): Promise<string[]> {
  if (problemOf(folder) !== null) return [];
  const names = await readdir(folder).catch(() => []);
  const marks = names.filter((name) => name.startsWith(mark));
  const used = marks.filter((name) => isNew(join(folder, name)));
  const isUsed = (place: string): boolean => used.some((name) => name.startsWith(`${mark}${place}-`));
  const old = names.filter((name) => placeName.test(name) && !isWanted(name) && !isUsed(name));
  const gone = marks.filter((name) => !used.includes(name));
  await Promise.all([...old, ...gone].map((name) => rm(join(folder, name), { recursive: true, force: true })));
  return old;
}

function isNew(path: string): boolean {
  const facts = statSync(path, { throwIfNoEntry: false });
  return facts !== undefined && Date.now() - facts.mtimeMs < usedMs;
}
