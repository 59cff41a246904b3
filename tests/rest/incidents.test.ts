// Incidents over HTTP, on a real store.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idBytes } from '#store/base/codec.ts';
import { insertRow, putAlert, putChannel, putCheck, putDelivery, putIncident } from '../support/store/rows.ts';
import { sampleIncident } from '#domain/alerts/sample-alert.ts';
import { acknowledgeLinks, openServer, type ServerOnStore } from './server-on-store.ts';

const get = (on: ServerOnStore, url: string) => on.server.inject({ url, headers: on.as() });

test('an incident is listed by check and state, and read with its alerts', async () => {
  await using on = await openServer();
  const checkId = putCheck(on.raw, on.accountId, {});
  const at = Date.now() - 60_000;
  const ended = putIncident(on.raw, on.accountId, checkId, at, { endedAt: at + 1000 });
  const open = putIncident(on.raw, on.accountId, checkId, at + 2000);
  const alertId = putAlert(on.raw, on.accountId, checkId, at + 2000);
  on.raw
    .prepare("UPDATE alerts SET incident_id = ?, error = 'got 503' WHERE id = ?")
    .run(idBytes(open), idBytes(alertId));
  on.raw.prepare('UPDATE incidents SET first_alert_id = ? WHERE id = ?').run(idBytes(alertId), idBytes(open));
  const ids = async (query: string) =>
    (await get(on, `/v1/check-incidents?${query}`)).json<{ id: string }[]>().map(({ id }) => id);
  assert.deepEqual(await ids(''), [open, ended]);
  assert.deepEqual(await ids(`state=open&checkId=${checkId}`), [open]);
  assert.deepEqual(await ids(`to=${new Date(at + 1).toISOString()}`), [ended]);
  assert.deepEqual(await ids(`checkId=${open}`), []);
  assert.equal((await get(on, '/v1/check-incidents?state=over')).statusCode, 400);
  const { alerts, ...incident } = (await get(on, `/v1/check-incidents/${open}`)).json<{ alerts: { id: string }[] }>();
  assert.deepEqual(
    alerts.map(({ id }) => id),
    [alertId],
  );
  const [listed] = (await get(on, '/v1/check-incidents?state=open')).json<{ checkResultId: string }[]>();
  assert.deepEqual(incident, listed);
  assert.deepEqual(incident, {
    id: open,
    checkId,
    name: 'Front page',
    checkType: 'API',
    kind: 'failing',
    startedAt: new Date(at + 1750).toISOString(),
    openedAt: new Date(at + 2000).toISOString(),
    endedAt: null,
    endedBy: null,
    acknowledgedAt: null,
    acknowledgedBy: null,
    firstAlertId: alertId,
    checkResultId: listed?.checkResultId,
    error: 'got 503',
  });
  assert.equal((await get(on, `/v1/check-incidents/${checkId}`)).statusCode, 404);
});

test('an alert is acknowledged over HTTP, and the acknowledgement is taken back', async () => {
  await using on = await openServer();
  const { alertId, id, checkId } = putOpen(on);
  const path = `/v1/check-alerts/${alertId}/acknowledge`;
  const send = (method: 'POST' | 'DELETE') => on.server.inject({ method, url: path, headers: on.as() });
  const done = await send('POST');
  const { acknowledgedAt, acknowledgedBy } = done.json<{ acknowledgedAt: string; acknowledgedBy: { type: string } }>();
  assert.deepEqual([done.statusCode, acknowledgedBy.type], [200, 'api-key']);
  for (const url of [`/v1/check-incidents/${id}`, `/v1/check-statuses/${checkId}`]) {
    const shown = (await get(on, url)).json<object>();
    assert.partialDeepStrictEqual(shown, { acknowledgedAt, acknowledgedBy });
  }
  assert.deepEqual((await send('DELETE')).statusCode, 204);
  assert.partialDeepStrictEqual((await get(on, `/v1/check-incidents/${id}`)).json<object>(), { acknowledgedAt: null });
  on.raw.exec(
    "UPDATE incidents SET ended_at = 1000, ended_by = 'recovery'; UPDATE check_states SET incident_id = NULL",
  );
  const late = await send('POST');
  assert.equal(late.statusCode, 409);
  assert.match(late.json<{ message: string }>().message, /The incident is over: its check recovered at 1970/);
});

