// About PostgreSQL: a process of one role dies and is not restarted. Its twin takes over its work when the lease
// expires. (crash.test.ts kills single processes and one of each role.)
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Role } from '#config/variables.ts';
import { firstRun } from '../support/service/first-run.ts';
import { sharedPostgres } from '../support/postgres/shared-postgres.ts';
import { startReceiver } from '../support/receivers/receiver.ts';
import { everyRole, type RoleProcesses, sharedKey, startRoleProcesses } from '../support/service/role-processes.ts';
import { type ScriptedServer, startScriptedServer } from '../support/targets/scripted-server.ts';
import { apiKey } from '../support/service/service.ts';
import { conservationDifference } from '../support/store/slots.ts';
import { startProcess } from '../support/service/tocsin-process.ts';
import { until } from '../support/until.ts';

const secret = 'a secret between two';
/** Ten seconds for the lease, plus time on a busy machine. */
const resumesWithinMs = 60_000;
const endings: (() => void | Promise<void>)[] = [];
const later = { after: (work: () => void | Promise<void>) => void endings.push(work) };
const server = await sharedPostgres();
after(async () => {
  for (const end of endings.toReversed()) await end();
});

/** A group with one check of a target. */
async function makeCheck(service: RoleProcesses, { url }: ScriptedServer): Promise<{ id: string; groupId: number }> {
  const groupId = Number((await service.must('POST', '/v2/check-groups', { name: 'Shops' }))['id']);
  const body = { name: 'Cart', frequency: 1440, groupId, request: { method: 'GET', url } };
  return { id: String((await service.must('POST', '/v1/checks/api', body))['id']), groupId };
}

/** Readiness of each process: role, status and reasons. */
function readiness(service: RoleProcesses): Promise<(string | number)[][]> {
  const asked = everyRole.flatMap((role) =>
    service.of(role).map(async ({ address }) => {
      const answer = await fetch(`${address}/health/ready`);
      const { reasons = [] } = (await answer.json()) as { reasons?: string[] };
      return [role, answer.status, ...reasons];
    }),
  );
  return Promise.all(asked);
}

/** Kills the process of a role that holds the work found by the statement. */
async function killHolder(service: RoleProcesses, role: Role, from: 'runs' | 'deliveries'): Promise<void> {
  const held = `SELECT p.pid FROM ${from} h JOIN processes p ON encode(p.id, 'hex') = replace(h.leased_by, '-', '')`;
  const pid = service.rows((raw) => Number(raw.prepare(held).get()?.['pid']));
  const holder = service.of(role).find((process) => process.pid === pid);
  assert.ok(holder, `no ${role} is process ${pid}`);
  assert.equal((await holder.end('SIGKILL')).signal, 'SIGKILL');
}

/** A table that is renamed and restored. */
const moved = (table: string) => ({
  fault: `ALTER TABLE ${table} RENAME TO away`,
  end: `ALTER TABLE away RENAME TO ${table}`,
});
/** A table that refuses a kind of statement until restored. */
const refused = (kind: string, table: string, which: string) => ({
  fault: `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused by a test'; END $$;
    CREATE TRIGGER refusing BEFORE ${kind} ON ${table} ${which} EXECUTE FUNCTION refuse()`,
  end: 'DROP FUNCTION refuse CASCADE',
});

