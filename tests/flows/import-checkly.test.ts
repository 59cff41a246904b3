// `import checkly` against a running server: from the API of Checkly, and from another account of Tocsin, whose API is the same.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { freePort } from '../support/free-port.ts';
import { emptyFolder } from '../support/checkly/checkly-cli.ts';
import {
  checklyAccount,
  type ChecklyApi,
  checklyKey,
  type ChecklyLists,
  checklySecrets,
  startChecklyApi,
} from '../support/imports/checkly-api.ts';
import { type CommandOutput, runCommand } from '../support/service/command.ts';
import { describe } from '../support/service/one-process.ts';
import { apiKey, newAccount, type Service } from '../support/service/service.ts';
import type { Cleanup } from '../support/targets/scripted-server.ts';

type Json = Readonly<Record<string, unknown>>;

/** Runs the command in an account, with the made-up account of Checkly as its source. */
function importer(
  t: Cleanup,
  { address }: Pick<Service, 'address'>,
  accountId: string,
  { url }: Pick<ChecklyApi, 'url'>,
  environment: NodeJS.ProcessEnv = {},
) {
  const folder = emptyFolder(t);
  const all = {
    TOCSIN_URL: address,
    TOCSIN_API_KEY: apiKey,
    TOCSIN_ACCOUNT: accountId,
    CHECKLY_API_KEY: checklyKey,
    CHECKLY_ACCOUNT_ID: checklyAccount,
    HOME: folder,
    ...environment,
  };
  return (...words: readonly string[]): Promise<CommandOutput> =>
    runCommand(['import', 'checkly', '--url', url, ...words], all, folder);
}

const limited = (response: ServerResponse): boolean => {
  response.writeHead(429, { 'retry-after': '0' }).end('{"statusCode":429,"error":"Too Many Requests"}');
  return true;
};

/** Answers a path with a text. */
const saying =
  (path: string, status: number, text: string) =>
  (response: ServerResponse, asked: string): boolean => {
    if (!asked.startsWith(path)) return false;
    response.writeHead(status, { 'content-type': 'application/json' }).end(text);
    return true;
  };

