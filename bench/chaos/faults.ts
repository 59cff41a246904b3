// Faults of an installation on PostgreSQL: processes killed or stopped, connections cut, stalled or without commit
// responses, and server crashes.
import type { OwnPostgres } from '../../tests/support/postgres/postgres.ts';
import type { Peer } from '../support/peer.ts';
import { pause } from '../support/service.ts';
import { type Random, shuffled } from './random.ts';
import type { Fleet, Member } from './fleet.ts';
import type { Verdict } from './verdict.ts';
import { type Outage, maxResumeMs, type Span } from './resumed.ts';

/** Kinds of faults. */
export const faultKinds = ['kill', 'stop', 'cut', 'drop', 'stall', 'restart'] as const;
export type FaultKind = (typeof faultKinds)[number];

/** Descriptions of the kinds. */
export const faultNames: Readonly<Record<FaultKind, string>> = {
  kill: 'kill -9, started again later',
  stop: 'SIGSTOP past the lease, SIGCONT',
  cut: 'connections cut',
  drop: 'commit responses lost',
  stall: 'database connections stalled',
  restart: 'PostgreSQL ended (immediate), started again',
};

/** A completed fault. */
export interface Fault extends Span {
  readonly kind: FaultKind;
  readonly what: string;
}

export interface FaultDeps {
  readonly fleet: Fleet;
  readonly proxy: Peer;
  readonly server: OwnPostgres;
  readonly random: Random;
  readonly say: (what: string) => void;
  /** Called when a process has another port. */
  readonly onStarted: () => void;
}

/** Injects faults and records them. */
export interface Faults {
  readonly done: readonly Fault[];
  /** When a process could not work; a killed one can again when it is ready. */
  readonly outages: readonly Outage[];
  /** From the restart of a killed process until it is ready. */
  readonly starts: readonly Outage[];
  /** Number of connections cut so far. */
  readonly cut: number;
  /** Starts the next fault; resolves when another one may start, possibly before this one ends. */
  next(): Promise<void>;
  /** Waits for all faults to end. */
  end(): Promise<void>;
}

/** Leases last 10 s, so a process that is stopped for longer loses all of them. */
const stopMs = [10_500, 14_000] as const;
const stallMs = [1000, 12_000] as const;
const downMs = [0, 8000] as const;
const startingMs = [200, 3000] as const;
const betweenMs = [1000, 4500] as const;
/** Kills are the most frequent fault. */
const bag: readonly FaultKind[] = [...faultKinds, 'kill'];

export function createFaults(deps: FaultDeps): Faults {
  const { random } = deps;
  const done: Fault[] = [];
  const outages: Outage[] = [];
  const starts: Outage[] = [];
  const inProgress = new Set<Promise<void>>();
  let cut = 0;
  let left: FaultKind[] = [];
  const notes: Notes = {
    done(kind, what, from, members) {
      const span = { from, to: Date.now() };
      done.push({ kind, what, ...span });
      outages.push(...members.map(({ name }) => ({ member: name, ...span })));
    },
    started: ({ name }, from) => void starts.push({ member: name, from, to: Date.now() }),
    cut(connections) {
      cut += connections;
    },
  };
  return {
    done,
    get outages() {
      return [...outages, ...starts];
    },
    starts,
    get cut() {
      return cut;
    },
    async next() {
      if (left.length === 0) left = shuffled(bag, random);
      const kind = left.pop() ?? 'kill';
      const doing = doFault[kind](deps, notes);
      inProgress.add(doing);
      void doing.finally(() => inProgress.delete(doing));
      // A fault of all processes ends before the next begins; others overlap.
      if (kind === 'restart') await doing;
      await pause(between(betweenMs, random));
    },
    async end() {
      await Promise.all(inProgress);
    },
  };
}

/** Verifies that the fault had an effect. @param lost number of commits whose response was lost */
export function judgeDrops(done: readonly Fault[], lost: number): Verdict {
  const drops = done.filter(({ kind }) => kind === 'drop').length;
  return {
    guarantee: 'responses to successful commits are lost',
    checked: lost,
    violations: drops > 0 && lost === 0 ? [`no commit response was lost in ${drops} attempts`] : [],
  };
}

/** The same for connections; a process may have none at that time. @param cut total number of connections cut */
export function judgeCuts(done: readonly Fault[], cut: number): Verdict {
  const cuts = done.filter(({ kind }) => kind === 'cut').length;
  return {
    guarantee: 'connections are cut',
    checked: cut,
    violations: cuts > 2 && cut === 0 ? [`no connection was cut in ${cuts} attempts`] : [],
  };
}

/**
 * Every kind of fault occurred, and every killed process was soon ready again, whatever other processes did. If the
 * database was unavailable during its start, the time counts from the end of that.
 */
