// kill -9 at random moments of a working service, repeatedly. In the end all guarantees must hold.
import { startPeer } from '../support/peer.ts';
import type { Request } from '../peers/chaos-receiver.ts';
import type { Answered } from '../peers/chaos-target.ts';
import { pause, startService } from '../support/service.ts';
import { judgeConservation, judgeSettled, judgeGrouped, judgeRecords, judgeWrites } from './judge.ts';
import { createRandom } from './random.ts';
import { install, secrets } from './installation.ts';
import type { ChaosOptions, Verdict } from './verdict.ts';
import { openRecordedFile } from './recorded.ts';
import { createWriter } from './writer.ts';

const scriptedChecks = 200;
const shortestUpMs = 1500;
const longestUpMs = 7000;
/** One round in seven is down for more than a slot, so that complete slots are missed. */
const longDownMs = 11_000;

export async function chaosOfKills({ dataDir, length: rounds, seed, say }: ChaosOptions): Promise<Verdict[]> {
  const random = createRandom(seed);
  const [target, receiver] = [startPeer('chaos-target'), startPeer('chaos-receiver')];
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
  const settled = await judgeSettled(recorded, until);
  const written = await judgeWrites(service, writer.acknowledged);
  const conserved = await judgeConservation(service);
  await service.stop();
  await pause(200);
  const requests = await receiver.ask<Request[]>('requests');
  const answered = await target.ask<Answered[]>('answered');
  await Promise.all([target.stop(), receiver.stop()]);

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
    conserved,
    settled,
  ];
}

function rememberCommitted(dataDir: string, seen: Map<string, string>): void {
  using recorded = openRecordedFile(dataDir);
  for (const [id, outcome] of recorded.committed()) seen.set(id, outcome);
}
