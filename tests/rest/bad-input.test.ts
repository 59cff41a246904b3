// Wrong input is refused with every wrong field and what would be right.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { maxFaults, maxMembers } from '#lib/schema/faults.ts';
import { everyOperation } from '#contract/operations.ts';
import { resourcesUnderTest } from './resources-under-test.ts';
import { restUnderTest } from './rest-under-test.ts';

const { server, logged } = restUnderTest();
const authorization = 'Bearer tsn_admin';
const json = 'application/json';

function post(
  payload: string | Buffer,
  headers: Record<string, string> = { 'content-type': json },
  url = '/v1/variables',
) {
  return server.inject({ method: 'POST', url, headers: { authorization, ...headers }, payload });
}

function unknownFields(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`q${index}`, 1]));
}

function assertShape(answer: Awaited<ReturnType<typeof post>>, statusCode: number): void {
  const body = answer.json();
  assert.equal(answer.statusCode, statusCode, answer.body);
  assert.equal(body.statusCode, statusCode);
  assert.equal(body.error, answer.statusMessage);
  assert.equal(typeof body.message, 'string');
  assert.ok(answer.headers['x-request-id']);
  assert.match(String(answer.headers['content-type']), /^application\/json/);
}

test('every wrong field of path, query and body is named at once, with what would be right', async () => {
  const answer = await post('{"key":"1 bad","value":5,"locked":"yes","colour":"red","secrt":true}');
  assertShape(answer, 400);
  assert.deepEqual(answer.json().attributes, {
    key: 'must have 1 to 256 letters, digits and underscores, not beginning with a digit',
    value: 'must be a string',
    locked: 'must be true or false',
    colour: 'unknown field',
    secrt: 'unknown field; did you mean "secret"?',
  });
});

for (const [sent, message] of [
  [4, 'Unknown field "q0"; Unknown field "q1"; Unknown field "q2"; and 1 more.'],
  [maxFaults - 1, 'Unknown field "q0"; Unknown field "q1"; Unknown field "q2"; and 46 more.'],
  [maxFaults, 'Unknown field "q0"; Unknown field "q1"; Unknown field "q2"; and at least 47 more.'],
  [maxMembers - 3, 'Unknown field "q0"; Unknown field "q1"; Unknown field "q2"; and at least 47 more.'],
] as const) {
  test(`of ${sent} unknown fields up to 50 are named, and the message counts them`, async () => {
    const answer = await post(JSON.stringify({ key: 'A', value: '1', ...unknownFields(sent) }));
    assertShape(answer, 400);
    const { message: reported, attributes } = answer.json<{ message: string; attributes: object }>();
    assert.equal(reported, message);
    assert.deepEqual(Object.keys(attributes), Object.keys(unknownFields(Math.min(sent, 50))));
  });
}

test('errors distinguish a missing field from an invalid one', async () => {
  assert.deepEqual((await post('{"key":"A"}')).json().attributes, { value: 'is required: a string' });
});

test('without a body the required fields are named', async () => {
  const { attributes } = (await post('')).json();
  assert.deepEqual([attributes.key, attributes.value], ['is required: a string', 'is required: a string']);
});

const refused: readonly (readonly [string, number, string | Buffer, Record<string, string>?])[] = [
  ['no body at all', 400, ''],
  ['only blanks', 400, '  \n'],
  ['broken JSON', 400, '{"key": "A", "value": '],
  ['a list in the place of an object', 400, '[]'],
  ['null', 400, 'null'],
  ['a name given twice', 400, '{"key":"A","value":"1","value":"2"}'],
  ['a name given twice, once escaped', 400, '{"key":"A","value":"1","v\\u0061lue":"2"}'],
  ['a name given twice deep inside', 400, '{"key":"A","value":"1","x":[{"a":1,"a":2}]}'],
  ['__proto__ as a name', 400, '{"__proto__":{"key":"A"},"key":"A","value":"1"}'],
  ['nesting 100,000 levels deep', 400, '['.repeat(100_000) + ']'.repeat(100_000)],
  ['too many members', 400, JSON.stringify({ key: 'A', value: '1', ...unknownFields(maxMembers) })],
  ['bad UTF-8', 400, Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])],
  ['U+0000 in a text', 400, '{"key":"A","value":"a\\u0000b"}'],
  ['half a surrogate pair', 400, '{"key":"A","value":"\\ud800"}'],
  ['more than a megabyte', 413, JSON.stringify({ key: 'A', value: 'x'.repeat(1_100_000) })],
  ['a form', 415, 'key=A&value=1', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['a content type that is none', 415, '{"key":"A","value":"1"}', { 'content-type': 'json' }],
  ['another charset', 415, '{}', { 'content-type': 'application/json; charset=latin1' }],
  ['an encoding that is not known', 415, '{}', { 'content-type': json, 'content-encoding': 'br' }],
  ['gzip that is none', 400, 'abc', { 'content-type': json, 'content-encoding': 'gzip' }],
  [
    'gzip that grows beyond a megabyte',
    413,
    gzipSync(Buffer.alloc(5_000_000, ' ')),
    { 'content-type': json, 'content-encoding': 'gzip' },
  ],
];

