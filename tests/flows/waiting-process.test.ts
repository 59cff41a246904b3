// Playwright scripts run in a process that was started in advance, each in its own.
import assert from 'node:assert/strict';
import { hasGateway } from '#sandbox/containment/containment.ts';
import { test } from '../support/service/one-process.ts';
import { containmentHere } from '../support/scripts/script-runs.ts';
import { until } from '../support/until.ts';

interface Result {
  readonly id: string;
  readonly hasFailures: boolean;
}

/** Scripts have the lowest priority on a busy machine. */
const patient = { withinMs: 50_000 };

test('a run uses a waiting process that was started after the run before', async ({ t, startService }) => {
  const { containment } = await containmentHere();
  if (!hasGateway(containment)) return t.skip(`nothing waits where scripts are contained by ${containment}`);
  const service = await startService(t, { TOCSIN_SCRIPTS_WARM: '1' });
  const script = `if (globalThis.ran) throw new Error('a script ran here before');
globalThis.ran = true;
console.log('begun ' + Math.round(Date.now() - 1000 * process.uptime()));`;
  const check = { name: 'Opens', frequency: 1440, script, scriptPath: 'opens.cjs' };
  const { id } = await service.must('POST', '/v1/checks/browser', check);
  const seen = new Set<string>();
  /** Start time of a new run's process, epoch ms. */
  const run = async (): Promise<number> => {
    await service.must('POST', `/v1/triggers/checks/${String(id)}`);
    const newest = async (): Promise<Result | undefined> => {
      const all = (await service.must('GET', `/v1/check-results/${String(id)}`)) as unknown as readonly Result[];
      return all.find((each) => !seen.has(each.id));
    };
    const result = await until('the result', newest, patient);
    seen.add(result.id);
    const one = (await service.must('GET', `/v1/check-results/${String(id)}/${result.id}`)) as unknown as Result;
    assert.equal(one.hasFailures, false, JSON.stringify(one));
    return Number(/begun (\d+)/.exec(JSON.stringify(one))?.[1]);
  };
  // On a busy machine a run may come before the process is ready.
  const isEarly = async (): Promise<boolean> => {
    const calledAt = Date.now();
    return (await run()) < calledAt;
  };
  await until('a run in a process that had waited', isEarly, patient);
});
