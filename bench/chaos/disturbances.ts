// Disturbances by a noisy account, one per case (docs/security.md: What accounts cannot do to each other).
import { connect, type Socket } from 'node:net';
import { create, pause } from '../support/service.ts';
import type { ApiClient } from './writer.ts';

/** The noisy account, and its peer. */
export interface NoisyAccount extends ApiClient {
  readonly targets: { readonly http: string; readonly drip: number };
  /** Port of the service. */
  readonly servicePort: number;
  /** The account's key, as headers. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A disturbance. */
export interface Disturbance {
  readonly name: string;
  /** Prepares it; the disturbance may already begin here. */
  readonly begin: (noisy: NoisyAccount) => Promise<unknown>;
  /** Called repeatedly until the case ends. */
  readonly again?: (noisy: NoisyAccount) => Promise<unknown>;
  /** The API, the UI and pings of others must be answered within a second meanwhile. */
  readonly isAnswered?: boolean;
}

const backtracking = (source: string) => ({ source, regex: '(a+)+b', comparison: 'EQUALS', target: 'x' });
const everyTenSeconds = { frequency: 0, frequencyOffset: 10, retryStrategy: null };

export const disturbances: readonly Disturbance[] = [
  {
    name: 'costly assertions on large JSON',
    begin: (noisy) =>
      getByChecks(noisy, 20, '/items', (index) => [
        { source: 'JSON_BODY', property: '$..text', comparison: 'CONTAINS', target: `{"n":[${'1,'.repeat(2000)}1]}` },
        { source: 'JSON_BODY', property: '$.items[?(@.index > 5)]', comparison: 'NOT_CONTAINS', target: `${index}` },
        { source: 'JSON_BODY', property: '$..[?(@.text)]', comparison: 'EQUALS', target: '[]' },
      ]),
  },
  {
    name: 'regular expressions that backtrack',
    begin: (noisy) => getByChecks(noisy, 20, '/letters', () => [backtracking('TEXT_BODY')]),
  },
  {
    name: 'deeply nested JSON of failing targets',
    begin: (noisy) =>
      getByChecks(noisy, 50, '/nested', () => [
        { source: 'JSON_BODY', property: '$.a', comparison: 'EQUALS', target: '[]' },
      ]),
  },
  {
    name: 'slow-drip TCP targets',
    begin: (noisy) =>
      makeChecks(noisy, 40, '/v1/checks/tcp', () => ({
        request: { hostname: '127.0.0.1', port: noisy.targets.drip, assertions: [backtracking('RESPONSE_DATA')] },
      })),
  },
  {
    name: 'stalling large bodies',
    begin: (noisy) =>
      getByChecks(noisy, 120, '/large', () => [{ source: 'TEXT_BODY', comparison: 'CONTAINS', target: 'y' }]),
  },
  {
    name: 'endless triggered runs',
    begin: async (noisy) => {
      const { id } = await create(noisy, '/v1/check-groups', { name: 'flood' });
      await makeChecks(noisy, 100, '/v1/checks/api', () => ({
        frequency: 1440,
        groupId: id,
        request: { method: 'GET', url: `${noisy.targets.http}/slow` },
      }));
      floodedGroup = Number(id);
    },
    again: (noisy) => noisy.call('POST', `/v1/triggers/check-groups/${floodedGroup}`),
  },
  {
    name: '4,100 hanging channels',
    begin: async (noisy) => {
      await makeChannels(noisy, 4100, () => ({ url: `${noisy.targets.http}/hang` }));
      await makeFailing(noisy, 5);
    },
  },
  {
    name: '300 channels with costly templates',
    begin: async (noisy) => {
      const template = '{{#each TAGS}}{{#each ../TAGS}}{{#each ../../TAGS}}{{this}}{{/each}}{{/each}}{{/each}}';
      await makeChannels(noisy, 300, () => ({ url: `${noisy.targets.http}/ok`, template }));
      const tags = Array.from({ length: 20 }, (_, index) => `tag:${index}`);
      await makeFailing(noisy, 5, tags);
    },
  },
  {
    name: 'channels that always redirect',
    begin: async (noisy) => {
      await makeChannels(noisy, 300, () => ({ url: `${noisy.targets.http}/moved` }));
      await makeFailing(noisy, 5);
    },
  },
  {
    name: '3,000 maintenance windows',
    begin: async (noisy) => {
      const startsAt = new Date(Date.now() - 86_400_000).toISOString();
      const endsAt = new Date(Date.now() - 86_000_000).toISOString();
      await makeMany(noisy, 3000, '/v1/maintenance-windows', (index) => ({
        name: `window ${index}`,
        tags: [`tag:${index}`],
        startsAt,
        endsAt,
        repeatInterval: 1,
        repeatUnit: 'DAY',
      }));
      await makeFailing(noisy, 50);
    },
  },
  {
    name: 'costly reads through the API',
    begin: (noisy) => makeFailing(noisy, 200),
    again: (noisy) =>
      Promise.all([
        noisy.call('GET', '/v1/checks?limit=100'),
        noisy.call('GET', '/v1/check-statuses'),
        noisy.call('GET', '/v1/reporting'),
        noisy.call('GET', '/v1/deliveries?limit=100'),
        // The default rate limit allows 10 requests per second.
        pause(400),
      ]),
  },
  {
    name: 'overview of many checks by many tags',
    // More would take the case longer to prepare than to run; src/actions/results/overview.test.ts groups more.
    begin: (noisy) =>
      makeChecks(noisy, 1000, '/v1/checks/tcp', (index) => ({
        activated: false,
        tags: Array.from({ length: 100 }, (_, tag) => `tag-${(index * 37 + tag * 101) % 3000}`),
        request: { hostname: '127.0.0.1', port: noisy.targets.drip },
      })),
    again: (noisy) =>
      Promise.all([
        ...Array.from({ length: 4 }, (_, index) =>
          noisy.call('GET', `/v1/overview?groupBy=tag&limit=200&page=${index + 1}`),
        ),
        pause(400),
      ]),
  },
  {
    name: 'refused-bodies',
    begin: () => Promise.resolve(),
    // Six at a time, about seven requests per second.
    again: (noisy) =>
      Promise.all([...Array.from({ length: 6 }, () => noisy.call('POST', '/v1/checks/api', manyNames)), pause(850)]),
  },
  {
    name: 'idle connections',
    begin: ({ servicePort }) => {
      for (let index = 0; index < 3000; index++) openSocket(servicePort, '127.0.0.1');
      return pause(500);
    },
  },
  {
    name: 'silent readers',
    isAnswered: true,
    begin: async (noisy) => {
      await makeChecks(noisy, 100, '/v1/checks/api', () => ({
        activated: false,
        request: { method: 'POST', url: `${noisy.targets.http}/ok`, bodyType: 'RAW', body: 'x'.repeat(250_000) },
      }));
      for (let index = 0; index < 300; index++) readNothing(noisy);
    },
    again: async (noisy) => {
      // A paused socket does not see that it was closed, so further ones are opened within the rate limit.
      for (let index = 0; index < 3; index++) readNothing(noisy);
      await pause(300);
    },
  },
  {
    name: 'pipelined requests without credentials',
    isAnswered: true,
    begin: () => Promise.resolve(),
    again: async ({ servicePort }) => {
      pipeline(servicePort, 45_000);
      await pause(2000);
    },
  },
  {
    name: 'reconnecting without a pause',
    isAnswered: true,
    begin: ({ servicePort }) => {
      for (let index = 0; index < 32; index++) reconnect(servicePort);
      return Promise.resolve();
    },
  },
  {
    name: 'all connections',
    isAnswered: true,
    begin: async ({ servicePort }) => {
      for (let index = 0; index < 12_000; index++) {
        keepConnected(servicePort);
        if (index % 100 === 0) await pause(50);
      }
    },
  },
  {
    name: 'scripts that use all CPU and memory',
    begin: (noisy) =>
      makeChecks(noisy, 4, '/v1/checks/multistep', (index) => ({
        frequency: 1,
        frequencyOffset: null,
        script: index % 2 === 0 ? 'for (;;);' : 'const all = []; for (;;) all.push(new Array(1e6).fill(1));',
      })),
  },
];

/** 90,000 unknown fields, within the body size limit. */
const manyNames = Object.fromEntries(Array.from({ length: 90_000 }, (_, index) => [`q${index}`, 1]));
let floodedGroup = 0;
const idle = new Set<Socket>();

/** A connection that is closed when the disturbance ends. Others come from another address than this one. */
function openSocket(port: number, localAddress = '127.0.0.2'): Socket {
  const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => undefined);
  idle.add(socket);
  return socket;
}

