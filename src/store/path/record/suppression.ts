// Finds the needed check that suppresses the alert of a failure, in the transaction of the result. Shared by all
// engines (docs/decisions/0128).
import { neededBy, type Suppressor, suppressorOf } from '#domain/checks/dependencies.ts';
import type { CheckState } from '#domain/checks/check-state.ts';
import { expectedEveryMs } from '#domain/checks/state-rules.ts';
import type { CheckContext } from '#domain/results/recording.ts';
import type { Flag, IdBytes } from '../../base/codec.ts';
import type { Seal } from '../../base/seal.ts';
import type { CheckStatesTable, ChecksTable } from '../../base/tables/schema.ts';
import { checkOf } from '../../checks/check-rows.ts';
import { stateOf } from './check-state-rows.ts';

/** A needed check; `group_activated` is 1 without a group. */
export type NeededRow = ChecksTable & { readonly group_activated: Flag };

/** Rows that suppression reads. */
export interface SuppressionRows {
  /** Those of the needed checks that exist. */
  needed(context: CheckContext): readonly NeededRow[];
  state(accountId: IdBytes, checkId: IdBytes): CheckStatesTable | undefined;
}

/** IDs of the checks that the check of a context needs. */
export function neededIn({ check, group }: CheckContext): string[] {
  return neededBy(check, group);
}

/** The check that suppresses an alert of this state; null = none. */
export function suppressorIn(
  rows: SuppressionRows,
  context: CheckContext,
  { position }: CheckState,
  { now, seal }: { readonly now: number; readonly seal: Seal },
): Suppressor | null {
  if (neededIn(context).length === 0) return null;
  const needed = rows.needed(context).map((row) => {
    const check = checkOf(row, seal);
    const found = rows.state(row.account_id, row.id);
    const state = stateOf(found);
    return {
      checkId: check.id,
      name: check.name,
      isActive: check.activated && row.group_activated === 1,
      status: state.status,
      judgedAt: state.position?.startedAt ?? null,
      recoveredAt: found?.recovered_at ?? null,
      everyMs: expectedEveryMs(check),
    };
  });
  return suppressorOf(needed, { startedAt: position?.startedAt ?? now, everyMs: expectedEveryMs(context.check) }, now);
}
