// Cases of flows: each runs on every topology of its file (`each-topology.ts`, `one-process.ts`).
import assert from 'node:assert/strict';
import { after, before, describe as nodeDescribe, type TestContext, test as nodeTest } from 'node:test';
import type { PostgresDatabase } from '../postgres/postgres.ts';
import { type RoleProcess, startRoleProcesses, twoProcesses } from './role-processes.ts';
import type { Cleanup } from '../targets/scripted-server.ts';
import { type Place, type Service, startService } from './service.ts';
import { sharedPostgres } from '../postgres/shared-postgres.ts';

/** What a case does to one of the topologies alone. */
export interface Particulars {
  /** Where the one process runs. */
  readonly place?: Place;
  /** What is done to the PostgreSQL database before the first process starts. */
  readonly prepare?: (database: PostgresDatabase) => unknown;
  /** The processes over PostgreSQL. */
  readonly processes?: readonly RoleProcess[];
}

/** Starts an installation of the topology that the case is run on. */
export type StartService = (t: Cleanup, environment?: NodeJS.ProcessEnv, particulars?: Particulars) => Promise<Service>;

/** Ask for it only where a case must differ. */
export type Topology = 'one process, SQLite' | 'two processes, PostgreSQL';

const topologies: Readonly<Record<Topology, StartService>> = {
  'one process, SQLite': (t, environment, { place } = {}) => startService(t, environment, place),
  'two processes, PostgreSQL': async (t, environment = {}, { prepare, processes = twoProcesses } = {}) => {
    const database = await (await sharedPostgres()).newDatabase();
    prepare?.(database);
    // TCP to the database has flows of its own: poolers, cuts, roles.
    return startRoleProcesses(t, { ...database, url: database.socketUrl }, { processes, environment });
  },
};

/** What a case is given. */
export interface Given {
  readonly t: TestContext;
  readonly startService: StartService;
  readonly topology: Topology;
}

/** Of a case that failed: what the processes have logged, and which work waits at this moment. */
function printLogOf(t: TestContext, service: Service): void {
  t.diagnostic(service.printed.slice(-4000));
  try {
    const waiting = service.rows((raw) => ({
      now: Date.now(),
      runs: raw.prepare('SELECT location, attempt, due_at, available_at FROM runs ORDER BY due_at LIMIT 20').all(),
      deliveries: raw.prepare('SELECT status, attempts, next_attempt_at, alert_type FROM deliveries LIMIT 20').all(),
    }));
    t.diagnostic(JSON.stringify(waiting));
  } catch (error) {
    t.diagnostic(`its rows cannot be read: ${String(error)}`);
  }
}

/** Cases that share one running service. */
export interface Shared {
  readonly topology: Topology;
  /** The service, once the first case runs. */
  readonly service: () => Service;
  /** A case that uses it. */
  readonly it: (name: string, work: (t: TestContext, service: Service) => Promise<void>) => void;
}

/** A service that differs from the default. */
export interface OwnService {
  readonly environment?: NodeJS.ProcessEnv;
  readonly particulars?: Particulars;
}

/** How cases of a file are written. */
export interface Cases {
  /** A case that starts its own service, once for each topology. */
  readonly test: (name: string, work: (given: Given) => Promise<void>) => void;
  /** Cases that share one running service and do not end it, once for each topology. */
  readonly describe: (
    name: string,
    options: { readonly concurrency?: number; readonly own?: OwnService },
    cases: (shared: Shared) => void,
  ) => void;
}

/** Cases that run on these topologies, at the same time because they mostly wait. */
export function casesOn(names: readonly Topology[]): Cases {
  const passed = new Map<Topology, number>(names.map((name) => [name, 0]));
  const notePassed = (topology: Topology): void => void passed.set(topology, (passed.get(topology) ?? 0) + 1);
  after(() => {
    const [first, ...others] = passed.values();
    assert.ok(first !== undefined && first > 0, 'no case of this file passed');
    for (const other of others)
      assert.equal(other, first, `not every case passed on every topology: ${JSON.stringify([...passed])}`);
  });
  return {
    test(name, work) {
      nodeDescribe(name, { concurrency: names.length }, () => {
        for (const topology of names) {
          nodeTest(topology, async (t) => {
            await runWithService(t, topology, work);
            notePassed(topology);
          });
        }
      });
    },
    describe(name, { concurrency = 1, own = {} }, cases) {
      nodeDescribe(name, { concurrency: names.length }, () => {
        for (const topology of names) {
          nodeDescribe(topology, { concurrency }, () => {
            const service = sharedService(topology, own);
            const it: Shared['it'] = (title, work) =>
              void nodeTest(title, async (t) => {
                await work(t, service()).catch((error: unknown) => {
                  printLogOf(t, service());
                  throw error;
                });
                notePassed(topology);
              });
            cases({ topology, service, it });
          });
        }
      });
    },
  };
}

/** Starts a service before the cases of the present suite, and ends it after them. */
function sharedService(topology: Topology, { environment, particulars }: OwnService): () => Service {
  const endings: (() => void | Promise<void>)[] = [];
  let running: Service | null = null;
  before(async () => {
    const later = { after: (work: () => void | Promise<void>) => void endings.push(work) };
    running = await topologies[topology](later, environment, particulars);
  });
  after(async () => {
    for (const end of endings.toReversed()) await end();
  });
  return () => running ?? assert.fail('the service is not started yet');
}

async function runWithService(
  t: TestContext,
  topology: Topology,
  work: (given: Given) => Promise<void>,
): Promise<void> {
  const started: Service[] = [];
  const startIt: StartService = async (...asked) => {
    const service = await topologies[topology](...asked);
    started.push(service);
    return service;
  };
  await work({ t, startService: startIt, topology }).catch((error: unknown) => {
    for (const service of started) printLogOf(t, service);
    throw error;
  });
  assert.ok(started.length > 0, 'the case started no service: it proves nothing about the topology');
}
