// The flows: every case that is written with this `test`, or inside this `describe`, is run on one process over SQLite and
// on a process per role over a real PostgreSQL.
import assert from 'node:assert/strict';
import { after, before, describe as nodeDescribe, type TestContext, test as nodeTest } from 'node:test';
import type { Role } from '#config/variables.ts';
import { lightSettings, type PostgresDatabase, type PostgresServer, startPostgres } from './postgres.ts';
import { everyRole, startRoleProcesses } from './role-processes.ts';
import type { Cleanup } from './scripted-server.ts';
import { newAccount, type Place, type Service, startService } from './service.ts';

/** What a case does to one of the topologies alone. */
export interface Particulars {
  /** Where the one process runs. */
  readonly place?: Place;
  /** What is done to the PostgreSQL database before the first process starts. */
  readonly prepare?: (database: PostgresDatabase) => unknown;
  /** Of which roles there are processes over PostgreSQL, where the others would only cost time. */
  readonly roles?: readonly Role[];
  /** What a process over PostgreSQL has to be told of the machine it runs on. */
  readonly machineOf?: (role: Role) => NodeJS.ProcessEnv;
}

/** Starts an installation of the topology that the case is run on. */
export type StartService = (t: Cleanup, environment?: NodeJS.ProcessEnv, particulars?: Particulars) => Promise<Service>;

/** Which of the two; to be asked only where they are meant to differ. */
export type Topology = 'one process, SQLite' | 'a process per role, PostgreSQL';

let starting: Promise<PostgresServer> | null = null;

/** The one server of this file of tests. */
export function postgresServer(): Promise<PostgresServer> {
  starting ??= startPostgres(null, undefined, lightSettings);
  return starting;
}

const topologies: Readonly<Record<Topology, StartService>> = {
  'one process, SQLite': (t, environment, { place } = {}) => startService(t, environment, place),
  'a process per role, PostgreSQL': async (
    t,
    environment = {},
    { prepare, roles = everyRole, machineOf = () => ({}) } = {},
  ) => {
    const database = await (await postgresServer()).newDatabase();
    prepare?.(database);
    // What goes over TCP to the database stands in the flows that are about that way: poolers, cuts, roles.
    return startRoleProcesses(
      t,
      { ...database, url: database.socketUrl },
      {
        roles,
        environment: (role) => ({ ...environment, ...machineOf(role) }),
      },
    );
  },
};
const names = Object.keys(topologies) as Topology[];

const ended: Record<Topology, number> = { 'one process, SQLite': 0, 'a process per role, PostgreSQL': 0 };

/** What a case is given. */
export interface Given {
  readonly t: TestContext;
  readonly startService: StartService;
  readonly topology: Topology;
}

/** A case that starts its own service, once for each topology. */
export function test(name: string, work: (given: Given) => Promise<void>): void {
  for (const topology of names) {
    const start = topologies[topology];
    nodeTest(`${name} [${topology}]`, async (t) => {
      const started: Service[] = [];
      const startIt: StartService = async (...asked) => {
        const service = await start(...asked);
        started.push(service);
        return service;
      };
      await work({ t, startService: startIt, topology }).catch((error: unknown) => {
        for (const service of started) tellOf(t, service);
        throw error;
      });
      assert.ok(started.length > 0, 'the case started no service: it says nothing of the topology');
      ended[topology]++;
    });
  }
}

/** Of a case that failed: what the processes have logged, and which work waits at this moment. */
function tellOf(t: TestContext, service: Service): void {
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
  readonly it: (name: string, work: (t: TestContext, service: Service) => Promise<void> | void) => void;
}

/** A service that no other cases use. */
export interface OwnService {
  readonly environment?: NodeJS.ProcessEnv;
  readonly particulars?: Particulars;
}

/** What ends the services that were started for cases which share one. */
const endings: (() => void | Promise<void>)[] = [];
/** By the topology: services that cases of several files use, one after the other. */
const common = new Map<Topology, Promise<Service>>();

function startShared(topology: Topology, { environment, particulars }: OwnService = {}): Promise<Service> {
  return topologies[topology]({ after: (work) => void endings.push(work) }, environment, particulars);
}

/** The one service of this process whose cases see only what they have made themselves. */
function commonService(topology: Topology): Promise<Service> {
  const running = common.get(topology) ?? startShared(topology);
  common.set(topology, running);
  return running;
}

/** The common service as an account of its own: alerts about channels that others left behind do not reach it. */
async function inOwnAccount(topology: Topology, name: string): Promise<Service> {
  const service = await commonService(topology);
  const { api, must } = await newAccount(service, name);
  return Object.create(service, { api: { value: api }, must: { value: must } }) as Service;
}

/**
 * Cases that share one running service and do not end it, once for each topology.
 *
 * @param own a service of their own, which is new to them; without it they use the one that all such cases of this process
 *   use, because to start one takes longer than most cases do
 */
export function describe(
  name: string,
  { concurrency = 1, own }: { concurrency?: number; own?: OwnService },
  cases: (shared: Shared) => void,
): void {
  for (const topology of names) {
    nodeDescribe(`${name} [${topology}]`, { concurrency }, () => {
      let running: Service | null = null;
      const service = (): Service => running ?? assert.fail('the service is not started yet');
      before(async () => {
        running = own === undefined ? await inOwnAccount(topology, name) : await startShared(topology, own);
      });
      cases({
        topology,
        service,
        it: (title, work) =>
          void nodeTest(title, async (t) => {
            try {
              await work(t, service());
            } catch (error) {
              tellOf(t, service());
              throw error;
            }
            ended[topology]++;
          }),
      });
    });
  }
}

after(async () => {
  for (const end of endings.toReversed()) await end();
  if (starting !== null) await (await starting).stop();
  const [first, ...others] = Object.values(ended);
  assert.ok(first !== undefined && first > 0, 'no case of this file ran well');
  for (const other of others)
    assert.equal(other, first, `not every case ran well on every topology: ${JSON.stringify(ended)}`);
});
