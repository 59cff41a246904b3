// `migrate --account`: one account between running services, by the real command and over HTTP: from one process on SQLite
// to a process per role over PostgreSQL, through a kill of the command, and on to another PostgreSQL.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { openSqliteFile } from '#store/sqlite/file.ts';
import { paste, runCommand, type Running, startCommand } from '../support/command.ts';
import { blockOf, readPage } from '../support/pages.ts';
import { oddPassword, type PostgresServer, startPostgres } from '../support/postgres.ts';
import { openRawPostgres } from '../support/raw-rows.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { everyRole, type RoleProcesses, sharedKey, startRoleProcesses } from '../support/role-processes.ts';
import { type ScriptedServer, startScriptedServer } from '../support/scripted-server.ts';
import { type FileService, type Service, startService } from '../support/service.ts';
import { assertEverySlotOnce, conservationDifference, openRunRows, resultRows } from '../support/slots.ts';
import { until } from '../support/until.ts';

const secret = 'a secret between two';
const intervalMs = 10_000;
const names = ['Cart', 'Search', 'Login'] as const;

let server: PostgresServer;
before(async () => {
  server = await startPostgres();
});
after(() => server.stop());

function emptyFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-move-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** An account whose checks fail, with what is looked at later. */
interface Cell {
  readonly id: string;
  readonly inIt: Readonly<Record<string, string>>;
  readonly checkId: string;
  /** Of the trigger of its group, from the root on. */
  readonly triggerPath: string;
  /** Of a heartbeat outside of the group. */
  readonly heartbeat: { readonly id: string; readonly pingPath: string };
}

async function makeCell(first: Service, target: ScriptedServer, receiver: Receiver): Promise<Cell> {
  const id = String((await first.must('POST', '/v1/accounts', { name: 'Cell' }))['id']);
  const inIt = { 'x-service-account': id };
  const make = async (path: string, body: unknown): Promise<Record<string, unknown>> => {
    const answer = await first.api('POST', path, body, inIt);
    assert.ok(answer.status < 300, JSON.stringify(answer.body));
    return answer.body;
  };
  const groupId = Number((await make('/v2/check-groups', { name: 'Shops' }))['id']);
  await make('/v1/variables', { key: 'PASS', value: 'canary', secret: true });
  const config = { url: receiver.url, webhookSecret: secret };
  await make('/v1/alert-channels', { type: 'WEBHOOK', config, subscriptions: [{ groupId }] });
  const trigger = await make(`/v1/triggers/check-groups/${groupId}`, {});
  let checkId = '';
  for (const name of names) {
    const request = { method: 'GET', url: target.url, headers: [{ key: 'x-pass', value: '{{PASS}}' }] };
    const schedule = { frequency: 0, frequencyOffset: intervalMs / 1000 };
    checkId = String((await make('/v1/checks/api', { name, ...schedule, groupId, request }))['id']);
  }
  const heartbeat = { period: 1, periodUnit: 'days', grace: 1, graceUnit: 'days' };
  const beat = await make('/v1/checks/heartbeat', { name: 'Backup', heartbeat });
  const { pingUrl } = beat['heartbeat'] as { pingUrl: string };
  return {
    id,
    inIt,
    checkId,
    triggerPath: `/check-groups/${groupId}/trigger/${String(trigger['token'])}`,
    heartbeat: { id: String(beat['id']), pingPath: new URL(pingUrl).pathname },
  };
}

/** How often each alert was sent, with its attempt. */
function sentAlerts({ all }: Receiver): string[] {
  return all
    .map(({ json, attempt }) => `${String(json['CHECK_NAME'])} ${String(json['ALERT_TYPE'])} ${attempt}`)
    .sort();
}

/**
 * Kills the command with the account handed over and not arrived: the target's database holds its arrival up for so long.
 * What the killed command had begun there is undone when this is over.
 */
