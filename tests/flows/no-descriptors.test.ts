// A process without free file descriptors: the system closes its connections before Node.js sees them, so the pinging
// job is not at fault (docs/decisions/0091).
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { idBytes } from '#store/base/codec.ts';
import { outcomeCodes } from '#store/base/codes.ts';
import { test } from '../support/service/one-process.ts';
import { plainEnvironment } from '../support/service/plain-environment.ts';
import { startReceiver } from '../support/receivers/receiver.ts';
import type { Cleanup } from '../support/targets/scripted-server.ts';
import type { Service } from '../support/service/service.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const secret = 'a secret between two';
const allowedMs = 70 * 60_000;
/** File descriptors for connections; far fewer than the listener accepts. */
const free = 40;

interface Job {
  readonly id: string;
  /** Pings over a new connection; false = no response. */
  ping(): Promise<boolean>;
  outcomes(): string;
  /** Sets its deadline to so many ms from now. */
  expectWithin(ms: number): void;
}

async function makeJob(service: Service, name: string): Promise<Job> {
  const heartbeat = { period: 1, periodUnit: 'hours', grace: 10, graceUnit: 'minutes' };
  const made = await service.must('POST', '/v1/checks/heartbeat', { name, heartbeat });
  const id = String(made['id']);
  const { pingToken } = made['heartbeat'] as Record<string, string>;
  const job: Job = {
    id,
    ping: () =>
      run('curl', ['--silent', '--fail', '--max-time', '5', `${service.address}/ping/${pingToken}`], {
        env: plainEnvironment(),
      }).then(
        () => true,
        () => false,
      ),
    outcomes: () =>
      service.rows((raw) =>
        raw
          .prepare('SELECT outcome FROM results WHERE check_id = ? ORDER BY id')
          .all(idBytes(id))
          .map(({ outcome }) => outcomeCodes.decode(Number(outcome)))
          .join(),
      ),
    expectWithin: (ms) =>
      service.rows((raw) => {
        const dueAt = Date.now() + ms;
        raw
          .prepare('UPDATE heartbeats SET timer_at = ?, pinged_at = ?, due_at = ? WHERE check_id = ?')
          .run(dueAt - allowedMs, dueAt - allowedMs, dueAt, idBytes(id));
      }),
  };
  assert.ok(await job.ping());
  await until('the first ping to be judged', () => job.outcomes() === 'passed');
  return job;
}

/** Uses up the file descriptors of the API process until cleaned up. */
function takeDescriptors(t: Cleanup, { address, pid }: Service): () => void {
  const limit = readdirSync(`/proc/${pid}/fd`).length + free;
  execFileSync('prlimit', ['--pid', String(pid), `--nofile=${limit}:`]);
  const sockets = new Set<Socket>();
  let isOver = false;
  const take = (): void => {
    if (isOver) return;
    const socket = connect(Number(new URL(address).port), '127.0.0.1');
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      setTimeout(take, 20);
    });
  };
  for (let n = 0; n < 2 * free; n++) take();
  const end = (): void => {
    isOver = true;
    for (const socket of sockets) socket.destroy();
  };
  t.after(end);
  return end;
}

test('a deadline that passes without free file descriptors raises no alert', async ({ t, startService }) => {
  const service = await startService(t, {});
  const receiver = await startReceiver(t, secret);
  const config = { url: receiver.url, webhookSecret: secret };
  await service.must('POST', '/v1/alert-channels', { type: 'WEBHOOK', config, autoSubscribe: true });
  const [silent, refused] = [await makeJob(service, 'Silent'), await makeJob(service, 'Refused')];
  silent.expectWithin(0);
  await receiver.alert('ALERT_FAILURE');
  assert.equal(silent.outcomes(), 'passed,failed');

  const giveBack = takeDescriptors(t, service);
  await until('pings to go unheard', async () => !(await refused.ping()));
  refused.expectWithin(1000);
  await until('the deadline to be judged', () => refused.outcomes() !== 'passed', { withinMs: 60_000 });
  assert.equal(refused.outcomes(), 'passed,unknown');
  giveBack();

  await until('pings to be heard again', () => refused.ping());
  const alerts = (await service.must('GET', '/v1/check-alerts')) as unknown as { checkId: string }[];
  assert.deepEqual(
    alerts.map(({ checkId }) => checkId),
    [silent.id],
  );
});
