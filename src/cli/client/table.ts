// Tables for people: columns as wide as their texts, and one that shrinks to the width of the terminal.
import { styleText } from 'node:util';
import { oneLine } from '../terminal-text.ts';

/** Style of a cell on a terminal with colors. */
export type Style = 'red' | 'green' | 'yellow' | 'dim' | 'bold';

/** A cell: text of any origin, and its style. */
export type Cell = string | { readonly text: string; readonly style: Style };

export interface Table {
  readonly titles: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** Index of the column that shrinks, 0 by default. */
  readonly shrinking?: number;
}

const gap = '  ';
/** A shrinking column stays this wide, characters. */
const narrowest = 10;

/**
 * The lines of a table, without a line feed at the end.
 * @param width columns of the terminal; null = no terminal, where nothing is cut off
 */
export function tableLines({ titles, rows, shrinking = 0 }: Table, width: number | null): readonly string[] {
  const cells = [titles.map((text): Cell => ({ text, style: 'dim' })), ...rows];
  const widths = titles.map((_, column) =>
    cells.reduce((widest, row) => Math.max(widest, textWidth(plainOf(row[column]))), 0),
  );
  const total = widths.reduce((sum, each) => sum + each + gap.length, -gap.length);
  if (width !== null && total > width) {
    widths[shrinking] = Math.max(narrowest, (widths[shrinking] ?? 0) - (total - width));
  }
  return cells.map((row) =>
    titles
      .map((_, column) => {
        const size = widths[column] ?? 0;
        const text = cut(plainOf(row[column]), size);
        const padding = column === titles.length - 1 ? '' : ' '.repeat(Math.max(0, size - textWidth(text)));
        return styled(text, row[column]) + padding;
      })
      .join(gap)
      .trimEnd(),
  );
}

/** A cell outside of a table, padded to a width. */
export function cellText(cell: Cell, width = 0): string {
  const text = plainOf(cell);
  return styled(text, cell) + ' '.repeat(Math.max(0, width - textWidth(text)));
}

function plainOf(cell: Cell | undefined): string {
  return oneLine(typeof cell === 'string' ? cell : (cell?.text ?? ''));
}

/** Colored on a terminal, unless `NO_COLOR` is set. */
function styled(text: string, cell: Cell | undefined): string {
  return typeof cell === 'object' ? styleText(cell.style, text, { stream: process.stdout }) : text;
}

/** A text of at most so many columns; a longer one ends in `…`. */
export function cut(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let [used, kept] = [1, ''];
  for (const character of text) {
    used += textWidth(character);
    if (used > width) break;
    kept += character;
  }
  return `${kept}…`;
}

const zeroWidth = /[\p{Mn}\p{Me}\p{Cf}]/u;
const doubleWidth =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** Columns that a text takes on a terminal. */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of text) width += zeroWidth.test(character) ? 0 : doubleWidth.test(character) ? 2 : 1;
  return width;
}
