// `migrate --account`: one account between two running services, by the real command and over HTTP.
import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { blockOf, readPage } from '../support/pages.ts';
import { paste, runCommand } from '../support/command.ts';
import { startReceiver } from '../support/receiver.ts';
import { startScriptedServer } from '../support/scripted-server.ts';
import { apiKey, startService } from '../support/service.ts';

const secret = 'a secret between two';

describe('an account of a running service', () => {
  it('moves to another one: its check, alert, trigger and key go on there, and the old one shows the way', async (t) => {
    const [first, second] = [await startService(t), await startService(t)];
    const [target, receiver] = [await startScriptedServer(t), await startReceiver(t, secret)];
    target.answer({ status: 500 });
    const account = String((await first.must('POST', '/v1/accounts', { name: 'Cell' }))['id']);
    const inIt = { 'x-service-account': account };
    const make = async (path: string, body: unknown): Promise<Record<string, unknown>> => {
      const answer = await first.api('POST', path, body, inIt);
      assert.ok(answer.status < 300, JSON.stringify(answer.body));
      return answer.body;
    };
    const groupId = Number((await make('/v2/check-groups', { name: 'Shops' }))['id']);
    await make('/v1/variables', { key: 'PASS', value: 'canary', secret: true });
    const request = { method: 'GET', url: target.url, headers: [{ key: 'x-pass', value: '{{PASS}}' }] };
    const schedule = { frequency: 0, frequencyOffset: 10 };
    const check = await make('/v1/checks/api', { name: 'Cart', ...schedule, groupId, request });
    const config = { url: receiver.url, webhookSecret: secret };
    await make('/v1/alert-channels', { type: 'WEBHOOK', config, subscriptions: [{ groupId }] });
    const trigger = await make(`/v1/triggers/check-groups/${groupId}`, {});
    await receiver.alert('ALERT_FAILURE', 30_000);

    const said = await paste(blockOf(readPage('docs/moving.md'), 'sh', 'account'), dirname(first.databasePath), {
      ACCOUNT: account,
      FROM: `sqlite:${first.databasePath}`,
      TO: `sqlite:${second.databasePath}`,
      NEW_PLACE: second.address,
      NEW_KEY: join(dirname(second.databasePath), 'secret.key'),
      TOCSIN_DATA_DIR: dirname(first.databasePath),
    });
    assert.equal(said.code, 0, said.err + said.out);
    assert.match(said.out, /it was paused for \d+\.\d s/);

    const there = await first.api('GET', `/v1/checks/${String(check['id'])}`, undefined, inIt);
    assert.equal(there.status, 410);
    assert.match(String(there.body['message']), new RegExp(`has moved to ${second.address}`));
    assert.deepEqual(there.body['attributes'], { movedTo: second.address });
    const here = await second.api('GET', `/v1/checks/${String(check['id'])}`, undefined, inIt);
    assert.equal(here.status, 200, 'the same key opens it there');
    assert.equal((await first.api('GET', '/v1/variables')).status, 200, 'other accounts stay');

    target.answer({ status: 200 });
    await receiver.alert('ALERT_RECOVERY', 30_000);
    assert.equal(target.all.at(-1)?.headers['x-pass'], 'canary', 'the secret is readable there');
    const called = await fetch(`${first.address}/check-groups/${groupId}/trigger/${String(trigger['token'])}`, {
      method: 'POST',
    });
    assert.deepEqual([called.status, called.redirected, new URL(called.url).origin], [200, true, second.address]);
    for (const service of [first, second]) {
      const metrics = await (await fetch(`${service.address}/metrics`)).text();
      assert.match(metrics, /^tocsin_conservation_difference 0$/m);
    }
    assert.deepEqual(
      receiver.all.map(({ json }) => json['ALERT_TYPE']),
      ['ALERT_FAILURE', 'ALERT_RECOVERY'],
    );
    assert.ok(apiKey);
  });

  it('is named rightly or not at all', async (t) => {
    const service = await startService(t);
    const [from, to] = [`sqlite:${service.databasePath}`, `sqlite:${service.databasePath}.other`];
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
        TOCSIN_DATA_DIR: dirname(service.databasePath),
      });
      assert.deepEqual([said.code, says.test(said.err)], [code, true], said.err);
    }
  });
});
