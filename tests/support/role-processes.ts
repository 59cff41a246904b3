// The real service as one process per role over a PostgreSQL, each with a folder of its own as on machines of their own.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Role } from '#config/variables.ts';
import type { PostgresDatabase } from './postgres.ts';
import { openRawPostgres, type RawRows } from './raw-rows.ts';
import type { Cleanup } from './scripted-server.ts';
import { apiKey, asker, type Service } from './service.ts';
import { type Ended, startProcess, type TocsinProcess } from './tocsin-process.ts';

/** One of each. */
export const everyRole = ['api', 'scheduler', 'runner', 'deliverer', 'upkeep'] as const satisfies readonly Role[];

/** What all processes of an installation have to be told. */
export const sharedKey = 'ab'.repeat(32);

export interface RoleProcessesOptions {
  /** For each process beside what all need. */
  readonly environment?: NodeJS.ProcessEnv | ((role: Role) => NodeJS.ProcessEnv);
  /** The roles of the processes, each of which has one; a role may be there twice. */
  readonly roles?: readonly Role[];
}

/** Several processes on one database. */
export interface RoleProcesses extends Service {
  readonly database: PostgresDatabase;
  /** Those of a role, in the order in which they were named. */
  of(role: Role): readonly TocsinProcess[];
}

interface Member {
  readonly role: Role;
  readonly dataDir: string;
  process: TocsinProcess;
}

/** Starts all processes at once, as an orchestrator does, and waits until each is ready. The database goes with them. */
export async function startRoleProcesses(
  t: Cleanup,
  database: PostgresDatabase,
  { environment = {}, roles = everyRole }: RoleProcessesOptions = {},
): Promise<RoleProcesses> {
  const where = { DATABASE_URL: database.url, TOCSIN_SECRET_KEY: sharedKey };
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-roles-'));
  const own = typeof environment === 'function' ? environment : (): NodeJS.ProcessEnv => environment;
  const starting = new Set<() => void>();
  const start = async (role: Role, dataDir: string): Promise<TocsinProcess> => {
    const told = { TOCSIN_BOOTSTRAP_API_KEY: apiKey, TOCSIN_DATA_DIR: dataDir, TOCSIN_ROLES: role, ...where };
    const { child, ready } = startProcess({ ...told, ...own(role) });
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
    roles.map(async (role, index) => {
      const dataDir = join(folder, `${role}-${index}`);
      return { role, dataDir, process: await start(role, dataDir) };
    }),
  );
  await Promise.all(members.map(({ process }) => lookAround(process)));
  const api = (): TocsinProcess => members.find(({ role }) => role === 'api')?.process ?? fail();
  const end = async (signal: NodeJS.Signals, role?: Role): Promise<Ended> => {
    const meant = members.filter((member) => role === undefined || member.role === role);
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
    of: (role) => members.filter((member) => member.role === role).map(({ process }) => process),
    ...asker(() => api().address),
    stop: () => end('SIGTERM'),
    kill: (role) => end('SIGKILL', role),
    async restart(wanted) {
      const isMeant = ({ role, process }: Member): boolean =>
        !process.isRunning && (wanted === undefined || role === wanted);
      const ended = members.filter(isMeant);
      await Promise.all(
        ended.map(async (member) => {
          member.process = await start(member.role, member.dataDir);
        }),
      );
      await Promise.all(members.filter(({ process }) => process.isRunning).map(({ process }) => lookAround(process)));
    },
    rows: (look) => look(raw),
    stored: () => storedCells(raw),
  };
}

/** Whoever is asked whether it is ready looks who else is there: after this each knows of all. */
async function lookAround({ address }: TocsinProcess): Promise<void> {
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
