// Verifies alerts about a job that pings a heartbeat: it is reported if, and only if, it is silent.

/** A job that pings once per period of true time, except during outages. */
export interface JobTimes {
  readonly periodMs: number;
  readonly graceMs: number;
}

/** Follows one job and the alerts of its heartbeat. Throws on violations. */
export interface HeartbeatJudge {
  /** The job pings. Both times in ms: true time, and time in which pings can be received. */
  called(trueNow: number, receivedMs: number, isReceived: boolean): void;
  /** A period without reception begins or ends, or the clock changes while nothing runs. */
  interrupted(receivedMs: number, allowMs?: number): void;
  /** The heartbeat is reported as missing. */
  opened(trueNow: number): void;
  /** A received ping resolves the alert. */
  closed(): void;
  /** Verifies that it is reported if due. */
  inspect(receivedMs: number): void;
  readonly isOpen: boolean;
}

/** Maximum delay by recording, settling and clock updates, ms. */
const slackMs = 60_000;

export function createHeartbeatJudge(name: string, { periodMs, graceMs }: JobTimes): HeartbeatJudge {
  let lastCallAt: number | null = null;
  // Two missed pings in a row may be reported: a repeated gap is excused only once (docs/decisions/0091).
  let lostInARow = 0;
  // Start of the silence without an interruption of reception, which is an excuse and restarts the period.
  let silentSince: number | null = null;
  let allowedMs = 0;
  let isOpen = false;
  // Since when a received ping should resolve the alert.
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
        throw new Error(`${name} was reported as missing, but its job pinged ${ago}`);
      }
      isOpen = true;
    },
    closed() {
      isOpen = false;
      closesSince = null;
    },
    inspect(receivedMs) {
      if (closesSince !== null && receivedMs - closesSince > slackMs) {
        throw new Error(`${name} was pinged ${receivedMs - closesSince} ms ago, but its alert is not resolved`);
      }
      if (isOpen || silentSince === null) return;
      if (receivedMs - silentSince <= 2 * (periodMs + graceMs) + allowedMs + slackMs) return;
      const seconds = Math.round((receivedMs - silentSince) / 1000);
      throw new Error(`${name} has been silent for ${seconds} s with reception, but was not reported`);
    },
    get isOpen() {
      return isOpen;
    },
  };
}
