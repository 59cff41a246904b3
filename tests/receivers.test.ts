// The receivers of docs/receivers/: what they say of every vector, and what they do with deliveries of the real sender.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it, test, type TestContext } from 'node:test';
import type { Sending } from '#channels/kind.ts';
import { createHttpSender } from '#channels/http/http-sender.ts';
import { prepareWebhook } from '#channels/kinds/webhook/send.ts';
import { createGuard } from '#egress/guard.ts';
import { receiverVectors, receiverVectorsText } from '../tooling/receiver-vectors.ts';
import { freePort } from './support/free-port.ts';
import { plainEnvironment } from './support/service/plain-environment.ts';
import { type ReceiverLanguage, receiverLanguages, receivers } from './support/receivers/receiver-languages.ts';
import { until } from './support/until.ts';

test('docs/receivers/vectors.json is what our sender signs; npm run docs writes it', () => {
  const text = readFileSync(`${receivers}/vectors.json`, 'utf8');
  assert.deepEqual(JSON.parse(text), receiverVectors());
  assert.ok(text === receiverVectorsText(), 'as npm run docs writes it');
});

const languages = receiverLanguages({ after });

test('receivers are in five languages, of which TypeScript and Python run on any machine', () => {
  const here = languages.filter(({ isHere }) => isHere).map(({ name }) => name);
  assert.deepEqual(here.slice(0, 2), ['TypeScript', 'Python']);
  assert.equal(languages.length, 5);
});

for (const language of languages) {
  const skip = !language.isHere && 'there is no toolchain for it on this machine';
  describe(`the receiver in ${language.name}`, { skip }, () => {
    it('comes to the verdict of every vector', () => {
      language.build?.();
      const vectors = receiverVectors();
      assert.ok(vectors.length > 20);
      const lines = vectors.map(({ nowMs, secrets, headers, body }) => {
        const header = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
        const fields = [String(nowMs), secrets.join(' '), header.join('\n'), body];
        return fields.map((field) => Buffer.from(field).toString('base64')).join('\t');
      });
      const [program, ...words] = language.vectors;
      const said = spawnSync(program, words, {
        input: `${lines.join('\n')}\n`,
        env: plainEnvironment(),
        encoding: 'utf8',
      });
      const verdicts = said.stdout.trimEnd().split('\n');
      const named = (list: readonly string[]): string[] => vectors.map(({ name }, index) => `${name}: ${list[index]}`);
      assert.deepEqual(named(verdicts), named(vectors.map(({ verdict }) => verdict)), said.stderr);
    });

    it('answers the real sender at once, acts once, and knows what is late, a replay, forged or old', async (t) => {
      await tryServer(t, language);
    });
  });
}

async function tryServer(t: TestContext, language: ReceiverLanguage): Promise<void> {
  const server = await startServer(t, language);
  const sender = createHttpSender({ prepare: prepareWebhook, guard: createGuard({ mode: 'any', allow: [] }) });
  t.after(() => sender.close());
  const now = Date.now();
  const said: string[] = [];
  const send = async (status: number, outcome: string, change: Partial<Sending> = {}): Promise<void> => {
    const sending: Sending = { ...aSending(server.url, now), ...change };
    const sent = await sender.send(sending);
    assert.equal(sent.response?.status, status, `${outcome}: ${sent.error?.message}`);
    said.push(`${outcome} ${sending.deliveryId}`);
  };
  await send(200, 'accepted', { deliveryId: 'd-1' });
  await send(200, 'repeated', { deliveryId: 'd-1', attempt: 2 });
  await send(200, 'late', { deliveryId: 'd-0', createdAt: now - 15_000 });
  await send(200, 'replay', { deliveryId: 'd-2', replayOf: 'd-0', createdAt: now + 100 });
  await send(400, 'forged', { deliveryId: 'd-3', secrets: { webhookSecret: 'the-secret-of-nobody' } });
  await send(400, 'expired', { deliveryId: 'd-4', startedAt: now - 600_000 });
  await send(200, 'accepted', {
    deliveryId: 'd-5',
    createdAt: now + 1,
    secrets: { webhookSecret: 'a-third-one', previousSecret: { secret: 'the-old-one', until: now + 60_000 } },
  });
  await until('what it did', () => server.lines().length >= said.length, { seen: server.printed });
  const did = server.lines().map((line) => JSON.parse(line) as { outcome: string; id: string });
  // In whatever order: it acts after it has answered.
  assert.deepEqual(did.map(({ outcome, id }) => `${outcome} ${id}`).sort(), said.sort());
}

function aSending(url: string, now: number): Sending {
  return {
    type: 'WEBHOOK',
    accountId: 'a-1',
    request: {
      method: 'POST',
      url,
      headers: [
        ['content-type', 'application/json'],
        ['x-check-id', 'the check'],
      ],
      body: '{"CHECK_NAME":"Zürich \\"v2\\""}',
    },
    startedAt: now,
    deliveryId: 'd-1',
    createdAt: now,
    attempt: 1,
    replayOf: null,
    secrets: { webhookSecret: 'the-new-one' },
  };
}

async function startServer(t: TestContext, { serve }: ReceiverLanguage) {
  const port = await freePort();
  const [program, ...words] = serve(port);
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-inbox-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const child = spawn(program, words, {
    env: {
      ...plainEnvironment(),
      INBOX: join(folder, 'inbox.sqlite'),
      SECRET: 'the-new-one the-old-one',
      PORT: String(port),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const url = `http://127.0.0.1:${port}/`;
  await until('the receiver to listen', async () => (await fetch(url).catch(() => null)) !== null, {
    seen: () => printed,
    withinMs: 30_000,
  });
  return {
    url,
    printed: () => printed,
    // Whole ones, of deliveries, and not of the requests that only asked whether it listens.
    lines: () =>
      printed
        .split('\n')
        .slice(0, -1)
        .filter((line) => /"id": ?"d-/.test(line)),
  };
}
