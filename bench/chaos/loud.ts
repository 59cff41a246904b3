// What one account does to disturb the others, one case each (docs/security.md: What accounts cannot do to each other).
import { connect, type Socket } from 'node:net';
import { pause } from '../support/service.ts';
import type { Door } from './writer.ts';

/** The account that disturbs, and its peer. */
export interface Loud extends Door {
  readonly targets: { readonly http: string; readonly drip: number };
  /** Of the service: where it listens. */
  readonly servicePort: number;
}

/** One way of disturbing. */
export interface Disturbance {
  readonly name: string;
  /** Prepares it; the disturbance may begin here already. */
  readonly begin: (loud: Loud) => Promise<unknown>;
  /** Called again and again until the case is over. */
  readonly again?: (loud: Loud) => Promise<unknown>;
}

const everyTenSeconds = { frequency: 0, frequencyOffset: 10, retryStrategy: null };

export const disturbances: readonly Disturbance[] = [
  {
    name: 'costly assertions on large JSON',
    begin: (loud) =>
      makeChecks(loud, 20, '/v1/checks/api', (index) => ({
        request: {
          method: 'GET',
          url: `${loud.targets.http}/items`,
          assertions: [
            {
              source: 'JSON_BODY',
              property: '$..text',
              comparison: 'CONTAINS',
              target: `{"n":[${'1,'.repeat(2000)}1]}`,
            },
            {
              source: 'JSON_BODY',
              property: '$.items[?(@.index > 5)]',
              comparison: 'NOT_CONTAINS',
              target: `${index}`,
            },
            { source: 'JSON_BODY', property: '$..[?(@.text)]', comparison: 'EQUALS', target: '[]' },
          ],
        },
      })),
  },
  {
    name: 'regular expressions that backtrack',
    begin: (loud) =>
      makeChecks(loud, 20, '/v1/checks/api', () => ({
        request: {
          method: 'GET',
          url: `${loud.targets.http}/letters`,
          assertions: [{ source: 'TEXT_BODY', regex: '(a+)+b', comparison: 'EQUALS', target: 'x' }],
        },
      })),
  },
  {
    name: 'deeply nested JSON of failing targets',
    begin: (loud) =>
      makeChecks(loud, 50, '/v1/checks/api', () => ({
        request: {
          method: 'GET',
          url: `${loud.targets.http}/nested`,
          assertions: [{ source: 'JSON_BODY', property: '$.a', comparison: 'EQUALS', target: '[]' }],
        },
      })),
  },
  {
    name: 'TCP targets that drip',
    begin: (loud) =>
      makeChecks(loud, 40, '/v1/checks/tcp', () => ({
        request: {
          hostname: '127.0.0.1',
          port: loud.targets.drip,
          assertions: [{ source: 'RESPONSE_DATA', regex: '(a+)+b', comparison: 'EQUALS', target: 'x' }],
        },
      })),
  },
  {
    name: 'large bodies that stall',
    begin: (loud) =>
      makeChecks(loud, 120, '/v1/checks/api', () => ({
        request: {
          method: 'GET',
          url: `${loud.targets.http}/large`,
          assertions: [{ source: 'TEXT_BODY', comparison: 'CONTAINS', target: 'y' }],
        },
      })),
  },
  {
    name: 'triggered runs without end',
    begin: async (loud) => {
      const { id } = await made(loud, '/v1/check-groups', { name: 'flood' });
      await makeChecks(loud, 100, '/v1/checks/api', () => ({
        frequency: 1440,
        groupId: id,
        request: { method: 'GET', url: `${loud.targets.http}/slow` },
      }));
      floodedGroup = Number(id);
    },
    again: (loud) => loud.call('POST', `/v1/triggers/check-groups/${floodedGroup}`),
  },
  {
    name: '4,100 channels that hang',
    begin: async (loud) => {
      await makeChannels(loud, 4100, () => ({ url: `${loud.targets.http}/hang` }));
      await makeFailing(loud, 5);
    },
  },
  {
    name: '300 channels with costly templates',
    begin: async (loud) => {
      const template = '{{#each TAGS}}{{#each ../TAGS}}{{#each ../../TAGS}}{{this}}{{/each}}{{/each}}{{/each}}';
      await makeChannels(loud, 300, () => ({ url: `${loud.targets.http}/ok`, template }));
      await makeFailing(
        loud,
        5,
        Array.from({ length: 20 }, (_, index) => `tag:${index}`),
      );
    },
  },
  {
    name: 'channels that are always moved',
    begin: async (loud) => {
      await makeChannels(loud, 300, () => ({ url: `${loud.targets.http}/moved` }));
      await makeFailing(loud, 5);
    },
  },
  {
    name: '3,000 maintenance windows',
    begin: async (loud) => {
      const startsAt = new Date(Date.now() - 86_400_000).toISOString();
      const endsAt = new Date(Date.now() - 86_000_000).toISOString();
      await makeMany(loud, 3000, '/v1/maintenance-windows', (index) => ({
        name: `window ${index}`,
        tags: [`tag:${index}`],
        startsAt,
        endsAt,
        repeatInterval: 1,
        repeatUnit: 'DAY',
      }));
      await makeFailing(loud, 50);
    },
  },
  {
    name: 'costly reads through the API',
    begin: (loud) => makeFailing(loud, 200),
    again: (loud) =>
      Promise.all([
        loud.call('GET', '/v1/checks?limit=100'),
        loud.call('GET', '/v1/check-statuses'),
        loud.call('GET', '/v1/reporting'),
        loud.call('GET', '/v1/deliveries?limit=100'),
        // 10 calls a second are what the default rate limit allows.
        pause(400),
      ]),
  },
  {
    name: 'refused-bodies',
    begin: () => Promise.resolve(),
    // Six at a time, about seven requests a second.
    again: (loud) =>
      Promise.all([...Array.from({ length: 6 }, () => loud.call('POST', '/v1/checks/api', manyNames)), pause(850)]),
  },
  {
    name: 'idle connections',
    begin: ({ servicePort }) => {
      for (let index = 0; index < 3000; index++) {
        const socket: Socket = connect(servicePort, '127.0.0.1');
        socket.on('error', () => socket.destroy());
        idle.push(socket);
      }
      return pause(500);
    },
  },
  {
    name: 'scripts that spin and fill memory',
    begin: (loud) =>
      makeChecks(loud, 4, '/v1/checks/multistep', (index) => ({
        frequency: 1,
        frequencyOffset: null,
        script: index % 2 === 0 ? 'for (;;);' : 'const all = []; for (;;) all.push(new Array(1e6).fill(1));',
      })),
  },
];

