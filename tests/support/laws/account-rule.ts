// Whether a statement names the account of every account-owned row that it touches: judged by its text alone.
import { isSign, isWord, nameOf, namesBehind, splitAt, type SqlNode, sqlTrees } from './sql-tree.ts';
import { type Condition, conditionsOf } from './sql-conditions.ts';

/** A mention of an account-owned table where rows are read, changed or added. */
export interface Mention {
  readonly table: string;
  /** Whether the statement says whose rows they are: by a value, or by another row whose account is known. */
  readonly isBound: boolean;
}

/** Account-owned tables, each with the column that holds the account. */
export type OwnedTables = ReadonlyMap<string, string>;

/**
 * Every mention of an account-owned table in a text of SQL. Bound is one
 * - that is inserted into with the account among its columns;
 * - whose account equals a value, is one of several (`IN`, `= ANY`), alone or in a row of columns; or
 * - whose account equals that of a row that is bound, of a derived table or of the query around it, which are judged
 *   themselves.
 * Only what must hold counts: no part of an OR, and of the two sides of an outer join only the side that may be missing.
 *
 * @throws {Error} on a statement that is not understood: nothing passes because it could not be read
 */
export function mentionsOf(text: string, owned: OwnedTables): Mention[] {
  return sqlTrees(text).flatMap((nodes) => {
    if (isWord(nodes[0], ...otherStatements)) return [];
    if (isWord(nodes[0], 'truncate', 'lock')) return wholeTables(nodes, owned);
    const judge: Judge = { owned, mentions: [] };
    judgeStatement(nodes, { rows: [], derived: new Set(), around: null }, judge);
    const read = namesBehind(nodes, 'from', 'join', 'into', 'update', 'using', 'lateral', 'only').filter((name) =>
      owned.has(name),
    );
    const derived = namesBehind(nodes, 'with', 'recursive');
    if (read.filter((name) => !derived.includes(name)).length > judge.mentions.length) {
      throw new Error(`not every table was understood in ${text}`);
    }
    return judge.mentions;
  });
}

function wholeTables(nodes: readonly SqlNode[], owned: OwnedTables): Mention[] {
  const tables = nodes.map(nameOf).filter((name) => name !== null && owned.has(name));
  return tables.map((table) => ({ table: table ?? '', isBound: false }));
}

/** Statements that touch no rows of ours, or tables as a whole. */
const otherStatements =
  'alter analyze begin commit create drop listen notify pragma release rollback savepoint set show start unlisten vacuum'.split(
    ' ',
  );

/** One mention in FROM, or what a statement changes. */
export interface Row {
  /** Of the table, or of what it is derived from. */
  readonly table: string;
  readonly alias: string;
  /** Its column that holds the account; null = it holds none. */
  readonly account: string | null;
  /** Derived tables are judged where they are written. */
  readonly isDerived: boolean;
}

/** The rows that a part of a statement sees. */
export interface Scope {
  readonly rows: Row[];
  /** Names of derived tables: WITH. */
  readonly derived: ReadonlySet<string>;
  readonly around: Scope | null;
}

interface Judge {
  readonly owned: OwnedTables;
  readonly mentions: Mention[];
}

function judgeStatement(nodes: readonly SqlNode[], around: Scope, judge: Judge): void {
  const { rest, scope } = isWord(nodes[0], 'with') ? judgeWith(nodes, around, judge) : { rest: nodes, scope: around };
  if (isWord(rest[0], 'insert', 'replace')) judgeInsert(rest, scope, judge);
  else if (isWord(rest[0], 'update')) judgeChange(rest, 1, 'from', scope, judge);
  else if (isWord(rest[0], 'delete')) judgeChange(rest, 2, 'using', scope, judge);
  else for (const part of splitAt(rest, isCompound)) judgeSelect(part, scope, judge);
}

function isCompound(node: SqlNode): boolean {
  return isWord(node, 'union', 'intersect', 'except');
}

function judgeWith(nodes: readonly SqlNode[], around: Scope, judge: Judge) {
  const derived = new Set(around.derived);
  const scope: Scope = { rows: [], derived, around };
  let at = isWord(nodes[1], 'recursive') ? 2 : 1;
  for (;;) {
    derived.add(nameOf(nodes[at]) ?? '');
    while (at < nodes.length && !isWord(nodes[at], 'as')) at++;
    while (at < nodes.length && nodes[at]?.kind !== 'group') at++;
    const query = nodes[at++];
    if (query?.kind !== 'group') throw new Error('WITH without a query');
    judgeStatement(query.nodes, scope, judge);
    if (!isSign(nodes[at], ',')) return { rest: nodes.slice(at), scope };
    at++;
  }
}

