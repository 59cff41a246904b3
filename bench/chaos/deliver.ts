// kill -9 at five named points of a delivery's way, on SQLite and over PostgreSQL; in the end every delivery has arrived, its log
// is whole, and what came twice came because an attempt was cut off.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Arrival } from '../peers/attempts-receiver.ts';
import { type Peer, startPeer } from '../support/peer.ts';
import { pause, type Service, serviceEnvironment, startService } from '../support/service.ts';
import { type Engine, engines, openFixture, replayable, type Fixture, sendingChannels } from './deliver-fixture.ts';
import { judgeDeliveries, type Ledger } from './deliver-judge.ts';
import { createDice, type Dice } from './dice.ts';
import { startDoomed } from './doomed.ts';
import type { Verdict } from './verdict.ts';
import { type Point, points } from './points.ts';
import { stopStart } from './stop.ts';
import { type CutOff, replaysOf, standing, triedDeliveries } from './tried.ts';

/** How often at each point, and by which dice. */
export interface DeliverOptions {
  readonly dataDir: string;
  readonly kills: number;
  readonly seed: number;
  readonly say: (what: string) => void;
}

/** Kills that one channel's replay meets: before and after each of its two commits. */
const killsPerReplay = 4;
/** Deliveries that wait for the next process: enough that it comes to its point. */
const [fewest, fed] = [300, 600];
const reachedWithinMs = 30_000;
const maxFailedTries = 3;
const maxSettleMs = 180_000;

export async function chaosOfDeliveries(options: DeliverOptions): Promise<Verdict[]> {
  const verdicts = await Promise.all(engines.map((engine, index) => chaosOn(engine, index, options)));
  return verdicts.flat();
}

async function chaosOn(engine: Engine, index: number, options: DeliverOptions): Promise<Verdict[]> {
  const dataDir = join(options.dataDir, engine);
  mkdirSync(dataDir, { recursive: true });
  const say = (what: string): void => options.say(`${engine}: ${what}`);
  const receiver = startPeer('attempts-receiver');
  try {
    const address = await receiver.ask<string>('listen');
    const replayChannels = Math.ceil(options.kills / killsPerReplay);
    await using fixture = await openFixture(engine, { dataDir, receiver: address, replayChannels });
    const round = { engine, fixture, receiver, dice: createDice(options.seed + index), say };
    const killed = await killAtPoints(round, options.kills);
    say('the rest is delivered');
    const service = await startService({ dataDir: fixture.dataDir, environment: rolesOn(fixture) });
    const refused = await replayAll(service, replayChannels);
    const isSettled = await settle(fixture);
    await service.stop();
    const arrivals = await receiver.ask<Arrival[]>('arrivals', 0);
    const ledger: Ledger = { deliveries: triedDeliveries(fixture.rows), arrivals, cutOff: [...killed.cutOff.values()] };
    const judged = judgeDeliveries(ledger, { first: sendingChannels + 1, count: replayChannels, each: replayable });
    return [
      ...killed.verdicts,
      ...judged,
      {
        promise: 'it settles: what was replayed is taken, nothing is pending',
        tried: replayChannels,
        breaches: [...refused, ...(isSettled ? [] : [`${standing(fixture.rows, 0).pending} deliveries are pending`])],
      },
    ].map((verdict) => ({ ...verdict, promise: `${engine}: ${verdict.promise}` }));
  } finally {
    await receiver.stop();
  }
}

interface Round {
  readonly engine: Engine;
  readonly fixture: Fixture;
  readonly receiver: Peer;
  readonly dice: Dice;
  readonly say: (what: string) => void;
}

interface Killed {
  /** Every attempt that a kill met, by delivery and start. */
  readonly cutOff: Map<string, CutOff>;
  /** One for each point: how many kills met it. */
  readonly verdicts: readonly Verdict[];
}

