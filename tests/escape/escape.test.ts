// Attempts of scripts to escape, in real processes, at every level of containment.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer, type ListenOptions, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Containment, hasOwnGroups } from '#sandbox/containment/containment.ts';
import { protections } from '#sandbox/containment/protections.ts';
import { nothingLeft, processesThere, useOwnTmp } from '../support/scripts/left-behind.ts';
import { currentRuntime, printed, runPlain, strongContainments } from '../support/scripts/script-runs.ts';
import { until } from '../support/until.ts';

const canary = 'tocsin-canary-8f1c';
/** End of the path of every script process's first file. */
const firstCode = '/start.mjs';
const checkout = join(import.meta.dirname, '..', '..');
const isRoot = process.getuid?.() === 0;
const dataFiles = ['hook.js', 'secret.key', 'tocsin.db'];
let dataFolder = '';
/** A file that its owner opened to all. */
let shared = '';
/** The runtime: one package to write to, one native package. */
let runtimeFolder = '';
/** Runs like the service: its environment contains the canary. */
let service: ChildProcess;
/** Listeners of the machine: any, the configured database, and an abstract socket. */
const servers: Server[] = [];
const abstractName = `tocsin-escape-${process.pid}`;
useOwnTmp();
const strong = await strongContainments();
const refused = strong.flatMap(({ problem }) => problem ?? []);

before(async () => {
  // Fail instead of skipping if it cannot be tested.
  assert.ok(refused.length < strong.length, `scripts cannot be contained here: ${refused.join('; ')}`);
  dataFolder = mkdtempSync(join(tmpdir(), 'tocsin-escape-'));
  for (const name of dataFiles) {
    const text = name === 'hook.js' ? `const text = "${canary}" 5;` : canary;
    writeFileSync(join(dataFolder, name), text, { mode: 0o644 });
  }
  shared = mkdtempSync(join(tmpdir(), 'tocsin-shared-'));
  writeFileSync(join(shared, 'open'), canary, { mode: 0o644 });
  chmodSync(shared, 0o777);
  runtimeFolder = makeRuntime();
  const environment = { TOCSIN_ESCAPE_CANARY: canary };
  service = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { env: environment, stdio: 'ignore' });
  for (const place of [{ port: 0 }, { port: 0 }, { path: `\0${abstractName}` }]) servers.push(await listening(place));
});
after(() => {
  service.kill('SIGKILL');
  for (const server of servers) server.close();
  rmSync(tmpdir(), { recursive: true });
});

async function listening(place: ListenOptions): Promise<Server> {
  const server = createServer((socket) => socket.on('error', () => undefined).end());
  server.listen({ ...place, ...('port' in place && { host: '127.0.0.1' }) });
  await once(server, 'listening');
  return server;
}

/** A runtime with the packages that the attempts need. The native one is this project's linter. */
function makeRuntime(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-runtime-'));
  chmodSync(folder, 0o755);
  for (const name of ['lodash', 'native']) mkdirSync(join(folder, 'node_modules', name), { recursive: true });
  writeFileSync(join(folder, 'node_modules', 'lodash', 'lodash.js'), '');
  const [addon] = globSync(join(checkout, 'node_modules', '@oxlint', 'binding-*', '*.node'));
  assert.ok(addon !== undefined, 'no native module is installed: run npm ci');
  copyFileSync(addon, join(folder, 'node_modules', 'native', 'addon.node'));
  return folder;
}

/** Ways out, which change nothing that cannot be undone. */
interface WaysOut {
  readonly user: readonly string[];
  readonly process: readonly string[];
  /** Further ways at `process`, where the script is root. */
  readonly root?: readonly string[];
}

const atBoth = (...names: readonly string[]): WaysOut => ({ user: names, process: names });

/** Attempts by promised protection. Bombs have their own file. */
const waysOut: Readonly<Record<string, WaysOut>> = {
  'cannot see, signal or inspect processes of Tocsin and the machine': {
    user: ['the command lines of others'],
    process: [
      'the environment of the parent',
      'the command lines of others',
      'a signal to the service',
      'a signal by a shell',
      'memory of the service',
    ],
  },
  'cannot see, signal or inspect other runs': {
    // The kernel shows a process's memory only to its own group.
    user: ['a signal to another run', ...(hasOwnGroups ? [] : ['memory of another run'])],
    process: ['a signal to another run', 'memory of another run'],
  },
  'cannot read Tocsin’s data, keys and database': {
    user: ['a file that is open to others'],
    process: [
      'a file that is open to others',
      'the data folder',
      'the secret key',
      'the data folder by a link',
      'the data folder by a hard link',
      'the data folder by going up',
      'the data folder of a shell',
      'the database through node:sqlite',
      'the source of the service',
      'a mount in namespaces of its own',
      'a program by process.binding',
      'a native module',
      'calls of the system by perl',
    ],
  },
  'cannot see files of other runs': atBoth('the files of other runs'),
  'cannot write outside its own folder': {
    user: ['a folder that others may write'],
    process: [
      'a folder that others may write',
      'a file in the data folder',
      'packages of the runtime',
      'a package added to the runtime',
    ],
    root: ['programs of the machine'],
  },
  'has no root privileges and cannot gain them': {
    user: [],
    process: [],
    root: ['the passwords of the machine', 'the home of root', 'another user'],
  },
  'connects only where the egress policy allows, and not to abstract sockets': atBoth(
    'a listener of the machine',
    'an abstract socket of the machine',
  ),
  'cannot connect to Tocsin itself or its PostgreSQL under any egress policy': atBoth('the port of the database'),
};
/** Depends on the machine. */
const ofMachine = ['the source of the service', 'the network of the machine', 'a device', 'a socket of the machine'];

