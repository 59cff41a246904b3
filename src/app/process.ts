// What this process tells the others of itself, and what it knows of them.
import { hostname } from 'node:os';
import { isAlive, type ProcessSign, servedLocations } from '#domain/accounts/process.ts';
import type { Clock } from '#lib/clock.ts';
import { newId } from '#lib/id.ts';
import type { Store } from '#store/store.ts';
import type { Config } from '#config/config.ts';
import { version } from '#config/version.ts';

/** What this process holds a lease on. */
export type Holds = ProcessSign['holds'];

/** This process among the others. */
export interface OwnProcess {
  readonly id: string;
  /** A sign of life, durable; learns who else lives. */
  sign(): Promise<void>;
  /** Run locations that are served, as far as is known. */
  servedLocations(): readonly ProcessSign['location'][];
  /** What the others and this one last wrote of themselves, for metrics. */
  known(): readonly ProcessSign[];
  /** Where people reach the installation: this process, or of those that serve the API the one that started last. */
  publicUrl(): string;
  /** Notes why scripts do not run in this process, for its next signs of life; null = they do. */
  refuseScripts(why: string | null): void;
  /** Takes back its sign of life. */
  leave(): Promise<void>;
}

export interface OwnProcessMeans {
  readonly config: Pick<Config, 'roles' | 'location'>;
  readonly store: Pick<Store, 'processes' | 'gaps'>;
  readonly clock: Clock;
  readonly holds: () => Holds;
  /** Whether it runs checks and there is no Chromium for them; asked at each sign of life. */
  readonly lacksBrowser: () => boolean;
  /** Whether this process listens already: before it does, its port may not be known. */
  readonly isListening: () => boolean;
  /** Where people reach this process. */
  readonly publicUrl: () => string;
  /** What this process listens on by now. */
  readonly listeners: () => ProcessSign['listeners'];
  /** Receives the other processes at each sign of life. */
  readonly onOthers: (others: readonly ProcessSign[]) => void;
}

export function createOwnProcess(means: OwnProcessMeans): OwnProcess {
  const { config, store, clock } = means;
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
  let noBrowserSince: number | null = null;
  let scriptsRefused: string | null = null;
  return {
    id: own.id,
    async sign() {
      await store.gaps.signOfLife();
      const publicUrl = servesApi && means.isListening() ? means.publicUrl() : null;
      noBrowserSince = means.lacksBrowser() ? (noBrowserSince ?? clock.now()) : null;
      await store.processes.sign({
        ...own,
        publicUrl,
        holds: means.holds(),
        noBrowserSince,
        listeners: means.listeners(),
        scriptsRefused,
      });
      known = await store.processes.list();
      means.onOthers(known.filter(({ id }) => id !== own.id));
    },
    servedLocations: () => servedLocations(known, location, clock.now()),
    known: () => known.filter((one) => isAlive(one, clock.now())),
    publicUrl: () => (servesApi ? null : newest(known)) ?? means.publicUrl(),
    refuseScripts(why) {
      scriptsRefused = why;
    },
    leave: () => store.processes.leave(own.id).catch(() => undefined),
  };
}

/** Codes of the run locations that are served, asked anew each time. */
export function servedCodes(ownProcess: Pick<OwnProcess, 'servedLocations'>): () => readonly string[] {
  return () => ownProcess.servedLocations().map(({ code }) => code);
}

function newest(processes: readonly ProcessSign[]): string | null {
  return processes.findLast(({ publicUrl }) => publicUrl !== null)?.publicUrl ?? null;
}
