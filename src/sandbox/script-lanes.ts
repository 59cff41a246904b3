// Concurrency limits for scripts by check type, fair between accounts (docs/decisions/0082).
import type { CheckType } from '#domain/checks/check.ts';
import { createSharedLanes } from '#lib/shared-lanes.ts';

/** The lanes of a process, one for each check type with scripts. */
export interface ScriptLanes {
  /**
   * Waits for capacity and returns how to release it; null when the lanes are closed.
   *
   * @param who the account; among those waiting, the one with the fewest running scripts is next
   * @throws {Error} if checks of that type have no scripts
   */
  enter(type: CheckType, who: string): Promise<(() => void) | null>;
  /** Rejects further scripts. */
  close(): void;
}

/**
 * Creates the lanes. Types are independent: a browser may take minutes, a script around a request seconds. No slot is
 * reserved for other accounts, because most installations have only one.
 *
 * @param atOnce slots per type, at least 1
 */
export function createScriptLanes(types: readonly CheckType[], atOnce: number): ScriptLanes {
  const closing = new AbortController();
  const lanes = new Map(types.map((type) => [type, createSharedLanes(atOnce, atOnce)]));
  return {
    async enter(type, who) {
      const lane = lanes.get(type);
      if (lane === undefined) throw new Error(`${type} checks have no scripts`);
      return lane.enter(who, closing.signal);
    },
    close: () => closing.abort(),
  };
}
