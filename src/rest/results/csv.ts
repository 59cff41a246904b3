// Lines of CSV that are safe to open in a spreadsheet.

export type CsvCell = string | number | null;

/** A line of CSV (RFC 4180). */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map((cell) => (typeof cell === 'string' ? textCell(cell) : (cell ?? ''))).join(',')}\r\n`;
}

function textCell(text: string): string {
  // Spreadsheets evaluate texts that begin like this, some of them after spaces or with full-width characters.
  const safe = /^(?:[\t\r\n]|[\s\p{Cf}]*[=+\-@\uff1d\uff0b\uff0d\uff20])/u.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
