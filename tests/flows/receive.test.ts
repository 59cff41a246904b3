// `npm run tocsin -- receive`: a test receiver, against the running service.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startCommand, runCommand } from '../support/service/command.ts';
import { describe } from '../support/service/one-process.ts';
import type { Cleanup } from '../support/targets/scripted-server.ts';
import { until } from '../support/until.ts';

interface Line {
  readonly url?: string;
  readonly deliveryId?: string;
  readonly attempt?: number;
  readonly kind?: string;
  readonly bodySignature?: string;
  readonly standardSignature?: string;
  readonly secretNumber?: number | null;
  readonly answer?: number | string;
  readonly replayOf?: string | null;
}

const withinMs = 30_000;

async function startReceive(t: Cleanup, ...words: readonly string[]) {
  const { child, ended } = startCommand(['receive', '--port', '0', '--json', ...words]);
  t.after(() => void child.kill('SIGKILL'));
  let printed = '';
  child.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const lines = (): Line[] =>
    printed
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Line);
  const seen = (): string => printed;
  const { url = '' } = await until('it to listen', () => lines()[0], { withinMs, seen });
  const came = (count: number): Promise<Line[]> =>
    until(`${count} requests`, () => lines().length > count && lines().slice(1), { withinMs, seen });
  return { url, came, child, ended };
}

describe('npm run tocsin -- receive', { concurrency: 2 }, ({ it }) => {
  it('shows a test message and the secret that signed it, and rejects forgeries', async (t, service) => {
    const receiver = await startReceive(t, '--secret', 'the new one', '--secret', 'the old one');
    const channel = await service.must('POST', '/v1/alert-channels', {
      type: 'WEBHOOK',
      config: { url: `${receiver.url}/alerts?by=me`, webhookSecret: 'the old one' },
    });
    const path = `/v1/alert-channels/${String(channel['id'])}/test`;
    const sent = await service.must('POST', path, {});
    assert.equal((sent['response'] as { status: number }).status, 200);
    const [first] = await receiver.came(1);
    assert.deepEqual(
      [first?.url, first?.kind, first?.bodySignature, first?.standardSignature, first?.secretNumber],
      ['/alerts?by=me', 'first', 'genuine', 'genuine', 2],
    );

    const config = { url: receiver.url, webhookSecret: 'of somebody else' };
    await service.must('PUT', `/v1/alert-channels/${String(channel['id'])}`, { config });
    const refused = await service.must('POST', path, {});
    assert.equal((refused['response'] as { status: number }).status, 400);
    const [, second] = await receiver.came(2);
    assert.deepEqual([second?.bodySignature, second?.standardSignature, second?.answer], ['forged', 'forged', 400]);
    receiver.child.kill('SIGINT');
    assert.equal((await receiver.ended).code, 0);
  });

  it('responds to each attempt as configured, and shows retries and replays', async (t, service) => {
    const receiver = await startReceive(t, '--answer', 'reset,503,200');
    const group = await service.must('POST', '/v1/check-groups', { name: 'Shop' });
    const request = { method: 'GET', url: 'http://127.0.0.1:1/' };
    const subscriptions = [{ groupId: group['id'] }];
    await service.must('POST', '/v1/alert-channels', { type: 'WEBHOOK', config: { url: receiver.url }, subscriptions });
    // Runs at once, and fails.
    await service.must('POST', '/v1/checks/api', { name: 'Cart', frequency: 1440, groupId: group['id'], request });
    const [first] = await receiver.came(1);
    const delivery = `/v1/deliveries/${String(first?.deliveryId)}`;
    for (const attempt of [2, 3]) {
      // Only a recorded attempt can be requested again.
      await until('the attempt on record', async () => {
        const { attempts } = (await service.must('GET', delivery)) as { attempts: readonly unknown[] };
        return attempts.length === attempt - 1;
      });
      await service.must('POST', `${delivery}/retry`);
      await receiver.came(attempt);
    }
    await until('its end', async () => (await service.must('GET', delivery))['status'] === 'delivered');
    await service.must('POST', `${delivery}/replay`);
    const all = await receiver.came(4);
    // A pooled connection that is reset at once is replaced in the same attempt (docs/decisions/0064).
    const reported = all.filter(({ kind }) => kind !== 'repeat');
    assert.deepEqual(
      reported.map(({ kind, attempt, answer, replayOf }) => [kind, attempt, answer, replayOf === first?.deliveryId]),
      [
        ['first', 1, 'reset', false],
        ['retry', 2, 503, false],
        ['retry', 3, 200, false],
        ['first', 1, 'reset', true],
      ],
    );
    assert.equal(all[0]?.standardSignature, 'missing');
  });
});

test('reports invalid options of receive with advice', async () => {
  for (const [words, said] of [
    [['--answer', 'maybe'], /--answer must be a comma-separated list of statuses \(200 to 599\), hang or reset/],
    [['--port', '99999'], /--port must be a number from 0 to 65535, not 99999/],
    [['--secret', ''], /--secret must not be empty/],
  ] as const) {
    const { code, err } = await runCommand(['receive', ...words]);
    assert.equal(code, 2);
    assert.match(err, said);
  }
});
