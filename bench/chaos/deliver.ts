// kill -9 at five points of a delivery, on SQLite and PostgreSQL. In the end every delivery has arrived, its log is
// complete, and every duplicate is due to an interrupted attempt.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Arrival } from '../peers/attempts-receiver.ts';
import { type Peer, startPeer } from '../support/peer.ts';
import { pause, type Service, serviceEnvironment, startService } from '../support/service.ts';
import { type Engine, engines, openFixture, replayable, type Fixture, sendingChannels } from './deliver-fixture.ts';
import { judgeDeliveries, type Ledger } from './deliver-judge.ts';
import { createRandom, type Random } from './random.ts';
import type { ChaosOptions, Verdict } from './verdict.ts';
import { type Point, points, stopStart } from './points.ts';
import { type CutOff, replaysOf, deliveriesState, loggedDeliveries } from './recorded.ts';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { bundled } from '../../tooling/bundle.ts';
import { bootstrapKey } from '../support/seed.ts';

/** Kills during the replay of each channel: before and after each of its two commits. */
const killsPerReplay = 4;
/** Number of deliveries for the next process, enough to reach its point. */
const [fewest, fed] = [300, 600];
const reachedWithinMs = 30_000;
const maxFailedTries = 3;
const maxSettleMs = 180_000;

export async function chaosOfDeliveries(options: ChaosOptions): Promise<Verdict[]> {
  const verdicts = await Promise.all(engines.map((engine, index) => chaosOn(engine, index, options)));
  return verdicts.flat();
}

async function chaosOn(engine: Engine, index: number, options: ChaosOptions): Promise<Verdict[]> {
  const dataDir = join(options.dataDir, engine);
  mkdirSync(dataDir, { recursive: true });
  const say = (what: string): void => options.say(`${engine}: ${what}`);
  const receiver = startPeer('attempts-receiver');
  try {
    const address = await receiver.ask<string>('listen');
    const mailPort = await receiver.ask<number>('listenMail');
    const replayChannels = Math.ceil(options.length / killsPerReplay);
    await using fixture = await openFixture(engine, { dataDir, receiver: address, mailPort, replayChannels });
    const round = { engine, fixture, receiver, random: createRandom(options.seed + index), say };
    const killed = await killAtPoints(round, options.length);
    say('delivering the rest');
    const service = await startService({ dataDir: fixture.dataDir, environment: rolesOn(fixture) });
    const refused = await replayAll(service, replayChannels);
    const isSettled = await settle(fixture);
    await service.stop();
    const arrivals = await receiver.ask<Arrival[]>('arrivals', 0);
    const ledger: Ledger = {
      deliveries: loggedDeliveries(fixture.rows),
      arrivals,
      cutOff: [...killed.cutOff.values()],
    };
    const judged = judgeDeliveries(ledger, { first: sendingChannels + 1, count: replayChannels, each: replayable });
    return [
      ...killed.verdicts,
      ...judged,
      {
        guarantee: 'replays are accepted, and nothing stays pending',
        checked: replayChannels,
        violations: [
          ...refused,
          ...(isSettled ? [] : [`${deliveriesState(fixture.rows, 0).pending} deliveries are pending`]),
        ],
      },
    ].map((verdict) => ({ ...verdict, guarantee: `${engine}: ${verdict.guarantee}` }));
  } finally {
    await receiver.stop();
  }
}

interface Round {
  readonly engine: Engine;
  readonly fixture: Fixture;
  readonly receiver: Peer;
  readonly random: Random;
  readonly say: (what: string) => void;
}

interface Killed {
  /** All attempts interrupted by a kill, by delivery and start. */
  readonly cutOff: Map<string, CutOff>;
  /** Effective kills of each point. */
  readonly verdicts: readonly Verdict[];
}

async function killAtPoints(round: Round, kills: number): Promise<Killed> {
  const { fixture, say } = round;
  const cutOff = new Map<string, CutOff>();
  const arrived = createArrived(round.receiver);
  const tallies = points.map(({ name }) => ({ name, there: 0, inVain: 0, violations: [] as string[] }));
  let replays = 0;
  await fixture.feed(fed);
  for (let kill = 0; kill < kills; kill++) {
    for (const [index, point] of points.entries()) {
      const tally = tallies[index];
      if (tally === undefined) continue;
      let met = 0;
      do {
        const startedAt = await killAt(round, point, kill);
        const state = deliveriesState(fixture.rows, startedAt);
        for (const one of state.cutOff) cutOff.set(`${one.id} ${one.startedAt}`, one);
        await arrived.read();
        met = point.metBy?.({ deliveriesState: state, hasArrived: arrived.has }) ?? Number.NaN;
        if (state.due < fewest) await fixture.feed(fed);
        // A kill without a delivery at its point does not count; the next one does.
        if (met === 0) tally.inVain++;
      } while (met === 0);
      if (point.metBy === null) {
        met = replaysOf(fixture.rows, replayChannel(kill));
        tally.violations.push(...wrongReplays(met, replays, kill));
        replays = met;
      }
      tally.there += met;
    }
    if ((kill + 1) % 10 === 0) say(`${kill + 1} kills at each point, ${cutOff.size} attempts interrupted`);
  }
  const verdicts = tallies.map(({ name, there, inVain, violations }) => ({
    guarantee: `kill -9 ${name} (${there} deliveries at that point; ${inVain} more kills without any)`,
    checked: kills,
    violations,
  }));
  return { cutOff, verdicts };
}

