// The real service as several processes over a PostgreSQL, each with a folder of its own as on machines of their own.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Role } from '#config/variables.ts';
import type { PostgresDatabase } from '../postgres/postgres.ts';
import { openRawPostgres, type RawRows } from '../store/raw-rows.ts';
import type { Cleanup } from '../targets/scripted-server.ts';
import { apiKey, asker, type Service } from './service.ts';
import { type Ended, startProcess, type TocsinProcess } from './tocsin-process.ts';

/** One of each. */
export const everyRole = ['api', 'scheduler', 'runner', 'deliverer', 'upkeep'] as const satisfies readonly Role[];

/** The configuration that all processes of an installation share. */
export const sharedKey = 'ab'.repeat(32);

/** A process with its roles. */
export interface RoleProcess {
  readonly roles: readonly Role[];
  readonly environment?: NodeJS.ProcessEnv;
}

/** Every step of the path from a check to a delivery crosses from one process to the other. */
export const twoProcesses: readonly RoleProcess[] = [
  { roles: ['api', 'runner'] },
  { roles: ['scheduler', 'deliverer', 'upkeep'] },
];

export interface RoleProcessesOptions {
  /** For each process beside what all need. */
  readonly environment?: NodeJS.ProcessEnv;
  readonly processes?: readonly RoleProcess[];
}

/** Several processes on one database. */
export interface RoleProcesses extends Service {
  readonly database: PostgresDatabase;
  /** Those with a role, in the order in which they were named. */
  of(role: Role): readonly TocsinProcess[];
}

interface Member extends RoleProcess {
  readonly dataDir: string;
  process: TocsinProcess;
}

/** Starts all processes at once, as an orchestrator does, and waits until each is ready. The database goes with them. */
export async function startRoleProcesses(
  t: Cleanup,
  database: PostgresDatabase,
  { environment = {}, processes = twoProcesses }: RoleProcessesOptions = {},
): Promise<RoleProcesses> {
  const where = { DATABASE_URL: database.url, TOCSIN_SECRET_KEY: sharedKey };
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-roles-'));
  const starting = new Set<() => void>();
  const start = async ({ roles, environment: own }: RoleProcess, dataDir: string): Promise<TocsinProcess> => {
    const reported = { TOCSIN_BOOTSTRAP_API_KEY: apiKey, TOCSIN_DATA_DIR: dataDir, TOCSIN_ROLES: roles.join() };
    const { child, ready } = startProcess({ ...reported, ...where, ...environment, ...own });
    starting.add(() => child.kill('SIGKILL'));
    return ready;
  };
  let members: Member[] = [];
  // Kept: tests look again and again, and a connection costs PostgreSQL more than a look.
  const raw = openRawPostgres(database.url);
  t.after(async () => {
    for (const kill of starting) kill();
    await Promise.all(members.map(({ process }) => process.end('SIGKILL')));
    raw.close();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });
  members = await Promise.all(
    processes.map(async (wanted, index) => {
      const dataDir = join(folder, String(index));
      return { ...wanted, dataDir, process: await start(wanted, dataDir) };
    }),
  );
  await Promise.all(members.map(({ process }) => runHook(process)));
  const api = (): TocsinProcess => members.find(({ roles }) => roles.includes('api'))?.process ?? fail();
  const end = async (signal: NodeJS.Signals, role?: Role): Promise<Ended> => {
    const meant = members.filter(({ roles }) => role === undefined || roles.includes(role));
    return joined(await Promise.all(meant.map(({ process }) => process.end(signal))));
  };
  return {
    get address() {
      return api().address;
    },
    get addresses() {
      return members.map(({ process }) => process.address);
    },
    get pid() {
      return api().pid;
    },
    get printed() {
      return members.map(({ process }) => process.printed).join('');
    },
    environment: where,
    database,
    of: (role) => members.filter(({ roles }) => roles.includes(role)).map(({ process }) => process),
    ...asker(() => api().address),
    stop: () => end('SIGTERM'),
    kill: (role) => end('SIGKILL', role),
    async restart(wanted) {
      const isMeant = ({ roles, process }: Member): boolean =>
        !process.isRunning && (wanted === undefined || roles.includes(wanted));
      const ended = members.filter(isMeant);
      await Promise.all(
        ended.map(async (member) => {
          member.process = await start(member, member.dataDir);
        }),
      );
      await Promise.all(members.filter(({ process }) => process.isRunning).map(({ process }) => runHook(process)));
    },
    rows: (read) => read(raw),
    stored: () => storedCells(raw),
  };
}

/** A readiness check reads the list of processes: after this, each process knows all others. */
async function runHook({ address }: TocsinProcess): Promise<void> {
  await (await fetch(`${address}/health/ready`)).text();
}

function fail(): never {
  throw new Error('no process of this installation serves the API');
}

function joined(all: readonly Ended[]): Ended {
  return {
    code: all.find(({ code }) => code !== 0)?.code ?? (all.some(({ code }) => code === null) ? null : 0),
    signal: all.find(({ signal }) => signal !== null)?.signal ?? null,
    tookMs: Math.max(...all.map(({ tookMs }) => tookMs)),
  };
}

/** Every cell of every table, bytes as they are. */
function storedCells(raw: RawRows): Record<string, string> {
  const tables = raw.prepare(`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`).all();
  return Object.fromEntries(
    tables.map(({ name }) => {
      const rows = raw.prepare(`SELECT * FROM ${String(name)}`).all();
      return [`the table ${String(name)}`, rows.flatMap((row) => Object.values(row).map(textOf)).join('\n')];
    }),
  );
}

function textOf(cell: unknown): string {
  if (cell instanceof Uint8Array) return Buffer.from(cell).toString('latin1');
  return typeof cell === 'string' ? cell : JSON.stringify(cell);
}
