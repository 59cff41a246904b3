// Every operation of the contract as a request that could succeed: paths with ids that exist, and one way to send it.
import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import type { Operation } from '#contract/operation.ts';
import { everyOperation, type OperationId } from '#contract/operations.ts';
import { createAuthority } from '../support/targets/certificates.ts';
import type { Composed } from '../support/service/composed.ts';

export type AnyOperation = Operation & { readonly id: OperationId };

/** What came back. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly durationMs: number;
}

/** The request; the path is as sent on the wire. */
export interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
}

const agent = new Agent({ keepAlive: true, maxSockets: 8 });

/** Sends a request over a real connection. */
export function send(port: number, { method, path, headers = {}, body = '' }: Request): Promise<Answer> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const length = { 'content-length': String(Buffer.byteLength(body)) };
    const options = { host: '127.0.0.1', port, method, path, agent, headers: { ...length, ...headers } };
    const sent = request(options, (answer) => {
      const chunks: Buffer[] = [];
      const done = (): void =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          text: Buffer.concat(chunks).toString(),
          durationMs: performance.now() - startedAt,
        });
      // Of a stream, the beginning.
      const isStream = String(answer.headers['content-type']).startsWith('text/event-stream');
      answer.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        if (!isStream) return;
        done();
        answer.destroy();
      });
      answer.on('error', reject);
      answer.on('end', done);
    });
    sent.on('error', reject);
    sent.setTimeout(10_000, () => sent.destroy(new Error(`no answer to ${method} ${path.slice(0, 200)}`)));
    sent.end(body);
  });
}

/** Ids of things that exist, by the part of the path before the parameter. */
export type Fixtures = Readonly<Record<string, string>>;

const nobody = ['0199f0c4-0000-7000-8000-0000000000ff', '1', 'x', 'api-checks', 'operating.md'];

/** The path of an operation with ids that exist, where there are any; else with some of the right form. */
export function pathOf({ path, params }: Operation, fixtures: Fixtures): string {
  const steps = path.split('/');
  return steps
    .map((step, index) => {
      const name = /^\{(\w+)\}$/.exec(step)?.[1];
      if (name === undefined) return step;
      const schema = params?.shape[name] as { safeParse(value: unknown): { success: boolean } } | undefined;
      const fixture = fixtures[steps[index - 1] ?? ''];
      const id = [fixture, ...nobody].find((text) => text !== undefined && schema?.safeParse(text).success);
      assert.ok(id, `no value fits the parameter ${name} of ${path}`);
      return encodeURIComponent(id);
    })
    .join('/');
}

/** What an answer tells of something made. */
interface Made {
  readonly id?: string | number;
  readonly key?: string;
  readonly incidentUpdates?: readonly { readonly id: string }[];
}

/** Makes one of each noun that bodies and paths name. The group has the number that the examples use. */
export async function makeFixtures(on: Composed): Promise<Fixtures> {
  const post = async (path: string, body: object): Promise<Made> => {
    const headers = { authorization: `Bearer ${on.apiKey}`, 'content-type': 'application/json' };
    const answer = await send(on.port, { method: 'POST', path, headers, body: JSON.stringify(body) });
    assert.equal(answer.status, 201, `${path}: ${answer.text}`);
    return JSON.parse(answer.text) as Made;
  };
  const make = async (path: string, body: object): Promise<string> => {
    const made = await post(path, body);
    return String(made.id ?? made.key);
  };
  let group = '';
  for (const name of ['one', 'two', 'three', 'four']) group = await make('/v1/check-groups', { name });
  const url = 'http://127.0.0.1:1/';
  const check = { name: 'fixture', activated: false, groupId: Number(group), request: { method: 'GET', url } };
  const incident = await post('/v1/status-pages/incidents', {
    name: 'fixture',
    incidentUpdates: [{ status: 'INVESTIGATING', description: 'A fixture.' }],
  });
  const statusPage = await make('/v1/status-pages', { name: 'fixture', url: 'fixture' });
  return {
    accounts: on.accountId,
    'check-groups': group,
    groups: group,
    checks: await make('/v1/checks/api', check),
    api: await make('/v1/checks/api', { ...check, name: 'second' }),
    multistep: await make('/v1/checks/multistep', { name: 'steps', activated: false, script: 'await 1;' }),
    browser: await make('/v1/checks/browser', { name: 'browser', activated: false, script: 'await 1;' }),
    url: await make('/v1/checks/url', { name: 'url', activated: false, request: { url } }),
    dns: await make('/v1/checks/dns', { name: 'dns', activated: false, request: { query: 'a.test', recordType: 'A' } }),
    icmp: await make('/v1/checks/icmp', { name: 'icmp', activated: false, request: { hostname: '127.0.0.1' } }),
    ssl: await make('/v1/checks/ssl', { name: 'ssl', activated: false, sslConfig: { hostname: '127.0.0.1' } }),
    tcp: await make('/v1/checks/tcp', { name: 'tcp', activated: false, request: { hostname: '127.0.0.1', port: 1 } }),
    heartbeat: await make('/v1/checks/heartbeat', {
      name: 'heartbeat',
      activated: false,
      heartbeat: { period: 1, periodUnit: 'days', grace: 0, graceUnit: 'days' },
    }),
    'alert-channels': await make('/v1/alert-channels', { type: 'WEBHOOK', config: { url } }),
    variables: await make('/v1/variables', { key: 'FIXTURE', value: 'x' }),
    'client-certificates': await make('/v1/client-certificates', {
      host: 'fixture.test',
      ...createAuthority().issue(),
    }),
    'private-locations': await make('/v1/private-locations', { name: 'fixture', slugName: 'fixture' }),
    snippets: await make('/v1/snippets', { name: 'fixture', script: '1;' }),
    'maintenance-windows': await make('/v1/maintenance-windows', {
      name: 'fixture',
      startsAt: '2099-02-01T22:00:00Z',
      endsAt: '2099-02-01T23:00:00Z',
    }),
    'status-pages': statusPage,
    subscriptions: await makeSubscriber(on, statusPage),
    services: await make('/v1/status-pages/services', { name: 'fixture' }),
    incidents: String(incident.id),
    'incident-updates': incident.incidentUpdates?.[0]?.id ?? '',
    invites: await make('/v1/invites', { email: 'fixture@example.com', role: 'read-only' }),
    'api-keys': await make('/v1/api-keys', { name: 'fixture', role: 'read-only' }),
  };
}

