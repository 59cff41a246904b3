// Which rows are an account's, so that none is forgotten when it moves (docs/decisions/0046).
import type { Slice, TableShape } from './shape.ts';
import type { Side } from './side.ts';

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

/** Tables whose rows arrive with the account: those, and what upkeep looks for work in. */
export const arrivingTables: readonly string[] = [...countedTables, 'checks', 'late_hours'];

/** Tables of which old rows never change, and the column that their age is read from. */
const historyColumns: ReadonlyMap<string, string> = new Map([
  ['results', 'id'],
  ['exchanges', 'result_id'],
]);

/** The tables that hold rows of accounts, and are emptied of them when one leaves. */
export function ownTables({ tables }: Pick<Side, 'tables'>): TableShape[] {
  return tables.filter(
    ({ name, columns }) => columns.includes('account_id') && name !== movesTable && !accessTables.has(name),
  );
}

/** Those whose rows are copied while the account is paused, before it arrives. */
export function restOf(side: Pick<Side, 'tables'>): TableShape[] {
  return ownTables(side).filter(({ name }) => !arrivingTables.includes(name));
}

/** The tables whose old rows are copied before. */
export function historyOf(side: Pick<Side, 'tables'>): TableShape[] {
  return restOf(side).filter(({ name }) => historyColumns.has(name));
}

/** The account's rows of a table that are older than the bound. */
export function oldRowsOf(table: TableShape, accountId: Uint8Array, bound: Uint8Array): Slice {
  return { equal: { account_id: accountId }, below: [ageColumnOf(table), bound] };
}

/** Whether old rows of a table are history. */
export function hasHistory({ name }: Pick<TableShape, 'name'>): boolean {
  return historyColumns.has(name);
}

/**
 * The account's other rows of a table: all of them, or those of each check from the bound on, so that its history is not
 * read.
 */
export function newRowsOf(
  { name }: TableShape,
  accountId: Uint8Array,
  bound: Uint8Array,
  checkIds: readonly Uint8Array[],
): Slice[] {
  const column = historyColumns.get(name);
  if (column === undefined) return [{ equal: { account_id: accountId } }];
  return checkIds.map((checkId) => ({
    equal: { account_id: accountId, check_id: checkId },
    from: [column, bound] as const,
  }));
}

/** The column that says how old the rows of a table with history are. */
export function ageColumnOf({ name }: Pick<TableShape, 'name'>): string {
  const column = historyColumns.get(name);
  if (column === undefined) throw new Error(`${name} has no history`);
  return column;
}
