// Encodes lists for PostgreSQL. Batches of hundreds of rows are lists, so this is a large part of a batch's cost.

/**
 * Encodes a list of numbers, texts, bytes and nulls for the driver: bytes in the binary format of `bytea[]`, everything
 * else as text. PostgreSQL's texts cannot contain U+0000: it becomes U+FFFD.
 */
export function listOf(cells: readonly unknown[]): Buffer | string {
  return cells[0] instanceof Uint8Array && cells.every(isBytes) ? binaryList(cells) : textList(cells);
}

function isBytes(cell: unknown): cell is Uint8Array | null {
  return cell === null || cell instanceof Uint8Array;
}

/** The OID of the type `bytea` in every PostgreSQL. */
const byteaType = 17;

/** One dimension starting at 1; each element is its length, or -1 for null, and its bytes. */
function binaryList(cells: readonly (Uint8Array | null)[]): Buffer {
  const size = cells.reduce((sum, cell) => sum + 4 + (cell?.length ?? 0), 20);
  const list = Buffer.allocUnsafe(size);
  const head = [1, cells.includes(null) ? 1 : 0, byteaType, cells.length, 1];
  let at = head.reduce((offset, number) => list.writeInt32BE(number, offset), 0);
  for (const cell of cells) {
    at = list.writeInt32BE(cell?.length ?? -1, at);
    if (cell === null) continue;
    list.set(cell, at);
    at += cell.length;
  }
  return list;
}

function textList(cells: readonly unknown[]): string {
  let text = '{';
  for (let index = 0; index < cells.length; index++) {
    if (index > 0) text += ',';
    const cell = cells[index];
    if (cell === null || cell === undefined) text += 'NULL';
    else if (typeof cell === 'number') text += cell;
    else if (typeof cell === 'string') text += `"${quoted(cell)}"`;
    else if (cell instanceof Uint8Array) text += `\\\\x${Buffer.from(cell).toString('hex')}`;
    else throw new TypeError(`a list holds numbers, texts and bytes, not a ${typeof cell}`);
  }
  return `${text}}`;
}

const special = /["\\\0]/;

function quoted(text: string): string {
  return special.test(text) ? storable(text).replaceAll(/["\\]/g, String.raw`\$&`) : text;
}

/** A text without U+0000, which a target may cause in a message. */
export function storable(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text;
}
