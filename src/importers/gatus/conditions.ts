// Gatus: conditions to assertions.
import { type Assertion, statusRange, type StatusRange } from '../check-parts.ts';
import { durationOf } from '../values.ts';

/** What the conditions of an endpoint ask for. */
export interface Conditions {
  readonly assertions: readonly Assertion[];
  /** Accepted statuses of conditions with several values; null = none. */
  readonly statuses: readonly StatusRange[] | null;
  /** Smallest time until the certificate expires, hours; null = any. */
  readonly certificateHours: number | null;
  /** Largest response time, ms; null = any. */
  readonly responseMs: number | null;
  /** Conditions that could not be carried over. */
  readonly lost: readonly string[];
}

/** Kinds of endpoints, whose bodies differ. */
export type EndpointSort = 'http' | 'dns' | 'other';

interface Reading {
  assertions: Assertion[];
  statuses: StatusRange[] | null;
  certificateHours: number | null;
  responseMs: number | null;
}

const form = /^\s*(\[\w+\]\S*|(?:len|has)\(\[BODY\][^)]*\))\s*(==|!=|<=|>=|<|>)\s*(.*?)\s*$/s;

/** Reads all conditions of an endpoint. */
export function readConditions(conditions: readonly string[], sort: EndpointSort): Conditions {
  const reading: Reading = { assertions: [], statuses: null, certificateHours: null, responseMs: null };
  const lost = conditions.filter((condition) => {
    const [, left = '', operator = '', right = ''] = form.exec(condition) ?? [];
    return left === '' || !readOne(left, operator, right, sort, reading);
  });
  return { ...reading, lost };
}

/** @returns whether it is carried over */
function readOne(left: string, operator: string, right: string, sort: EndpointSort, reading: Reading): boolean {
  if (left === '[CONNECTED]') return operator === '==' && right === 'true';
  if (left === '[STATUS]') return sort === 'http' && readStatus(operator, right, reading);
  if (left === '[RESPONSE_TIME]') {
    const ms = Number(right);
    if (!['<', '<='].includes(operator) || !(ms > 0)) return false;
    reading.responseMs = Math.min(ms, reading.responseMs ?? ms);
    return true;
  }
  if (left === '[CERTIFICATE_EXPIRATION]') {
    const seconds = durationOf(right);
    if (!['>', '>='].includes(operator) || seconds === null) return false;
    reading.certificateHours = Math.max(seconds / 3600, reading.certificateHours ?? 0);
    return true;
  }
  if (left === '[DNS_RCODE]' && sort === 'dns') return push(reading, 'RESPONSE_CODE', '', operator, right);
  if (left === '[BODY]' && sort === 'dns') return readText(reading, 'TEXT_ANSWER', operator, right);
  if (sort !== 'http') return false;
  if (left === '[BODY]') return readText(reading, 'TEXT_BODY', operator, right);
  const [, call = '', path = ''] = /^(len|has)?\(?\[BODY\]([^)]*)\)?$/.exec(left) ?? [];
  if (path === '' || !/^[.[]/.test(path)) return false;
  if (call === 'has') return readHas(reading, path, operator, right);
  if (call === 'len') return readLength(reading, path, operator, right);
  if (/^\[BODY\]|^any\(/.test(right)) return false;
  return readText(reading, 'JSON_BODY', operator, right, `$${path}`);
}

function readStatus(operator: string, right: string, reading: Reading): boolean {
  const listed = /^any\((.*)\)$/.exec(right)?.[1];
  const pattern = /^pat\(([1-5])(?:\*|\?\?)\)$/.exec(right)?.[1];
  if (operator === '==' && (listed !== undefined || pattern !== undefined)) {
    const ranges = pattern === undefined ? (listed ?? '').split(',').map(statusRange) : [statusRange(`${pattern}xx`)];
    if (ranges.includes(null) || reading.statuses !== null) return false;
    reading.statuses = ranges.filter((range) => range !== null);
    return true;
  }
  return /^\d{1,4}$/.test(right) && push(reading, 'STATUS_CODE', '', operator, right);
}

/** A comparison with a plain value, or a pattern that only says what a text contains. */
function readText(reading: Reading, source: string, operator: string, right: string, property = ''): boolean {
  const pattern = /^pat\((.*)\)$/s.exec(right)?.[1];
  if (pattern === undefined) {
    if (/^(?:any|len|has)\(|^\[[A-Z_]+\]/.test(right)) return false;
    // An answer of DNS has a line for each record.
    if (source === 'TEXT_ANSWER' && operator === '==') return contains(reading, source, operator, right, property);
    return push(reading, source, property, operator, right);
  }
  const inner = /^\*([^*?[\]]+)\*$/.exec(pattern)?.[1];
  if (inner === undefined || source === 'JSON_BODY')
    return inner !== undefined && contains(reading, source, operator, inner, property);
  return contains(reading, source, operator, inner, property);
}

function contains(reading: Reading, source: string, operator: string, target: string, property: string): boolean {
  if (!['==', '!='].includes(operator)) return false;
  const comparison = operator === '==' ? 'CONTAINS' : 'NOT_CONTAINS';
  reading.assertions.push({ source, ...(property !== '' && { property }), comparison, target });
  return true;
}

/** `has([BODY].a.b)`: whether the object at `$.a` has the key `b`. */
function readHas(reading: Reading, path: string, operator: string, right: string): boolean {
  const [, parent = '', key = ''] = /^(.*)\.([\w-]+)$/s.exec(path) ?? [];
  if (key === '' || !['==', '!='].includes(operator) || !['true', 'false'].includes(right)) return false;
  const isWanted = (right === 'true') === (operator === '==');
  const comparison = isWanted ? 'HAS_KEY' : 'NOT_HAS_KEY';
  reading.assertions.push({ source: 'JSON_BODY', property: `$${parent}`, comparison, target: key });
  return true;
}

/** Only whether there is something: other lengths have no counterpart. */
function readLength(reading: Reading, path: string, operator: string, right: string): boolean {
  const comparison = lengths[`${operator} ${right}`];
  if (comparison === undefined) return false;
  reading.assertions.push({ source: 'JSON_BODY', property: `$${path}`, comparison });
  return true;
}

const lengths: Readonly<Record<string, string>> = {
  '> 0': 'NOT_EMPTY',
  '!= 0': 'NOT_EMPTY',
  '>= 1': 'NOT_EMPTY',
  '== 0': 'IS_EMPTY',
};

const plain: Readonly<Record<string, string>> = {
  '==': 'EQUALS',
  '!=': 'NOT_EQUALS',
  '<': 'LESS_THAN',
  '>': 'GREATER_THAN',
};

/** A comparison with a plain value. `<=` and `>=` need whole numbers. */
function push(reading: Reading, source: string, property: string, operator: string, target: string): boolean {
  const named = property === '' ? {} : { property };
  const comparison = plain[operator];
  if (comparison !== undefined) {
    reading.assertions.push({ source, ...named, comparison, target });
    return true;
  }
  if (!/^-?\d{1,15}$/.test(target)) return false;
  reading.assertions.push(
    operator === '<='
      ? { source, ...named, comparison: 'LESS_THAN', target: String(Number(target) + 1) }
      : { source, ...named, comparison: 'GREATER_THAN', target: String(Number(target) - 1) },
  );
  return true;
}
