// The list of certificates over HTTP.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { CertificateBody } from '#contract/results/certificate.ts';
import { idBytes } from '#store/base/codec.ts';
import { type Composed, startComposed } from '../support/service/composed.ts';
import { insertRow } from '../support/store/rows.ts';
import { send } from './operation-calls.ts';

const dayMs = 86_400_000;
const now = Date.parse('2026-03-10T12:30:00Z');

let on: Composed;
const cleanups: (() => void | Promise<void>)[] = [];
before(async () => {
  const clocks = { clock: { now: () => now }, steadyNow: () => now };
  on = await startComposed({ after: (work) => void cleanups.push(work) }, { TOCSIN_ROLES: 'api' }, clocks);
});
after(async () => {
  for (const work of cleanups) await work();
});

async function ask(method: string, path: string, written?: object) {
  const own = { authorization: `Bearer ${on.apiKey}`, 'content-type': 'application/json' };
  const body = written === undefined ? '' : JSON.stringify(written);
  const { status, text, headers } = await send(on.port, { method, path, headers: own, body });
  return { status, body: JSON.parse(text) as unknown, headers };
}

/** A check whose certificate ends in so many days. */
async function checkWith(name: string, daysLeft: number, more: object): Promise<string> {
  const request = { method: 'GET', url: 'https://shop.example/' };
  const { body } = await ask('POST', '/v1/checks/api', { name, frequency: 60, tags: [name], request });
  const { id } = body as { id: string };
  const zero = { failed_in_a_row: 0, degraded_in_a_row: 0, created_at: now, updated_at: now, revision: 1 };
  insertRow(on.raw, 'check_states', {
    account_id: idBytes(on.accountId),
    check_id: idBytes(id),
    certificate_valid_to: now + daysLeft * dayMs,
    certificate: JSON.stringify({ domain: `${name}.example`, seenAt: now - 60_000, ...more }),
    ...zero,
  });
  return id;
}

test('certificates are listed by their end, within a number of days, in pages that say how many there are', async () => {
  const later = await checkWith('later', 200, { issuer: 'R11' });
  const soon = await checkWith('soon', 20, { issuer: 'R11', role: 'intermediate certificate "R3"' });
  const over = await checkWith('over', -332, {});
  const list = async (query: string) => {
    const { status, body, headers } = await ask('GET', `/v1/certificates${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return { rows: body as readonly CertificateBody[], range: headers['content-range'] };
  };
  const all = await list('');
  assert.deepEqual([all.rows.map(({ checkId }) => checkId), all.range], [[over, soon, later], '0-2/3']);
  assert.deepEqual(all.rows[1], {
    checkId: soon,
    checkName: 'soon',
    checkType: 'API',
    domain: 'soon.example',
    role: 'intermediate certificate "R3"',
    issuer: 'R11',
    validTo: '2026-03-30T12:30:00.000Z',
    seenAt: '2026-03-10T12:29:00.000Z',
  });
  assert.deepEqual([all.rows[0]?.role, all.rows[0]?.issuer], [null, null]);
  const near = await list('?withinDays=30');
  assert.deepEqual(
    near.rows.map(({ checkId }) => checkId),
    [over, soon],
  );
  assert.deepEqual(
    (await list('?tag=later')).rows.map(({ checkId }) => checkId),
    [later],
  );
  const second = await list('?limit=1&page=2');
  assert.deepEqual([second.rows.map(({ checkId }) => checkId), second.range], [[soon], '1-1/3']);
  assert.equal((await ask('GET', '/v1/certificates?withinDays=-1')).status, 400);
});
