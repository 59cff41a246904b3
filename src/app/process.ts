// Publishes the state of this process and reads that of the others.
import { hostname } from 'node:os';
import {
  isAlive,
  type KnownLocation,
  ownerOf,
  type ProcessSign,
  servedLocations,
  type ShownLocation,
  shownLocations,
} from '#domain/accounts/process.ts';
import type { Clock } from '#lib/clock.ts';
import { newId } from '#lib/id.ts';
import { machineTime } from './store/machine-time.ts';
import type { Store } from '#store/store.ts';
import type { Config } from '#config/config.ts';
import { version } from '#config/version.ts';

/** What this process has leased. */
export type Holds = ProcessSign['holds'];

/** This process among the others. */
export type OwnProcess = ReturnType<typeof createOwnProcess>;

export interface OwnProcessDeps {
  readonly config: Pick<Config, 'roles' | 'location'>;
  readonly store: Pick<Store, 'processes' | 'gaps'>;
  readonly clock: Clock;
  readonly holds: () => Holds;
  /** Its steps that make no progress. */
  readonly stalled: () => readonly string[];
  /** Problems that this process alone can see; called for each heartbeat. */
  readonly notices: () => ProcessSign['notices'];
  /** Whether it runs checks without Chromium; called for each heartbeat. */
  readonly lacksBrowser: () => boolean;
  /** Whether no name server answers its checks; called for each heartbeat. */
  readonly isResolverDown: () => boolean;
  /** Whether this process listens: before that, its port may be unknown. */
  readonly isListening: () => boolean;
  /** Public URL of this process. */
  readonly publicUrl: () => string;
  /** Listeners of this process so far. */
  readonly listeners: () => ProcessSign['listeners'];
  /** Receives the other processes at each heartbeat. */
  readonly onOthers: (others: readonly ProcessSign[]) => void;
}

export function createOwnProcess(deps: OwnProcessDeps) {
  const { config, store, clock } = deps;
  const { roles, location } = config;
  const own = {
    id: newId(),
    roles,
    version,
    location,
    host: hostname(),
    pid: process.pid,
    startedAt: clock.now(),
  };
  const servesApi = roles.includes('api');
  let known: readonly ProcessSign[] = [];
  let knownLocations: readonly KnownLocation[] = [];
  const served = (): readonly ProcessSign['location'][] =>
    servedLocations(known, location, knownLocations, clock.now());
  let noBrowserSince: number | null = null;
  let resolverDownSince: number | null = null;
  let scriptsRefused: string | null = null;
  return {
    id: own.id,
    /** Epoch ms. */
    startedAt: own.startedAt,
    /** Writes a heartbeat durably and reads the other processes. */
    async sign(): Promise<void> {
      await store.gaps.recordHeartbeat(machineTime());
      const publicUrl = servesApi && deps.isListening() ? deps.publicUrl() : null;
      noBrowserSince = deps.lacksBrowser() ? (noBrowserSince ?? clock.now()) : null;
      resolverDownSince = deps.isResolverDown() ? (resolverDownSince ?? clock.now()) : null;
      await store.processes.sign({
        ...own,
        publicUrl,
        holds: deps.holds(),
        noBrowserSince,
        resolverDownSince,
        listeners: deps.listeners(),
        scriptsRefused,
        stalled: deps.stalled(),
        notices: deps.notices(),
      });
      [known, knownLocations] = await Promise.all([store.processes.list(), store.processes.locations()]);
      deps.onOthers(known.filter(({ id }) => id !== own.id));
    },
    /** Known run locations. */
    servedLocations: served,
    /** Those, and known ones without a runner. */
    locations: (): readonly ShownLocation[] => shownLocations(served(), knownLocations),
    /** Codes of the available run locations that an account may use. */
    servedTo(accountId: string): readonly string[] {
      const codes = served().map(({ code }) => code);
      return codes.filter((code) => [null, accountId].includes(ownerOf(knownLocations, code)));
    },
    /** The account that alone may run checks in this process; null = all may. */
    owner: (): string | null => ownerOf(knownLocations, location.code),
    /** The last published state of all processes, for metrics. */
    known: (): readonly ProcessSign[] => known.filter((one) => isAlive(one, clock.now())),
    /** Public URL of the installation: of this process, or of the newest process that serves the API. */
    publicUrl: (): string => (servesApi ? null : newest(known)) ?? deps.publicUrl(),
    /** Sets why scripts do not run in this process, for the next heartbeats; null = they do. */
    refuseScripts(why: string | null): void {
      scriptsRefused = why;
    },
    /** Removes its heartbeat. */
    leave: (): Promise<void> => store.processes.leave(own.id).catch(() => undefined),
  };
}

/** Codes of the available run locations, read anew each time. */
export function servedCodes(ownProcess: Pick<OwnProcess, 'servedLocations'>): () => readonly string[] {
  return () => ownProcess.servedLocations().map(({ code }) => code);
}

function newest(processes: readonly ProcessSign[]): string | null {
  return processes.findLast(({ publicUrl }) => publicUrl !== null)?.publicUrl ?? null;
}
