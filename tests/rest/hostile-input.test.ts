// Bad input: every operation of the contract against whatever a client can get wrong, in volume, repeatable by its seed.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import * as fc from 'fast-check';
import { everyOperation } from '#contract/operations.ts';
import { brokenBody, mangledBody } from '../support/checks/broken-body.ts';
import { type Composed, startComposed } from '../support/service/composed.ts';
import { type DatabaseRows, databaseRowsAtRest } from '../support/store/database-rows.ts';
import { type Json, richBody } from '../support/checks/rich-body.ts';
import { until } from '../support/until.ts';
import {
  type Answer,
  type AnyOperation,
  maxAnswerMs,
  assertDefined,
  type Fixtures,
  makeFixtures,
  operationsWithBody,
  pathOf,
  send,
} from './operation-calls.ts';

/** Another run of other and more cases: TEST_SEED=<number>. */
const isSearch = process.env['TEST_SEED'] !== undefined;
const seed = Number(process.env['TEST_SEED'] ?? 20_261_120);
const [casesPerBody, casesPerText, casesPerPath] = isSearch ? [50, 15, 8] : [16, 5, 3];

let on: Composed;
let fixtures: Fixtures;
let rows: DatabaseRows;
let cases = 0;
const cleanups: (() => void | Promise<void>)[] = [];

before(async () => {
  // Only what answers and what sends test messages: nothing is written but what was asked for.
  const mail = { TOCSIN_SMTP_URL: 'smtp://127.0.0.1:1', TOCSIN_MAIL_FROM: 'tocsin@example.com' };
  const cleaned = { after: (work: () => void | Promise<void>) => void cleanups.push(work) };
  on = await startComposed(cleaned, { TOCSIN_ROLES: 'api,deliverer', ...mail });
  fixtures = await makeFixtures(on);
  // The channel of the example of a report.
  const { status, text } = await send(on.port, {
    method: 'POST',
    path: '/v1/alert-channels',
    headers: { authorization: `Bearer ${on.apiKey}`, 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify({ type: 'EMAIL', config: { address: 'ops@example.com' } })),
  });
  assert.equal(status, 201, text);
  rows = await databaseRowsAtRest(on.raw);
});
after(async () => {
  for (const work of cleanups) await work();
});

/** Asks with a good key, and says that a refusal has written nothing. */
async function ask(
  operation: AnyOperation,
  sent: { path?: string; body?: Buffer; headers?: Record<string, string> },
): Promise<Answer> {
  cases++;
  const headers = { authorization: `Bearer ${on.apiKey}`, 'content-type': 'application/json', ...sent.headers };
  const whole = {
    method: operation.method,
    path: sent.path ?? pathOf(operation, fixtures),
    headers,
    ...(sent.body && { body: sent.body }),
  };
  const version = rows.version();
  const first = await send(on.port, whole);
  // A machine that is busy is late once; what takes long takes long again.
  const isLate = first.durationMs >= maxAnswerMs;
  const answer = isLate ? { ...first, durationMs: (await send(on.port, whole)).durationMs } : first;
  assertDefined(operation, answer);
  if (answer.status >= 400 && rows.version() !== version) {
    // Something else may have written at the same moment: once more, to see what the refusal writes.
    const present = unsent(rows.all());
    assert.equal((await send(on.port, whole)).status, answer.status);
    assert.deepEqual(unsent(rows.all()), present, 'a refusal has changed rows');
  }
  // Limits that were taken would refuse what is asked next, and so would other times of a window.
  const reset = resets[operation.id];
  if (reset !== undefined && answer.status === 200) {
    await send(on.port, { ...whole, body: Buffer.from(JSON.stringify(reset)) });
  }
  return answer;
}

/** Rows without what the sending of queued deliveries changes: of these, only how many there are. */
function unsent({ attempts: _1, delivery_requests: _2, account_counts: _3, ...all }: Record<string, string>): object {
  return { ...all, deliveries: all['deliveries']?.split('\n').length };
}

