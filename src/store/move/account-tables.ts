// Which rows are an account's, so that none is forgotten when it moves (docs/decisions/0046).
import { dayOf, hourMs, hourOf } from '#domain/roll-up.ts';
import { firstIdAt } from '../codec.ts';
import type { Cell, Row, Slice, TableShape } from './shape.ts';
import { type Side, tableOf } from './side.ts';

/** Tables without rows of one account: the rest has the column `account_id`, which a test asserts. */
export const sharedTables: ReadonlySet<string> = new Set([
  'api_keys',
  'installation',
  'processes',
  'runtime_stages',
  'schedule_rounds',
]);

/** Says how far a move is; it stays where it is. */
export const movesTable = 'account_moves';

/** Tables that tell who may do what: their rows arrive with the account itself. */
const accessTables: ReadonlySet<string> = new Set(['accounts', 'api_key_accounts']);

/**
 * Tables that the figures of conservation are made of: their rows arrive, and go, in one transaction with the account, so
 * that the figures are right at every moment (design §1).
 */
export const countedTables: readonly string[] = ['runs', 'run_counts'];

/** What upkeep looks for work in: comes after everything that the work needs. */
const lastTable = 'checks';

/** Marks for upkeep, made in the target after all of that. */
export const marksTable = 'late_hours';

/** Up to when rows are history, epoch ms: they never change any more. */
export interface HistoryBounds {
  /** Results of slots before it. */
  readonly boundAt: number;
  /** Roll-ups of what began before it. */
  readonly rolledBoundAt: number;
}

/** Rows of a table that are history. */
export interface HistoryPart {
  /** What it is called in the note of a move. */
  readonly name: string;
  readonly table: TableShape;
  readonly equal: Row;
  /** The column that says how old a row is, and from which value on it is no history. */
  readonly column: string;
  readonly bound: Cell;
}

/** The tables that hold rows of accounts, and are emptied of them when one leaves. */
export function ownTables({ tables }: Pick<Side, 'tables'>): TableShape[] {
  return tables.filter(
    ({ name, columns }) => columns.includes('account_id') && name !== movesTable && !accessTables.has(name),
  );
}

/** Those whose rows are copied while the account is paused, before it arrives, in this order. */
export function restOf(side: Pick<Side, 'tables'>): TableShape[] {
  const rest = ownTables(side).filter(
    ({ name }) => !countedTables.includes(name) && name !== marksTable && name !== lastTable,
  );
  return [...rest, tableOf(side, lastTable)];
}

/** What is copied before. */
export function historyOf(side: Pick<Side, 'tables'>, { boundAt, rolledBoundAt }: HistoryBounds): HistoryPart[] {
  const id = firstIdAt(boundAt);
  const rollUps = { table: tableOf(side, 'roll_ups'), column: 'start_at' };
  return [
    { name: 'results', table: tableOf(side, 'results'), equal: {}, column: 'id', bound: id },
    { name: 'exchanges', table: tableOf(side, 'exchanges'), equal: {}, column: 'result_id', bound: id },
    { name: 'result_assets', table: tableOf(side, 'result_assets'), equal: {}, column: 'result_id', bound: id },
    { name: 'asset_parts', table: tableOf(side, 'asset_parts'), equal: {}, column: 'result_id', bound: id },
    { name: 'pings', table: tableOf(side, 'pings'), equal: {}, column: 'id', bound: id },
    { name: 'roll_ups', ...rollUps, equal: { span: 0 }, bound: hourOf(rolledBoundAt) },
    // A day is made anew with every hour of it.
    { name: 'roll_ups of days', ...rollUps, equal: { span: 1 }, bound: dayOf(rolledBoundAt) },
  ];
}

/** The account's rows that are history. */
export function oldRowsOf({ equal, column, bound }: HistoryPart, accountId: Uint8Array): Slice {
  return { equal: { account_id: accountId, ...equal }, below: [column, bound] };
}

/**
 * The account's other rows of a table: all of them, or those of some checks at a time from the bound on, so that its
 * history is not read.
 */
export function newRowsOf(
  table: TableShape,
  accountId: Uint8Array,
  history: readonly HistoryPart[],
  checkIds: readonly Uint8Array[],
): Slice[] {
  const parts = history.filter((part) => part.table.name === table.name);
  if (parts.length === 0) return [{ equal: { account_id: accountId } }];
  return parts.flatMap(({ equal, column, bound }) =>
    someAtATime(checkIds).map((some) => ({
      equal: { account_id: accountId, ...equal },
      among: ['check_id', some] as const,
      from: [column, bound] as const,
    })),
  );
}

/** Checks of one statement. */
const checksAtOnce = 100;

/** In lists that one statement takes. */
export function someAtATime<Item>(items: readonly Item[]): Item[][] {
  const lists: Item[][] = [];
  for (let first = 0; first < items.length; first += checksAtOnce) {
    lists.push(items.slice(first, first + checksAtOnce));
  }
  return lists;
}

/** The last rows that are history, of the time in which one would be that came late after all. */
export function lastOldRowsOf(
  part: HistoryPart,
  accountId: Uint8Array,
  { boundAt }: HistoryBounds,
  checkIds: readonly Uint8Array[],
): Slice {
  const from = [part.column, firstIdAt(boundAt - 48 * hourMs)] as const;
  return { ...oldRowsOf(part, accountId), among: ['check_id', checkIds], from };
}