async function killWhileHanding(running: Running, from: Service, to: RoleProcesses): Promise<void> {
  // A session of its own beside those that look at the rows.
  const gate = openRawPostgres(`${to.database.url}?application_name=gate`);
  try {
    gate.exec(
      `CREATE FUNCTION hold_up() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         PERFORM pg_advisory_xact_lock(47); RETURN NEW; END $$;
       CREATE TRIGGER hold_up BEFORE INSERT ON accounts FOR EACH ROW EXECUTE FUNCTION hold_up();
       SELECT pg_advisory_lock(47)`,
    );
    await until('the account to be handed over', () => moveState(from) === 'handing', { withinMs: 60_000 });
    running.child.kill('SIGKILL');
    assert.equal((await running.ended).code, null);
  } finally {
    gate.exec('SELECT pg_advisory_unlock(47); DROP TRIGGER hold_up ON accounts; DROP FUNCTION hold_up()');
    gate.close();
  }
}

function moveState(service: Service): unknown {
  return service.rows((raw) => raw.prepare('SELECT state FROM account_moves').get()?.['state']);
}

/** What the log of a service says of a move that stands still: the command to repeat. */
async function stalledIn(service: Service): Promise<string> {
  service.rows((raw) => raw.exec('UPDATE account_moves SET renewed_at = renewed_at - 60000'));
  const lines = (): string[] => service.printed.split('\n').filter((line) => line.includes('"move.stalled"'));
  await until('the log to tell of the move', () => lines().length > 0, { seen: () => service.printed });
  const [line] = lines();
  return String((JSON.parse(line ?? '{}') as { repeat?: string }).repeat);
}

async function stalledNotices(service: Service): Promise<Record<string, unknown>[]> {
  const notices = (await service.must('GET', '/v1/notices')) as unknown as Record<string, unknown>[];
  return notices.filter(({ kind }) => kind === 'move-stalled');
}

/** The last slot of each check that has a run or a result. */
function lastSlots(service: Service): number[] {
  const rows = service.rows((raw) => [...resultRows(raw), ...openRunRows(raw)]);
  return [...Map.groupBy(rows, ({ check }) => check).values()].map((own) =>
    Math.max(...own.map(({ slotAt }) => slotAt)),
  );
}

/** Where calls are sent to. */
type Place = Pick<Service, 'address'>;

/** Calls the trigger at a place, and answers where it was run. */
async function called(at: Place, { triggerPath }: Cell, status: number): Promise<string> {
  const answer = await fetch(at.address + triggerPath, { method: 'POST' });
  assert.equal(answer.status, status, await answer.text());
  return new URL(answer.url).origin;
}

/** A job goes on to call the address it was once given: what it says is kept where its account lives now. */
async function assertPingsArrive(at: Place, home: Service, { inIt, heartbeat }: Cell, says: string): Promise<void> {
  const answer = await fetch(`${at.address}${heartbeat.pingPath}/log`, { method: 'POST', body: says });
  assert.deepEqual([answer.status, await answer.text()], [200, 'OK\n']);
  assert.equal(new URL(answer.url).origin, home.address);
  const shown = await home.api('GET', `/v1/checks/heartbeats/${heartbeat.id}/events`, undefined, inIt);
  const events = shown.body['events'] as { signal: string; method: string; body: string }[];
  const [{ signal, method, body } = {}] = events;
  assert.deepEqual([signal, method, body], ['log', 'POST', says]);
}

async function assertConserved(services: readonly Service[]): Promise<void> {
  for (const service of services) {
    const metrics = await (await fetch(`${service.address}/metrics`)).text();
    assert.match(metrics, /^tocsin_conservation_difference 0$/m);
    assert.equal(service.rows(conservationDifference), 0);
  }
}

/** A job whose client waits no longer, while the account is paused. */
async function pingInVain(at: Place, { heartbeat }: Cell): Promise<void> {
  const signal = AbortSignal.timeout(1000);
  const sent = fetch(`${at.address}${heartbeat.pingPath}/log`, { method: 'POST', body: 'in vain', signal });
  await assert.rejects(sent, { name: 'TimeoutError' });
}