test('the page of an ACK_LINK acknowledges by its button only', async () => {
  await using on = await openServer();
  const { id } = putOpen(on, '<b>"Shop"</b>');
  const url = acknowledgeLinks.link(on.accountId, id, on.clock.now()).replace('http://tocsin.test', '');
  const isAcknowledged = async () =>
    (await get(on, `/v1/check-incidents/${id}`)).json<{ acknowledgedAt: string | null }>().acknowledgedAt !== null;
  await on.server.inject({ method: 'HEAD', url });
  const page = await on.server.inject({ url });
  assert.equal(await isAcknowledged(), false);
  assert.match(page.body, /<h1>&lt;b&gt;&quot;Shop&quot;&lt;\/b&gt;<\/h1>/);
  assert.match(page.body, /<p class="why">expected status below 400, got 500<\/p>/);
  assert.match(page.body, /<form method="post"><button>Acknowledge<\/button><\/form>/);
  assert.match(page.body, /<a href="\/checks\/[\da-f-]{36}">Open the check in Tocsin<\/a>/);
  const { 'content-security-policy': policy, 'referrer-policy': referrer, 'cache-control': cache } = page.headers;
  assert.match(
    String(policy),
    /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
  );
  assert.deepEqual([referrer, cache], ['no-referrer', 'no-store']);
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const done = await on.server.inject({ method: 'POST', url, headers: form, payload: '' });
  assert.equal(done.statusCode, 200);
  assert.match(done.body, /by the link of an alert/);
  assert.ok(!done.body.includes('<form'));
  assert.equal(await isAcknowledged(), true);
  on.raw.exec("UPDATE incidents SET ended_at = 1000, ended_by = 'deletion'");
  assert.match((await on.server.inject({ url })).body, /Check deleted[^]*already resolved/);
});

test('the page of an ACK_LINK names neither the person nor the key that acknowledged', async () => {
  await using on = await openServer();
  const { id } = putOpen(on);
  const url = acknowledgeLinks.link(on.accountId, id, on.clock.now()).replace('http://tocsin.test', '');
  for (const [type, words] of [
    ['user', 'by a person of this account'],
    ['api-key', 'with an API key of this account'],
  ] as const) {
    const by = JSON.stringify({ type, id, name: 'ada@example.com' });
    on.raw.prepare('UPDATE incidents SET acknowledged_at = 1000, acknowledged_by = ?').run(by);
    const { body } = await on.server.inject({ url });
    assert.ok(body.includes(`1970-01-01 00:00:01 UTC ${words}`), words);
    assert.ok(!body.includes('ada'), words);
  }
});

test('the page of an ACK_LINK shows times in the zone of the account, by the name that applied then', async () => {
  await using on = await openServer();
  const { id } = putOpen(on);
  const url = acknowledgeLinks.link(on.accountId, id, on.clock.now()).replace('http://tocsin.test', '');
  const set = (timeZone: string | null) =>
    on.server.inject({ method: 'PUT', url: '/v1/accounts/me', headers: on.as(), body: { timeZone } });
  assert.equal((await set('Europe/Berlin')).json<{ timeZone: string }>().timeZone, 'Europe/Berlin');
  for (const [at, shown] of [
    ['2026-03-29T00:59:59Z', '2026-03-29 01:59:59 CET'],
    ['2026-03-29T01:00:00Z', '2026-03-29 03:00:00 CEST'],
  ] as const) {
    on.raw.prepare('UPDATE incidents SET started_at = ?').run(Date.parse(at));
    const { body } = await on.server.inject({ url });
    assert.ok(body.includes(`<td>${shown}</td>`), body);
  }
  assert.equal((await set(null)).json<{ timeZone?: string }>().timeZone, undefined);
  assert.ok((await on.server.inject({ url })).body.includes('<td>2026-03-29 01:00:00 UTC</td>'), 'of the server');
});