/** A kill before the commit does not change the number of the channel's replays; a kill after it adds them. */
function wrongReplays(now: number, before: number, kill: number): string[] {
  const was = kill % killsPerReplay === 0 ? 0 : before;
  const isRight = kill % 2 === 0 ? now === was : now > was;
  return isRight ? [] : [`kill ${kill + 1}: ${now} replays instead of ${was}`];
}

function replayChannel(kill: number): number {
  return sendingChannels + 1 + Math.floor(kill / killsPerReplay);
}

/** Runs a process to its point and returns when it started. Adds work if it has none there. */
async function killAt({ fixture, random }: Round, point: Point, kill: number): Promise<number> {
  for (let tries = 1; ; tries++) {
    const { words, environment } = stopStart(point.stop(random, kill));
    const crashing = startCrashing(words, { ...rolesOn(fixture), ...environment });
    const asked = point.metBy === null ? crashing.post(...replayOf(replayChannel(kill))) : null;
    const signal = await crashing.endedWithin(reachedWithinMs);
    await fixture.quiet();
    const answer = await asked;
    if (signal === 'SIGKILL' && answer === null) return crashing.startedAt;
    if (signal === 'SIGKILL') throw new Error(`the replay returned ${answer} before the process was killed`);
    if (tries === maxFailedTries)
      throw new Error(`no process reached "${point.name}": ${crashing.output().slice(-500)}`);
    await fixture.feed(fed);
  }
}

/** Replays everything that a channel has exhausted. */
function replayOf(channel: number): [path: string, body: unknown] {
  return [`/v1/alert-channels/${channel}/replay`, { since: '2026-01-01T00:00:00Z' }];
}

function rolesOn(fixture: Fixture): Record<string, string> {
  return { ...serviceEnvironment(fixture.dataDir), TOCSIN_ROLES: 'api,deliverer', ...fixture.environment };
}

/** The last arrival. An attempt that is interrupted repeatedly may come from an earlier process. */
function createArrived(receiver: Peer) {
  let seen = new Set<string>();
  let count = 0;
  return {
    has: (id: string, attempt: number): boolean => seen.has(`${id} ${attempt}`),
    async read(): Promise<void> {
      const more = await receiver.ask<Arrival[]>('arrivals', count);
      count += more.length;
      seen = new Set(more.map(({ id, attempt }) => `${id} ${attempt}`));
    },
  };
}

/** Replays the remaining deliveries of each channel, like a client that got no response. */
async function replayAll(service: Service, channels: number): Promise<string[]> {
  const refused: string[] = [];
  for (let channel = sendingChannels + 1; channel <= sendingChannels + channels; channel++) {
    const { status } = await service.call('POST', ...replayOf(channel));
    if (status !== 202) refused.push(`the replay of channel ${channel} returned ${status}`);
  }
  return refused;
}

async function settle(fixture: Fixture): Promise<boolean> {
  const deadline = performance.now() + maxSettleMs;
  while (performance.now() < deadline) {
    if (deliveriesState(fixture.rows, 0).pending === 0) return true;
    await pause(200);
  }
  return false;
}

/** A process that will kill itself. */
interface CrashingProcess {
  /** Epoch ms. */
  readonly startedAt: number;
  /** Resolves with the signal that ended it; null = it exited on its own or not in time. */
  endedWithin(ms: number): Promise<NodeJS.Signals | null>;
  /** POSTs with the first key once the process listens. null = no response. */
  post(path: string, body: unknown): Promise<number | null>;
  output(): string;
}

const pieceMs = 10;
const root = fileURLToPath(new URL('../..', import.meta.url));

/** @param words arguments of Node.js */
function startCrashing(words: readonly string[], environment: Readonly<Record<string, string>>): CrashingProcess {
  const startedAt = Date.now();
  const child = spawn('sh', ['tooling/node24.sh', ...words, bundled('main')], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', ...environment },
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  return {
    startedAt,
    output: () => printed,
    async endedWithin(ms) {
      // Counted in short steps, so that time in which this process was suspended does not count.
      for (let waitedMs = 0; isRunning() && waitedMs < ms; waitedMs += pieceMs) await pause(pieceMs);
      if (isRunning()) child.kill('SIGKILL');
      const isLate = child.killed;
      const [, signal] = await exited;
      return isLate ? null : signal;
    },
    async post(path, body) {
      let address: string | undefined;
      while (address === undefined && isRunning()) {
        address = /listens on (http:\/\/\S+)/.exec(printed)?.[1];
        await pause(2);
      }
      if (address === undefined) return null;
      const headers = { authorization: `Bearer ${bootstrapKey}`, 'content-type': 'application/json' };
      return fetch(`${address}${path}`, { method: 'POST', headers, body: JSON.stringify(body) }).then(
        ({ status }) => status,
        () => null,
      );
    },
  };
}