const resets: Readonly<Record<string, object>> = {
  updateAccount: { executionLimit: null, limits: null },
  updateMaintenanceWindow: {
    startsAt: '2099-02-01T22:00:00Z',
    endsAt: '2099-02-01T23:00:00Z',
    repeatUnit: null,
    repeatInterval: null,
    repeatEndsAt: null,
  },
};

function parameters(numRuns: number): fc.Parameters<unknown> {
  return { seed, numRuns, endOnFailure: !isSearch };
}

function attributesOf(answer: Answer): string[] {
  const { attributes = {} } = JSON.parse(answer.text) as { attributes?: object };
  return Object.keys(attributes);
}

/** Bodies of operations that the document does not show, and an empty one. */
const examples: Readonly<Record<string, Json>> = {
  cancelTestSession: {},
  deployCliProject: { project: { logicalId: 'shop', name: 'Shop' }, resources: [] },
};
/** Statuses of examples that name what the fixtures do not have: an activated check with tags, a test session. */
const atNothing: Readonly<Record<string, number>> = {
  triggerCheckSessions: 404,
  triggerCheckSessionsV1: 404,
  triggerTestSession: 404,
  cancelTestSession: 404,
};

/** Each operation is sent one of them. */
const types = ['text/plain', 'application/xml', 'multipart/form-data', 'json', 'application/json; charset=utf-16'];
const encodings = ['br', 'deflate', 'zstd', 'gzip, gzip', 'nonsense'];

describe(`bodies (seed ${seed})`, () => {
  // Bodies about people name somebody, or hold a password or a one-time token: people.test.ts sends them.
  const apart = new Set(['People', 'Sessions']);
  const tried = operationsWithBody().filter(({ tag }) => !apart.has(tag));
  for (const [index, operation] of tried.entries()) {
    const example = (operation.example ?? examples[operation.id]) as Json;
    // Other bodies of the checkly command line are sent by its own tests.
    if (operation.isPrivate === true && example === undefined) continue;
    const rich = richBody(operation.body, example);

    test(`${operation.id}: its example is taken, and a body with every field has a defined answer`, async () => {
      const taken = await ask(operation, { body: Buffer.from(JSON.stringify(example)) });
      // Where the token is the permission, a body that is taken ends at a token that nobody has.
      const expected = atNothing[operation.id] ?? (operation.isAnyType === true ? 404 : (operation.status ?? 200));
      assert.equal(taken.status, expected, taken.text);
      await ask(operation, { body: Buffer.from(JSON.stringify(rich)) });
    });

    test(`${operation.id}: one thing broken is refused by name, or is as good as before`, async () => {
      await fc.assert(
        fc.asyncProperty(brokenBody(rich), async ({ bytes, what, path, isUnreadable }) => {
          const answer = await ask(operation, { body: bytes });
          const isValid = !isUnreadable && operation.body.safeParse(JSON.parse(bytes.toString())).success;
          if (isValid) return;
          assert.equal(answer.status, 400, `${path} ${what}: ${answer.text.slice(0, 300)}`);
          if (isUnreadable) return;
          const names = attributesOf(answer);
          const isNamed = names.some(
            (name) => name === path || name.startsWith(`${path}.`) || name.startsWith(`${path}[`),
          );
          assert.ok(isNamed || path === 'body', `${path} ${what} is not named: ${answer.text.slice(0, 300)}`);
        }),
        parameters(casesPerBody),
      );
    });

    test(`${operation.id}: any other JSON and any bytes have a defined answer`, async () => {
      const anything = fc.oneof(
        mangledBody(rich),
        fc.jsonValue({ maxDepth: 4 }).map((value) => Buffer.from(JSON.stringify(value))),
      );
      await fc.assert(
        fc.asyncProperty(anything, async (body) => void (await ask(operation, { body }))),
        parameters(casesPerText),
      );
    });

    test(`${operation.id}: too large, of another type or not what its encoding says is refused`, async () => {
      const body = Buffer.from(JSON.stringify(example));
      assert.equal(
        (await ask(operation, { body: Buffer.alloc((operation.maxBody ?? 1_048_576) + 1, ' ') })).status,
        413,
      );
      const type = types[index % types.length] ?? '';
      const status = operation.isAnyType === true ? 404 : 415;
      assert.equal((await ask(operation, { body, headers: { 'content-type': type } })).status, status, type);
      const encoding = encodings[index % encodings.length] ?? '';
      assert.equal((await ask(operation, { body, headers: { 'content-encoding': encoding } })).status, 415, encoding);
      assert.equal((await ask(operation, { body, headers: { 'content-encoding': 'gzip' } })).status, 400);
    });
  }
});

