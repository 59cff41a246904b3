// Decimal numbers of any length, compared exactly: a double holds fifteen digits and no more.

/** `digits` × 10^`exponent`; digits have no zeros at either end, and zero has none at all. */
export interface Decimal {
  readonly isNegative: boolean;
  readonly digits: string;
  readonly exponent: number;
}

const syntax = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;
/** Digits that every double keeps. */
const exactDigits = 15;

/** The number that a text is, blanks around it aside; null = it is none. */
export function decimalOf(text: string): Decimal | null {
  const trimmed = text.trim();
  const [, sign, whole = '', fraction = '', exponent = '0'] = syntax.exec(trimmed) ?? [];
  if (whole === '' && fraction === '') {
    // Such as 0x1F.
    const value = trimmed === '' ? Number.NaN : Number(trimmed);
    return Number.isFinite(value) ? decimalOf(String(value)) : null;
  }
  const all = whole + fraction;
  let start = 0;
  let end = all.length;
  while (start < end && all[start] === '0') start++;
  while (end > start && all[end - 1] === '0') end--;
  const digits = all.slice(start, end);
  const isZero = digits === '';
  return {
    isNegative: sign === '-' && !isZero,
    digits,
    exponent: isZero ? 0 : Number(exponent) - fraction.length + (all.length - end),
  };
}

/** A double without an exponent: 1e21 is "1000000000000000000000". */
export function plainNumber(value: number): string {
  const text = String(value);
  const decimal = text.includes('e') ? decimalOf(text) : null;
  if (decimal === null) return text;
  const { isNegative, digits, exponent } = decimal;
  const whole = exponent >= 0 ? digits + '0'.repeat(exponent) : `0.${'0'.repeat(-exponent - digits.length)}${digits}`;
  return isNegative ? `-${whole}` : whole;
}

/** Negative, 0 or positive, as one is less than the other, equals it or is greater. */
export function compareDecimals(one: Decimal, other: Decimal): number {
  if (one.isNegative !== other.isNegative) return one.isNegative ? -1 : 1;
  const size = compareSizes(one, other);
  return one.isNegative ? -size : size;
}

function compareSizes(one: Decimal, other: Decimal): number {
  if (one.digits === '' || other.digits === '') return one.digits.length - other.digits.length;
  const [first, second] = [one.exponent + one.digits.length, other.exponent + other.digits.length];
  if (first !== second) return first < second ? -1 : 1;
  if (one.digits === other.digits) return 0;
  return one.digits < other.digits ? -1 : 1;
}

/** Whether a double holds it. */
export function isExact({ digits, exponent }: Decimal): boolean {
  return digits.length <= exactDigits && Math.abs(exponent + digits.length) < 300;
}