/** SQLite to PostgreSQL; the command is killed at its worst moment, and what both sides then say is done. */
async function moveThroughKill(cell: Cell, first: FileService, second: RoleProcesses, keyFile: string): Promise<void> {
  const { id, inIt, checkId } = cell;
  const words = ['migrate', '--account', id, '--from', `sqlite:${first.databasePath}`, '--to', second.database.url];
  const ways = ['--redirect-to', second.address, '--to-secret-key-file', keyFile];
  const environment = { TOCSIN_DATA_DIR: dirname(first.databasePath) };
  await killWhileHanding(startCommand([...words, ...ways], environment), first, second);
  const last = lastSlots(first);

  assert.equal((await first.api('GET', `/v1/checks/${checkId}`, undefined, inIt)).status, 200, 'reading goes on');
  const change = await first.api('PUT', '/v1/variables/PASS', { value: 'x' }, inIt);
  assert.equal(change.status, 503, JSON.stringify(change.body));
  await pingInVain(first, cell);
  assert.equal(moveState(second), 'arriving', 'it is active in neither');
  const told = [await stalledIn(first), await stalledIn(second)];
  for (const service of [first, second]) {
    const [notice] = await stalledNotices(service);
    assert.equal(notice?.['subject'], id);
    told.push(String(notice?.['action']).replace('Run the command again to resume the move: ', ''));
  }
  const [command = ''] = told;
  assert.deepEqual(told, [command, command, command, command]);
  assert.ok(!command.includes(encodeURIComponent(oddPassword)), command);
  const overAt = Math.min(...last) + 2 * intervalMs;
  await until('a slot to be over that nobody ran', () => Date.now() > overAt, { withinMs: 2 * intervalMs });

  // Somebody asks for it all the while where it is about to arrive, and is refused: that is not remembered any longer.
  const ask = () => second.api('GET', `/v1/checks/${checkId}`, undefined, inIt);
  assert.equal((await ask()).status, 403);
  const asking = setInterval(() => void ask(), 100);
  const held = Promise.all([assertPingsArrive(first, second, cell, 'in the pause'), called(first, cell, 503)]);
  const again = await paste(command, dirname(keyFile), { ...environment, PGPASSWORD: oddPassword });
  clearInterval(asking);
  assert.equal(again.code, 0, again.err + again.out);
  assert.match(again.out, /goes on where an earlier command ended/);
  assert.equal((await held)[1], second.address, 'a call waits for the switch, and goes along');
  const [, seconds] = /it was paused for (\d+\.\d) s/.exec(again.out) ?? [];
  assert.ok(Number(seconds) * 1000 > overAt - Math.max(...last) - intervalMs, again.out);
  assert.deepEqual([await stalledNotices(first), await stalledNotices(second)], [[], []]);
}