/** 90,000 unknown fields, within the limit of bytes. */
const manyNames = Object.fromEntries(Array.from({ length: 90_000 }, (_, index) => [`q${index}`, 1]));
let floodedGroup = 0;
const idle: Socket[] = [];

/** Ends what a disturbance goes on doing. */
export async function quieten(loud: Loud): Promise<void> {
  for (const socket of idle.splice(0)) socket.destroy();
  for (;;) {
    const { body } = await loud.call('GET', '/v1/checks?limit=100');
    const checks = body as readonly { readonly id: string }[];
    if (checks.length === 0) return;
    await Promise.all(checks.map(({ id }) => loud.call('DELETE', `/v1/checks/${id}`)));
  }
}

function makeChecks(loud: Loud, count: number, path: string, fields: (index: number) => object): Promise<void> {
  return makeMany(loud, count, path, (index) => ({ name: `loud ${index}`, ...everyTenSeconds, ...fields(index) }));
}

function makeFailing(loud: Loud, count: number, tags: readonly string[] = []): Promise<void> {
  const request = { method: 'GET', url: `${loud.targets.http}/failing` };
  return makeChecks(loud, count, '/v1/checks/api', () => ({ tags, request }));
}

function makeChannels(loud: Loud, count: number, config: () => object): Promise<void> {
  return makeMany(loud, count, '/v1/alert-channels', (index) => ({
    type: 'WEBHOOK',
    autoSubscribe: true,
    config: { name: `loud ${index}`, ...config() },
  }));
}

/** Makes as many as the account's limit allows. */
async function makeMany(loud: Loud, count: number, path: string, fields: (index: number) => object): Promise<void> {
  const atOnce = 8;
  for (let index = 0; index < count; index += atOnce) {
    const numbers = Array.from({ length: Math.min(atOnce, count - index) }, (_, each) => index + each);
    const answers = await Promise.all(numbers.map((number) => loud.call('POST', path, fields(number))));
    for (const { status, body } of answers) {
      if (status === 402 || status === 409) return;
      if (status !== 201) throw new Error(`POST ${path}: ${status} ${JSON.stringify(body)}`);
    }
  }
}

async function made(loud: Loud, path: string, body: object): Promise<Record<string, unknown>> {
  const answer = await loud.call('POST', path, body);
  if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body as Record<string, unknown>;
}
