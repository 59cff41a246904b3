// `npm run demo`: shows a check, an alert and its retry in under 90 seconds. Starts everything it needs and cleans up.
import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundled } from './bundle.ts';
import { type Client, ServiceError } from '#contract/caller.ts';
import { createClient } from '#contract/client.ts';

const secret = 'demo-signing-secret';
const apiKey = `tsn_${randomBytes(32).toString('base64url')}`;
const maxMs = 85_000;
const startedAt = performance.now();

/** The parts of a webhook that the demo shows. */
interface Received {
  readonly alertType: string;
  readonly deliveryId: string;
  readonly attempt: string;
  readonly isSigned: boolean;
  readonly body: string;
}

const folder = mkdtempSync(join(tmpdir(), 'tocsin-demo-'));
const received: Received[] = [];
const servers: Server[] = [];
let isTargetUp = true;
let isReceiverUp = true;
let service: ChildProcess | null = null;

process.on('SIGINT', () => void end(130));
process.on('SIGTERM', () => void end(143));
setTimeout(() => fail('the demo timed out'), maxMs).unref();

try {
  await play();
  await end(0);
} catch (error) {
  fail(error instanceof Error ? error.message : String(error));
}

async function play(): Promise<void> {
  const target = await listen((_request, response) => {
    response.writeHead(isTargetUp ? 200 : 503).end(isTargetUp ? '{"stock":7}' : 'no stock');
  });
  const receiver = await listen((request, response) => void receive(request, response));
  const address = await startService();
  const client = createClient({ baseUrl: address, apiKey });
  say('Tocsin is running', `${address}, with a temporary database in ${folder}`);

  const channel = await client.call('createAlertChannel', {
    body: {
      type: 'WEBHOOK',
      config: {
        name: 'demo receiver',
        url: `${receiver}/alerts`,
        template: '{"text": {{json ALERT_TITLE}}, "why": {{json CHECK_ERROR_MESSAGE}}, "where": "{{REGION}}"}',
        webhookSecret: secret,
      },
    },
  });
  const check = await client.call('createApiCheck', {
    body: {
      name: 'Shop stock',
      frequency: 0,
      frequencyOffset: 10,
      request: {
        method: 'GET',
        url: `${target}/stock`,
        assertions: [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' }],
      },
      alertChannelSubscriptions: [{ alertChannelId: channel.id, activated: true }],
    },
  });
  say('A check every 10 s, a signed webhook', `${check.name} → channel ${channel.id}`);

  await until('the first result', () => statusIs(client, check.id, false));
  say('The check passes', 'no alert is sent');

  isTargetUp = false;
  isReceiverUp = false;
  say('The target breaks', 'it responds 503 from now on; the receiver fails, too');
  await until('the next run detects it', () => statusIs(client, check.id, true));
  say('The check fails', 'result, state, alert and delivery were committed together');
  await until('the webhook', () => received.length >= 1);
  show(received[0]);
  say('The receiver returned 500', 'the delivery is retried after 20 s, even if Tocsin is killed now');

  isReceiverUp = true;
  await until('the retry', () => received.length >= 2);
  show(received[1]);
  say(
    'The retry arrived',
    received[0]?.deliveryId === received[1]?.deliveryId ? 'same delivery id, same bytes' : 'DIFFERENT ID',
  );

  isTargetUp = true;
  say('The target recovers', 'it answers 200 again');
  await until('the recovery', () => received.some(({ alertType }) => alertType.includes('recovered')));
  show(received.at(-1));
  await showLog(client);
  say('Done', `${received.length} webhooks, all signed, every attempt logged. To start your own: npm start`);
}

async function showLog(client: Client): Promise<void> {
  for (const { alertType, status, attempts } of (await client.call('listDeliveries')).toReversed()) {
    process.stdout.write(
      `      ${(alertType ?? 'report').padEnd(16)} ${status.padEnd(10)} attempts: ${attempts.length}\n`,
    );
  }
}

async function startService(): Promise<string> {
  const child = spawn(process.execPath, [bundled('main')], {
    env: {
      ...process.env,
      PORT: '0',
      HOST: '127.0.0.1',
      TOCSIN_DATA_DIR: folder,
      TOCSIN_BOOTSTRAP_API_KEY: apiKey,
      LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  service = child;
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  child.once('exit', (code) => code !== null && code !== 0 && fail(`the service exited with code ${code}`));
  await until('the service', () => /listens on \S+/.test(printed));
  return /listens on (\S+)/.exec(printed)?.[1] ?? '';
}

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const expected = createHmac('sha256', secret).update(body).digest();
  const given = Buffer.from(String(request.headers['x-service-signature']), 'hex');
  response.writeHead(isReceiverUp ? 200 : 500).end();
  received.push({
    alertType: body.toString(),
    deliveryId: String(request.headers['x-service-delivery-id']),
    attempt: String(request.headers['x-service-attempt']),
    isSigned: given.length === expected.length && timingSafeEqual(given, expected),
    body: body.toString(),
  });
}

function listen(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
}

async function statusIs(client: Client, checkId: string, hasFailures: boolean): Promise<boolean> {
  try {
    const status = await client.call('getCheckStatus', { params: { checkId } });
    return status.hasFailures === hasFailures && status.lastCheckRunId !== null;
  } catch (error) {
    // A check has no status before its first result.
    if (error instanceof ServiceError && error.statusCode === 404) return false;
    throw error;
  }
}

/** Waits and shows progress. */
async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const since = performance.now();
  while (!(await isSo())) {
    const waited = Math.floor((performance.now() - since) / 1000);
    if (process.stdout.isTTY) process.stdout.write(`\r      waiting for ${what} ${'·'.repeat(waited + 1)}\u001b[K`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const seconds = ((performance.now() - since) / 1000).toFixed(1);
  process.stdout.write(
    `${process.stdout.isTTY ? '\r' : ''}      ${what}: ${seconds} s${process.stdout.isTTY ? '\u001b[K' : ''}\n`,
  );
}

function say(what: string, more: string): void {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0).padStart(2);
  process.stdout.write(`${seconds} s  ${bold(what)}: ${more}\n`);
}

function show(webhook: Received | undefined): void {
  if (webhook === undefined) return;
  const signature = webhook.isSigned ? 'signature verified' : 'SIGNATURE WRONG';
  process.stdout.write(`      webhook, attempt ${webhook.attempt}, ${signature}: ${webhook.body}\n`);
}

function bold(text: string): string {
  return process.stdout.isTTY ? `\u001b[1m${text}\u001b[0m` : text;
}

function fail(why: string): void {
  process.stderr.write(`\nThe demo stopped: ${why}\n`);
  void end(1);
}

async function end(code: number): Promise<void> {
  const child = service;
  service = null;
  if (child !== null && child.exitCode === null) {
    child.removeAllListeners('exit');
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  }
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
  rmSync(folder, { recursive: true, force: true });
  process.exit(code);
}
