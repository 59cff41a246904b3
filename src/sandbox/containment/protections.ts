// What each level of containment protects. The table in docs/security.md and `doctor` use it.
import type { Containment } from './containment.ts';

export interface Protection {
  readonly what: string;
  /** `yes`, or the limitation. */
  readonly at: Readonly<Record<Containment, string>>;
  /** Whether `user` requires a group per run. Without one, the value of `process` applies. */
  readonly needsOwnGroup?: boolean;
}

const [yes, no] = ['yes', 'no'] as const;
/** The levels with their own file system, processes and network. */
const apart = { bubblewrap: yes, namespaces: yes };
const unlessItHides = 'except processes that change parent, session and folder between two checks';

/** In the order of docs/security.md. */
export const protections: readonly Protection[] = [
  { what: 'limits on time, output and disk use', at: { ...apart, user: yes, process: yes } },
  {
    what: 'limits on memory and processes',
    at: { ...apart, user: yes, process: unlessItHides },
    needsOwnGroup: true,
  },
  {
    what: 'all processes of a run end with it',
    at: { ...apart, user: yes, process: unlessItHides },
    needsOwnGroup: true,
  },
  {
    what: 'cannot see, signal or inspect processes of Tocsin and the machine',
    at: { ...apart, user: 'can only see them', process: no },
  },
  {
    what: 'cannot see, signal or inspect other runs',
    at: { ...apart, user: 'no: all runs share a user', process: no },
  },
  {
    what: 'cannot read Tocsin’s data, keys and database',
    at: { ...apart, user: 'depends on file permissions', process: no },
  },
  { what: 'cannot see files of other runs', at: { ...apart, user: no, process: no } },
  {
    what: 'cannot write outside its own folder',
    at: { ...apart, user: 'except where all users may write', process: no },
  },
  {
    what: 'has no root privileges and cannot gain them',
    at: { ...apart, user: yes, process: 'unless Tocsin runs as root' },
  },
  {
    what: 'connects only where the egress policy allows, and not to abstract sockets',
    at: { ...apart, user: no, process: no },
  },
  {
    what: 'cannot connect to Tocsin itself or its PostgreSQL under any egress policy',
    at: { ...apart, user: no, process: no },
  },
];

/** Resource use that limits do not count, as named in docs/security.md, and the levels where it is possible. */
export const uncounted: readonly { readonly what: string; readonly at: readonly Containment[] }[] = [
  { what: '`memfd` memory', at: ['bubblewrap', 'namespaces', 'user', 'process'] },
  { what: 'files in `/dev/shm`', at: ['namespaces', 'user', 'process'] },
  { what: 'deleted files that are still open', at: ['bubblewrap', 'namespaces', 'user', 'process'] },
];

/** Returns the missing or limited protections of a level. @param hasGroups whether runs get their own groups here */
export function shortfalls(level: Containment, hasGroups: boolean): readonly string[] {
  return protections.flatMap(({ what, at, needsOwnGroup = false }) => {
    const reported = level === 'user' && needsOwnGroup && !hasGroups ? at.process : at[level];
    return reported === yes ? [] : [`${what}: ${reported}`];
  });
}

/** Returns what limits do not count at a level. */
export function uncountedAt(level: Containment): readonly string[] {
  return uncounted.filter(({ at }) => at.includes(level)).map(({ what }) => what);
}
