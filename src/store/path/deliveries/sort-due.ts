// What a claim does with due deliveries, the same on both engines (docs/decisions/0014).
import type { DeliveriesTable } from '../../base/tables/schema.ts';
import { firstOfEachCheck } from '../../channels/delivery-rows.ts';
import { isPostponed } from '../../channels/requested-delay.ts';

/** Why a delivery ends whose channel does not exist. */
export const orphanedReason = 'the alert channel was deleted';

/** Deliveries that newer ones replace, and the first of each check; the others wait for it. */
export interface SortedDue<Row> {
  readonly superseded: readonly Row[];
  readonly firsts: readonly Row[];
}

/**
 * Sorts due deliveries, oldest first within each channel.
 * @param nameOf channel and check of a row; null = it belongs to no check, and waits for none
 */
export function sortDue<Row extends { readonly is_superseded: number }>(
  due: readonly Row[],
  nameOf: (row: Row) => string | null,
): SortedDue<Row> {
  const superseded = due.filter((row) => row.is_superseded === 1);
  const others = superseded.length === 0 ? due : due.filter((row) => row.is_superseded === 0);
  return { superseded, firsts: firstOfEachCheck(others, nameOf) };
}

/** Deliveries without a channel, those that wait for a delay that their receiver requested, and those to send. */
export interface SortedFirsts<Row> {
  readonly orphaned: readonly Row[];
  readonly waiting: readonly Row[];
  readonly ready: readonly Row[];
}

/** @param delayedUntilOf until when the channel of a row waits, epoch ms; null = it does not; undefined = there is none */
export function sortFirsts<Row extends Pick<DeliveriesTable, 'attempts' | 'attempt_started_at' | 'is_test'>>(
  firsts: readonly Row[],
  delayedUntilOf: (row: Row) => number | null | undefined,
  now: number,
): SortedFirsts<Row> {
  const orphaned: Row[] = [];
  const waiting: Row[] = [];
  const ready: Row[] = [];
  for (const row of firsts) {
    const delayedUntil = delayedUntilOf(row);
    if (delayedUntil === undefined) orphaned.push(row);
    else if (isPostponed(row, delayedUntil, now)) waiting.push(row);
    else ready.push(row);
  }
  return { orphaned, waiting, ready };
}
