// A real PostgreSQL for tests: a server of their own in a temporary folder, and a fresh database whenever one is asked for.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { Issued } from '../targets/certificates.ts';
import { freePort } from '../free-port.ts';
import { postgresBinaries } from './postgres-binaries.ts';
import { until } from '../until.ts';

/** How a server is stopped: waiting for nobody, or as if the power went. */
export type StopMode = 'fast' | 'immediate';

/** Where a server is. */
export interface PostgresPlace {
  readonly port: number;
  /** Folder of its Unix socket. */
  readonly socketDir: string;
}

/** A running server. Every commit is on disk before it is acknowledged, as in production. */
export interface PostgresServer extends PostgresPlace {
  /** A fresh database that belongs to a role without rights beyond it: empty, or a copy of another that is at rest. */
  newDatabase(template?: string): Promise<PostgresDatabase>;
  /** One statement as the superuser. */
  admin(sql: string): Promise<Record<string, unknown>[]>;
}

/** A server that a test may stop. */
export interface OwnPostgres extends PostgresServer {
  /** Of the server's first process, whose children are all the others. */
  readonly pid: number;
  restart(mode: StopMode): Promise<void>;
  /** Stops it, its data stay; `begin` starts it again. */
  halt(mode: StopMode): Promise<void>;
  begin(): Promise<void>;
  stop(): Promise<void>;
  /** Stops it when this process exits, which it does not prevent. */
  stopAtExit(): void;
}

/** A database of that server. */
export interface PostgresDatabase {
  readonly name: string;
  /** As DATABASE_URL takes it; over the loopback address. */
  readonly url: string;
  /** The same by the server's socket: a tenth of what small statements cost on both sides is TCP. */
  readonly socketUrl: string;
  /** Removes it once the next database of the server is left as well; the last one goes with the server. */
  drop(): Promise<void>;
}

/** Whom the server runs as when the tests are root, which it refuses: nobody. */
const asNobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

/**
 * For servers that may be killed, but whose machine stays: what guards pages against the end of power, lets others follow the
 * log, or says in its name what a process is at costs many small statements a twentieth.
 */
export const lightSettings: Readonly<Record<string, string>> = {
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  update_process_title: 'off',
  jit: 'off',
};

/** The password of both roles: with every character that an address has to escape. */
export const oddPassword = `o:d/d@p%?a#s s&w'ö"r\\d`;

/**
 * Starts a server. Its folder goes with `stop`; it itself goes also when this process is killed.
 *
 * @param certificate with which it encrypts; null = it does not
 * @param bin the folder of its programs
 * @param settings of the server, beside or instead of those of small tests
 */
export async function startPostgres(
  certificate: Issued | null = null,
  bin: string = postgresBinaries(),
  settings: Readonly<Record<string, string>> = {},
): Promise<OwnPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-pg-'));
  chmodSync(folder, 0o755);
  const data = join(folder, 'data');
  const socketDir = join(folder, 'socket');
  for (const made of [data, socketDir]) {
    mkdirSync(made, { mode: 0o700 });
    if (asNobody.uid !== undefined) chownSync(made, asNobody.uid, asNobody.gid);
  }
  initialize(bin, data);
  if (certificate !== null) encrypt(data, certificate);
  const port = await freePort();
  const run = (): Promise<ChildProcess> => start(bin, data, { socketDir, port }, settings);
  let server = await run();
  const { leave, ...databases } = await openPostgres({ socketDir, port });
  // Each of thousands of connections would take two milliseconds to make guessing hard.
  await databases.admin(`SELECT set_config(name, '1', false) FROM pg_settings WHERE name = 'scram_iterations'`);
  await databases.admin(`CREATE ROLE tocsin LOGIN PASSWORD ${literal(oddPassword)}`);
  return {
    ...databases,
    get pid() {
      return server.pid ?? 0;
    },
    async restart(mode) {
      await leave();
      await end(server, mode);
      server = await run();
    },
    async halt(mode) {
      await leave();
      await end(server, mode);
    },
    async begin() {
      server = await run();
    },
    async stop() {
      await leave();
      await end(server, 'immediate');
      rmSync(folder, { recursive: true });
    },
    stopAtExit() {
      server.unref();
      process.once('exit', () => {
        server.kill('SIGQUIT');
        rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
      });
    },
  };
}

/** Opens a running server; `leave` closes the connection to it, which lets this process end as well. */
export async function openPostgres({
  socketDir,
  port,
}: PostgresPlace): Promise<PostgresServer & { leave: () => Promise<void> }> {
  let made = 0;
  /** Databases to be dropped: the server would wait 100 ms for those whose connections have only just been closed. */
  const left: string[] = [];
  const { admin, leave } = keepAdmin(socketDir, port);
  const [version] = await admin(`SELECT current_setting('server_version_num')::int AS number`);
  // Page by page through the log, as is usual since PostgreSQL 15, costs twice as much.
  const strategy = Number(version?.['number']) >= 150_000 ? 'STRATEGY file_copy' : '';
  return {
    port,
    socketDir,
    admin,
    leave,
    async newDatabase(template = 'template0') {
      // As none is called in any other server: who still asks for a database that had this port before finds none.
      const name = `tocsin_${process.pid}_${++made}`;
      await admin(`CREATE DATABASE ${name} OWNER tocsin TEMPLATE ${template} ${strategy}`);
      const url = `postgres://tocsin:${encodeURIComponent(oddPassword)}@127.0.0.1:${port}/${name}`;
      return {
        name,
        url,
        socketUrl: `${url}?host=${encodeURIComponent(socketDir)}`,
        drop: async () => {
          left.push(name);
          for (const gone of left.splice(0, left.length - 1)) await admin(`DROP DATABASE ${gone} WITH (FORCE)`);
        },
      };
    },
  };
}

