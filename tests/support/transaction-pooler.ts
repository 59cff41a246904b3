// A connection pooler in transaction mode before a PostgreSQL: a client has a connection of the server for one transaction,
// and gets another for the next. A small one of our own, and PgBouncer itself where it is installed.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync, chmodSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PostgresDatabase, PostgresServer } from './postgres.ts';
import { freePort } from './free-port.ts';
import type { Cleanup } from './scripted-server.ts';
import { until } from './until.ts';

const pgBouncer = '/usr/sbin/pgbouncer';

/** A pooler by its name; why it is not run here, or false. */
interface Pooler {
  readonly name: string;
  readonly start: typeof startOwnPooler;
  readonly skip: string | false;
}

export const poolers: readonly Pooler[] = [
  { name: 'a pooler in transaction mode', start: startOwnPooler, skip: false },
  {
    name: 'PgBouncer in transaction mode',
    start: startPgBouncer,
    skip: existsSync(pgBouncer) ? false : 'PgBouncer is not installed (apt-get install pgbouncer)',
  },
];

/** Starts PgBouncer; answers with the address of the database through it. */
async function startPgBouncer(t: Cleanup, server: PostgresServer, database: PostgresDatabase): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-pooler-'));
  chmodSync(folder, 0o755);
  const port = await freePort();
  const config = join(folder, 'pgbouncer.ini');
  writeFileSync(
    config,
    `[databases]\n* = host=${server.socketDir} port=${server.port} user=tocsin\n[pgbouncer]\nlisten_addr = 127.0.0.1\n` +
      `listen_port = ${port}\nunix_socket_dir =\nauth_type = any\npool_mode = transaction\ndefault_pool_size = 4\n` +
      `server_reset_query =\n`,
    { mode: 0o644 },
  );
  const asNobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', pgBouncer, config], { ...asNobody, stdio: 'ignore' });
  const ended = once(child, 'exit');
  t.after(async () => {
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true });
  });
  await until('PgBouncer to listen', () => canConnect(port));
  return `postgres://tocsin:x@127.0.0.1:${port}/${database.name}`;
}

async function canConnect(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

const connectionsMost = 4;

/** Starts a pooler of our own; answers with the address of the database through it. */
async function startOwnPooler(t: Cleanup, server: PostgresServer, database: PostgresDatabase): Promise<string> {
  const idle: Backend[] = [];
  const waiting: ((backend: Backend) => void)[] = [];
  const sockets = new Set<Socket>();
  let made = 0;
  const take = async (): Promise<Backend> => {
    // The one that was given back first: the next transaction is nearly never on the same.
    const free = idle.shift();
    if (free !== undefined) return free;
    if (made >= connectionsMost) return new Promise((resolve) => waiting.push(resolve));
    made++;
    const backend = await connectBackend(server, database.name);
    sockets.add(backend.socket);
    return backend;
  };
  const giveBack = (backend: Backend): void => {
    const next = waiting.shift();
    if (next === undefined) idle.push(backend);
    else next(backend);
  };
  const listener = createServer({ noDelay: true }, (client) => {
    sockets.add(client);
    client.on('error', () => client.destroy());
    client.on('close', () => sockets.delete(client));
    serve(client, take, giveBack);
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  t.after(async () => {
    listener.close();
    for (const socket of sockets) socket.destroy();
    await once(listener, 'close');
  });
  const address = listener.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return `postgres://tocsin:x@127.0.0.1:${port}/${database.name}`;
}

/** A connection of the server. */
interface Backend {
  readonly socket: Socket;
  /** What the server says of itself, handed on to each client. */
  readonly greeting: Buffer;
  onMessage: (type: string, message: Buffer) => void;
}

async function connectBackend(server: PostgresServer, database: string): Promise<Backend> {
  const socket = connect(join(server.socketDir, `.s.PGSQL.${server.port}`));
  await once(socket, 'connect');
  socket.on('error', () => socket.destroy());
  const greeting: Buffer[] = [];
  const ready = Promise.withResolvers<void>();
  const backend = {
    socket,
    get greeting() {
      return Buffer.concat(greeting);
    },
    onMessage: (type: string, message: Buffer): void => {
      if (type === 'S') greeting.push(message);
      if (type === 'Z') ready.resolve();
      if (type === 'E') ready.reject(new Error(message.toString('latin1')));
    },
  };
  const split = splitter(1);
  socket.on('data', (chunk) => {
    for (const message of split(chunk)) backend.onMessage(String.fromCharCode(message[0] ?? 0), message);
  });
  const words = Buffer.from(`user\0tocsin\0database\0${database}\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(8 + words.length, 0);
  head.writeInt32BE(196_608, 4);
  socket.write(Buffer.concat([head, words]));
  await ready.promise;
  return backend;
}

/** Cuts a stream into messages, each of which has its length after `lead` bytes. */
function splitter(lead: number): (chunk: Buffer) => Buffer[] {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    const messages: Buffer[] = [];
    while (rest.length >= lead + 4) {
      const length = lead + rest.readInt32BE(lead);
      if (rest.length < length) break;
      messages.push(rest.subarray(0, length));
      rest = rest.subarray(length);
    }
    return messages;
  };
}

function serve(client: Socket, take: () => Promise<Backend>, giveBack: (backend: Backend) => void): void {
  let split = splitter(0);
  let isGreeted = false;
  let backend: Promise<Backend> | null = null;
  /** How many times the server has yet to say that it is ready: a client may send more before it has heard of what it sent. */
  let awaited = 0;
  const held = (): Promise<Backend> => {
    backend ??= take().then((taken) => {
      taken.onMessage = (type, message) => {
        client.write(message);
        if (type === 'Z') awaited--;
        // The transaction is over: the connection goes to whoever is next.
        if (type === 'Z' && awaited === 0 && message.at(5) === 'I'.charCodeAt(0)) {
          backend = null;
          giveBack(taken);
        }
      };
      return taken;
    });
    return backend;
  };
  const greet = async (): Promise<void> => {
    const some = await take();
    const { greeting } = some;
    giveBack(some);
    const key = Buffer.from([0x4b, 0, 0, 0, 12, ...randomBytes(8)]);
    client.write(Buffer.concat([Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0]), greeting, key, readyForQuery]));
  };
  client.on('data', (chunk) => {
    for (const message of split(chunk)) {
      if (isGreeted) {
        const type = String.fromCharCode(message[0] ?? 0);
        if (type === 'Q' || type === 'S') awaited++;
        if (type === 'X') client.end();
        else void held().then(({ socket }) => socket.write(message));
      } else if (message.readInt32BE(4) === 80_877_103) {
        client.write('N');
      } else {
        isGreeted = true;
        split = splitter(1);
        void greet();
      }
    }
  });
}

const readyForQuery = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);
