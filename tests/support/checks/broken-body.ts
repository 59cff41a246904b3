// A valid body with one thing broken, as text or bytes: which thing, and what is known of the answer it must get.
import * as fc from 'fast-check';
import { type Json, pathsOf, valueAt, withValue } from './rich-body.ts';

/** A body as it is sent. */
export interface BrokenBody {
  readonly bytes: Buffer;
  /** What was done to it, in words. */
  readonly what: string;
  /** Path of the field that was touched, as the answer must name it; of an item left out, its list. */
  readonly path: string;
  /** Whether it must be refused whatever the schema says: no database keeps such a text, no parser such a name. */
  readonly isUnreadable: boolean;
}

interface Breakage {
  readonly what: string;
  /** The body with the value at `path` broken; null where this cannot be done there. */
  readonly apply: (body: Json, path: readonly (string | number)[]) => string | null;
  readonly isUnreadable?: boolean;
  /** The name below the path that is at fault. */
  readonly field?: string;
}

/** Stands for a name that no object literal can hold, or twice. */
const mark = '@@name@@';
const json = (body: Json): string => JSON.stringify(body);
const leftOut = 'left out';
const put =
  (value: Json | undefined) =>
  (body: Json, path: readonly (string | number)[]): string =>
    json(withValue(body, path, value));

const addField =
  (name: string, shown: string) =>
  (body: Json, path: readonly (string | number)[]): string | null => {
    const present = valueAt(body, path);
    if (typeof present !== 'object' || present === null || Array.isArray(present)) return null;
    return json(withValue(body, path, { ...present, [name]: 1 })).replace(mark, shown);
  };

const repeatName = (body: Json, path: readonly (string | number)[]): string | null => {
  const last = path.at(-1);
  if (typeof last !== 'string') return null;
  const parent = valueAt(body, path.slice(0, -1)) as Record<string, Json>;
  return json(withValue(body, path.slice(0, -1), { ...parent, [mark]: 1 })).replace(mark, last);
};

/** Deeper than can be written by recursion. */
const putDeep = (body: Json, path: readonly (string | number)[]): string =>
  json(withValue(body, path, mark)).replace(`"${mark}"`, `${'['.repeat(5000)}${']'.repeat(5000)}`);

function nested(levels: number): Json {
  let value: Json = 1;
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

const numbers = [-1, 0, 0.5, 7, 99_999, 1e15, 2 ** 53, 1e308, -1e308, 5e-324];
const texts = [
  '',
  ' ',
  '\u202e',
  '{{',
  '{{{{raw}}}}',
  '💥',
  '../../..',
  "'; DROP TABLE checks; --",
  '%00',
  '${7*7}',
  '\r\nx: y',
];

const breakage: fc.Arbitrary<Breakage> = fc.oneof(
  fc.constant({ what: leftOut, apply: put(undefined) }),
  fc.constant({ what: 'null', apply: put(null) }),
  fc.constantFrom(true, false).map((value) => ({ what: `${value}`, apply: put(value) })),
  fc.constantFrom(...numbers).map((value) => ({ what: `the number ${value}`, apply: put(value) })),
  fc.constantFrom(...texts).map((value) => ({ what: `the text ${JSON.stringify(value)}`, apply: put(value) })),
  fc.string({ unit: 'grapheme' }).map((value) => ({ what: `the text ${JSON.stringify(value)}`, apply: put(value) })),
  fc.constantFrom(300, 3000, 300_000).map((size) => ({ what: `${size} characters`, apply: put('x'.repeat(size)) })),
  fc.constant({ what: 'an empty list', apply: put([]) }),
  fc.constant({ what: 'an empty object', apply: put({}) }),
  fc.constant({ what: 'a list of lists', apply: put([[[]], [1]]) }),
  fc.constant({ what: 'a list of 3000', apply: put(Array.from({ length: 3000 }, () => 'x')) }),
  fc.constant({ what: 'nested 20 deep', apply: put(nested(20)) }),
  fc.constant({ what: 'nested 5000 deep', apply: putDeep, isUnreadable: true }),
  fc.constant({ what: 'an object with an unknown field', apply: addField('colour', 'colour'), field: 'colour' }),
  fc.constant({ what: 'an object with __proto__', apply: addField(mark, '__proto__'), isUnreadable: true }),
  fc.constant({ what: 'an object with constructor', apply: addField('constructor', ''), field: 'constructor' }),
  fc.constant({ what: 'given twice', apply: repeatName, isUnreadable: true }),
  fc.constant({ what: 'half a surrogate pair', apply: put('a\ud800b'), isUnreadable: true }),
  fc.constant({ what: 'a text with U+0000', apply: put('a\0b'), isUnreadable: true }),
);

/** A field of `body` chosen and broken. */
export function brokenBody(body: Json): fc.Arbitrary<BrokenBody> {
  const paths = [[], ...pathsOf(body)];
  return fc
    .tuple(fc.constantFrom(...paths), breakage)
    .map(([path, { what, apply, isUnreadable = false, field }]) => {
      const text = apply(body, path);
      if (text === null) return null;
      const isItemGone = what === leftOut && typeof path.at(-1) === 'number';
      const named = isItemGone ? path.slice(0, -1) : [...path, ...(field === undefined ? [] : [field])];
      return { bytes: Buffer.from(text), what, path: pathText(named), isUnreadable };
    })
    .filter((broken) => broken !== null);
}

/** The bytes of a body cut short, or with some of them replaced by others that are no UTF-8. */
export function mangledBody(body: Json): fc.Arbitrary<Buffer> {
  const bytes = Buffer.from(json(body));
  const place = fc.nat(bytes.length - 1);
  return fc.oneof(
    place.map((end) => bytes.subarray(0, end)),
    fc.tuple(place, fc.constantFrom(0xff, 0xc0, 0xed, 0x80, 0, 0x22, 0x5c, 0x7b)).map(([at, byte]) => {
      const copy = Buffer.from(bytes);
      copy[at] = byte;
      return copy;
    }),
    fc.uint8Array({ maxLength: 200 }).map((random) => Buffer.from(random)),
  );
}

function pathText(path: readonly (string | number)[]): string {
  if (path.length === 0) return 'body';
  return path.map((step, index) => (typeof step === 'number' ? `[${step}]` : (index > 0 ? '.' : '') + step)).join('');
}
