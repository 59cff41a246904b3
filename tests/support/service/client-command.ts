// What tests of client commands share: commands with a key, checks that have run, and a target that can fail.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { bundled } from '../../../tooling/bundle.ts';
import { type Cleanup, type ScriptedServer, startScriptedServer } from '../targets/scripted-server.ts';
import { until } from '../until.ts';
import { type CommandOutput, runCommand } from './command.ts';
import { firstRun } from './first-run.ts';
import { apiKey, type Service } from './service.ts';

/** Names and messages that try to control a terminal or a job of GitHub Actions. */
export const hostileName = 'Evil \u001b[2J\u009b31m\u202e one';
const hostileBody = '::error::taken\n\u001b]0;title\u0007';
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/;

export function temporaryFolder(t: Cleanup): string {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-client-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Without what the machine of the test has configured. */
export const nothing = { TOCSIN_URL: '', TOCSIN_API_KEY: '', TOCSIN_ACCOUNT: '', GITHUB_ACTIONS: '' };

/** Runs commands with the operator key of the service; none of them prints control characters. */
export function clientOf({ address }: Pick<Service, 'address'>, more: NodeJS.ProcessEnv = {}) {
  const environment = { ...nothing, TOCSIN_URL: address, TOCSIN_API_KEY: apiKey, ...more };
  return async (...words: readonly string[]): Promise<CommandOutput> => {
    const said = await runCommand(words, environment);
    assert.doesNotMatch(said.out + said.err, controls);
    return said;
  };
}

/** Creates a URL check that has run once. */
export async function newCheck(
  service: Pick<Service, 'must'>,
  name: string,
  url: string,
  more: object = {},
): Promise<string> {
  const { id } = await service.must('POST', '/v1/checks/url', { name, frequency: 1440, request: { url }, ...more });
  await firstRun(service, id);
  return String(id);
}

/** Answers 503 to paths that begin with `/bad`. */
export async function newTarget(t: Cleanup): Promise<ScriptedServer> {
  const target = await startScriptedServer(t);
  target.answer(({ url }) => (url.startsWith('/bad') ? { status: 503, body: hostileBody } : { status: 200 }));
  return target;
}

/** Whether this machine has pseudo-terminals and `script`; otherwise the test is skipped and named. */
export function hasTerminal(t: TestContext): boolean {
  const isAvailable = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;
  if (!isAvailable) t.skip('no pseudo-terminal');
  return isAvailable;
}

/** A command on a pseudo-terminal of 100 by 24 characters. */
export interface OnTerminal {
  readonly said: () => string;
  /** Waits until the terminal was sent a text. */
  readonly sees: (text: string) => Promise<unknown>;
  readonly type: (keys: string) => void;
  /** Sends a signal to the command itself. */
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Its exit code. */
  readonly ended: Promise<number | null>;
}

/** Starts a command on a pseudo-terminal, which the program `script` opens. */
export function startOnTerminal(t: Cleanup, words: string, environment: NodeJS.ProcessEnv): OnTerminal {
  const command = `stty rows 24 cols 100; echo pid=$$; exec ${process.execPath} ${bundled('tocsin')} ${words}`;
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    env: { ...process.env, ...nothing, NO_COLOR: '', TERM: 'xterm-256color', ...environment },
  });
  t.after(() => void child.kill('SIGKILL'));
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  return {
    said: () => said,
    sees: (text) => until(JSON.stringify(text), () => said.includes(text), { seen: () => said }),
    type: (keys) => void child.stdin.write(keys),
    kill: (signal) => void process.kill(Number(/pid=(\d+)/.exec(said)?.[1]), signal),
    ended: new Promise((resolve) => child.once('close', resolve)),
  };
}

/** A way to a service that can be cut. */
export interface Way {
  readonly url: string;
  /** Ends every connection, and each new one at once. */
  cut(): void;
  restore(): void;
}

export async function startWay(t: Cleanup, address: string): Promise<Way> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    const far = connect(Number(new URL(address).port), '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => [near, far].forEach((each) => sockets.delete(each.destroy())));
    }
    if (isCut) near.destroy();
    else near.pipe(far).pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  t.after(() => {
    server.close();
    cut();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    restore: () => void (isCut = false),
  };
}