for (const [what, status, payload, headers] of refused) {
  test(`a body with ${what} is refused with ${status}`, async () => {
    assertShape(await post(payload, headers), status);
    assert.equal((await server.inject({ url: '/v1/variables', headers: { authorization } })).body, '[]');
  });
}

test('a body may be compressed with gzip, and have no content type', async () => {
  const { server } = restUnderTest();
  const payload = gzipSync('{"key":"ZIP","value":"1"}');
  const headers = { authorization, 'content-encoding': 'gzip' };
  const answer = await server.inject({ method: 'POST', url: '/v1/variables', headers, payload });
  assert.equal(answer.statusCode, 201, answer.body);
});

for (const type of ['application/json', 'text/plain', 'nonsense', 'application/json; charset=latin1']) {
  test(`an operation without a body accepts an empty one and ignores a full one of type ${type}`, async () => {
    for (const payload of ['', '{"broken']) {
      const headers = { authorization, 'content-type': type };
      const answer = await server.inject({ method: 'DELETE', url: '/v1/variables/NONE', headers, payload });
      assertShape(answer, 404);
    }
  });
}

test('an unknown address is a 404, a wrong method a 405 that names the right ones', async () => {
  assertShape(await server.inject({ url: '/v1/nothing' }), 404);
  assertShape(await post('{}', undefined, '/v1/nothing'), 404);
  const wrong = await server.inject({ method: 'POST', url: '/v1/variables/A' });
  assertShape(wrong, 405);
  assert.equal(wrong.headers.allow, 'GET, HEAD, PUT, PATCH, DELETE');
  assert.equal(wrong.json<{ message: string }>().message, 'Method not allowed. Use GET, HEAD, PUT, PATCH or DELETE.');
});

test('an address that cannot be decoded, or holds U+0000, is a 400', async () => {
  assertShape(await server.inject({ url: '/v1/variables/%E0%A4%A', headers: { authorization } }), 400);
  assertShape(await server.inject({ url: '/v1/variables/a%00b', headers: { authorization } }), 400);
});

test('an unknown query parameter is a 400 with the nearest name', async () => {
  for (const [url, message] of [
    ['/v1/variables?limt=5', 'Unknown query parameter "limt"; did you mean "limit"?'],
    ['/v1/variables?limit=5&pages[]=1', 'Unknown query parameter "pages"; did you mean "page"?'],
    ['/v1/variables/A?verbose=true', 'Unknown query parameter "verbose".'],
    ['/v1/accounts?limit=5', 'Unknown query parameter "limit".'],
  ] as const) {
    const answer = await server.inject({ url, headers: { authorization } });
    assertShape(answer, 400);
    assert.equal(answer.json<{ message: string }>().message, message);
  }
});

test('query parameters that the reference clients send are taken', async () => {
  await using api = resourcesUnderTest();
  const made = await api.ask('POST', '/v1/checks/url?autoAssignAlerts=false', {
    name: 'A',
    request: { url: 'https://shop.example/' },
  });
  for (const path of [
    `/v1/checks/${made.body.id}?includeDependencies=true&applyGroupSettings=true`,
    '/v1/checks?limit=25&page=1&search=a&tag[]=b&checkType=URL&status=passing&includeDependencies=false',
    '/v1/check-groups?limit=5&tag[]=a&name[]=b',
  ])
    assert.equal((await api.ask('GET', path)).status, 200, path);
  const ignored = everyOperation().flatMap(({ id, ignoredQuery = [] }) => ignoredQuery.map((name) => `${id} ${name}`));
  assert.ok(ignored.includes('listCheckResultsV2 fields'), 'as the CLI asks for results');
});

