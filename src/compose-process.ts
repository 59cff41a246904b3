// What this process tells the others of itself, and what it knows of them.
import { hostname } from 'node:os';
import { isAlive, type ProcessSign, servedLocations } from '#domain/process.ts';
import type { Clock } from '#lib/clock.ts';
import { newId } from '#lib/id.ts';
import type { Reception } from '#store/reception.ts';
import type { Store } from '#store/store.ts';
import type { Config } from './config.ts';
import { version } from './version.ts';

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
  /** Takes back its sign of life. */
  leave(): Promise<void>;
}

export interface OwnProcessMeans {
  readonly config: Pick<Config, 'roles' | 'location'>;
  readonly store: Pick<Store, 'processes' | 'gaps' | 'receptions'>;
  readonly clock: Clock;
  readonly holds: () => Holds;
  /** Whether this process listens already: before it does, its port may not be known. */
  readonly isListening: () => boolean;
  /** Where people reach this process. */
  readonly publicUrl: () => string;
}

export function createOwnProcess(means: OwnProcessMeans): OwnProcess {
  const { config, store, clock } = means;
  const { roles, location } = config;
  const own = { id: newId(), roles, version, location, host: hostname(), pid: process.pid, startedAt: clock.now() };
  const servesApi = roles.includes('api');
  let known: readonly ProcessSign[] = [];
  const hearing = createHearing(store.receptions, clock);
  /** Says that pings can be received, from when this process listens on. */
  const hear = async (): Promise<void> => {
    if (!servesApi || !means.isListening()) return;
    const others = known.filter((one) => one.id !== own.id && isAlive(one, clock.now()));
    await hearing.hear(others.filter(({ roles: theirs }) => theirs.includes('api')));
  };
  return {
    id: own.id,
    async sign() {
      await store.gaps.signOfLife();
      const publicUrl = servesApi && means.isListening() ? means.publicUrl() : null;
      await store.processes.sign({ ...own, publicUrl, holds: means.holds() });
      known = await store.processes.list();
      await hear();
    },
    servedLocations: () => servedLocations(known, location, clock.now()),
    known: () => known.filter((one) => isAlive(one, clock.now())),
    publicUrl: () => (servesApi ? null : newest(known)) ?? means.publicUrl(),
    leave: () => store.processes.leave(own.id).catch(() => undefined),
  };
}

function newest(processes: readonly ProcessSign[]): string | null {
  return processes.findLast(({ publicUrl }) => publicUrl !== null)?.publicUrl ?? null;
}

/**
 * Says that pings can be received. Whether others could receive them while this process began is not known at once: one
 * that was killed seems to live for some seconds. So the time before is taken for one without anybody, until another
 * process gives a sign.
 */
function createHearing(receptions: Store['receptions'], clock: Clock) {
  let hasBegun = false;
  let doubt: { readonly since: number; readonly last: Pick<Reception, 'deaf'> } | null = null;
  return {
    /** @param others processes that receive pings, as far as is known */
    async hear(others: readonly ProcessSign[]): Promise<void> {
      if (!hasBegun) {
        const { heardAt, deaf } = await receptions.hear(true);
        hasBegun = true;
        if (others.length > 0 && heardAt !== null) doubt = { since: clock.now(), last: { deaf } };
        return;
      }
      const since = doubt?.since ?? Number.POSITIVE_INFINITY;
      const isDispelled = others.some(({ seenAt }) => seenAt > since);
      await receptions.hear(false, isDispelled ? doubt?.last : undefined);
      if (isDispelled || clock.now() - since > doubtMostMs) doubt = null;
    },
  };
}

/** Whoever lives has given a sign by then, ms. */
const doubtMostMs = 15_000;