/** The superuser's connection: kept, because each case makes a database and removes it. */
function keepAdmin(socketDir: string, port: number) {
  let kept: Promise<Client> | null = null;
  let present: Client | null = null;
  let asked = 0;
  const connect = async (): Promise<Client> => {
    const client = new Client({ host: socketDir, port, user: 'postgres', database: 'postgres' });
    present = client;
    // The server may be ended, or end this connection: the next statement makes another one.
    const forget = (): void => {
      if (present === client) kept = present = null;
    };
    client.on('error', forget).on('end', forget);
    await client.connect();
    return client;
  };
  return {
    admin: async (sql: string): Promise<Record<string, unknown>[]> => {
      kept ??= connect();
      const client = await kept.catch((error: unknown) => {
        kept = null;
        throw error;
      });
      // An idle connection does not keep this process.
      if (asked++ === 0) handleOf(client).ref();
      try {
        return (await client.query<Record<string, unknown>>(sql)).rows;
      } finally {
        if (--asked === 0) handleOf(client).unref();
      }
    },
    leave: async (): Promise<void> => {
      const client = await kept?.catch(() => null);
      kept = null;
      await client?.end().catch(() => undefined);
    },
  };
}

/** What the types of pg omit. */
function handleOf(client: Client): Client & { ref(): void; unref(): void } {
  return client as ReturnType<typeof handleOf>;
}

function literal(text: string): string {
  return `E'${text.replaceAll('\\', '\\\\').replaceAll(`'`, `''`)}'`;
}

/** Copies a folder that initdb made once for this machine: making one takes five times as long. */
function initialize(bin: string, data: string): void {
  const { stdout: version } = spawnSync(join(bin, 'postgres'), ['--version'], { encoding: 'utf8' });
  const kept = join(tmpdir(), `tocsin-initdb-${hash('sha256', bin + version).slice(0, 12)}-${process.getuid?.() ?? 0}`);
  if (!existsSync(kept)) keepInitialized(bin, kept);
  if (statSync(kept).uid !== (process.getuid?.() ?? 0)) throw new Error(`${kept} belongs to another user: remove it`);
  const { status, stderr } = spawnSync('cp', ['-a', `${join(kept, 'data')}/.`, data], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${kept} cannot be copied: ${stderr}`);
}

/** Made aside and renamed: several test files may come here at once. */
function keepInitialized(bin: string, kept: string): void {
  const aside = mkdtempSync(`${kept}-`);
  chmodSync(aside, 0o755);
  const data = join(aside, 'data');
  mkdirSync(data, { mode: 0o700 });
  if (asNobody.uid !== undefined) chownSync(data, asNobody.uid, asNobody.gid);
  const passwords = join(aside, 'password');
  writeFileSync(passwords, `${oddPassword}\n`, { mode: 0o644 });
  const ways = ['-U', 'postgres', '-E', 'UTF8', '--locale=C', '--auth-local=trust', '--auth-host=scram-sha-256'];
  const { status, stderr } = spawnSync(
    join(bin, 'initdb'),
    ['-D', data, ...ways, `--pwfile=${passwords}`, '--no-sync'],
    {
      ...asNobody,
      cwd: '/',
      encoding: 'utf8',
    },
  );
  if (status !== 0) throw new Error(`initdb of ${bin} failed: ${stderr}`);
  try {
    renameSync(aside, kept);
  } catch (error) {
    rmSync(aside, { recursive: true });
    if (!existsSync(kept)) throw error;
  }
}

/** Connections over the network are encrypted from the next start on; others are refused. */
function encrypt(data: string, { key, cert }: Issued): void {
  for (const [name, text] of Object.entries({ 'server.key': key, 'server.crt': cert })) {
    const path = join(data, name);
    writeFileSync(path, text, { mode: 0o600 });
    if (asNobody.uid !== undefined) chownSync(path, asNobody.uid, asNobody.gid);
  }
  appendFileSync(join(data, 'postgresql.conf'), 'ssl = on\n');
  const rules = readFileSync(join(data, 'pg_hba.conf'), 'utf8');
  writeFileSync(join(data, 'pg_hba.conf'), rules.replaceAll(/^host\b/gm, 'hostssl'));
}

async function start(
  bin: string,
  data: string,
  { socketDir, port }: { socketDir: string; port: number },
  changed: Readonly<Record<string, string>>,
): Promise<ChildProcess> {
  const settings = { listen_addresses: '127.0.0.1', unix_socket_directories: socketDir, max_connections: 200 };
  const more = { shared_buffers: '64MB', max_wal_size: '512MB', log_min_messages: 'fatal' };
  const options = Object.entries({ ...settings, ...more, ...changed }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const server = spawn(
    'setpriv',
    ['--pdeathsig', 'QUIT', join(bin, 'postgres'), '-D', data, '-p', String(port), ...options],
    { ...asNobody, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let said = '';
  if (server.stderr instanceof Socket) server.stderr.unref();
  server.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-2000)));
  server.on('error', (error) => (said += error.message));
  await until('PostgreSQL to answer', async () => {
    if (server.exitCode !== null || server.pid === undefined) throw new Error(`PostgreSQL did not start: ${said}`);
    return answers(socketDir, port);
  });
  return server;
}

async function answers(socketDir: string, port: number): Promise<boolean> {
  const client = new Client({ host: socketDir, port, user: 'postgres', database: 'postgres' });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function end(server: ChildProcess, mode: StopMode): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, 'exit');
  server.kill(mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
  await ended;
}