describe('import checkly', { concurrency: 3 }, ({ it }) => {
  it('creates what the account had, and does nothing twice', async (t, service) => {
    const account = await newAccount(service, 'From Checkly');
    const source = await startChecklyApi(t);
    const tocsin = importer(t, service, account.id, source, checklySecrets);
    const first = await tocsin();
    assert.equal(first.code, 0, first.err);
    assert.match(first.out, /^Project checkly: \d+ created\.$/m);
    assert.doesNotMatch(first.out + first.err, /quietword|hush/);
    assert.match(first.err, /Email is not set up on the server: left out channel-9/);
    assert.match(first.err, /SMS messages are not set up on the server: left out channel-10/);
    assert.match(first.err, /Calls are not set up on the server: left out channel-11/);

    const list = async (path: string) => (await account.must('GET', `${path}?limit=100`)) as unknown as Json[];
    const checks = new Map((await list('/v1/checks')).map((each) => [each['name'], each]));
    assert.equal(checks.size, 9);
    const cart = checks.get('Cart ${env:HOME}') as Json & { request: Json };
    assert.deepEqual(
      [cart['frequency'], cart['frequencyOffset'], cart['runParallel'], cart['maxResponseTime'], cart['locations']],
      [0, 20, true, 30_000, []],
    );
    assert.deepEqual(
      [cart.request['method'], cart.request['url'], cart.request['ipFamily']],
      ['POST', '{{SHOP_URL}}/cart', 'IPv4'],
    );
    assert.deepEqual([checks.get('Home page')?.['activated'], checks.get('Order')?.['activated']], [false, false]);
    const [group] = await list('/v1/check-groups');
    assert.deepEqual([cart['groupId'], group?.['privateLocations']], [group?.['id'], ['checkly-office']]);
    const channels = await list('/v1/alert-channels');
    assert.deepEqual([channels.length, channels.filter((each) => each['sendFailure'] === true).length], [4, 0]);
    const operations = channels.find((each) => (each['config'] as Json)['name'] === 'Operations');
    const subscribed = ((operations?.['subscriptions'] ?? []) as Json[]).map(
      ({ checkId, groupId }) => checkId ?? groupId,
    );
    assert.deepEqual(new Set(subscribed), new Set([cart['id'], group?.['id']]), 'inactive subscriptions are none');

    const again = await tocsin();
    assert.match(again.out, /^No changes: project checkly is up to date\.$/m, again.err);
  });

  it('reads all pages, and waits as long as the API asks', async (t, service) => {
    const account = await newAccount(service, 'Many');
    const variables = Array.from({ length: 250 }, (_, index) => ({ key: `N${index}`, value: String(index) }));
    const others = saying('/v1/status-pages', 402, '{"message": "Payment Required"}');
    const none = Object.fromEntries(
      ['private-locations', 'snippets', 'alert-channels', 'check-groups', 'checks', 'maintenance-windows'].map(
        (name) => [`/v1/${name}`, []],
      ),
    );
    const lists: ChecklyLists = { ...none, '/v1/variables': variables };
    const source = await startChecklyApi(t, lists, (response, path, before) =>
      before === 1 ? limited(response) : others(response, path),
    );
    const said = await importer(t, service, account.id, source)('--dry-run');
    assert.match(said.out, /250 to create\.$/m, said.err);
    assert.match(said.out, /\/v1\/status-pages\s+status page\s+not carried over/);
    assert.match(said.out, /cannot be read: 402 Payment Required/);
    assert.match(said.err, /The server asks to wait 1 s\./);
    assert.deepEqual(source.requests.slice(0, 4), [
      '/v1/variables?limit=100&page=1',
      '/v1/variables?limit=100&page=2',
      '/v1/variables?limit=100&page=2',
      '/v1/variables?limit=100&page=3',
    ]);
    assert.deepEqual(await account.must('GET', '/v1/variables'), [], 'a dry run changes nothing');
  });

  it('names the variables of the secrets that the API does not return, and writes placeholders', async (t, service) => {
    const account = await newAccount(service, 'Secrets');
    const source = await startChecklyApi(t);
    const tocsin = importer(t, service, account.id, source, { CHECKLY_SECRET_TOKEN: 'hush' });
    const said = await tocsin();
    assert.equal(said.code, 1);
    assert.match(said.err, /secrets are missing\. Set these environment variables, and repeat it:/);
    assert.match(said.err, /^ {2}CHECKLY_SECRET_WEB_SHOP_GROUP_TOKEN {2}checkGroups\.group-5\./m);
    assert.doesNotMatch(said.err, /CHECKLY_SECRET_TOKEN/);
    assert.deepEqual(await account.must('GET', '/v1/checks'), []);
    const written = await tocsin('--output', 'tocsin.yaml', '--json');
    assert.equal(written.code, 0, written.err);
    assert.match(written.out, /\$\{env:CHECKLY_SECRET_TOKEN\}/);
    assert.match(written.err, /^ {2}CHECKLY_SECRET_TOKEN {2}variables\.TOKEN\.value$/m);
  });

  it('copies an account of Tocsin, whose API is the same', async (t, service) => {
    const from = await newAccount(service, 'Source');
    const to = await newAccount(service, 'Copy');
    const { id: channelId } = await from.must('POST', '/v1/alert-channels', {
      type: 'WEBHOOK',
      config: { name: 'Operations', url: 'https://hooks.example/ops', webhookSecret: 'hush' },
    });
    const { id: snippetId } = await from.must('POST', '/v1/snippets', { name: 'Log in', script: 'request.url += 1;' });
    const { id: groupId } = await from.must('POST', '/v1/check-groups', {
      name: 'First',
      tags: ['shop'],
      runParallel: true,
    });
    await from.must('POST', '/v1/variables', { key: 'TOKEN', value: 'hush', secret: true });
    await from.must('POST', '/v1/variables', { key: 'OPEN', value: 'a' });
    await from.must('POST', '/v1/checks/api', {
      name: 'Cart',
      groupId,
      setupSnippetId: snippetId,
      alertChannelSubscriptions: [{ alertChannelId: channelId, activated: true }],
      request: { method: 'GET', url: 'https://shop.example/', basicAuth: { username: 'me', password: 'hush' } },
    });
    const heartbeat = { period: 1, periodUnit: 'days', grace: 30, graceUnit: 'minutes' };
    await from.must('POST', '/v1/checks/heartbeat', { name: 'Backup', heartbeat });
    await from.must('POST', '/v1/maintenance-windows', {
      name: 'Deployments',
      tags: ['shop'],
      startsAt: '2030-01-01T22:00:00Z',
      endsAt: '2030-01-01T22:30:00Z',
      repeatUnit: 'WEEK',
      repeatInterval: 1,
    });
    const tocsin = importer(
      t,
      service,
      to.id,
      { url: service.address },
      {
        CHECKLY_API_KEY: apiKey,
        CHECKLY_ACCOUNT_ID: from.id,
        CHECKLY_SECRET_TOKEN: 'hush',
        CHECKLY_SECRET_OPERATIONS_WEBHOOK_SECRET: 'hush',
        CHECKLY_SECRET_CART_BASIC_AUTH_PASSWORD: 'hush',
      },
    );
    const said = await tocsin('--json');
    assert.equal(said.code, 0, said.err);
    const { rows } = JSON.parse(said.out) as { rows: { from: string; to: string | null; notes: string[] }[] };
    const lost = rows.flatMap(({ notes }) => notes.filter((each) => each.startsWith('left out')));
    const states = ['notifiesNobody', 'nextRunAt', 'nextStartsAt, nextEndsAt'];
    assert.deepEqual(
      lost.toSorted(),
      states.map((each) => `left out, because Tocsin has no counterpart: ${each}`).toSorted(),
      'only what Tocsin derives',
    );
    const names = async (path: string) =>
      ((await to.must('GET', `${path}?limit=100`)) as unknown as Json[]).map(({ name, key }) => name ?? key);
    assert.deepEqual(new Set(await names('/v1/checks')), new Set(['Cart', 'Backup']));
    assert.deepEqual(new Set(await names('/v1/variables')), new Set(['TOKEN', 'OPEN']));
    assert.deepEqual(
      [await names('/v1/snippets'), await names('/v1/check-groups'), await names('/v1/maintenance-windows')],
      [['Log in'], ['First'], ['Deployments']],
    );
    const [cart] = (await to.must('GET', '/v1/checks?search=Cart')) as unknown as Json[];
    const [channel] = (await to.must('GET', '/v1/alert-channels')) as unknown as Json[];
    assert.deepEqual(
      ((channel?.['subscriptions'] ?? []) as Json[]).map(({ checkId }) => checkId),
      [cart?.['id']],
    );
    assert.match((await tocsin()).out, /^No changes/m);
  });

  it('says in one line why an account cannot be read, and changes nothing', async (t, service) => {
    const account = await newAccount(service, 'Broken');
    const source = await startChecklyApi(t);
    const withKey = (environment: NodeJS.ProcessEnv) => importer(t, service, account.id, source, environment);
    const overriding = async (override: Parameters<typeof startChecklyApi>[2]) =>
      importer(t, service, account.id, await startChecklyApi(t, undefined, override));
    const tocsin = withKey({});
    const nobody = `http://127.0.0.1:${await freePort()}`;
    for (const [run, message] of [
      [
        withKey({ CHECKLY_API_KEY: '' }),
        /^tocsin: set CHECKLY_API_KEY to an API key of Checkly, and CHECKLY_ACCOUNT_ID$/m,
      ],
      [withKey({ CHECKLY_API_KEY: 'cu_wrong' }), /rejected the API key of CHECKLY_API_KEY\. Create one/],
      [withKey({ CHECKLY_ACCOUNT_ID: '' }), /rejected the API key/],
      [importer(t, service, account.id, { url: nobody }), /cannot reach http:\/\/127\.0\.0\.1:\d+: connection refused/],
      [importer(t, service, account.id, { url: 'checkly' }), /is not the URL of a server/],
      [
        await overriding(saying('/v1/checks', 200, '{"data": []}')),
        /this is not the API of Checkly: \/v1\/checks is not a list/,
      ],
      [await overriding(saying('/v1/checks', 200, '[{"id": ')), /this is not the API of Checkly/],
      [
        await overriding(saying('/v1/snippets', 403, '{"message": "Forbidden \\u001b[31m"}')),
        /\/v1\/snippets answered 403 Forbidden \S*$/m,
      ],
      [await overriding(saying('/v1/variables', 302, '')), /redirects to another address/],
    ] as const) {
      const said = await run();
      assert.equal(said.code, 1, said.out);
      assert.match(said.err, message);
      assert.ok(!said.err.includes('\u001b'));
    }
    assert.equal((await tocsin('--account', 'other')).code, 1, '--account replaces CHECKLY_ACCOUNT_ID');
    assert.deepEqual(await account.must('GET', '/v1/checks'), []);
  });

  it('stops at a response without end, too many items or too many levels', async (t, service) => {
    const account = await newAccount(service, 'Endless');
    const page = JSON.stringify(Array.from({ length: 100 }, (_, index) => ({ key: `N${index}`, value: '' })));
    const source = await startChecklyApi(t, undefined, saying('/v1/variables', 200, page));
    const said = await importer(t, service, account.id, source)();
    assert.match(said.err, /\/v1\/variables has more than 20000 items/);
    assert.equal(source.requests.length, 201);
    const deep = `[{"id": 1, "config": ${'['.repeat(100_000)}${']'.repeat(100_000)}}]`;
    const nested = await startChecklyApi(t, undefined, saying('/v1/variables', 200, deep));
    assert.match((await importer(t, service, account.id, nested)()).err, /nested more than 50 levels deep/);
    const wide = await startChecklyApi(t, undefined, saying('/v1/variables', 200, `[{}${',{}'.repeat(500_000)}]`));
    assert.match((await importer(t, service, account.id, wide)()).err, /has more than 20000 items/);
    const large = await startChecklyApi(t, undefined, (response) => {
      const chunk = Buffer.alloc(1_048_576, 0x20);
      const more = (): void => void response.write(chunk, (error) => error ?? more());
      response.writeHead(200);
      more();
      return true;
    });
    assert.match((await importer(t, service, account.id, large)()).err, /more than 64 MB of settings/);
  });
});
