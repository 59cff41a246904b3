// What a condition of SQL says of accounts: which row's account equals what.
import type { Row, Scope } from './account-rule.ts';
import { isSign, isWord, nameOf, splitAt, type SqlNode } from './sql-tree.ts';

/** The account of `row` is known where that of `by` is; null = a value says it. */
export interface Condition {
  readonly row: Row;
  readonly by: Row | null;
  /** Which rows it may bind; null = all. */
  readonly bindable: readonly Row[] | null;
}

/** Of the parts of a condition that must all hold: those that say whose a row is. */
export function conditionsOf(nodes: readonly SqlNode[], scope: Scope): Condition[] {
  return mustHold(nodes).flatMap((part) => conditionsOfPart(part, scope));
}

/** The parts between AND; none of an OR, a NOT or a CASE. */
function mustHold(nodes: readonly SqlNode[]): readonly (readonly SqlNode[])[] {
  const [only, ...more] = nodes;
  if (only?.kind === 'group' && more.length === 0) return mustHold(only.nodes);
  if (nodes.some((node) => isWord(node, 'or', 'case')) || isWord(only, 'not')) return [];
  let isOfBetween = false;
  const parts = splitAt(nodes, (node) => {
    if (isWord(node, 'between')) isOfBetween = true;
    if (!isWord(node, 'and')) return false;
    const isEnd = !isOfBetween;
    isOfBetween = false;
    return isEnd;
  });
  const [whole] = parts;
  return parts.length === 1 ? (whole === undefined || whole.length === 0 ? [] : [whole]) : parts.flatMap(mustHold);
}

function conditionsOfPart(part: readonly SqlNode[], scope: Scope): Condition[] {
  const at = part.findIndex((node) => isSign(node, '=') || isSign(node, '==') || isWord(node, 'in'));
  if (at === -1 || isWord(part[at - 1], 'not')) return [];
  const left = itemsOf(part.slice(0, at));
  const right = part.slice(at + 1);
  const isIn = isWord(part[at], 'in');
  if (isIn || isWord(right[0], 'any', 'some')) {
    const [list, ...more] = isIn ? right : right.slice(1);
    if (list?.kind !== 'group' || more.length > 0 || !isList(list.nodes)) return [];
    return left.flatMap((item) => bound(item, scope));
  }
  const values = itemsOf(right);
  if (values.length !== left.length) return [];
  return left.flatMap((item, index) => {
    const value = values[index] ?? [];
    const [a, b] = [accountOf(item, scope), accountOf(value, scope)];
    if (a !== null && b !== null)
      return [
        { row: a, by: b, bindable: null },
        { row: b, by: a, bindable: null },
      ];
    return [...(isValue(value) ? bound(item, scope) : []), ...(isValue(item) ? bound(value, scope) : [])];
  });
}

function bound(item: readonly SqlNode[], scope: Scope): Condition[] {
  const row = accountOf(item, scope);
  return row === null ? [] : [{ row, by: null, bindable: null }];
}

/** The items of a row of columns or values; of anything else itself. */
function itemsOf(nodes: readonly SqlNode[]): readonly (readonly SqlNode[])[] {
  const [only, ...more] = nodes;
  if (only?.kind !== 'group' || more.length > 0 || isWord(only.nodes[0], 'select', 'with')) return [nodes];
  return splitAt(only.nodes, (node) => isSign(node, ','));
}

/** Values in a list, rows of values, an array, or a query, which is judged itself. */
function isList(nodes: readonly SqlNode[]): boolean {
  if (isWord(nodes[0], 'select', 'with', 'values')) return true;
  return splitAt(nodes, (node) => isSign(node, ',')).every((item) => itemsOf(item).every(isValue));
}

/** A parameter or literal, with a cast or without; ARRAY(a query); a query that is judged itself. */
function isValue(nodes: readonly SqlNode[]): boolean {
  const [first, ...more] = splitAt(nodes, (node) => isSign(node, '::'))[0] ?? [];
  if (isWord(first, 'array') && more.length === 1) return more[0]?.kind === 'group';
  if (more.length > 0) return false;
  return first?.kind === 'value' || (first?.kind === 'group' && isWord(first.nodes[0], 'select', 'with'));
}

/** The row whose account a column holds; null = it holds none, or the row is unknown. */
function accountOf(nodes: readonly SqlNode[], scope: Scope): Row | null {
  const plain = splitAt(nodes, (node) => isSign(node, '::'))[0] ?? [];
  const names = plain.filter((node) => !isSign(node, '.')).map(nameOf);
  if (names.length === 0 || names.includes(null) || plain.length !== names.length * 2 - 1) return null;
  const column = names.at(-1) ?? '';
  const alias = names.at(-2) ?? null;
  for (let at: Scope | null = scope; at !== null; at = at.around) {
    const named = at.rows.filter((row) => (alias === null ? row.account === column : row.alias === alias));
    if (named.length === 1) return named[0]?.account === column ? (named[0] ?? null) : null;
    if (named.length > 1) return null;
  }
  return null;
}
