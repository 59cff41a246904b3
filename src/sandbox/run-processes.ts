// Finds the processes of a run without its own process namespace among all processes of the machine.
import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { sep } from 'node:path';
import { privatePages, pageBytes, type TreeUse } from './containment/process-tree.ts';

/** Checks after which known foreign processes are examined again, because process numbers are reused. */
const pollsPerRenewal = 10;

interface Entry {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
  /** Clock ticks since boot. Together with the number it identifies a process. */
  readonly startedAt: number;
  /** A zombie, which is not a process any more. */
  readonly isDead: boolean;
}

/** Marks of a run's processes, besides parents and sessions. */
export interface RunMarks {
  /** Its folder. Any process with this working directory belongs to the run. */
  readonly home: string;
  /** Group used only by this run; null = none. */
  readonly group: number | null;
}

/**
 * Finds all processes started by the session leader `pid`: by parent, session, marks, or because they were found
 * before. Without its own group, a process escapes if it changes parent, session and folder between two checks. Empty
 * without /proc.
 */
export function runProcesses(pid: number, { home, group }: RunMarks): () => TreeUse {
  const first = readEntry(pid);
  const folder = realpathSync(home);
  let mine = new Map<number, Entry>(first === null ? [] : [[pid, first]]);
  let sessions = new Set([pid]);
  let others = new Set<number>();
  let polls = 0;
  return () => {
    if (first === null) return { processes: [], memoryBytes: 0 };
    if (++polls % pollsPerRenewal === 0) others = new Set();
    const pids = numbersOfProcesses();
    const seen = pids
      .filter((each) => !others.has(each))
      .map(readEntry)
      .filter((each) => each !== null);
    const found = new Map<number, Entry>();
    const isOurs = (each: Entry): boolean =>
      each.startedAt >= first.startedAt &&
      (found.has(each.parent) ||
        // Skip zombies: an orphaned one may stay forever.
        (!each.isDead &&
          (mine.get(each.pid)?.startedAt === each.startedAt ||
            sessions.has(each.session) ||
            isMarked(each.pid, folder, group))));
    // Each process may lead to others, in any order of numbers.
    let open = seen;
    for (let before = Infinity; open.length < before;) {
      before = open.length;
      open = open.filter((each) => {
        if (!isOurs(each)) return true;
        found.set(each.pid, each);
        sessions.add(each.session);
        return false;
      });
    }
    mine = found;
    sessions = new Set([...found.values()].map(({ session }) => session));
    others = new Set(open.map((each) => each.pid).concat(pids.filter((each) => others.has(each))));
    return measureUse([...found.keys()]);
  };
}

function measureUse(processes: readonly number[]): TreeUse {
  const pages = processes.map((pid) => privatePages(pid) ?? 0);
  return { processes, memoryBytes: pages.reduce((sum, each) => sum + each, 0) * pageBytes };
}

function numbersOfProcesses(): number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger);
}

function readEntry(pid: number): Entry | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The process name may contain anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [state = '', parent, , session] = fields;
    const isDead = 'ZX'.includes(state);
    return { pid, parent: Number(parent), session: Number(session), startedAt: Number(fields[19]), isDead };
  } catch {
    return null;
  }
}

function isMarked(pid: number, folder: string, group: number | null): boolean {
  try {
    const place = readlinkSync(`/proc/${pid}/cwd`);
    if (place === folder || place.startsWith(folder + sep)) return true;
  } catch {
    // We may not inspect it.
  }
  return group !== null && groupOf(pid) === group;
}

/** The real group, not the effective one. */
function groupOf(pid: number): number | null {
  try {
    return Number(/^Gid:\t(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]);
  } catch {
    return null;
  }
}
