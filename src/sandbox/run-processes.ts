// The processes of a run that has no numbers of processes of its own: they are found among all of the machine's, wherever they have put
// themselves.
import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { sep } from 'node:path';
import { privatePages, pageBytes, type TreeUse } from './containment/process-tree.ts';

/** In how many looks processes that were somebody else's are looked at anew: a number may come back. */
const looksPerRenewal = 10;

interface Entry {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
  /** Ticks since the machine began; with the number it tells a process from all others. */
  readonly startedAt: number;
  /** Ended, and not taken in by its parent yet: no process any more. */
  readonly isDead: boolean;
}

/** By what processes of a run are known beside their parents and sessions. */
export interface RunMarks {
  /** Its folder: whoever works there is of the run. */
  readonly home: string;
  /** The group that only it has; null = none. */
  readonly group: number | null;
}

/**
 * Looks at all that the process `pid`, which leads a session, has started. One of it is known by its parent, by its session, by its marks, and by
 * having been seen before. Without a group of its own a process gets away that leaves parent, session and folder
 * between two looks. Empty where there is no /proc.
 */
export function runProcesses(pid: number, { home, group }: RunMarks): () => TreeUse {
  const first = readEntry(pid);
  const folder = realpathSync(home);
  let mine = new Map<number, Entry>(first === null ? [] : [[pid, first]]);
  let sessions = new Set([pid]);
  let others = new Set<number>();
  let looks = 0;
  return () => {
    if (first === null) return { processes: [], memoryBytes: 0 };
    if (++looks % looksPerRenewal === 0) others = new Set();
    const pids = numbersOfProcesses();
    const seen = pids
      .filter((each) => !others.has(each))
      .map(readEntry)
      .filter((each) => each !== null);
    const found = new Map<number, Entry>();
    const isOurs = (each: Entry): boolean =>
      each.startedAt >= first.startedAt &&
      (found.has(each.parent) ||
        // Who has ended is its parent's to take in: an orphan of that sort is nothing that runs, and may stay for ever.
        (!each.isDead &&
          (mine.get(each.pid)?.startedAt === each.startedAt ||
            sessions.has(each.session) ||
            isMarked(each.pid, folder, group))));
    // Each that is found may lead to others, whatever the order of their numbers.
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
    return useOf([...found.keys()]);
  };
}

function useOf(processes: readonly number[]): TreeUse {
  const pages = processes.map((pid) => privatePages(pid) ?? 0);
  return { processes, memoryBytes: pages.reduce((sum, each) => sum + each, 0) * pageBytes };
}

function numbersOfProcesses(): number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger);
}

function readEntry(pid: number): Entry | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // Its name may hold anything.
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
    // It is not ours to be asked.
  }
  return group !== null && groupOf(pid) === group;
}

/** Its real group, whatever it may show itself as. */
function groupOf(pid: number): number | null {
  try {
    return Number(/^Gid:\t(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]);
  } catch {
    return null;
  }
}