test('a refusal says what to use instead', async () => {
  await using api = resourcesUnderTest();
  const url = 'https://shop.example/';
  const asserting = (source: string) => [{ source, comparison: 'CONTAINS', target: 'x' }];
  const place = { hostname: 'a.example', port: 1 };
  for (const [path, body, field, message] of [
    [
      '/v1/checks/url',
      { request: { url, assertions: asserting('TEXT_BODY') } },
      'request.assertions[0].source',
      /API check/,
    ],
    [
      '/v1/checks/url',
      { request: { url, assertions: asserting('RESPONSE_TIME') } },
      'request.assertions[0].source',
      /maxResponseTime/,
    ],
    ['/v1/checks/url', { request: { url, method: 'POST' } }, 'request.method', /API check/],
    ['/v1/checks/url', { request: { url, headers: [] } }, 'request.headers', /API check/],
    ['/v1/checks/url', { request: { url, keyword: 'x' } }, 'request.keyword', /TEXT_BODY CONTAINS/],
    ['/v1/checks/url', { request: { url }, keyword: 'x' }, 'keyword', /TEXT_BODY CONTAINS/],
    ['/v1/checks/url', { request: { url: 'tcp://a.example:25' } }, 'request.url', /TCP check/],
    [
      '/v1/checks/tcp',
      { request: { ...place, assertions: asserting('JSON_BODY') } },
      'request.assertions[0].source',
      /for JSON_BODY use RESPONSE_DATA$/,
    ],
    [
      '/v1/checks/icmp',
      { request: { hostname: 'a.example', assertions: asserting('RESPONSE_TIME') } },
      'request.assertions[0].source',
      /use LATENCY$/,
    ],
    [
      '/v1/checks/ssl',
      { sslConfig: { hostname: 'a.example', assertions: asserting('STATUS_CODE') } },
      'sslConfig.assertions[0].source',
      /URL check/,
    ],
    [
      '/v1/checks/api',
      { request: { method: 'GET', url, assertions: asserting('CERTIFICATE') } },
      'request.assertions[0].source',
      /SSL check/,
    ],
    ['/v1/alert-channels', { type: 'TELEGRAM', config: { url } }, 'type', /alert-channels\/presets/],
  ] as const) {
    const refused = await api.ask('POST', path, { ...(path.includes('channels') ? {} : { name: 'A' }), ...body });
    assert.equal(refused.status, 400, refused.text);
    assert.match(String(refused.body.attributes[field]), message, refused.text);
  }
  const made = await api.ask('POST', '/v1/checks/url', { name: 'A', request: { url } });
  const changed = await api.ask('PUT', `/v1/checks/url/${made.body.id}`, { request: { headers: [] } });
  assert.match(String(changed.body.attributes['request.headers']), /API check/);
});

test('an id that never existed is a 404, whatever it is made of', async () => {
  for (const key of ['NONE', '💥', 'a'.repeat(900), '..%2f..', '__proto__', "'; drop table variables;--"]) {
    const url = `/v1/variables/${key.includes('%') ? key : encodeURIComponent(key)}`;
    assertShape(await server.inject({ url, headers: { authorization } }), 404);
  }
});

test('a fault of ours is a 500 that says nothing of its cause, and is logged under its id', async () => {
  const { server, logged } = restUnderTest({
    authenticate: () => {
      throw new Error('secret detail');
    },
  });
  const answer = await server.inject({ url: '/v1/variables', headers: { authorization } });
  assertShape(answer, 500);
  assert.doesNotMatch(answer.body, /secret detail/);
  assert.match(JSON.stringify(logged.lines[0]), new RegExp(String(answer.headers['x-request-id'])));
});

test('a database that cannot be written for now is a 503', async () => {
  const { server } = restUnderTest({
    authenticate: () => {
      throw new Error('disk full');
    },
    isUnavailable: (error) => error instanceof Error && error.message === 'disk full',
  });
  const answer = await server.inject({ url: '/v1/variables', headers: { authorization } });
  assertShape(answer, 503);
  assert.ok(answer.headers['retry-after']);
});

test('none of this was a fault of ours', () => assert.deepEqual(logged.lines, []));