describe('about PostgreSQL: with a process per role, and two runners and deliverers,', () => {
  let service: RoleProcesses;
  before(async () => {
    service = await startRoleProcesses(later, await server.newDatabase(), {
      processes: (['api', 'scheduler', 'runner', 'runner', 'deliverer', 'deliverer', 'upkeep'] as const).map(
        (role) => ({ roles: [role] }),
      ),
    });
    // The service only records that it can receive pings if there is a heartbeat.
    const heartbeat = { period: 1, periodUnit: 'days', grace: 1, graceUnit: 'hours' };
    await service.must('POST', '/v1/checks/heartbeat', { name: 'Backup', heartbeat });
  });

  it('only those with the API role answer below /v1, and each reports readiness for its own roles', async () => {
    for (const role of everyRole) {
      for (const { address } of service.of(role)) {
        const ready = await fetch(`${address}/health/ready`);
        assert.deepEqual([ready.status, await ready.json()], [200, { status: 'ok' }], role);
        const headers = { authorization: `Bearer ${apiKey}` };
        const { status } = await fetch(`${address}/v1/checks`, { headers });
        assert.equal(status, role === 'api' ? 200 : 404, role);
        const metrics = await (await fetch(`${address}/metrics`)).text();
        assert.match(metrics, new RegExp(`^tocsin_process_info\\{[^}]*roles="${role}"`, 'm'));
      }
    }
  });

  /** What makes a step fail, what repairs it, and the step that each role reports. */
  const faults: readonly {
    readonly fault: string;
    readonly end: string;
    readonly steps: Readonly<Partial<Record<Role, string>>>;
  }[] = [
    { ...moved('schedules'), steps: { scheduler: 'schedule-runs' } },
    { ...moved('deliveries'), steps: { deliverer: 'send-deliveries' } },
    { ...refused('UPDATE', 'runs', 'FOR EACH STATEMENT'), steps: { runner: 'run-checks' } },
    {
      ...refused('INSERT', 'installation', `FOR EACH ROW WHEN (NEW.key = 'pings-heard')`),
      steps: { api: 'record-reception' },
    },
  ];
  for (const { fault, end, steps } of faults) {
    const failing = Object.entries(steps);
    it(`where ${failing.map(([role, step]) => `${step} of each ${role}`).join(' and ')} fails these say so and are not ready, and all others are`, async () => {
      const printedBefore = new Map(
        everyRole.map((role) => [role, service.of(role).map(({ printed }) => printed.length)]),
      );
      service.rows((raw) => raw.exec(fault));
      const reported = await until('those to fail', async () => {
        const found = await readiness(service);
        return (
          failing.every(([role, step]) => {
            const own = found.filter(([of]) => of === role);
            return own.every(([, , reason]) => reason === `the step ${step} fails`);
          }) && found
        );
      }).finally(() => service.rows((raw) => raw.exec(end)));
      assert.deepEqual(
        reported.map(([of, status]) => [of, status]),
        everyRole.flatMap((of) => service.of(of).map(() => [of, of in steps ? 503 : 200])),
      );
      for (const of of everyRole) {
        service.of(of).forEach(({ printed }, index) => {
          const since = printed.slice(printedBefore.get(of)?.[index]);
          assert.equal(since.includes(`"step":"${steps[of]}"`), of in steps, since);
        });
      }
      await until('all to be ready', async () => (await readiness(service)).every(([, status]) => status === 200));
    });
  }

  // Both wait for the end of a lease.
  describe('work of a dead process', { concurrency: 2 }, () => {
    it('a probe of a dead runner is run again by the other, and recorded once', async (t) => {
      const target = await startScriptedServer(t);
      const { id, groupId } = await makeCheck(service, target);
      await firstRun(service, id);
      target.answer('hang');
      await service.must('POST', `/v1/triggers/check-groups/${groupId}`);
      await target.hits(2);
      await killHolder(service, 'runner', 'runs');
      target.answer({ status: 200 });
      await target.hits(3, resumesWithinMs);
      const results = await until('the result', async () => {
        const list = (await service.must('GET', `/v1/check-results/${id}`)) as unknown as Record<string, unknown>[];
        return list.length > 1 && list;
      });
      assert.deepEqual(
        results.map(({ hasFailures }) => hasFailures),
        [false, false],
      );
      await until('no run in progress', () => service.rows(conservationDifference) === 0);
      await service.restart('runner');
    });

    it('a delivery of a dead deliverer is sent again by the other, with the same id', async (t) => {
      const [target, receiver] = [await startScriptedServer(t), await startReceiver(t, secret)];
      receiver.answer('hang');
      const { groupId } = await makeCheck(service, target);
      const config = { url: receiver.url, webhookSecret: secret };
      await service.must('POST', '/v1/alert-channels', { type: 'WEBHOOK', config, subscriptions: [{ groupId }] });
      // Only after the channel is subscribed, because a new check runs at once.
      target.answer({ status: 500 });
      await service.must('POST', `/v1/triggers/check-groups/${groupId}`);
      const first = await receiver.received(() => true);
      await killHolder(service, 'deliverer', 'deliveries');
      receiver.answer({ status: 200 });
      const second = await receiver.received((message) => message !== first, resumesWithinMs);
      assert.deepEqual([second.deliveryId, second.attempt, second.text], [first.deliveryId, first.attempt, first.text]);
      const delivery = await until('the delivery to end', async () => {
        const read = await service.must('GET', `/v1/deliveries/${first.deliveryId}`);
        return read['status'] === 'delivered' && read;
      });
      const attempts = delivery['attempts'] as { number: number; error?: { class: string } }[];
      assert.deepEqual(
        attempts.map(({ number, error }) => [number, error?.class]),
        [
          [1, 'interrupted'],
          [1, undefined],
        ],
      );
      assert.equal(receiver.all.length, 2);
      await service.restart('deliverer');
    });
  });

  it('runs that wait because every runner is dead are reported by the age of the oldest', async (t) => {
    const target = await startScriptedServer(t);
    const { id, groupId } = await makeCheck(service, target);
    const [scheduler] = service.of('scheduler');
    const age = async (): Promise<number> => {
      const text = await (await fetch(`${scheduler?.address}/metrics`)).text();
      const [, reported] = /^tocsin_run_queue_age_seconds\{location="local"\} (\S+)$/m.exec(text) ?? [];
      assert.ok(reported !== undefined, text);
      return Number(reported);
    };
    await until('no run to wait', async () => (await age()) === 0);
    await service.kill('runner');
    await service.must('POST', `/v1/triggers/check-groups/${groupId}`);
    const calledAt = Date.now();
    await until('the run to have waited for two seconds', async () => (await age()) > 2);
    const waited = await age();
    assert.ok(waited < (Date.now() - calledAt) / 1000 + 1, `told ${waited} s`);
    await service.restart();
    await until('the result', async () => {
      const list = (await service.must('GET', `/v1/check-results/${id}`)) as unknown as unknown[];
      return list.length > 0;
    });
    await until('no run to wait', async () => (await age()) === 0);
  });
});

