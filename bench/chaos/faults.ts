// What is done to an installation over PostgreSQL: processes killed or stopped, ways cut, held up or lied to, the server
// ended as if the power went.
import type { OwnPostgres } from '../../tests/support/postgres/postgres.ts';
import type { Peer } from '../support/peer.ts';
import { pause } from '../support/service.ts';
import { type Dice, shuffled } from './dice.ts';
import type { Fleet, Member } from './fleet.ts';
import type { Verdict } from './verdict.ts';
import { type Outage, maxResumeMs, type Span } from './resumed.ts';

/** What chaos does. */
export const faultKinds = ['kill', 'stop', 'cut', 'doubt', 'hold', 'restart'] as const;
export type FaultKind = (typeof faultKinds)[number];

/** What each is, for people. */
export const faultNames: Readonly<Record<FaultKind, string>> = {
  kill: 'kill -9, started again later',
  stop: 'SIGSTOP past the lease, SIGCONT',
  cut: 'connections cut',
  doubt: 'answers to commits lost',
  hold: 'ways to the database held up',
  restart: 'PostgreSQL ended (immediate), started again',
};

/** One that was done. */
export interface Fault extends Span {
  readonly kind: FaultKind;
  readonly what: string;
}

export interface FaultDeps {
  readonly fleet: Fleet;
  readonly proxy: Peer;
  readonly server: OwnPostgres;
  readonly dice: Dice;
  readonly say: (what: string) => void;
  /** Told when a process has another port. */
  readonly onStarted: () => void;
}

/** Does faults and remembers them. */
export interface Faults {
  readonly done: readonly Fault[];
  /** When a process could not work; one that was killed can again when it is ready. */
  readonly outages: readonly Outage[];
  /** From the start of a process that had been killed until it was ready. */
  readonly starts: readonly Outage[];
  /** Connections that were cut so far. */
  readonly cut: number;
  /** The next one; resolves when the one after it may come, which need not be its end. */
  next(): Promise<void>;
  /** Waits for the end of all. */
  end(): Promise<void>;
}

/** Leases are for 10 s: a process that stands still for longer has lost all it held. */
const stopMs = [10_500, 14_000] as const;
const holdMs = [1000, 12_000] as const;
const downMs = [0, 8000] as const;
const startingMs = [200, 3000] as const;
const betweenMs = [1000, 4500] as const;
/** Kills are the most frequent of faults. */
const bag: readonly FaultKind[] = [...faultKinds, 'kill'];

export function createFaults(deps: FaultDeps): Faults {
  const { dice } = deps;
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
      if (left.length === 0) left = shuffled(bag, dice);
      const kind = left.pop() ?? 'kill';
      const doing = doFault[kind](deps, notes);
      inProgress.add(doing);
      void doing.finally(() => inProgress.delete(doing));
      // What hits everyone is over before the next begins; what hits one goes on beside it.
      if (kind === 'restart') await doing;
      await pause(between(betweenMs, dice));
    },
    async end() {
      await Promise.all(inProgress);
    },
  };
}

/** A fault that hits nothing proves nothing. @param lost commits that were made and whose answer was lost */
export function judgeDoubts(done: readonly Fault[], lost: number): Verdict {
  const doubts = done.filter(({ kind }) => kind === 'doubt').length;
  return {
    promise: 'commits are made and their answers lost',
    tried: lost,
    breaches: doubts > 0 && lost === 0 ? [`${doubts} times answers to commits were to be lost, and none was`] : [],
  };
}

/** The same of connections; a process may have none open when one cut finds it. @param cut how many were cut in all */
export function judgeCuts(done: readonly Fault[], cut: number): Verdict {
  const cuts = done.filter(({ kind }) => kind === 'cut').length;
  return {
    promise: 'connections are there to be cut',
    tried: cut,
    breaches: cuts > 2 && cut === 0 ? [`${cuts} times connections were to be cut, and none was`] : [],
  };
}

