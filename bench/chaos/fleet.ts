// Two processes of each role on one PostgreSQL, each with its own connection through the proxy.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Role } from '#config/variables.ts';
import type { Peer } from '../support/peer.ts';
import { type Program, presentProgram, type Service, startService } from '../support/service.ts';

const roles: readonly Role[] = ['api', 'scheduler', 'runner', 'deliverer', 'upkeep'];
const membersOfRole = 2;

/** A process of the fleet, across restarts. */
export interface Member {
  /** For example `runner 2`. */
  readonly name: string;
  readonly role: Role;
  /** null while it is not ready. */
  readonly service: Service | null;
  /** Process ids so far. */
  readonly pids: ReadonlySet<string>;
  /** Whether a fault is in progress. */
  isBusy: boolean;
  kill(): Promise<void>;
  stop(): Promise<void>;
  /** Restarts it; errors become complaints. */
  start(): Promise<void>;
  /** Starts it and kills it after `afterMs`, ready or not. */
  startInVain(afterMs: number): Promise<void>;
}

export interface Fleet {
  readonly members: readonly Member[];
  /** Unexpected behavior of processes: exits and failed starts. */
  readonly complaints: readonly string[];
  /** Ready processes of a role. */
  serving(role: Role): Service[];
  /** Stops all like an operator. */
  stop(): Promise<void>;
}

export interface FleetOptions {
  readonly dataDir: string;
  readonly proxy: Peer;
  /** The database URL; its port is replaced by that of each proxy connection. */
  readonly url: string;
  /** Returns the code for a process at each start. Default: this checkout. */
  readonly programOf?: (name: string) => Program;
}

/** Starts all at once on an empty database. */
export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const complaints: string[] = [];
  const names = roles.flatMap((role) => Array.from({ length: membersOfRole }, (_, index) => ({ role, index })));
  const members = await Promise.all(
    names.map(({ role, index }) => createMember(role, `${role} ${index + 1}`, options, complaints)),
  );
  await Promise.all(members.map((member) => member.start()));
  if (complaints.length > 0) throw new Error(complaints.join('\n'));
  return {
    members,
    complaints,
    serving: (role) => members.flatMap((member) => (member.role === role ? (member.service ?? []) : [])),
    stop: async () => void (await Promise.all(members.map((member) => member.stop()))),
  };
}

async function createMember(
  role: Role,
  name: string,
  { dataDir, proxy, url, programOf = () => presentProgram }: FleetOptions,
  complaints: string[],
): Promise<Member> {
  const route = new URL(url);
  route.port = String(await proxy.ask<number>('open', { name, port: Number(route.port) }));
  const environment = { DATABASE_URL: route.href, TOCSIN_ROLES: role, TOCSIN_PROBE_THREADS: '1', LOG_LEVEL: 'warn' };
  const how = { dataDir: join(dataDir, name), environment, maxCallMs: 5000 };
  const pids = new Set<string>();
  let service: Service | null = null;
  const end = async (by: (ending: Service) => Promise<void>): Promise<void> => {
    const ending = service;
    service = null;
    if (ending === null) return;
    await by(ending);
    writeFileSync(join(dataDir, `${name}.log`), ending.output(), { flag: 'a' });
  };
  return {
    name,
    role,
    isBusy: false,
    pids,
    get service() {
      return service;
    },
    kill: () => end((ending) => ending.kill()),
    stop: () => end((ending) => ending.stop()),
    async startInVain(afterMs) {
      const onSpawned = (pid: number): void => void setTimeout(() => process.kill(pid, 'SIGKILL'), afterMs);
      // Killed either route, ready or not.
      await startService({ ...how, onSpawned }).then(
        ({ ended }) => ended,
        () => undefined,
      );
    },
    async start() {
      try {
        const started = await startService({ ...how, program: programOf(name) });
        service = started;
        pids.add(String(started.pid));
        void started.ended.then(() => {
          if (service === started) complaints.push(`${name} exited unexpectedly: ${lastOf(started.output())}`);
        });
      } catch (error) {
        complaints.push(`${name} did not start: ${lastOf(error instanceof Error ? error.message : String(error))}`);
      }
    },
  };
}

function lastOf(output: string): string {
  return output.trim().split('\n').slice(-3).join(' | ');
}
