// What roll-ups count by out of the details of a result, read from their packed form as digits: a text costs a fraction of
// what an array of bytes does, and of most of it nothing is needed (docs/decisions/0108).

/** Codes of the packed form (packed.ts). */
const shortList = 0x80;
const shortObject = 0x90;
const integer = 0xc3;

/**
 * The status code of the answer; 0 = there was none, or the kind of check knows none. Details that are a list begin with
 * it (src/checks/http/details.ts). @param digits null = there are no details
 */
export function statusIn(digits: string | null): number {
  const head = digits === null ? Number.NaN : byteAt(digits, 0);
  if (digits === null || !(head > shortList && head < shortObject)) return 0;
  const first = byteAt(digits, 1);
  if (first < shortList) return first;
  return first === integer ? numberAt(digits, 2) : 0;
}

/** Seven bits a byte, the lowest first. */
function numberAt(digits: string, at: number): number {
  let value = 0;
  for (let position = at, factor = 1; ; position++, factor *= 0x80) {
    const byte = byteAt(digits, position);
    if (Number.isNaN(byte)) throw new Error('the database has a document that is cut off');
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return value;
  }
}

/** NaN behind the end. Digits come in either case. */
function byteAt(digits: string, at: number): number {
  if (2 * at + 1 >= digits.length) return Number.NaN;
  return 16 * digitOf(digits.charCodeAt(2 * at)) + digitOf(digits.charCodeAt(2 * at + 1));
}

function digitOf(code: number): number {
  return code < 0x3a ? code - 0x30 : (code | 0x20) - 0x57;
}
