// Room for scripts: of each type of check a few at once, and accounts take turns (docs/decisions/0082).
import type { CheckType } from '#domain/checks/check.ts';
import { createSharedLanes } from '#lib/shared-lanes.ts';

/** The lanes of a process, one for each type of check that has scripts. */
export interface ScriptLanes {
  /**
   * Resolves when there is room for a check of that type, with how to leave it again; with null when the lanes are closed.
   *
   * @param who whose it is: of those who wait, whoever has least inside is next
   * @throws {Error} when checks of that type have no scripts
   */
  enter(type: CheckType, who: string): Promise<(() => void) | null>;
  /** Lets nobody in any more. */
  close(): void;
}

/**
 * Scripts of one type never wait for those of another: a browser may take minutes, a script around a request seconds. No place is
 * kept free for an account that might come: the only one of most installations would have one less.
 *
 * @param atOnce of each type, from 1
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
