// Two processes of each role over one PostgreSQL, each on a way of its own to the database.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Role } from '#config/variables.ts';
import type { Peer } from '../support/peer.ts';
import { type Program, presentProgram, type Service, startService } from '../support/service.ts';

const roles: readonly Role[] = ['api', 'scheduler', 'runner', 'deliverer', 'upkeep'];
const membersOfRole = 2;

/** One of the processes, by whatever number it runs now. */
export interface Member {
  /** As `runner 2`. */
  readonly name: string;
  readonly role: Role;
  /** null while it is down or not ready yet. */
  readonly service: Service | null;
  /** Its numbers on this machine so far. */
  readonly pids: ReadonlySet<string>;
  /** Whether something is being done to it already. */
  isBusy: boolean;
  kill(): Promise<void>;
  stop(): Promise<void>;
  /** Starts it again; what goes wrong is a complaint. */
  start(): Promise<void>;
  /** Starts it and kills it `afterMs` later, ready or not. */
  startInVain(afterMs: number): Promise<void>;
}

export interface Fleet {
  readonly members: readonly Member[];
  /** What processes did that they should not: ended by themselves, did not start. */
  readonly complaints: readonly string[];
  /** Those of a role that answer. */
  serving(role: Role): Service[];
  /** Ends all as an operator would. */
  stop(): Promise<void>;
}

export interface FleetOptions {
  readonly dataDir: string;
  readonly proxy: Peer;
  /** The database; the port of its server is replaced by that of each way. */
  readonly url: string;
  /** Which code a process runs, asked at each of its starts; that of this checkout when it is not told. */
  readonly programOf?: (name: string) => Program;
}

/** Starts all of them at once, on an empty database. */
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
  const way = new URL(url);
  way.port = String(await proxy.ask<number>('open', { name, port: Number(way.port) }));
  const environment = { DATABASE_URL: way.href, TOCSIN_ROLES: role, TOCSIN_PROBE_THREADS: '1', LOG_LEVEL: 'warn' };
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
      // Ready before it is killed or not: both are its end.
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
          if (service === started) complaints.push(`${name} ended by itself: ${lastOf(started.output())}`);
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