const clauseWords = [
  'where',
  'group',
  'having',
  'window',
  'order',
  'limit',
  'offset',
  'fetch',
  'for',
  'returning',
  'set',
];

/** The nodes of a clause of this level; none where it is missing. */
function clauseOf(nodes: readonly SqlNode[], word: string, ends: readonly string[] = clauseWords): readonly SqlNode[] {
  // IS DISTINCT FROM is no FROM.
  const start = nodes.findIndex((node, at) => isWord(node, word) && !isWord(nodes[at - 1], 'distinct'));
  if (start === -1) return [];
  const length = nodes.slice(start + 1).findIndex((node) => isWord(node, ...ends));
  return nodes.slice(start + 1, length === -1 ? undefined : start + 1 + length);
}

function judgeSelect(nodes: readonly SqlNode[], around: Scope, judge: Judge): void {
  const core = isWord(nodes[0], 'all', 'distinct') ? nodes.slice(1) : nodes;
  const [only, ...more] = core;
  if (only?.kind === 'group' && more.length === 0) return judgeStatement(only.nodes, around, judge);
  if (only?.kind !== 'group' && !isWord(only, 'select', 'values')) {
    throw new Error(`a statement that begins with ${JSON.stringify(nameOf(only))} is not understood`);
  }
  const scope: Scope = { rows: [], derived: around.derived, around };
  const from = clauseOf(core, 'from');
  const conditions = [...readFrom(from, scope, judge), ...conditionsOf(clauseOf(core, 'where'), scope)];
  judgeInner(core, scope, judge, from);
  judgeRows(scope.rows, conditions, judge);
}

/** UPDATE and DELETE: the table that is changed stands at `at`, others behind the word `others`. */
function judgeChange(nodes: readonly SqlNode[], at: number, others: string, around: Scope, judge: Judge): void {
  const scope: Scope = { rows: [], derived: around.derived, around };
  if (isWord(nodes[at], 'or')) throw new Error('UPDATE OR … is not understood');
  const changed = splitAt(nodes.slice(at), (node) => isWord(node, 'set', 'using', 'where', 'returning'))[0] ?? [];
  const conditions = readFrom(changed, scope, judge);
  // What follows SET may hold the word FROM as well, but only in parentheses.
  const from = clauseOf(nodes.slice(at + 1), others);
  conditions.push(...readFrom(from, scope, judge), ...conditionsOf(clauseOf(nodes, 'where'), scope));
  judgeInner(nodes.slice(at), scope, judge, from);
  judgeRows(scope.rows, conditions, judge);
}

function judgeInsert(nodes: readonly SqlNode[], around: Scope, judge: Judge): void {
  const into = nodes.findIndex((node) => isWord(node, 'into'));
  const table = nameOf(nodes[into + 1]) ?? '';
  const columns = nodes.slice(into + 2).find((node) => node.kind === 'group' || isWord(node, 'values', 'select'));
  const account = judge.owned.get(table);
  const names = columns?.kind === 'group' ? columns.nodes.map(nameOf) : [];
  if (account !== undefined) judge.mentions.push({ table, isBound: names.includes(account) });
  const rest = nodes.slice(nodes.indexOf(columns as SqlNode) + (columns?.kind === 'group' ? 1 : 0));
  const conflict = rest.findIndex((node, at) => isWord(node, 'on') && isWord(rest[at + 1], 'conflict'));
  const rows = rest.slice(0, conflict === -1 ? undefined : conflict);
  if (isWord(rows[0], 'select', 'with') || rows[0]?.kind === 'group') judgeStatement(rows, around, judge);
  else judgeInner(rows, around, judge);
  if (conflict === -1) return;
  const row: Row = { table, alias: table, account: account ?? null, isDerived: false };
  judgeInner(rest.slice(conflict), { rows: [row], derived: around.derived, around }, judge);
}

/** Queries in parentheses, wherever they stand; those of `judged` have been judged already. */
function judgeInner(nodes: readonly SqlNode[], scope: Scope, judge: Judge, judged: readonly SqlNode[] = []): void {
  for (const node of nodes) {
    if (node.kind !== 'group' || judged.includes(node)) continue;
    if (isQuery(node.nodes)) judgeStatement(node.nodes, scope, judge);
    else judgeInner(node.nodes, scope, judge);
  }
}

function isQuery(nodes: readonly SqlNode[]): boolean {
  return isWord(nodes[0], 'select', 'with', 'values');
}

/** Words that an alias never is. */
const reserved = ['as', 'on', 'using', 'join', 'left', 'right', 'full', 'inner', 'cross', 'natural', 'indexed', 'not'];