export function judgeFaults({ done, starts, outages }: Pick<Faults, 'done' | 'starts' | 'outages'>): Verdict[] {
  const missing = faultKinds.filter((kind) => done.every((fault) => fault.kind !== kind));
  const startsMs = starts.map(({ member, from, to }) => {
    const meanwhile = outages.filter((outage) => outage.member === member && outage.to > from && outage.to < to);
    return to - Math.max(from, ...meanwhile.map((outage) => outage.to));
  });
  const late = startsMs.filter((ms) => ms > maxResumeMs);
  return [
    {
      guarantee: 'every kind of fault occurs',
      checked: done.length,
      violations: missing.map((kind) => `never done: ${faultNames[kind]}`),
    },
    {
      guarantee: `a restarted process is ready within ${maxResumeMs / 1000} s (longest ${seconds(Math.max(0, ...startsMs))})`,
      checked: starts.length,
      violations: late.map((ms) => `a start took ${seconds(ms)}`),
    },
  ];
}

/** Records the effects of faults. */
interface Notes {
  done(kind: FaultKind, what: string, from: number, members: readonly Member[]): void;
  /** A process that was started at `from` is ready. */
  started(member: Member, from: number): void;
  /** That many more connections were cut. */
  cut(connections: number): void;
}

/** Each fault draws its random numbers first, so that they do not depend on other events. */
const doFault: Readonly<Record<FaultKind, (deps: FaultDeps, notes: Notes) => Promise<void>>> = {
  async kill(deps, notes) {
    const [first, isOne, restMs] = [oneOf(deps), deps.random() < 0.75, between(downMs, deps.random)];
    const [isStartedInVain, afterMs] = [deps.random() < 0.3, between(startingMs, deps.random)];
    if (first === null) return;
    const others = isOne ? [] : deps.fleet.members.filter(({ role, isBusy }) => role === first.role && !isBusy);
    const members = [first, ...others.filter(({ service }) => service !== null)];
    for (const member of members) member.isBusy = true;
    deps.say(
      `kill -9 of ${namesOf(members)}, down for ${seconds(restMs)}${isStartedInVain ? ', and killed again during its start' : ''}`,
    );
    const from = Date.now();
    await Promise.all(members.map((member) => member.kill()));
    await pause(restMs);
    if (isStartedInVain) await Promise.all(members.map((member) => member.startInVain(afterMs)));
    notes.done('kill', namesOf(members), from, members);
    const startedAt = Date.now();
    const start = async (member: Member): Promise<void> => {
      await member.start();
      member.isBusy = false;
      notes.started(member, startedAt);
    };
    await Promise.all(members.map(start));
    deps.onStarted();
  },
  async stop(deps, notes) {
    const [member, lastsMs] = [oneOf(deps), between(stopMs, deps.random)];
    if (member === null) return;
    deps.say(`SIGSTOP of ${member.name} for ${seconds(lastsMs)}`);
    const from = Date.now();
    member.service?.signal('SIGSTOP');
    await pause(lastsMs);
    member.service?.signal('SIGCONT');
    notes.done('stop', member.name, from, [member]);
    member.isBusy = false;
  },
  async cut(deps, notes) {
    const { random, proxy, say } = deps;
    const [members, share] = [someOf(deps), random() < 0.5 ? 1 : random()];
    const cut = await proxy.ask<number>('cut', { names: members.map(({ name }) => name), share });
    say(`${cut} connections of ${namesOf(members)} cut`);
    notes.cut(cut);
    notes.done('cut', namesOf(members), Date.now(), []);
  },
  async drop(deps, notes) {
    const { random, proxy, say } = deps;
    const [members, commits] = [someOf(deps), 1 + Math.floor(random() * 3)];
    say(`the responses to the next ${commits} commits of ${namesOf(members)} are lost`);
    await proxy.ask('drop', { names: members.map(({ name }) => name), commits });
    notes.done('drop', namesOf(members), Date.now(), []);
  },
  async stall(deps, notes) {
    const { random, proxy, say } = deps;
    const [members, lastsMs] = [someOf(deps), between(stallMs, random)];
    const names = members.map(({ name }) => name);
    say(`connections of ${namesOf(members)} to the database are stalled for ${seconds(lastsMs)}`);
    const from = Date.now();
    await proxy.ask('stall', names);
    await pause(lastsMs);
    await proxy.ask('release', names);
    notes.done('stall', namesOf(members), from, members);
  },
  async restart({ server, fleet, say }, notes) {
    const from = Date.now();
    await server.restart('immediate');
    say(`PostgreSQL crashed and was available again after ${seconds(Date.now() - from)}`);
    notes.done('restart', 'PostgreSQL', from, fleet.members);
  },
};

/** A running process without a current fault, otherwise null. */
function oneOf({ fleet: { members }, random }: FaultDeps): Member | null {
  const start = Math.floor(random() * members.length);
  const round = [...members.slice(start), ...members.slice(0, start)];
  const member = round.find(({ service, isBusy }) => service !== null && !isBusy) ?? null;
  if (member !== null) member.isBusy = true;
  return member;
}

/** One process, both of a role, or all. */
function someOf({ fleet: { members }, random }: FaultDeps): readonly Member[] {
  const [size, place] = [random(), Math.floor(random() * members.length)];
  const one = members[place];
  if (one === undefined || size >= 0.75) return members;
  return size < 0.5 ? [one] : members.filter(({ role }) => role === one.role);
}

function namesOf(members: readonly Member[]): string {
  return members.length > 2 ? 'all' : members.map(({ name }) => name).join(' and ');
}

function between([least, max]: readonly [number, number], random: Random): number {
  return least + random() * (max - least);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
