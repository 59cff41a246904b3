// Collects what a transaction of a request or command changes, for its entries in the audit log. The helpers of rows.ts call it.
import { fieldChanges, type Form, formOf, Hidden, type ResourceChange } from '#domain/accounts/audit-entry.ts';
import type { JsonObject, JsonValue } from '#domain/json.ts';
import { idText, latin1 } from '../codec.ts';
import type { Seal } from '../seal.ts';
import { type AuditRule, auditRuleOf } from '../tables/audit-rules.ts';
import type { Db, Tables } from '../tables/schema.ts';

type Row = Readonly<Record<string, unknown>>;
type Table = keyof Tables;
/** Values of columns by which rows were selected. */
type Key = object;

/** A changed resource, the account of its row, and the person it belongs to. */
export interface Note {
  readonly account: string | null;
  readonly userId: string | null;
  readonly change: ResourceChange;
}

/** Rows whose values before a change are read; further rows are only counted. */
const maxImages = 20;

const recorders = new WeakMap<Db, Recorder>();

/** The recorder of a transaction; undefined = it is not audited. */
export function recorderOf(db: Db): Recorder | undefined {
  return recorders.get(db);
}

export type Recorder = ReturnType<typeof createRecorder>;

/** Runs the work of a transaction with a recorder. */
export async function recorded<Answer>(
  tx: Db,
  seal: Seal | null,
  work: (recorder: Recorder) => Promise<Answer>,
): Promise<Answer> {
  const recorder = createRecorder(tx, seal);
  const outer = recorders.get(tx);
  recorders.set(tx, recorder);
  try {
    return await work(recorder);
  } finally {
    // SQLite's transactions share one query builder. Work with entries of its own may be part of a transaction.
    if (outer === undefined) recorders.delete(tx);
    else recorders.set(tx, outer);
  }
}

function createRecorder(tx: Db, seal: Seal | null) {
  const images = new Map<string, Row>();
  const taken = createNotes(seal);
  const keep = (table: Table, rule: AuditRule, row: Row): void => {
    images.set(imageKey(table, rule, row), row);
  };
  return {
    ...taken,
    records: (table: Table): boolean => auditRuleOf(table) !== null,
    /** Complete rows that the transaction has read. */
    seen(table: Table, rows: readonly Row[]): void {
      const rule = auditRuleOf(table);
      if (rule !== null) for (const row of rows) keep(table, rule, row);
    },
    /** The first rows that an update will change. */
    async before(table: Table, key: Key): Promise<readonly Row[]> {
      const rule = auditRuleOf(table);
      if (rule === null) return [];
      const known = images.get(imageKey(table, rule, key as Row));
      return known !== undefined && isWholeKey(rule, key) ? [known] : firstRows(tx, table, key);
    },
    /** Present rows with the keys of the first of these. */
    async beforeEach(table: Table, rows: readonly Row[]): Promise<readonly Row[]> {
      const rule = auditRuleOf(table);
      if (rule === null) return [];
      const found: Row[] = [];
      for (const row of rows.slice(0, maxImages)) {
        const known = images.get(imageKey(table, rule, row));
        const key = Object.fromEntries(['account_id', ...rule.key].map((column) => [column, row[column]]));
        found.push(...(known === undefined ? await firstRows(tx, table, key) : [known]));
      }
      return found;
    },
    /** Complete rows that were written in place of others. */
    replaced(table: Table, before: readonly Row[], rows: readonly Row[]): void {
      const rule = auditRuleOf(table);
      if (rule === null) return;
      const byKey = new Map(before.map((row) => [imageKey(table, rule, row), row]));
      for (const row of rows) {
        keep(table, rule, row);
        taken.note(rule, byKey.get(imageKey(table, rule, row)) ?? null, row);
      }
    },
    inserted(table: Table, rows: readonly object[]): void {
      const rule = auditRuleOf(table);
      if (rule !== null) for (const row of rows as readonly Row[]) taken.note(rule, null, row);
    },
    updated(table: Table, before: readonly Row[], values: object, count: number): void {
      const rule = auditRuleOf(table);
      if (rule === null) return;
      for (const row of before) {
        const after = { ...row, ...values };
        keep(table, rule, after);
        taken.note(rule, row, after);
      }
      taken.addUncounted(Math.max(0, count - before.length));
    },
    deleted(table: Table, rows: readonly object[]): void {
      const rule = auditRuleOf(table);
      if (rule !== null) for (const row of rows as readonly Row[]) taken.note(rule, row, null);
    },
  };
}