for (const { level, problem, isPossible } of strong) {
  it(`a script is contained by ${level} wherever the program works`, () => {
    if (isPossible) assert.equal(problem, null);
  });

  it(
    `a script contained by ${level} reaches nothing outside in more than thirty ways`,
    {
      skip: problem ?? false,
    },
    async () => {
      process.env['TOCSIN_ESCAPE_CANARY'] = canary;
      const tried = await attempted(level);
      delete process.env['TOCSIN_ESCAPE_CANARY'];
      assert.ok(tried.length >= 30, `${tried.length} attempts`);
      assert.deepEqual(
        tried.filter(({ got }) => got !== ''),
        [],
      );
      assert.deepEqual(readdirSync(dataFolder).toSorted(), dataFiles);
      assert.ok(service.exitCode === null && service.signalCode === null);
      await nothingLeft();
    },
  );
}

describe('a script', () => {
  it('escapes exactly as documented for each level', () => {
    const tried = protections.filter(({ what }) => !/^(limits|all processes)/.test(what));
    assert.deepEqual(
      Object.keys(waysOut),
      tried.map(({ what }) => what),
    );
    for (const { what, at } of tried) {
      const { user = [], process: bare = [], root = [] } = waysOut[what] ?? {};
      assert.deepEqual([at.bubblewrap, at.namespaces], ['yes', 'yes']);
      assert.equal(at.user === 'yes', user.length === 0, what);
      assert.equal(at.process === 'yes', bare.length + root.length === 0, what);
    }
  });

  it('would succeed in most attempts without containment', async () => {
    const only = Object.values(waysOut).flatMap(({ process: bare, root = [] }) => [...bare, ...(isRoot ? root : [])]);
    const tried = await attempted('process', only);
    for (const path of [join(dataFolder, 'planted'), join(dataFolder, 'planted.db'), join(shared, 'planted')]) {
      rmSync(path, { force: true });
    }
    assert.deepEqual(tried.map(({ name }) => name).toSorted(), only.toSorted());
    assert.deepEqual(
      tried.filter(({ got }) => got === '' || got.startsWith('did not run')),
      [],
    );
    await nothingLeft();
  });

  it('escapes exactly as documented as another user', { skip: isRoot ? false : 'it needs root' }, async () => {
    const tried = await attempted('user');
    rmSync(join(shared, 'planted'));
    const got = tried.filter((each) => each.got !== '' && !each.got.startsWith('did not run'));
    assert.deepEqual(
      got
        .map(({ name }) => name)
        .filter((name) => !ofMachine.includes(name))
        .toSorted(),
      Object.values(waysOut)
        .flatMap(({ user }) => user)
        .toSorted(),
      JSON.stringify(got),
    );
    assert.deepEqual(readdirSync(dataFolder).toSorted(), dataFiles);
    await nothingLeft();
  });
});

/** Tries all attempts, or `only` some, next to another run, and returns their results. */
function attempted(
  level: Containment,
  only?: readonly string[],
): Promise<readonly { readonly name: string; readonly got: string }[]> {
  return besideAnother(level, async (otherPid) => {
    const [listener, database] = servers.map((server) => (server.address() as AddressInfo).port);
    assert.ok(listener !== undefined && database !== undefined);
    const places = { dataFolder, shared, checkout, runs: tmpdir(), ports: { listener, database }, abstractName };
    const targets = { servicePid: service.pid, otherPid, canary, only, ...places };
    const content = readFileSync(join(import.meta.dirname, 'attempts.mjs'), 'utf8');
    const outcome = await runPlain(content, {
      level,
      runtime: { ...currentRuntime, folder: runtimeFolder },
      environment: { TARGETS: JSON.stringify(targets) },
      egress: { mode: 'public', allow: [] },
      closed: [{ host: '127.0.0.1', port: database, owner: 'database' }],
    });
    assert.equal(outcome.ending, 'ended', JSON.stringify(outcome));
    return printed(outcome)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { name: string; got: string });
  });
}

/** Acts while another run with the canary in its files is active. Its process number is the last one. */
async function besideAnother<Got>(level: Containment, act: (otherPid: number) => Promise<Got>): Promise<Got> {
  const controller = new AbortController();
  const other = runPlain(`/* ${canary} */ setInterval(() => {}, 1000);`, { level, signal: controller.signal });
  const file = (name: string): string => join(tmpdir(), name, 'home', 'script.mjs');
  const isThere = (): boolean => readdirSync(tmpdir()).some((name) => existsSync(file(name)));
  try {
    await until('the files of the other run', isThere);
    // Wait until the target exists.
    const pid = await until('the process of the other run', () => processesThere(firstCode).at(-1));
    return await act(Number(pid));
  } finally {
    controller.abort();
    assert.equal((await other).ending, 'stopped');
  }
}
