// PgBouncer in transaction mode: a client has a connection of the server for one transaction, and another for the next.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync, chmodSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PostgresDatabase, PostgresServer } from './postgres.ts';
import { freePort } from '../free-port.ts';
import type { Cleanup } from '../targets/scripted-server.ts';
import { until } from '../until.ts';

const pgBouncer = '/usr/sbin/pgbouncer';

/** Why PgBouncer cannot be started here, or false. */
export const isMissing: string | false =
  !existsSync(pgBouncer) && 'PgBouncer is not installed (apt-get install pgbouncer)';

/** Starts PgBouncer and returns the address of the database through it. */
export async function startPgBouncer(t: Cleanup, server: PostgresServer, database: PostgresDatabase): Promise<string> {
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
