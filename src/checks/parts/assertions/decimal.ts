// Exact comparison of decimal numbers of any length. Doubles hold only 15 digits.

/** `digits` × 10^`exponent`, without leading or trailing zeros. Zero has no digits. */
export interface Decimal {
  readonly isNegative: boolean;
  readonly digits: string;
  readonly exponent: number;
}

const syntax = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;
/** Digits that every double preserves. */
const exactDigits = 15;

/** Parses a number, ignoring surrounding blanks; null if it is not one. */
export function parseDecimal(text: string): Decimal | null {
  const trimmed = text.trim();
  const [, sign, whole = '', fraction = '', exponent = '0'] = syntax.exec(trimmed) ?? [];
  if (whole === '' && fraction === '') {
    // For example 0x1F.
    const value = trimmed === '' ? Number.NaN : Number(trimmed);
    return Number.isFinite(value) ? parseDecimal(String(value)) : null;
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

/** Formats a double without an exponent: 1e21 becomes "1000000000000000000000". */
export function plainNumber(value: number): string {
  const text = String(value);
  const decimal = text.includes('e') ? parseDecimal(text) : null;
  if (decimal === null) return text;
  const { isNegative, digits, exponent } = decimal;
  const whole = exponent >= 0 ? digits + '0'.repeat(exponent) : `0.${'0'.repeat(-exponent - digits.length)}${digits}`;
  return isNegative ? `-${whole}` : whole;
}

/** Returns a negative number, 0 or a positive number. */
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

/** Whether a double can hold it exactly. */
export function isExact({ digits, exponent }: Decimal): boolean {
  return digits.length <= exactDigits && Math.abs(exponent + digits.length) < 300;
}