/**
 * Each sort of fault was done, and whoever was killed was ready again soon: nobody else's work covers for it. Where the
 * database was away while it started, soon after that.
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
      promise: 'every sort of fault is done',
      tried: done.length,
      breaches: missing.map((kind) => `never done: ${faultNames[kind]}`),
    },
    {
      promise: `a process that is started again is ready within ${maxResumeMs / 1000} s (longest ${seconds(Math.max(0, ...startsMs))})`,
      tried: starts.length,
      breaches: late.map((ms) => `one took ${seconds(ms)}`),
    },
  ];
}

/** What came of faults. */
interface Notes {
  done(kind: FaultKind, what: string, from: number, members: readonly Member[]): void;
  /** A process that was started at `from` is ready. */
  started(member: Member, from: number): void;
  /** So many connections more were cut. */
  cut(connections: number): void;
}

/** Each draws its numbers first, so that the dice fall the same whatever else happens. */
const doFault: Readonly<Record<FaultKind, (deps: FaultDeps, notes: Notes) => Promise<void>>> = {
  async kill(deps, notes) {
    const [first, isOne, restMs] = [oneOf(deps), deps.dice() < 0.75, between(downMs, deps.dice)];
    const [isStartedInVain, afterMs] = [deps.dice() < 0.3, between(startingMs, deps.dice)];
    if (first === null) return;
    const others = isOne ? [] : deps.fleet.members.filter(({ role, isBusy }) => role === first.role && !isBusy);
    const members = [first, ...others.filter(({ service }) => service !== null)];
    for (const member of members) member.isBusy = true;
    deps.say(
      `kill -9 of ${namesOf(members)}, down for ${seconds(restMs)}${isStartedInVain ? ', and once more while it starts' : ''}`,
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
    const [member, lastsMs] = [oneOf(deps), between(stopMs, deps.dice)];
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
    const { dice, proxy, say } = deps;
    const [members, share] = [someOf(deps), dice() < 0.5 ? 1 : dice()];
    const cut = await proxy.ask<number>('cut', { names: members.map(({ name }) => name), share });
    say(`${cut} connections of ${namesOf(members)} cut`);
    notes.cut(cut);
    notes.done('cut', namesOf(members), Date.now(), []);
  },
  async doubt(deps, notes) {
    const { dice, proxy, say } = deps;
    const [members, commits] = [someOf(deps), 1 + Math.floor(dice() * 3)];
    say(`the answers to the next ${commits} commits of ${namesOf(members)} get lost`);
    await proxy.ask('doubt', { names: members.map(({ name }) => name), commits });
    notes.done('doubt', namesOf(members), Date.now(), []);
  },
  async hold(deps, notes) {
    const { dice, proxy, say } = deps;
    const [members, lastsMs] = [someOf(deps), between(holdMs, dice)];
    const names = members.map(({ name }) => name);
    say(`nothing passes between ${namesOf(members)} and the database for ${seconds(lastsMs)}`);
    const from = Date.now();
    await proxy.ask('hold', names);
    await pause(lastsMs);
    await proxy.ask('release', names);
    notes.done('hold', namesOf(members), from, members);
  },
  async restart({ server, fleet, say }, notes) {
    const from = Date.now();
    await server.restart('immediate');
    say(`PostgreSQL ended and answers again after ${seconds(Date.now() - from)}`);
    notes.done('restart', 'PostgreSQL', from, fleet.members);
  },
};

/** One that is up and nothing is done to yet; the next one round when it is not. */
function oneOf({ fleet: { members }, dice }: FaultDeps): Member | null {
  const start = Math.floor(dice() * members.length);
  const round = [...members.slice(start), ...members.slice(0, start)];
  const member = round.find(({ service, isBusy }) => service !== null && !isBusy) ?? null;
  if (member !== null) member.isBusy = true;
  return member;
}

/** One, both of a role, or all. */
function someOf({ fleet: { members }, dice }: FaultDeps): readonly Member[] {
  const [size, place] = [dice(), Math.floor(dice() * members.length)];
  const one = members[place];
  if (one === undefined || size >= 0.75) return members;
  return size < 0.5 ? [one] : members.filter(({ role }) => role === one.role);
}

function namesOf(members: readonly Member[]): string {
  return members.length > 2 ? 'all' : members.map(({ name }) => name).join(' and ');
}

function between([least, max]: readonly [number, number], dice: Dice): number {
  return least + dice() * (max - least);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