describe('about the file and PostgreSQL: an account of a running service', () => {
  it('moves from SQLite to PostgreSQL through a kill, and on: nothing is lost or told twice, and the old places show the way', async (t) => {
    const first = await startService(t);
    const second = await startRoleProcesses(t, await server.newDatabase(), { roles: [...everyRole, 'api'] });
    const [target, receiver] = [await startScriptedServer(t), await startReceiver(t, secret)];
    target.answer({ status: 500 });
    receiver.answer(({ json, attempt }) => ({
      status: json['ALERT_TYPE'] === 'ALERT_FAILURE' && attempt === 1 ? 500 : 200,
    }));
    const cell = await makeCell(first, target, receiver);
    for (const name of names) await receiver.received(({ json }) => json['CHECK_NAME'] === name, 30_000);
    const keyFile = join(emptyFolder(t), 'new.key');
    writeFileSync(keyFile, sharedKey);

    await moveThroughKill(cell, first, second, keyFile);
    const there = await first.api('GET', `/v1/checks/${cell.checkId}`, undefined, cell.inIt);
    assert.equal(there.status, 410);
    assert.match(String(there.body['message']), new RegExp(`has moved to ${second.address}`));
    assert.deepEqual(there.body['attributes'], { movedTo: second.address });
    assert.equal((await first.api('GET', '/v1/variables')).status, 200, 'other accounts stay');
    const here = await second.api('GET', `/v1/checks/${cell.checkId}`, undefined, cell.inIt);
    assert.equal(here.status, 200, 'the same key opens it there');
    assert.equal(await called(first, cell, 503), second.address);
    await assertPingsArrive(first, second, cell, 'after the first move');
    for (const name of names) {
      const of = (attempt: number) =>
        receiver.received((m) => m.json['CHECK_NAME'] === name && m.attempt === attempt, 45_000);
      const [told, repeated] = [await of(1), await of(2)];
      assert.equal(repeated.deliveryId, told.deliveryId);
      assert.ok(repeated.hit.at >= told.hit.at + 20_000, 'a retry keeps its time');
    }

    const third = await startRoleProcesses(t, await server.newDatabase());
    const moving = paste(blockOf(readPage('docs/moving.md'), 'sh', 'account'), dirname(keyFile), {
      ACCOUNT: cell.id,
      FROM: second.database.url,
      TO: third.database.url,
      NEW_PLACE: third.address,
      NEW_KEY: keyFile,
      TOCSIN_SECRET_KEY: sharedKey,
    });
    await until('the pause', () => moveState(second) === 'leaving', { withinMs: 60_000 });
    const [, otherApi = second] = second.of('api');
    const held = Promise.all([assertPingsArrive(otherApi, third, cell, 'in the second'), called(second, cell, 503)]);
    const said = await moving;
    assert.equal(said.code, 0, said.err + said.out);
    assert.equal((await held)[1], third.address);
    assert.match(said.out, /it was paused for \d+\.\d s/);
    assert.doesNotMatch(said.out + said.err, /o:d|%3Ad/, 'the password is not shown');
    target.answer({ status: 200 });
    for (const name of names) {
      await receiver.received(
        ({ json: { CHECK_NAME: of, ALERT_TYPE: type } }) => of === name && type === 'ALERT_RECOVERY',
      );
    }
    assert.equal(target.all.at(-1)?.headers['x-pass'], 'canary', 'the secret is readable there');
    assert.equal(await called(first, cell, 200), third.address, 'by way of the one between');
    await assertPingsArrive(first, third, cell, 'after the second');
    assert.deepEqual(
      third.rows((raw) => raw.prepare('SELECT body FROM pings ORDER BY id').all()).map(({ body }) => body),
      ['in the pause', 'after the first move', 'in the second', 'after the second'],
      'each once, and nothing of who did not wait',
    );

    assert.deepEqual(
      sentAlerts(receiver),
      names
        .flatMap((name) => [`${name} ALERT_FAILURE 1`, `${name} ALERT_FAILURE 2`, `${name} ALERT_RECOVERY 1`])
        .sort(),
    );
    const rows = third
      .rows((raw) => [...resultRows(raw), ...openRunRows(raw)])
      .filter(({ isScheduled }) => isScheduled);
    assertEverySlotOnce(rows, intervalMs, names.length);
    const lost = rows.filter(({ message }) => message.includes('being moved to another installation'));
    assert.ok(lost.length > 0, 'a slot of the long pause is told as one');
    await assertConserved([first, second, third]);
  });

  it('is named rightly or not at all', async (t) => {
    const path = join(emptyFolder(t), 'tocsin.db');
    await openSqliteFile(path).close();
    const [from, to] = [`sqlite:${path}`, `sqlite:${path}.other`];
    const id = '7f1f0c1e-5a52-4c4f-9d2c-0d6f9a4f1c11';
    const cases: readonly (readonly [words: string[], code: number, says: RegExp])[] = [
      [['--account', 'x'], 2, /--account takes the id of an account/],
      [['--account', id], 2, /--account needs --redirect-to, an absolute http/],
      [['--redirect-to', 'https://x.example'], 2, /--redirect-to goes with --account/],
      [['--account', id, '--redirect-to', 'https://x.example', '--overwrite'], 2, /does not go with --account/],
      [['--account', id, '--redirect-to', 'https://x.example'], 1, /there is no database at .*other/],
    ];
    for (const [words, code, says] of cases) {
      const said = await runCommand(['migrate', '--from', from, '--to', to, ...words], {
        TOCSIN_SECRET_KEY: sharedKey,
      });
      assert.deepEqual([said.code, says.test(said.err)], [code, true], said.err);
    }
  });
});
