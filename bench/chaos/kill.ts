// kill -9 at random moments of a working service, again and again; in the end everything promised must hold.
import { type Peer, startPeer } from '../support/peer.ts';
import type { Request } from '../peers/chaos-receiver.ts';
import { pause, type Service, startService } from '../support/service.ts';
import { channels, install, type Installation } from './installation.ts';
import { judgeAlerts, judgeDeliveries, judgeSlots, judgeTriggers, judgeVerdicts, type Verdict } from './judge.ts';
import { openRecorded, type Recorded } from './recorded.ts';
import { createWriter, type Writer } from './writer.ts';

/** How often, and by which dice. */
export interface KillOptions {
  readonly dataDir: string;
  readonly rounds: number;
  readonly seed: number;
  readonly say: (what: string) => void;
}

const shortestUpMs = 1500;
const longestUpMs = 7000;
/** One round in seven stays down for more than a slot, so that whole slots are missed. */
const longDownMs = 11_000;
const settleMostMs = 60_000;

export async function chaosOfKills({ dataDir, rounds, seed, say }: KillOptions): Promise<Verdict[]> {
  const dice = createDice(seed);
  const [target, receiver] = [startPeer('chaos-target'), startPeer('chaos-receiver')];
  const secrets = Object.fromEntries(channels.map(({ id, secret }) => [id, secret]));
  const receiverAddress = await receiver.ask<string>('listen', secrets);
  let service = await startService({ dataDir });
  say('200 checks, a group and two channels through the API');
  const installation = await install(service, await target.ask<string>('listen'), receiverAddress);
  const writer = createWriter(installation.groupId);
  const seen = new Map<string, string>();
  const changed: string[] = [];

  for (let round = 1; round <= rounds; round++) {
    writer.writeTo(service);
    await pause(shortestUpMs + dice() * (longestUpMs - shortestUpMs));
    rememberCommitted(dataDir, seen);
    await pause(dice() * 100);
    await service.kill();
    const downMs = round % 7 === 0 ? longDownMs : 0;
    if (downMs > 0) await pause(downMs);
    service = await startService({ dataDir });
    say(
      `round ${round}: killed, ready again after ${Math.round(service.readyAfterMs)} ms, ${seen.size} results so far`,
    );
  }
  writer.writeTo(service);
  await pause(2000);
  await writer.finish(service);
  const until = Date.now();
  say('settling');
  using recorded = openRecorded(dataDir);
  const isSettled = await settle(recorded, until);
  const lost = await judgeWrites(service, writer);
  const difference = await conservationOf(service);
  await service.stop();
  await pause(200);
  const requests = await receiver.ask<Request[]>('requests');
  await stopAll(target, receiver);

  for (const [id, outcome] of recorded.committed()) {
    const before = seen.get(id);
    if (before !== undefined && before !== outcome) changed.push(`result ${id} was ${before} and is ${outcome}`);
    seen.delete(id);
  }
  return [
    ...judgeRecords(installation, recorded, { until, requests, calls: writer.acknowledged.triggers }),
    lost,
    {
      promise: 'no committed result is lost or changed',
      tried: recorded.results().length,
      breaches: [...changed, ...[...seen.keys()].map((id) => `result ${id} is gone`)],
    },
    {
      promise: 'asked for = outcomes + open runs',
      tried: 1,
      breaches: difference === 0 ? [] : [`the difference is ${difference}`],
    },
    {
      promise: 'it settles: no open slot, no pending delivery',
      tried: 1,
      breaches: isSettled
        ? []
        : [`${recorded.pending()} deliveries pending, open slots ${recorded.openSlots().join(', ')}`],
    },
  ];
}

function judgeRecords(
  installation: Installation,
  recorded: Recorded,
  { until, requests, calls }: { until: number; requests: readonly Request[]; calls: number },
): Verdict[] {
  const byCheck = Map.groupBy(recorded.results(), ({ checkId }) => checkId);
  return [
    judgeSlots(installation, byCheck, until),
    judgeVerdicts(installation, byCheck),
    ...judgeAlerts(installation, byCheck, requests, until),
    ...judgeDeliveries(recorded, requests, until),
    judgeTriggers(installation, byCheck, calls),
  ];
}

function rememberCommitted(dataDir: string, seen: Map<string, string>): void {
  using recorded = openRecorded(dataDir);
  for (const [id, outcome] of recorded.committed()) seen.set(id, outcome);
}

/** Waits until every slot up to `until` is closed and every delivery has ended. */
async function settle(recorded: Recorded, until: number): Promise<boolean> {
  const deadline = performance.now() + settleMostMs;
  while (performance.now() < deadline) {
    const isOpen = recorded.openSlots().some((slotAt) => slotAt <= until);
    if (!isOpen && recorded.pending() === 0 && Date.now() > until + 2000) return true;
    await pause(100);
  }
  return false;
}

async function judgeWrites(service: Service, { acknowledged }: Writer): Promise<Verdict> {
  const breaches: string[] = [];
  for (const [key, value] of acknowledged.variables) {
    const { status, body } = await service.call('GET', `/v1/variables/${key}`);
    const found = status === 200 ? (body as { value: string }).value : `status ${status}`;
    if (found !== value) breaches.push(`${key} is ${found} instead of ${value}`);
  }
  return { promise: 'every acknowledged write is there', tried: acknowledged.variables.size, breaches };
}

async function conservationOf(service: Service): Promise<number> {
  const { body } = await service.call('GET', '/metrics');
  return Number(/^tocsin_conservation_difference (\S+)$/m.exec(String(body))?.[1] ?? Number.NaN);
}

async function stopAll(...peers: readonly Peer[]): Promise<void> {
  await Promise.all(peers.map((peer) => peer.stop()));
}

/** Random numbers 0..1 that follow from the seed (mulberry32), so that a run can be repeated. */
function createDice(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
