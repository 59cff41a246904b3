// A private location: its runs wait and are missed until a process of its account serves it, and only they run there.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { casesOn } from '../support/service/flow-cases.ts';
import type { Service } from '../support/service/service.ts';
import { startProcess } from '../support/service/tocsin-process.ts';
import { startScriptedServer } from '../support/targets/scripted-server.ts';
import { conservationDifference } from '../support/store/slots.ts';
import { until } from '../support/until.ts';

const { test } = casesOn(['two processes, PostgreSQL']);

interface ShownResult {
  readonly runLocation: string;
  readonly outcome: string;
}

async function list<Item>(service: Service, path: string): Promise<readonly Item[]> {
  return (await service.must('GET', path)) as unknown as readonly Item[];
}

const isSilent = async (service: Service): Promise<boolean> =>
  (await list<{ id: string }>(service, '/v1/notices')).some(({ id }) => id === 'location-silent:office');

/** Starts a process that runs checks at the location. */
async function startRunner(t: { after(work: () => unknown): void }, { environment }: Service): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-office-'));
  const own = { TOCSIN_ROLES: 'runner', TOCSIN_LOCATION: 'office', TOCSIN_DATA_DIR: folder };
  const { child, ready } = startProcess({ ...environment, ...own });
  t.after(async () => {
    child.kill('SIGKILL');
    await ready.then(({ end }) => end('SIGKILL')).catch(() => undefined);
    rmSync(folder, { recursive: true, force: true });
  });
  await ready;
}

test('runs of a private location are missed with a notice until a process serves it, which runs nothing else', async ({
  t,
  startService,
}) => {
  const on = await startService(t);
  const [inside, outside] = [await startScriptedServer(t), await startScriptedServer(t)];
  await on.must('POST', '/v1/private-locations', { name: 'Office', slugName: 'office' });
  const add = async (name: string, url: string, more: object): Promise<string> => {
    const body = { name, frequency: 0, frequencyOffset: 10, request: { method: 'GET', url }, ...more };
    return String((await on.must('POST', '/v1/checks/api', body))['id']);
  };
  const id = await add('Intranet', inside.url, { privateLocations: ['office'] });
  const elsewhere = await add('Elsewhere', outside.url, {});
  const resultsOf = (checkId: string) => list<ShownResult>(on, `/v1/check-results/${checkId}?limit=100`);
  const runsSoFar = (): number =>
    on.rows((raw) => raw.prepare("SELECT 1 FROM runs WHERE location = 'office'").all().length);
  // The first run, which no slot ends, and those of two slots.
  await until('a slot to pass', () => runsSoFar() >= 3, { withinMs: 60_000 });
  assert.ok(await isSilent(on));
  assert.deepEqual([await resultsOf(id), inside.all], [[], []]);

  await startRunner(t, on);
  await until('the location to be served', async () => !(await isSilent(on)));
  const passed = await until('a run there', async () => {
    const results = await resultsOf(id);
    return results.some(({ outcome }) => outcome === 'passed') && results;
  });
  assert.ok(
    passed.some(({ outcome }) => outcome === 'missed'),
    'the slot before is missed',
  );
  assert.ok(passed.every(({ runLocation }) => runLocation === 'office'));
  assert.ok(inside.all.length > 0);
  const [place] = await list<{ readonly agentCount: number }>(on, '/v1/private-locations');
  assert.equal(place?.agentCount, 1);
  const others = await until('two runs elsewhere', async () => {
    const results = await resultsOf(elsewhere);
    return results.length > 2 && results;
  });
  assert.ok(others.every(({ runLocation }) => runLocation === 'local'));
  assert.equal(on.rows(conservationDifference), 0);
});
