/** One process of an installation, as it last wrote of itself. Instants are epoch ms. */
export interface ProcessSign {
  /** Made at its start. */
  readonly id: string;
  readonly roles: readonly string[];
  readonly version: string;
  readonly location: { readonly code: string; readonly name: string };
  /** Name of its machine, and its number there. */
  readonly host: string;
  readonly pid: number;
  /** Where people reach it; null = it serves no API. */
  readonly publicUrl: string | null;
  readonly startedAt: number;
  /** Its last sign of life. */
  readonly seenAt: number;
  /** What it holds a lease on: runs, and deliveries. */
  readonly holds: { readonly runs: number; readonly deliveries: number };
  /** Since when it has no Chromium for the checks that it runs; null = it has one, or runs no checks. */
  readonly noBrowserSince: number | null;
  /** Why it runs no scripts, in a sentence; null = it does, or none has been tried. */
  readonly scriptsRefused: string | null;
  /** Addresses and ports that it listens on. */
  readonly listeners: readonly { readonly host: string; readonly port: number }[];
}

/** Between two signs of life, ms. */
export const signPauseMs = 5000;
/** A process that has been silent for this long is taken for dead, ms. */
export const silentAfterMs = 3 * signPauseMs;

/** Whether a process lives, as far as its last sign of life says. */
export function isAlive({ seenAt }: Pick<ProcessSign, 'seenAt'>, now: number): boolean {
  return now - seenAt < silentAfterMs;
}

/**
 * Run locations that somebody serves: those of the living processes that run checks, this process's own first when it is
 * among them. With none there is only its own: runs are planned there and wait.
 */
export function servedLocations(
  processes: readonly ProcessSign[],
  own: ProcessSign['location'],
  now: number,
): readonly ProcessSign['location'][] {
  const runners = processes.filter((one) => one.roles.includes('runner') && isAlive(one, now));
  const served = new Map(runners.map(({ location }) => [location.code, location]));
  const codes = [...served.keys()].sort((a, b) => Number(b === own.code) - Number(a === own.code) || (a < b ? -1 : 1));
  return codes.length === 0 ? [own] : codes.map((code) => served.get(code) ?? own);
}
