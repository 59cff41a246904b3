// Finds the needed check that suppresses the alert of a failure, in the transaction of the result. Shared by all
// engines (docs/decisions/0128).
import {
  escalationDueAt,
  type FailureMessage,
  isNotifiedBy,
  type NeededCheck,
  suppressionOf,
  type Suppressor,
} from '#domain/alerts/suppression.ts';
import { neededBy } from '#domain/checks/check-group.ts';
import type { CheckState } from '#domain/checks/check-state.ts';
import { effectiveCheck, isMutedUntilRecovery } from '#domain/checks/effective-check.ts';
import { expectedEveryMs, maintenanceOf, stateRulesOf } from '#domain/checks/state-rules.ts';
import type { CheckContext } from '#domain/results/recording.ts';
import { deliveryStatusCodes } from '../../base/codes.ts';
import type { CheckStatesTable, DeliveriesTable } from '../../base/tables/schema.ts';
import { stateOf } from './check-state-rows.ts';

/** A needed check, with what is read only if it fails. */
export interface NeededRow {
  readonly context: CheckContext;
  readonly state: CheckStatesTable | undefined;
  /** The last notifications about its failures, one of each channel. */
  readonly messages: () => readonly FailureMessage[];
  /** Whether a channel is notified of its failures. */
  readonly hasChannel: () => boolean;
}

/** Rows that suppression reads. */
export interface SuppressionRows {
  /** null = it does not exist. */
  needed(accountId: string, checkId: string): NeededRow | null;
}

/** Columns of a notification about a failure. */
export type FailureMessageRow = Pick<
  DeliveriesTable,
  'status' | 'next_attempt_at' | 'created_at' | 'quota_waits_since'
>;

/**
 * The notifications about the failures of a check: the delivery that each channel was notified by, or its digest.
 * FROM and WHERE follow.
 */
export const messageColumns = `coalesce(g.status, d.status) AS status, d.created_at,
  CASE WHEN g.id IS NULL THEN d.next_attempt_at ELSE g.next_attempt_at END AS next_attempt_at,
  CASE WHEN g.id IS NULL THEN d.quota_waits_since ELSE g.quota_waits_since END AS quota_waits_since`;
/** Tables of these columns; `t` = rows of `notified`. */
export const messageJoins = `JOIN deliveries d ON d.account_id = t.account_id AND d.id = t.delivery_id
  LEFT JOIN deliveries g ON g.account_id = d.account_id AND g.id = d.digest_id`;

export function messageOf(row: FailureMessageRow): FailureMessage {
  return {
    status: deliveryStatusCodes.decode(row.status),
    nextAttemptAt: row.next_attempt_at,
    createdAt: row.created_at,
    quotaWaitsSince: row.quota_waits_since,
  };
}

/** Most checks that a transaction reads for suppression, which blocks others; what is beyond suppresses nothing. */
export const neededAtOnce = 2000;

/** Reads each needed check of a transaction once. */
export function neededOnce(read: SuppressionRows['needed']): SuppressionRows['needed'] {
  const known = new Map<string, NeededRow | null>();
  return (accountId, checkId) => {
    const key = accountId + checkId;
    const found = known.get(key);
    if (found !== undefined || known.size >= neededAtOnce) return found ?? null;
    const row = read(accountId, checkId);
    const kept = row === null ? null : { ...row, messages: once(row.messages), hasChannel: once(row.hasChannel) };
    known.set(key, kept);
    return kept;
  };
}

function once<Answer>(read: () => Answer): () => Answer {
  let answer: { readonly value: Answer } | null = null;
  return () => (answer ??= { value: read() }).value;
}

/** IDs of the checks that the check of a context needs. */
export function neededIn({ check, group }: CheckContext): string[] {
  return neededBy(check, group);
}

/**
 * The check that suppresses an alert of this state; null = none.
 * @param present what suppressed it so far
 * @param now epoch ms
 */
export function suppressorIn(
  rows: SuppressionRows,
  context: CheckContext,
  { position }: CheckState,
  present: Suppressor | null,
  now: number,
): Suppressor | null {
  const needs = neededIn(context);
  if (needs.length === 0) return null;
  const { check } = context;
  const find = (checkId: string): NeededCheck | null => {
    const row = rows.needed(check.accountId, checkId);
    return row === null ? null : neededCheck(row, now);
  };
  const failure = { startedAt: position?.startedAt ?? now, everyMs: expectedEveryMs(check) };
  const found = suppressionOf(needs, failure, find, now);
  return found === null ? null : { ...found, since: present?.since ?? now };
}

function neededCheck({ context, state: row, messages, hasChannel }: NeededRow, now: number): NeededCheck {
  const { check, group } = context;
  const state = stateOf(row);
  const everyMs = expectedEveryMs(check);
  const rules = stateRulesOf(context, [], maintenanceOf(context, now));
  const isMuted = rules.isMuted || isMutedUntilRecovery(context, row?.passed_at ?? null);
  const dueAt = escalationDueAt(state, { ...rules, isMuted }, everyMs);
  return {
    checkId: check.id,
    name: check.name,
    isActive: effectiveCheck(check, group).activated,
    status: state.status,
    judgedAt: state.position?.startedAt ?? null,
    everyMs,
    escalatesUntil: dueAt !== null && now < dueAt && hasChannel() ? dueAt : null,
    recoveredAt: row?.recovered_at ?? null,
    isNotified: isNotified(state, row, messages, now),
    needs: neededIn(context),
  };
}

function isNotified(
  state: CheckState,
  row: CheckStatesTable | undefined,
  messages: NeededRow['messages'],
  now: number,
): boolean {
  if (row === undefined) return false;
  if (state.status === 'failing') {
    return state.alerted === 'failing' && isNotifiedBy(messages(), row.incident_started_at ?? now, now);
  }
  return row.recovered_at !== null && (row.failed_from === null || isNotifiedBy(messages(), row.failed_from, now));
}
