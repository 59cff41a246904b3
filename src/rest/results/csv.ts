// Files of CSV that are safe to open in a spreadsheet.
import { Answer } from '../route.ts';

export type CsvCell = string | number | null;

/** The columns of a file: the name of each, and its value in a row. */
export type CsvColumns<Row> = readonly (readonly [name: string, valueOf: (row: Row) => CsvCell])[];

/** A download with a line for each row, or fewer if the client leaves. */
export async function csvAnswer<Row>(
  file: string,
  columns: CsvColumns<Row>,
  parts: AsyncIterable<readonly Row[]>,
  signal: AbortSignal,
): Promise<Answer> {
  const lines = [csvLine(columns.map(([name]) => name))];
  for await (const rows of parts) {
    if (signal.aborted) break;
    for (const row of rows) lines.push(csvLine(columns.map(([, valueOf]) => valueOf(row))));
  }
  return new Answer(200, lines.join(''), { 'content-disposition': `attachment; filename="${file}.csv"` });
}

/** A line of CSV (RFC 4180). */
function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map((cell) => (typeof cell === 'string' ? textCell(cell) : (cell ?? ''))).join(',')}\r\n`;
}

function textCell(text: string): string {
  // Spreadsheets evaluate texts that begin like this, some of them after spaces or with full-width characters.
  const safe = /^(?:[\t\r\n]|[\s\p{Cf}]*[=+\-@\uff1d\uff0b\uff0d\uff20])/u.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