/** Requests 25 MB and reads none of it. */
function readNothing({ servicePort, headers }: NoisyAccount): void {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const socket = openSocket(servicePort, '127.0.0.1').pause();
  socket.write(`GET /v1/checks?limit=100 HTTP/1.1\r\nhost: tocsin\r\n${lines.join('')}\r\n`);
}

/** Requests a public document many times and reads none of it. */
function pipeline(port: number, count: number): void {
  openSocket(port).pause().write('GET /v1/openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(count));
}

/** Opens a connection, sends one request, and begins again once it is closed. */
function reconnect(port: number): void {
  if (isEnding) return;
  const socket = openSocket(port).resume();
  socket.write('GET /v1/openapi.json HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');
  socket.once('close', () => {
    idle.delete(socket);
    setImmediate(() => reconnect(port));
  });
}

let isEnding = false;

/** A connection that sends nothing, and is opened again whenever it is closed. */
function keepConnected(port: number): void {
  if (isEnding) return;
  const socket = openSocket(port).resume();
  socket.once('close', () => {
    idle.delete(socket);
    // Thousands per second would measure this process instead.
    setTimeout(() => keepConnected(port), 10_000);
  });
}

/** Ends a disturbance. */
export async function endDisturbance(noisy: NoisyAccount): Promise<void> {
  isEnding = true;
  for (const socket of idle) socket.destroy();
  idle.clear();
  for (;;) {
    const { status, body } = await noisy.call('GET', '/v1/checks?limit=100');
    // Until the bytes of closed connections are free.
    if (status === 429) {
      await pause(1000);
      continue;
    }
    const checks = body as readonly { readonly id: string }[];
    if (checks.length === 0) break;
    await Promise.all(checks.map(({ id }) => noisy.call('DELETE', `/v1/checks/${id}`)));
  }
  isEnding = false;
}

function makeChecks(
  noisy: NoisyAccount,
  count: number,
  path: string,
  fields: (index: number) => object,
): Promise<void> {
  return makeMany(noisy, count, path, (index) => ({ name: `noisy ${index}`, ...everyTenSeconds, ...fields(index) }));
}

/** API checks of a path of the peer. */
function getByChecks(
  noisy: NoisyAccount,
  count: number,
  path: string,
  assertions: (index: number) => object[],
): Promise<void> {
  const url = `${noisy.targets.http}${path}`;
  return makeChecks(noisy, count, '/v1/checks/api', (index) => ({
    request: { method: 'GET', url, assertions: assertions(index) },
  }));
}

function makeFailing(noisy: NoisyAccount, count: number, tags: readonly string[] = []): Promise<void> {
  const request = { method: 'GET', url: `${noisy.targets.http}/failing` };
  return makeChecks(noisy, count, '/v1/checks/api', () => ({ tags, request }));
}

function makeChannels(noisy: NoisyAccount, count: number, config: () => object): Promise<void> {
  return makeMany(noisy, count, '/v1/alert-channels', (index) => ({
    type: 'WEBHOOK',
    autoSubscribe: true,
    config: { name: `noisy ${index}`, ...config() },
  }));
}

/** Creates as many as the account's limit allows. */
async function makeMany(
  noisy: NoisyAccount,
  count: number,
  path: string,
  fields: (index: number) => object,
): Promise<void> {
  const atOnce = 8;
  for (let index = 0; index < count; index += atOnce) {
    const numbers = Array.from({ length: Math.min(atOnce, count - index) }, (_, each) => index + each);
    const answers = await Promise.all(numbers.map((number) => noisy.call('POST', path, fields(number))));
    for (const { status, body } of answers) {
      if (status === 402 || status === 409) return;
      if (status !== 201) throw new Error(`POST ${path}: ${status} ${JSON.stringify(body)}`);
    }
  }
}
