// The processes of an installation and the locations that they serve.
import type { Notice } from '../alerts/notice-channel.ts';

/** A process of an installation, as last published by itself. Times are epoch ms. */
export interface ProcessSign {
  /** Created when the process starts. */
  readonly id: string;
  readonly roles: readonly string[];
  readonly version: string;
  readonly location: { readonly code: string; readonly name: string };
  /** Host name and process ID. */
  readonly host: string;
  readonly pid: number;
  /** Public URL; null = it serves no API. */
  readonly publicUrl: string | null;
  readonly startedAt: number;
  /** Time of its last heartbeat. */
  readonly seenAt: number;
  /** Numbers of leased runs and deliveries. */
  readonly holds: { readonly runs: number; readonly deliveries: number };
  /** Since when Chromium has been missing for its checks; null = available, or it runs no checks. */
  readonly noBrowserSince: number | null;
  /** Since when no name server has answered its checks; null = one does, or it runs no checks. */
  readonly resolverDownSince: number | null;
  /** Why it runs no scripts, in a sentence; null = it does, or none has been tried. */
  readonly scriptsRefused: string | null;
  /** Its steps that make no progress, by name. */
  readonly stalled: readonly string[];
  /** Problems that it alone can see: others show them, too. */
  readonly notices: readonly Notice[];
  /** Addresses and ports of its listeners. */
  readonly listeners: readonly { readonly host: string; readonly port: number }[];
}

/** Interval between two heartbeats, ms. */
export const heartbeatIntervalMs = 5000;
/** Silence after which a process counts as dead, ms. */
export const silentAfterMs = 3 * heartbeatIntervalMs;

/** Whether a process is alive according to its last heartbeat. */
export function isAlive({ seenAt }: Pick<ProcessSign, 'seenAt'>, now: number): boolean {
  return now - seenAt < silentAfterMs;
}

/** A location that has or had a runner. */
export interface KnownLocation {
  readonly code: string;
  readonly name: string;
  /** The account whose private location it is or was; null = all accounts share it. */
  readonly ownerId: string | null;
  /** Last heartbeat of a runner there, epoch ms. */
  readonly seenAt: number;
}

/** A run location, as it is shown. */
export interface ShownLocation {
  readonly code: string;
  readonly name: string;
  /** Since when it has had no runner, epoch ms; null = it is available. */
  readonly silentSince: number | null;
  /** Whether only the checks of one account run there. */
  readonly isPrivate: boolean;
}

/** The account that alone may run checks at a location; null = all may. */
export function ownerOf(known: readonly KnownLocation[], code: string): string | null {
  return known.find((one) => one.code === code)?.ownerId ?? null;
}

/**
 * Available run locations: those of the living processes that run checks, this process's own first, and private ones
 * last, so that checks without a location do not run there. If there are none, only its own, where runs are queued.
 */
export function servedLocations(
  processes: readonly ProcessSign[],
  own: ProcessSign['location'],
  known: readonly KnownLocation[],
  now: number,
): readonly ProcessSign['location'][] {
  const runners = processes.filter((one) => one.roles.includes('runner') && isAlive(one, now));
  const served = new Map(runners.map(({ location }) => [location.code, location]));
  const rank = (code: string): number => (ownerOf(known, code) === null ? 0 : 2) + (code === own.code ? 0 : 1);
  const codes = [...served.keys()].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  return codes.length === 0 ? [own] : codes.map((code) => served.get(code) ?? own);
}

/** The available locations, then those that are known and have no runner, by code. */
export function shownLocations(
  served: readonly ProcessSign['location'][],
  known: readonly KnownLocation[],
): readonly ShownLocation[] {
  const codes = new Set(served.map(({ code }) => code));
  const silent = known
    .filter(({ code }) => !codes.has(code))
    .map(({ code, name, seenAt }) => ({ code, name, silentSince: seenAt }));
  const all = [...served.map(({ code, name }) => ({ code, name, silentSince: null })), ...silent];
  return all.map((one) => ({ ...one, isPrivate: ownerOf(known, one.code) !== null }));
}

/** How long a machine has been up. Two readings of the same boot differ by real time, including suspension. */
export interface MachineTime {
  /** ID of the start of the machine. */
  readonly boot: string;
  readonly upMs: number;
}