async function killAtPoints(round: Round, kills: number): Promise<Killed> {
  const { fixture, say } = round;
  const cutOff = new Map<string, CutOff>();
  const arrived = createArrived(round.receiver);
  const tallies = points.map(({ name }) => ({ name, there: 0, inVain: 0, breaches: [] as string[] }));
  let replays = 0;
  await fixture.feed(fed);
  for (let kill = 0; kill < kills; kill++) {
    for (const [index, point] of points.entries()) {
      const tally = tallies[index];
      if (tally === undefined) continue;
      let met = 0;
      do {
        const startedAt = await killAt(round, point, kill);
        const stands = standing(fixture.rows, startedAt);
        for (const one of stands.cutOff) cutOff.set(`${one.id} ${one.startedAt}`, one);
        await arrived.read();
        met = point.metBy?.({ standing: stands, hasArrived: arrived.has }) ?? Number.NaN;
        if (stands.due < fewest) await fixture.feed(fed);
        // A kill that met no delivery there is no kill at this point: the next one is.
        if (met === 0) tally.inVain++;
      } while (met === 0);
      if (point.metBy === null) {
        met = replaysOf(fixture.rows, replayChannel(kill));
        tally.breaches.push(...wrongReplays(met, replays, kill));
        replays = met;
      }
      tally.there += met;
    }
    if ((kill + 1) % 10 === 0) say(`${kill + 1} kills at each point, ${cutOff.size} attempts cut off`);
  }
  const verdicts = tallies.map(({ name, there, inVain, breaches }) => ({
    promise: `kill -9 ${name} (${there} deliveries there; ${inVain} more that met none)`,
    tried: kills,
    breaches,
  }));
  return { cutOff, verdicts };
}

/** A kill before a commit leaves as many replays of the channel as there were, one after it more. */
function wrongReplays(now: number, before: number, kill: number): string[] {
  const was = kill % killsPerReplay === 0 ? 0 : before;
  const isRight = kill % 2 === 0 ? now === was : now > was;
  return isRight ? [] : [`kill ${kill + 1}: there are ${now} replays and were ${was}`];
}

function replayChannel(kill: number): number {
  return sendingChannels + 1 + Math.floor(kill / killsPerReplay);
}

/** Runs a process to its point; answers with when it was started. One that has nothing to do there is given something. */
async function killAt({ fixture, dice }: Round, point: Point, kill: number): Promise<number> {
  for (let tries = 1; ; tries++) {
    const { words, environment } = stopStart(point.stop(dice, kill));
    const doomed = startDoomed(words, { ...rolesOn(fixture), ...environment });
    const asked = point.metBy === null ? doomed.post(...replayOf(replayChannel(kill))) : null;
    const signal = await doomed.endedWithin(reachedWithinMs);
    await fixture.quiet();
    const answer = await asked;
    if (signal === 'SIGKILL' && answer === null) return doomed.startedAt;
    if (signal === 'SIGKILL') throw new Error(`the replay was answered ${answer} before it was killed`);
    if (tries === maxFailedTries) throw new Error(`no process came to ${point.name}: ${doomed.output().slice(-500)}`);
    await fixture.feed(fed);
  }
}

/** A replay of everything that a channel has exhausted. */
function replayOf(channel: number): [path: string, body: unknown] {
  return [`/v1/alert-channels/${channel}/replay`, { since: '2026-01-01T00:00:00Z' }];
}

function rolesOn(fixture: Fixture): Record<string, string> {
  return { ...serviceEnvironment(fixture.dataDir), TOCSIN_ROLES: 'api,deliverer', ...fixture.environment };
}

/** What came last: an attempt that is cut off again and again may have come from a process before. */
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

/** Replays what is left of each channel, as somebody does whose call was not answered. */
async function replayAll(service: Service, channels: number): Promise<string[]> {
  const refused: string[] = [];
  for (let channel = sendingChannels + 1; channel <= sendingChannels + channels; channel++) {
    const { status } = await service.call('POST', ...replayOf(channel));
    if (status !== 202) refused.push(`the replay of channel ${channel} is answered ${status}`);
  }
  return refused;
}

async function settle(fixture: Fixture): Promise<boolean> {
  const deadline = performance.now() + maxSettleMs;
  while (performance.now() < deadline) {
    if (standing(fixture.rows, 0).pending === 0) return true;
    await pause(200);
  }
  return false;
}
