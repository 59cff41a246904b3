// Re-encrypts secrets from one installation's key to another's, wherever they are in a row.
import type { Seal } from '../base/seal.ts';
import type { Row } from './table.ts';

const sealedText = /sealed:1:[A-Za-z0-9+/=]+/g;

/** A row with every encrypted text decrypted with one key and encrypted with the other. */
export function createReseal(from: Seal, to: Seal): (row: Row) => Row {
  const convert = (text: string): string =>
    text.replaceAll(sealedText, (sealed) => {
      const plain = openedOrNull(from, sealed);
      return plain === null ? sealed : to.seal(plain);
    });
  return (row) => {
    const texts = Object.entries(row).filter(([, value]) => typeof value === 'string' && value.includes('sealed:1:'));
    if (texts.length === 0) return row;
    return { ...row, ...Object.fromEntries(texts.map(([column, value]) => [column, convert(String(value))])) };
  };
}

/** A text with its secrets decrypted, which is the same in both installations. */
export function createReadable(seal: Seal): (text: string) => string {
  return (text) =>
    text.includes('sealed:1:')
      ? text.replaceAll(sealedText, (sealed) => {
          const plain = openedOrNull(seal, sealed);
          return plain === null ? sealed : `opened:${plain}`;
        })
      : text;
}

/** null = it only looks encrypted, as a text written by a user may. */
function openedOrNull(seal: Seal, sealed: string): string | null {
  try {
    return seal.open(sealed);
  } catch {
    return null;
  }
}
