// Triggering a group: how closely together its checks start.
import { largest, median, smallest } from './support/numbers.ts';
import { startPeer } from './support/peer.ts';
import { seedGroup } from './support/pending.ts';
import type { Bench } from './support/report.ts';
import { openView } from './support/results.ts';
import { apiCheck, openBenchStore, seedAccount, seedChecks } from './support/seed.ts';
import { pause, startService } from './support/service.ts';

const checks = 500;
const answerAfterMs = 50;

export const triggerBench: Bench = {
  about: 'the spread of the first 500 probes started by one trigger',
  async run({ folder, isQuick, profileFolder, say }) {
    const target = startPeer('target');
    const url = await target.ask<string>('listen');
    const dataDir = `${folder}/trigger`;
    const accountId = await seedAccount(dataDir);
    const store = openBenchStore(dataDir);
    const groupId = await seedGroup(store, accountId, 0);
    await store.close();
    // Once a day, so that scheduled runs do not mix with triggered ones.
    const daily = { frequency: 1440, frequencyOffset: null, groupId };
    const group = Array.from({ length: checks }, (_, index) => apiCheck(accountId, `${url}/${index}`, daily));
    await seedChecks(dataDir, group);
    const service = await startService({ dataDir, profileFolder });
    using view = openView(dataDir);
    const rounds: { accepted: number; started: number; answeredMs: number; firstMs: number }[] = [];
    const faults: string[] = [];
    for (let round = 0; round < (isQuick ? 3 : 7); round++) {
      await pause(500);
      await target.ask('behave', { kind: 'after', afterMs: answerAfterMs });
      say(`triggering ${checks} checks`);
      const calledAt = Date.now();
      const { status, body } = await service.call('POST', `/v1/triggers/check-groups/${groupId}`);
      const answeredMs = Date.now() - calledAt;
      if (status !== 201) throw new Error(`the trigger returned ${status}: ${JSON.stringify(body)}`);
      const starts = await startsSince(view, calledAt);
      const accepted = await target.ask<number[]>('acceptedAt');
      if (accepted.length !== checks || starts.length !== checks)
        faults.push(`${accepted.length} connections and ${starts.length} results instead of ${checks}`);
      rounds.push({
        accepted: largest(accepted) - smallest(accepted),
        started: largest(starts) - smallest(starts),
        answeredMs,
        firstMs: smallest(accepted) - calledAt,
      });
    }
    await service.stop();
    await target.stop();
    // The first round includes compilation; it is shown and counted like the others.
    const of = (key: keyof (typeof rounds)[number]): number[] => rounds.map((round) => round[key]);
    return {
      rows: [
        { figure: 'spread at the target, median', value: median(of('accepted')), unit: 'ms', atMost: 250 },
        { figure: 'spread at the target, worst', value: largest(of('accepted')), unit: 'ms', atMost: 250 },
        { figure: 'spread in the results, worst', value: largest(of('started')), unit: 'ms', atMost: 250 },
        { figure: 'response time of the call, median', value: median(of('answeredMs')), unit: 'ms' },
        { figure: 'first probe after the call, median', value: median(of('firstMs')), unit: 'ms' },
      ],
      notes: [
        `${rounds.length} calls, ${checks} checks each, targets respond after ${answerAfterMs} ms; spreads ${of('accepted').map(Math.round).join(', ')} ms`,
      ],
      faults,
    };
  },
};

async function startsSince(view: ReturnType<typeof openView>, from: number): Promise<number[]> {
  const until = performance.now() + 15_000;
  for (;;) {
    const starts = view.starts(from);
    if (starts.length >= checks || performance.now() > until) return starts;
    await pause(50);
  }
}
