// What may be said of a job that calls a heartbeat: it is told of when it is silent, and only then.

/** A job: it calls every period of true time, but for spells in which it does not. */
export interface JobTimes {
  readonly periodMs: number;
  readonly graceMs: number;
}

/** Follows one job and what the heartbeat said of it. Breaches are thrown. */
export interface HeartbeatJudge {
  /** The job calls. Both times in ms: the true one, and the one in which somebody could hear. */
  called(trueNow: number, receivedMs: number, isReceived: boolean): void;
  /** A time in which nobody could hear begins or ends, or the clock is set while nothing ran. */
  interrupted(receivedMs: number, allowMs?: number): void;
  /** The heartbeat is told of as missing. */
  opened(trueNow: number): void;
  /** A call that was heard ends what was told. */
  closed(): void;
  /** Looks whether it should have been told of by now. */
  inspect(receivedMs: number): void;
  readonly isOpen: boolean;
}

/** Signs, settling and the loop that follows the clock together take no longer, ms. */
const slackMs = 60_000;

export function createHeartbeatJudge(name: string, { periodMs, graceMs }: JobTimes): HeartbeatJudge {
  let lastCallAt: number | null = null;
  // A second call in a row that nobody hears may be told of: gaps that come back excuse once (docs/decisions/0091).
  let lostInARow = 0;
  // Since when it could be heard without a break that nothing was: a break excuses, and begins the period anew.
  let silentSince: number | null = null;
  let allowedMs = 0;
  let isOpen = false;
  // Since when a call that was heard waits to end what was told.
  let closesSince: number | null = null;
  return {
    called(trueNow, receivedMs, isReceived) {
      lastCallAt = trueNow;
      lostInARow = isReceived ? 0 : lostInARow + 1;
      silentSince = receivedMs;
      allowedMs = 0;
      if (isOpen && isReceived) closesSince ??= receivedMs;
    },
    interrupted(receivedMs, allowMs = 0) {
      if (silentSince === null) return;
      silentSince = receivedMs;
      allowedMs += allowMs;
    },
    opened(trueNow) {
      if (isOpen) return;
      const isSilent = lastCallAt !== null && trueNow - lastCallAt >= periodMs + graceMs;
      if (!isSilent && lostInARow < 2) {
        const ago = lastCallAt === null ? 'never' : `${Math.round((trueNow - lastCallAt) / 1000)} s ago`;
        throw new Error(`${name} was told of as missing, and its job called ${ago}`);
      }
      isOpen = true;
    },
    closed() {
      isOpen = false;
      closesSince = null;
    },
    inspect(receivedMs) {
      if (closesSince !== null && receivedMs - closesSince > slackMs) {
        throw new Error(`${name} was heard ${receivedMs - closesSince} ms ago, and what was told is not ended`);
      }
      if (isOpen || silentSince === null) return;
      if (receivedMs - silentSince <= 2 * (periodMs + graceMs) + allowedMs + slackMs) return;
      const seconds = Math.round((receivedMs - silentSince) / 1000);
      throw new Error(`${name} has been silent for ${seconds} s in which it could be heard, and nobody was told`);
    },
    get isOpen() {
      return isOpen;
    },
  };
}
