// Secrets on their way from one installation's key to another's, wherever in a row they stand.
import type { Seal } from '../base/seal.ts';
import type { Row } from './shape.ts';

const sealedText = /sealed:1:[A-Za-z0-9+/=]+/g;

/** A row with every sealed text opened with one key and sealed with the other. */
export function createReseal(from: Seal, to: Seal): (row: Row) => Row {
  const turn = (text: string): string =>
    text.replaceAll(sealedText, (sealed) => {
      const plain = openedOrNull(from, sealed);
      return plain === null ? sealed : to.seal(plain);
    });
  return (row) => {
    const texts = Object.entries(row).filter(([, value]) => typeof value === 'string' && value.includes('sealed:1:'));
    if (texts.length === 0) return row;
    return { ...row, ...Object.fromEntries(texts.map(([column, value]) => [column, turn(String(value))])) };
  };
}

/** What a text stands for, its secrets opened: the same in both installations. */
export function createReadable(seal: Seal): (text: string) => string {
  return (text) =>
    text.includes('sealed:1:')
      ? text.replaceAll(sealedText, (sealed) => {
          const plain = openedOrNull(seal, sealed);
          return plain === null ? sealed : `opened:${plain}`;
        })
      : text;
}

/** null = it only looks like one, as a text that somebody wrote may. */
function openedOrNull(seal: Seal, sealed: string): string | null {
  try {
    return seal.open(sealed);
  } catch {
    return null;
  }
}