/** The ID of a new subscriber of a status page. */
async function makeSubscriber(on: Composed, pageId: string): Promise<string> {
  const path = `/v1/status-pages/${pageId}/subscriptions`;
  const headers = { authorization: `Bearer ${on.apiKey}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ subscriptions: [{ address: 'fixture@example.com' }], autoVerify: true });
  assert.equal((await send(on.port, { method: 'POST', path: `${path}/bulk`, headers, body })).status, 201);
  const listed = await send(on.port, { method: 'GET', path, headers, body: '' });
  return (JSON.parse(listed.text) as { entries: readonly Made[] }).entries[0]?.id?.toString() ?? '';
}

/** Operations whose body is read. */
export function operationsWithBody(): (AnyOperation & { readonly body: NonNullable<Operation['body']> })[] {
  return everyOperation().flatMap((operation) =>
    operation.body === undefined ? [] : [{ ...operation, body: operation.body }],
  );
}

/** An answer comes within, ms. */
export const maxAnswerMs = 1000;

/**
 * An answer as the contract promises it: the success it declares, or a refusal in the error shape; always an
 * x-request-id, always within a second, never a fault of ours.
 */
export function assertDefined(operation: Operation, answer: Answer): void {
  const { status, headers, text, durationMs } = answer;
  assert.match(String(headers['x-request-id']), /^\S+$/);
  assert.ok(durationMs < maxAnswerMs, `answered after ${durationMs} ms`);
  const isOther = status !== (operation.status ?? 200) && status < 300 && operation.alsoAnswers?.[status] !== undefined;
  if (status === (operation.status ?? 200) || isOther) {
    // A notification of MCP is accepted without a body.
    if (operation.response === undefined || (isOther && text === '')) return;
    const shown = operation.response.safeParse(JSON.parse(text));
    assert.ok(
      shown.success,
      `the response does not match the contract: ${shown.error?.message}\n${text.slice(0, 500)}`,
    );
    return;
  }
  assert.ok(status >= 400 && status < 500, `${status}: ${text.slice(0, 500)}`);
  // A page for people says in a page that there is nothing.
  if (operation.media === 'text/html' && status === 404 && String(headers['content-type']).startsWith('text/html'))
    return;
  assertErrorShape(answer);
}

/** The one shape of every refusal (decisions: Error body). */
export function assertErrorShape({ status, headers, text }: Pick<Answer, 'status' | 'headers' | 'text'>): void {
  assert.match(String(headers['content-type']), /^application\/json/);
  const body = JSON.parse(text) as Record<string, unknown>;
  const { attributes, ...rest } = body;
  assert.deepEqual(Object.keys(rest), ['statusCode', 'error', 'message']);
  assert.equal(body['statusCode'], status);
  assert.match(String(body['message']), /\S/);
  assert.ok(attributes === undefined || (typeof attributes === 'object' && attributes !== null));
}