// Of code points by their numbers: a unit of fast-check's own for that makes a table of all 1.1 million first, in a second.
const anyCharacters = fc.array(fc.integer({ min: 0, max: 0x10ffff }), { maxLength: 60 });
const hostileTexts = fc.oneof(
  anyCharacters.map((points) => String.fromCodePoint(...points)),
  fc.constantFrom('', ' ', '.', '..', '%', '/', '\0', '__proto__', 'constructor', '-1', '0', '1e9', '0x10', '٣', '💥'),
  fc.constantFrom(
    '9'.repeat(30),
    'x'.repeat(1500),
    'x'.repeat(8000),
    '../../etc/passwd',
    "1' OR '1'='1",
    '1;DROP TABLE runs',
  ),
);
const encoded = hostileTexts.map((text) => encodeURIComponent(text.toWellFormed()));
const broken = fc.constantFrom('%', '%zz', '%E0%A4%A', '%00', '%2f', '%c0%80', '+', '%ff');

describe(`paths and queries (seed ${seed})`, () => {
  for (const operation of everyOperation()) {
    // Clients wait for verdicts deliberately, for up to ten minutes.
    const names = Object.keys(operation.query?.shape ?? {}).filter((name) => name !== 'maxWaitSeconds');
    const query = fc
      .array(
        fc.tuple(fc.constantFrom('limit', 'page', 'tag[]', ...names, '__proto__', 'nextId'), fc.oneof(encoded, broken)),
        {
          maxLength: 5,
        },
      )
      .map((pairs) => pairs.map(([name, value]) => `${name}=${value}`).join('&'));
    const hasParams = operation.path.includes('{');

    test(`${operation.id}: any query${hasParams ? ' and any path' : ''} has a defined answer`, async () => {
      const isSafe = operation.method !== 'DELETE' && operation.permission !== 'none';
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.oneof(encoded, broken), { minLength: 2, maxLength: 2 }),
          query,
          async (parts, query) => {
            const values = [...parts];
            const path = operation.path.replaceAll(/\{\w+\}/g, () => values.shift() || '%20');
            await ask(operation, { path: `${path}?${query}`, body: Buffer.from('{}') });
            if (isSafe)
              await ask(operation, { path: `${pathOf(operation, fixtures)}?${query}`, body: Buffer.from('{}') });
          },
        ),
        parameters(casesPerPath),
      );
    });
  }
});

describe('afterwards', () => {
  test('thousands of cases were tried, and none was a fault of ours', (t) => {
    t.diagnostic(`${cases} cases, seed ${seed}`);
    assert.ok(cases > 1500, `${cases} cases`);
    assert.deepEqual(
      on.logged.filter(({ level }) => level === 'error'),
      [],
    );
  });

  test('ten megabytes again and again leave nothing in memory', async () => {
    const [operation] = operationsWithBody();
    assert.ok(operation);
    const body = Buffer.alloc(10_000_000, ' ');
    const flood = async (): Promise<void> => {
      for (let round = 0; round < 3; round++) {
        const answer = await ask(operation, { body, headers: { connection: 'close' } });
        assert.equal(answer.status, 413);
      }
    };
    await flood();
    const before = usedMemory();
    await flood();
    // A body may still be on its way out when its answer is here; what stays does not go.
    let grown = Number.POSITIVE_INFINITY;
    await until('memory to be given back', () => (grown = usedMemory() - before) < 2_500_000, {
      seen: () => `it grew by ${Math.round(grown / 1e6)} MB`,
    });
  });
});

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function usedMemory(): number {
  collect();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + external + arrayBuffers;
}
