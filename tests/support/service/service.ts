// The real service as processes that a test can stop, kill and start again on the same data: one process on SQLite.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Role } from '#config/variables.ts';
import type { RawRows } from '../store/raw-rows.ts';
import type { Cleanup } from '../targets/scripted-server.ts';
import { type Ended, startProcess } from './tocsin-process.ts';

/** An answer of the API. */
export interface ApiAnswer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** A running installation, of one process or of several. */
export interface Service {
  /** `http://127.0.0.1:port` of the process that serves the API; another one after a restart. */
  readonly address: string;
  /** The same of every process. */
  readonly addresses: readonly string[];
  /** Id of the process that serves the API. */
  readonly pid: number | undefined;
  /** What the present processes have written to stdout and stderr. */
  readonly printed: string;
  /** The configuration of commands and further processes of this installation: the location of its data. */
  readonly environment: NodeJS.ProcessEnv;
  /** An operation with the admin key; JSON in, JSON out. Never throws for a status. */
  api(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<ApiAnswer>;
  /** The same; throws unless it succeeded. */
  must(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
  /** SIGTERM to every process. */
  stop(): Promise<Ended>;
  /** SIGKILL to every process, or to those with that role. */
  kill(role?: Role): Promise<Ended>;
  /** Starts what has ended again, or of that those with that role. */
  restart(role?: Role): Promise<void>;
  /** Looks at the rows from outside, or changes them. */
  rows<Answer>(read: (raw: RawRows) => Answer): Answer;
  /** Everything that is stored, as it is stored, by where it is. */
  stored(): Readonly<Record<string, string>>;
}

/** A service whose data is a file. */
export interface FileService extends Service {
  readonly databasePath: string;
}

/** The admin key of every service started here. */
export const apiKey = `tsn_${'flow'.repeat(10)}`;

/** Where a service runs, when not just here. */
export interface Place {
  readonly dataDir: string;
  /** The command that starts a program there; the program's own words follow. */
  readonly enter: readonly string[];
  /** The entry of another checkout than this. */
  readonly program?: string;
}

/** Starts one process on SQLite and waits until it is ready. */
export async function startService(
  t: Cleanup,
  environment: NodeJS.ProcessEnv = {},
  place: Place = { dataDir: mkdtempSync(join(tmpdir(), 'tocsin-service-')), enter: [] },
): Promise<FileService> {
  const { dataDir, enter, program } = place;
  const where = { TOCSIN_DATA_DIR: dataDir };
  const start = () =>
    startProcess({ TOCSIN_BOOTSTRAP_API_KEY: apiKey, ...where, ...environment }, enter, program).ready;
  let process = await start();
  const end = (signal: NodeJS.Signals): Promise<Ended> => process.end(signal);
  t.after(async () => {
    await end('SIGKILL');
    rmSync(dataDir, { recursive: true, force: true });
  });
  const databasePath = join(dataDir, 'tocsin.db');
  const ask = asker(() => process.address);
  return {
    get address() {
      return process.address;
    },
    get addresses() {
      return [process.address];
    },
    get pid() {
      return process.pid;
    },
    get printed() {
      return process.printed;
    },
    environment: where,
    databasePath,
    ...ask,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    async restart() {
      process = await start();
    },
    rows(read) {
      const raw = new DatabaseSync(databasePath, { timeout: 5000 });
      try {
        return read(raw);
      } finally {
        raw.close();
      }
    },
    stored() {
      const files = ['', '-wal', '-shm', '.lock'].map((end) => databasePath + end).filter((path) => existsSync(path));
      return Object.fromEntries(files.map((path) => [path, readFileSync(path, 'latin1')]));
    },
  };
}

/** How a service is asked, wherever its API is just now. */
export function asker(address: () => string, key: string = apiKey): Pick<Service, 'api' | 'must'> {
  const api: Service['api'] = async (method, path, body, headers = {}) => {
    const answer = await fetch(address() + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) };
  };
  return {
    api,
    must: async (method, path, body) => {
      const answer = await api(method, path, body);
      if (answer.status > 299)
        throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
      return answer.body;
    },
  };
}

/** A new account of a service, as one who has a key of it alone. */
export async function newAccount(
  service: Pick<Service, 'address'>,
  name: string,
  operatorKey?: string,
): Promise<Pick<Service, 'api' | 'must'> & { readonly id: string }> {
  const operator = asker(() => service.address, operatorKey);
  const { id } = await operator.must('POST', '/v1/accounts', { name });
  const { key } = await operator.must('POST', '/v1/api-keys', { name, role: 'admin', accountIds: [id] });
  return { id: String(id), ...asker(() => service.address, String(key)) };
}
