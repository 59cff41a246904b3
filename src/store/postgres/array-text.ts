// Lists as PostgreSQL reads them: {1,2,NULL}. Batches of hundreds of rows are lists, so this is much of what a batch costs.

/** A list of numbers, texts, bytes and nulls. PostgreSQL's texts cannot hold U+0000: it becomes U+FFFD. */
export function arrayText(cells: readonly unknown[]): string {
  let text = '{';
  for (let index = 0; index < cells.length; index++) {
    if (index > 0) text += ',';
    const cell = cells[index];
    if (cell === null || cell === undefined) text += 'NULL';
    else if (typeof cell === 'number') text += cell;
    else if (cell instanceof Uint8Array) text += bytesText(cell);
    else if (typeof cell === 'string') text += `"${quoted(cell)}"`;
    else throw new TypeError(`a list holds numbers, texts and bytes, not a ${typeof cell}`);
  }
  return `${text}}`;
}

function bytesText(bytes: Uint8Array): string {
  return `\\\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}

const special = /["\\\0]/;

function quoted(text: string): string {
  return special.test(text) ? storable(text).replaceAll(/["\\]/g, String.raw`\$&`) : text;
}

/** A text without U+0000, which an answer of a target may bring into a message. */
export function storable(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text;
}
