// What each level of containment keeps a script from, and what none does: the table of docs/security.md, which `doctor` reads as well.
import type { Containment } from './containment.ts';

/** What is promised of scripts. */
export interface Protection {
  readonly what: string;
  /** How far it holds: `yes`, or what is lacking. */
  readonly at: Readonly<Record<Containment, string>>;
  /** Whether `user` holds it only by a group of the run's own; without it is as at `process`. */
  readonly needsOwnGroup?: boolean;
}

const [yes, no] = ['yes', 'no'] as const;
/** At both levels that give scripts a file system, processes and a network of their own. */
const apart = { bubblewrap: yes, namespaces: yes };
const unlessItHides = 'not for what leaves parent, session and folder between two looks';

/** In the order of the page. */
export const protections: readonly Protection[] = [
  { what: 'limits of time, output and of its folder', at: { ...apart, user: yes, process: yes } },
  {
    what: 'limits of memory and processes',
    at: { ...apart, user: yes, process: unlessItHides },
    needsOwnGroup: true,
  },
  {
    what: 'what it leaves running ends with it',
    at: { ...apart, user: yes, process: unlessItHides },
    needsOwnGroup: true,
  },
  {
    what: 'cannot see or signal processes of Tocsin and of the machine, or read what they were given',
    at: { ...apart, user: 'sees them, no more', process: no },
  },
  {
    what: 'cannot see, signal or end other runs, or read what they were given',
    at: { ...apart, user: 'no: all runs are one user', process: no },
  },
  {
    what: 'cannot read Tocsin’s data, keys and database',
    at: { ...apart, user: 'as far as files are closed to others', process: no },
  },
  { what: 'cannot see files of other runs', at: { ...apart, user: no, process: no } },
  { what: 'cannot write but in its own folder', at: { ...apart, user: 'what others may write', process: no } },
  {
    what: 'no rights of root, and none to be had',
    at: { ...apart, user: yes, process: 'unless Tocsin is root' },
  },
  {
    what: 'connects only where the egress policy allows, and to no abstract socket',
    at: { ...apart, user: no, process: no },
  },
  {
    what: 'does not connect to Tocsin itself or its PostgreSQL, whatever the policy allows',
    at: { ...apart, user: no, process: no },
  },
];

/** What limits do not count, by the page's names, and where that can be had. */
export const uncounted: readonly { readonly what: string; readonly at: readonly Containment[] }[] = [
  { what: 'memory of `memfd`', at: ['bubblewrap', 'namespaces', 'user', 'process'] },
  { what: 'files in `/dev/shm`', at: ['namespaces', 'user', 'process'] },
  { what: 'files that are deleted while they are open', at: ['bubblewrap', 'namespaces', 'user', 'process'] },
];

/** What is not promised at a level, and how far it is. @param hasGroups whether runs get groups of their own here */
export function shortfalls(level: Containment, hasGroups: boolean): readonly string[] {
  return protections.flatMap(({ what, at, needsOwnGroup = false }) => {
    const told = level === 'user' && needsOwnGroup && !hasGroups ? at.process : at[level];
    return told === yes ? [] : [`${what}: ${told}`];
  });
}

/** What limits do not count at a level. */
export function uncountedAt(level: Containment): readonly string[] {
  return uncounted.filter(({ at }) => at.includes(level)).map(({ what }) => what);
}