/** The changes so far, from the rows before and after. */
function createNotes(seal: Seal | null) {
  const notes: Note[] = [];
  const accounts = new Set<string>();
  let uncounted = 0;
  const opened = (text: string): string | null => (text.startsWith('sealed:1:') ? (seal?.open(text) ?? text) : null);
  return {
    notes,
    /** Accounts of all changed rows. */
    accounts,
    /** Number of changed rows. */
    count: () => notes.length + uncounted,
    addUncounted(count: number): void {
      uncounted += count;
    },
    /** null = there was or is no row. */
    note(rule: AuditRule, before: Row | null, after: Row | null): void {
      const row = after ?? before ?? {};
      const account = accountOf(rule, row);
      if (account !== null) accounts.add(account);
      if (notes.length >= maxImages) {
        uncounted++;
        return;
      }
      const changed = fieldChanges(formOfRow(rule, before, opened), formOfRow(rule, after, opened));
      if (rule.isQuiet && before !== null && after !== null && changed.fields.length === 0) return;
      const action = before === null ? 'created' : after === null ? 'deleted' : 'updated';
      const name = rule.name === undefined ? undefined : row[rule.name];
      const named = typeof name === 'string' ? { name: name.slice(0, 200).toWellFormed() } : {};
      const change: ResourceChange = { resource: rule.resource, id: idOf(rule, row), ...named, action, ...changed };
      notes.push({ account, userId: userOf(rule, row), change });
    },
  };
}

function firstRows(tx: Db, table: Table, key: Key): Promise<readonly Row[]> {
  let query = tx.selectFrom(table as 'checks').selectAll();
  for (const [column, value] of Object.entries(key) as [never, unknown][]) {
    query = query.where(column, value === null ? 'is' : Array.isArray(value) ? 'in' : '=', value as never);
  }
  return query.limit(maxImages).execute();
}

function formOfRow(rule: AuditRule, row: Row | null, opened: (text: string) => string | null): Form {
  if (row === null) return new Map();
  const hidden = (rule.secret ?? []).flatMap((column): [string, Hidden][] => {
    const value = row[column];
    return typeof value === 'string' ? [[fieldOf(column), new Hidden(opened(value) ?? value)]] : [];
  });
  return new Map([...formOf(documentOf(rule, row), opened), ...hidden]);
}

/** Whether a key names one row of an account and nothing else. */
function isWholeKey(rule: AuditRule, key: Key): boolean {
  const columns = new Set([...rule.key, 'account_id']);
  return Object.keys(key).every((column) => columns.has(column)) && rule.key.every((column) => column in key);
}

function imageKey(table: Table, rule: AuditRule, row: Row): string {
  return [table, row['account_id'], ...rule.key.map((column) => row[column])]
    .map((part) => (part instanceof Uint8Array ? latin1(part) : String(part)))
    .join('/');
}

/** What people see of a row: settings of checks and groups stand beside the columns. */
function documentOf(rule: AuditRule, row: Row): JsonObject {
  const { flags = [], json = [] } = rule;
  const fields: Record<string, JsonValue> = {};
  for (const column of rule.shows) {
    const value = row[column];
    if (value === undefined) continue;
    const name = fieldOf(column);
    if (flags.includes(column)) fields[name] = value === 1;
    else if (json.includes(column) && typeof value === 'string') fields[name] = JSON.parse(value) as JsonValue;
    else fields[name] = value instanceof Uint8Array ? shownBytes(value) : (value as JsonValue);
  }
  const { definition, ...others } = fields;
  if (definition === undefined) return others;
  const { settings, ...own } = definition as JsonObject;
  return { ...others, ...own, ...(settings as JsonObject | undefined) };
}

function fieldOf(column: string): string {
  return column.replaceAll(/_[a-z]/g, ([, letter = '']) => letter.toUpperCase());
}

function shownBytes(bytes: Uint8Array): string {
  return bytes.length === 16 ? idText(bytes) : '';
}

function textOf(value: unknown): string {
  if (value instanceof Uint8Array) return shownBytes(value);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function idOf({ key, id }: AuditRule, row: Row): string {
  return textOf(row[id ?? key[0] ?? '']).slice(0, 200);
}

function accountOf({ resource }: AuditRule, row: Row): string | null {
  const account = resource === 'account' ? row['id'] : row['account_id'];
  return account instanceof Uint8Array ? idText(account) : null;
}

function userOf({ resource }: AuditRule, row: Row): string | null {
  const user = resource === 'user' ? row['id'] : row['user_id'];
  return user instanceof Uint8Array ? idText(user) : null;
}
