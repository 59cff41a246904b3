// kill -9 at random moments of a working service, repeatedly. In the end all guarantees must hold.
import { type Peer, startPeer } from '../support/peer.ts';
import type { Request } from '../peers/chaos-receiver.ts';
import type { Answered } from '../peers/chaos-target.ts';
import { pause, type Service, startService } from '../support/service.ts';
import { createRandom } from './random.ts';
import { channels, install } from './installation.ts';
import { judgeGrouped } from './grouped.ts';
import { judgeRecords, judgeWrites } from './judge.ts';
import type { Verdict } from './verdict.ts';
import { openRecordedFile, type Recorded } from './recorded.ts';
import { createWriter } from './writer.ts';

/** Number of kills, and the random source. */
export interface KillOptions {
  readonly dataDir: string;
  readonly rounds: number;
  readonly seed: number;
  readonly say: (what: string) => void;
}

const scriptedChecks = 200;
const shortestUpMs = 1500;
const longestUpMs = 7000;
/** One round in seven is down for more than a slot, so that complete slots are missed. */
const longDownMs = 11_000;
const maxSettleMs = 60_000;

export async function chaosOfKills({ dataDir, rounds, seed, say }: KillOptions): Promise<Verdict[]> {
  const random = createRandom(seed);
  const [target, receiver] = [startPeer('chaos-target'), startPeer('chaos-receiver')];
  const secrets = Object.fromEntries(channels.map(({ id, secret }) => [id, secret]));
  const receiverAddress = await receiver.ask<string>('listen', secrets);
  let service = await startService({ dataDir });
  say(`${scriptedChecks} checks, a group and three channels through the API`);
  const installation = await install(service, await target.ask<string>('listen'), receiverAddress, scriptedChecks);
  const writer = createWriter(installation.groupId);
  const seen = new Map<string, string>();
  const changed: string[] = [];

  for (let round = 1; round <= rounds; round++) {
    writer.writeTo([service]);
    await pause(shortestUpMs + random() * (longestUpMs - shortestUpMs));
    rememberCommitted(dataDir, seen);
    await pause(random() * 100);
    await service.kill();
    const downMs = round % 7 === 0 ? longDownMs : 0;
    if (downMs > 0) await pause(downMs);
    service = await startService({ dataDir });
    say(
      `round ${round}: killed, ready again after ${Math.round(service.readyAfterMs)} ms, ${seen.size} results so far`,
    );
  }
  writer.writeTo([service]);
  await pause(2000);
  await writer.finish(service);
  const until = Date.now();
  say('settling');
  using recorded = openRecordedFile(dataDir);
  const isSettled = await settle(recorded, until);
  const written = await judgeWrites(service, writer.acknowledged);
  const difference = await conservationOf(service);
  await service.stop();
  await pause(200);
  const requests = await receiver.ask<Request[]>('requests');
  const answered = await target.ask<Answered[]>('answered');
  await stopAll(target, receiver);

  for (const [id, outcome] of recorded.committed()) {
    const before = seen.get(id);
    if (before !== undefined && before !== outcome) changed.push(`result ${id} was ${before} and is ${outcome}`);
    seen.delete(id);
  }
  const witnessed = { until, requests, answered, calls: writer.acknowledged.triggers };
  return [
    ...judgeRecords(installation, recorded, witnessed),
    ...judgeGrouped(recorded.grouped(), until, 2 * longDownMs),
    ...written,
    {
      guarantee: 'no committed result is lost or changed',
      checked: recorded.results().length,
      violations: [...changed, ...[...seen.keys()].map((id) => `result ${id} is gone`)],
    },
    {
      guarantee: 'requested runs = outcomes + open runs',
      checked: 1,
      violations: difference === 0 ? [] : [`the difference is ${difference}`],
    },
    {
      guarantee: 'in the end there is no open slot and no pending delivery',
      checked: 1,
      violations: isSettled
        ? []
        : [`${recorded.pending()} deliveries pending, open slots ${recorded.openSlots().join(', ')}`],
    },
  ];
}

function rememberCommitted(dataDir: string, seen: Map<string, string>): void {
  using recorded = openRecordedFile(dataDir);
  for (const [id, outcome] of recorded.committed()) seen.set(id, outcome);
}

/** Waits until every slot up to `until` is closed and every delivery has ended. */
async function settle(recorded: Recorded, until: number): Promise<boolean> {
  const deadline = performance.now() + maxSettleMs;
  while (performance.now() < deadline) {
    const isOpen = recorded.openSlots().some((slotAt) => slotAt <= until);
    if (!isOpen && recorded.pending() === 0 && Date.now() > until + 2000) return true;
    await pause(100);
  }
  return false;
}

async function conservationOf(service: Service): Promise<number> {
  const { body } = await service.call('GET', '/metrics');
  return Number(/^tocsin_conservation_difference (\S+)$/m.exec(String(body))?.[1] ?? Number.NaN);
}

async function stopAll(...peers: readonly Peer[]): Promise<void> {
  await Promise.all(peers.map((peer) => peer.stop()));
}
