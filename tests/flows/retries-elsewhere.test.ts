// A failed check is retried at another location of its list, and no check runs at a location outside of it.
import assert from 'node:assert/strict';
import { describe } from '../support/service/each-topology.ts';
import type { RoleProcesses } from '../support/service/role-processes.ts';
import type { OwnService } from '../support/service/flow-cases.ts';
import { startScriptedServer } from '../support/targets/scripted-server.ts';
import { startReceiver } from '../support/receivers/receiver.ts';
import type { Service } from '../support/service/service.ts';
import { conservationDifference } from '../support/store/slots.ts';
import { until } from '../support/until.ts';

interface ShownResult {
  readonly runLocation: string;
  readonly resultType: string;
  readonly attempts: number;
  readonly hasFailures: boolean;
  readonly startedAt: string;
}

/** Locations with runners; a single process has one location. */
const places = ['lima', 'oslo'];
const own = {
  environment: { TOCSIN_LOCATION: 'lima' },
  particulars: {
    processes: [
      { roles: ['api', 'scheduler', 'runner', 'deliverer'] },
      { roles: ['runner', 'upkeep'], environment: { TOCSIN_LOCATION: 'oslo' } },
    ],
  },
} satisfies OwnService;

/** Codes of the served locations. */
async function servedBy(service: Service): Promise<string[]> {
  const served = (await service.must('GET', '/v1/locations')) as unknown as { region: string }[];
  return served.map(({ region }) => region).toSorted();
}

/** Creates a check, which runs at once, and returns its results, oldest attempt first. */
async function runOnce(service: Service, body: Record<string, unknown>, finals: number): Promise<ShownResult[]> {
  const { id } = await service.must('POST', '/v1/checks/api', { frequency: 1440, ...body });
  const results = await until('the verdicts', async () => {
    const answer = await service.must('GET', `/v1/check-results/${String(id)}?resultType=ALL&limit=100`);
    const all = answer as unknown as ShownResult[];
    return all.filter(({ resultType }) => resultType === 'FINAL').length === finals && all;
  });
  assert.equal(service.rows(conservationDifference), 0);
  return results.toSorted((a, b) => a.attempts - b.attempts);
}

const retryStrategy = { type: 'FIXED', baseBackoffSeconds: 0, maxRetries: 10, sameRegion: false };

describe('retries elsewhere:', { own }, ({ it, topology }) => {
  it('a failing check is retried at its other location at once, and each result shows where', async (t, service) => {
    const locations = await servedBy(service);
    assert.deepEqual(locations, topology === 'one process, SQLite' ? ['lima'] : places);
    const target = await startScriptedServer(t);
    target.answer((_, before) => ({ status: before < 10 ? 500 : 200 }));
    const request = { method: 'GET', url: target.url };
    const results = await runOnce(service, { name: 'Cart', locations, retryStrategy, request }, 1);
    const [first, second = first] = locations.toSorted((code) => (code === results[0]?.runLocation ? -1 : 1));
    assert.deepEqual(
      results.map(({ attempts, runLocation, resultType, hasFailures }) => [
        attempts,
        runLocation,
        resultType,
        hasFailures,
      ]),
      Array.from({ length: 11 }, (_, index) => [
        index + 1,
        index % 2 === 0 ? first : second,
        index < 10 ? 'ATTEMPT' : 'FINAL',
        index < 10,
      ]),
    );
    const [began = Number.NaN, ended = Number.NaN] = [results[0], results[10]].map((one) =>
      Date.parse(one?.startedAt ?? ''),
    );
    // Each runner polls once a second, so ten retries without wake-ups would take ten seconds.
    t.diagnostic(`ten retries took ${ended - began} ms`);
    assert.ok(ended - began < 5_000, `ten retries took ${ended - began} ms`);
  });

  it('at every location at once, a retry counts for the location of its run, and a check that passes sends no alert', async (t, service) => {
    const locations = await servedBy(service);
    const [target, receiver] = [await startScriptedServer(t), await startReceiver(t, 'a secret between two')];
    const config = { url: receiver.url, webhookSecret: 'a secret between two' };
    await service.must('POST', '/v1/alert-channels', { type: 'WEBHOOK', autoSubscribe: true, config });
    target.answer((_, before) => ({ status: before === 0 ? 500 : 200 }));
    const request = { method: 'GET', url: target.url };
    const body = { name: 'Shop', locations, runParallel: true, retryStrategy, request };
    const results = await runOnce(service, body, locations.length);
    const failed = results.find(({ resultType }) => resultType === 'ATTEMPT');
    const retried = results.find(({ attempts }) => attempts === 2);
    assert.deepEqual(
      new Set([failed?.runLocation, retried?.runLocation]),
      new Set(locations),
      'it failed at one and was tried again at the other',
    );
    const finals = results.filter(({ resultType }) => resultType === 'FINAL');
    assert.ok(finals.every(({ hasFailures, runLocation }) => !hasFailures && runLocation === retried?.runLocation));
    const [state] = service.rows((raw) =>
      raw.prepare('SELECT status, by_location FROM check_states ORDER BY check_id DESC').all(),
    ) as {
      status: string;
      by_location: string | null;
    }[];
    assert.equal(state?.status, 'passing');
    const found = Object.keys(JSON.parse(state.by_location ?? '{}') as object).sort();
    assert.deepEqual(found, locations.length > 1 ? locations : [], 'each location has answered');
    assert.deepEqual(receiver.all, []);
  });

  it('a check whose only location has no runner waits for one, and one with another location runs there', async (t, service) => {
    if (topology === 'one process, SQLite') return;
    const target = await startScriptedServer(t);
    const request = { method: 'GET', url: target.url };
    const { id } = await service.must('POST', '/v1/checks/api', {
      name: 'Here',
      frequency: 1440,
      locations: ['oslo'],
      request,
    });
    const placesOf = async (checkId: unknown): Promise<string[]> => {
      const answer = await service.must('GET', `/v1/check-results/${String(checkId)}?limit=100`);
      return (answer as unknown as ShownResult[]).map(({ runLocation }) => runLocation);
    };
    await until('its first result', async () => (await placesOf(id)).length === 1);
    const [runner] = (service as RoleProcesses).of('upkeep');
    await runner?.end('SIGTERM');
    await until('the location to be shown as silent', async () => {
      const all = (await service.must('GET', '/v1/locations')) as unknown as { region: string; silentSince: string }[];
      return all.some(({ region, silentSince }) => region === 'oslo' && silentSince !== null);
    });
    const notices = (await service.must('GET', '/v1/notices')) as unknown as { id: string }[];
    assert.ok(notices.some((notice) => notice.id === 'location-silent:oslo'));

    await service.must('POST', `/v1/triggers/checks/${String(id)}`);
    const locations = ['oslo', 'lima'];
    const both = await service.must('POST', '/v1/checks/api', { name: 'Both', frequency: 1440, locations, request });
    await until('a result from the other location', async () => (await placesOf(both['id'])).length === 1);
    assert.deepEqual([await placesOf(both['id']), await placesOf(id)], [['lima'], ['oslo']]);
    await service.restart('upkeep');
    await until('the run that waited', async () => (await placesOf(id)).length === 2);
    assert.deepEqual(await placesOf(id), ['oslo', 'oslo']);
  });
});
