// A table: columns once, rows as data. On a phone each row becomes a block with labelled cells.
import type { ReactNode } from 'react';
import css from './table.module.css';

/** One column. */
export interface Column<Row> {
  readonly id: string;
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers are right-aligned. */
  readonly isNumber?: boolean;
  /** The cell that names the row; it heads the block on a phone. */
  readonly isName?: boolean;
}

export function Table<Row>({
  label,
  columns,
  rows,
  keyOf,
  isCompact = false,
}: {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** On a phone, these cells share a line without labels, because they are clear without them. */
  readonly isCompact?: boolean;
}) {
  return (
    <table className={css['table']} aria-label={label} data-compact={isCompact ? '' : undefined}>
      <thead>
        <tr>
          {columns.map(({ id, title, isNumber }) => (
            <th key={id} scope="col" className={isNumber ? css['number'] : undefined}>
              {title === '' ? <span className="visually-hidden">Actions</span> : title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map(({ id, title, cell, isNumber, isName }) => (
              <td
                key={id}
                data-label={title}
                className={[isNumber && css['number'], isName && css['name']].filter(Boolean).join(' ') || undefined}
              >
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