test('a wrong ACK_LINK shows nothing, that of a test message says so, and one address asks so often at most', async () => {
  await using on = await openServer();
  const ask = (url: string) => on.server.inject({ method: 'POST', url });
  assert.equal((await ask('/acknowledge/nonsense')).statusCode, 404);
  const sample = sampleIncident('ALERT_FAILURE', 0)?.id ?? '';
  const link = acknowledgeLinks.link(on.accountId, sample, on.clock.now()).replace('http://tocsin.test', '');
  assert.match((await ask(link)).body, /This was a test message/);
  const answers = await Promise.all(Array.from({ length: 59 }, () => ask('/acknowledge/nonsense')));
  assert.deepEqual([...new Set(answers.map(({ statusCode }) => statusCode))], [404, 429]);
});

/** A failing check with an open incident and its alert. */
function putOpen(on: ServerOnStore, name = 'Front page') {
  const checkId = putCheck(on.raw, on.accountId, { name });
  const id = putIncident(on.raw, on.accountId, checkId, on.clock.now() - 60_000);
  const alertId = putAlert(on.raw, on.accountId, checkId, on.clock.now());
  on.raw
    .prepare('UPDATE incidents SET check_name = ?, first_alert_id = ? WHERE id = ?')
    .run(name, idBytes(alertId), idBytes(id));
  on.raw.prepare('UPDATE alerts SET incident_id = ? WHERE id = ?').run(idBytes(id), idBytes(alertId));
  insertRow(on.raw, 'check_states', {
    account_id: idBytes(on.accountId),
    check_id: idBytes(checkId),
    status: 'failing',
    alerted: 'failing',
    incident_id: idBytes(id),
    failed_in_a_row: 1,
    degraded_in_a_row: 0,
    created_at: 0,
    updated_at: 0,
    revision: 1,
  });
  return { checkId, id, alertId };
}

test('a key that may not write learns no ACK_LINK from the delivery log, also if the receiver repeats it', async () => {
  await using on = await openServer();
  const { id } = putOpen(on);
  putChannel(on.raw, on.accountId, 1);
  const link = acknowledgeLinks.link(on.accountId, id, on.clock.now());
  const token = link.slice(link.lastIndexOf('/') + 1);
  const error = `answered 500: ${link}`;
  const url = 'http://127.0.0.1:9/hook';
  const deliveryId = putDelivery(on.raw, on.accountId, on.clock.now(), {
    error,
    request: { method: 'POST', url, headers: [['x-link', link]], body: JSON.stringify({ link }) },
  });
  insertRow(on.raw, 'attempts', {
    account_id: idBytes(on.accountId),
    delivery_id: idBytes(deliveryId),
    position: 1,
    number: 1,
    started_at: on.clock.now(),
    duration_ms: 1,
    status: 500,
    error_class: 'status',
    error_message: error,
    next_attempt_at: null,
    exchange: JSON.stringify({
      headers: [['x-link', link]],
      response: { status: 500, headers: { 'x-echo': link }, body: `{"json":{"link":"${link}"}}` },
    }),
  });
  const key = { name: 'reader', role: 'read-only' };
  const reader = await on.server.inject({ method: 'POST', url: '/v1/api-keys', headers: on.as(), payload: key });
  const read = async (as?: string): Promise<string> =>
    (await on.server.inject({ url: `/v1/deliveries/${deliveryId}`, headers: on.as(as) })).body;
  assert.ok((await read()).includes(token), 'callers with write permission see it');
  const shown = await read(reader.json<{ key: string }>().key);
  assert.match(shown, /acknowledge\/\*{8}/);
  assert.ok(!shown.includes(token), shown);
});