/** Reads what stands behind FROM into the scope, and answers with what its joins ask for. */
function readFrom(nodes: readonly SqlNode[], scope: Scope, judge: Judge): Condition[] {
  const conditions: Condition[] = [];
  let at = 0;
  while (at < nodes.length) {
    const words: string[] = [];
    for (; isSign(nodes[at], ',') || isWord(nodes[at], ...reserved, 'outer', 'lateral', 'only'); at++) {
      words.push(nameOf(nodes[at]) ?? ',');
    }
    const before = scope.rows.length;
    at = readRow(nodes, at, scope, judge, conditions);
    const [left, right] = [scope.rows.slice(0, before), scope.rows.slice(before)];
    const isLeft = words.includes('left') || words.includes('full');
    const isRight = words.includes('right') || words.includes('full');
    const filtered = [...(isLeft ? [] : right), ...(isRight ? [] : left)];
    // An outer join keeps a row of its side whether the condition holds or not; those of the other side are only joined.
    const bindable = isLeft && !isRight ? right : isRight && !isLeft ? left : isLeft ? [] : filtered;
    if (isWord(nodes[at], 'using') && nodes[at + 1]?.kind === 'group') {
      const [columns] = nodes.slice(at + 1);
      const names = columns?.kind === 'group' ? columns.nodes.map(nameOf) : [];
      for (const a of left)
        for (const b of right)
          if (a.account !== null && a.account === b.account && names.includes(a.account))
            conditions.push({ row: a, by: b, bindable }, { row: b, by: a, bindable });
      at += 2;
    }
    if (isWord(nodes[at], 'on')) {
      const end = nodes.findIndex((node, index) => index > at && isNextJoin(nodes, node, index));
      const on = nodes.slice(at + 1, end === -1 ? undefined : end);
      judgeInner(on, scope, judge);
      conditions.push(...conditionsOf(on, scope).map((condition) => ({ ...condition, bindable })));
      at = end === -1 ? nodes.length : end;
    }
  }
  return conditions;
}

function isNextJoin(nodes: readonly SqlNode[], node: SqlNode, index: number): boolean {
  if (isSign(node, ',') || isWord(node, 'join', 'inner', 'cross', 'natural')) return true;
  return isWord(node, 'left', 'right', 'full') && nodes[index + 1]?.kind !== 'group';
}

/** Reads one table, query or function with its alias; answers where it ends. */
function readRow(
  nodes: readonly SqlNode[],
  start: number,
  scope: Scope,
  judge: Judge,
  conditions: Condition[],
): number {
  let at = start;
  const first = nodes[at++];
  let table = nameOf(first);
  const isGroup = first?.kind === 'group';
  if (isGroup && !isQuery(first.nodes)) conditions.push(...readFrom(first.nodes, scope, judge));
  else if (isGroup) judgeStatement(first.nodes, scope, judge);
  else if (table === null) throw new Error('FROM is not understood');
  while (isSign(nodes[at], '.')) {
    table = nameOf(nodes[at + 1]);
    at += 2;
  }
  const isFunction = !isGroup && nodes[at]?.kind === 'group' && !isWord(nodes[at - 1], 'as');
  if (isFunction) judgeInner([nodes[at++] as SqlNode], scope, judge);
  if (isFunction && isWord(nodes[at], 'with') && isWord(nodes[at + 1], 'ordinality')) at += 2;
  if (isWord(nodes[at], 'as')) at++;
  const named = isWord(nodes[at], ...reserved) ? null : nameOf(nodes[at]);
  if (named !== null) at++;
  const columns = nodes[at];
  if (named !== null && columns?.kind === 'group') at++;
  if (isGroup && !isQuery(first.nodes)) return at;
  const isDerived = isGroup || isFunction || scope.derived.has(table ?? '');
  const account = isDerived ? 'account_id' : (judge.owned.get(table ?? '') ?? null);
  scope.rows.push({ table: table ?? '', alias: named ?? table ?? '', account, isDerived });
  return at;
}

/** Notes which of the rows are bound: by a value, by what is derived or around, or by another that is. */
function judgeRows(rows: readonly Row[], conditions: readonly Condition[], judge: Judge): void {
  const bound = new Set(rows.filter(({ isDerived }) => isDerived));
  for (let before = -1; before !== bound.size;) {
    before = bound.size;
    for (const { row, by, bindable } of conditions) {
      const isKnown = by === null || !rows.includes(by) || bound.has(by);
      if (isKnown && (bindable === null || bindable.includes(row))) bound.add(row);
    }
  }
  for (const row of rows) {
    if (row.isDerived || row.account === null) continue;
    judge.mentions.push({ table: row.table, isBound: bound.has(row) });
  }
}