describe('about PostgreSQL: an API process that starts last', () => {
  it('is known to the others at once: alert links open there', async (t) => {
    const processes = [{ roles: ['scheduler', 'runner', 'deliverer'] }] as const;
    const service = await startRoleProcesses(later, await server.newDatabase(), { processes });
    const emptyFolder = mkdtempSync(join(tmpdir(), 'tocsin-roles-'));
    t.after(() => rmSync(emptyFolder, { recursive: true, force: true }));
    const reported = { TOCSIN_BOOTSTRAP_API_KEY: apiKey, TOCSIN_ROLES: 'api', TOCSIN_SECRET_KEY: sharedKey };
    const { child, ready } = startProcess({ ...reported, ...service.environment, TOCSIN_DATA_DIR: emptyFolder });
    t.after(() => void child.kill('SIGKILL'));
    const { address } = await ready;
    const post = async (path: string, body?: object): Promise<Record<string, unknown>> => {
      const headers = { authorization: `Bearer ${apiKey}`, ...(body && { 'content-type': 'application/json' }) };
      const answer = await fetch(address + path, {
        method: 'POST',
        headers,
        ...(body && { body: JSON.stringify(body) }),
      });
      assert.ok(answer.ok, `${path}: ${answer.status}`);
      return (await answer.json()) as Record<string, unknown>;
    };
    const [target, receiver] = [await startScriptedServer(t), await startReceiver(t, secret)];
    target.answer({ status: 500 });
    const config = { url: receiver.url, webhookSecret: secret };
    await post('/v1/alert-channels', { type: 'WEBHOOK', autoSubscribe: true, config });
    const request = { method: 'GET', url: target.url };
    const { id } = await post('/v1/checks/api', { name: 'Cart', frequency: 1440, request });
    await post(`/v1/triggers/checks/${String(id)}`);
    const link = String((await receiver.alert('ALERT_FAILURE', 20_000)).json['RESULT_LINK']);
    assert.ok(link.startsWith(`${address}/`), link);
    const page = await fetch(link);
    assert.equal(page.status, 200);
    const [, script = ''] = /<script [^>]*src="([^"]*)"/.exec(await page.text()) ?? [];
    assert.equal((await fetch(new URL(script, link))).headers.get('content-type'), 'text/javascript; charset=utf-8');
  });
});
