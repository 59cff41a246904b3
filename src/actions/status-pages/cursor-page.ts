// Parts of lists that continue after an ID.

/** A part of a list; `nextId` is null on the last one. */
export interface CursorPage<Row> {
  readonly rows: readonly Row[];
  readonly nextId: string | null;
}

/** The part of a list, ordered by ID, that follows an ID; null = from its start. */
export function cursorPageOf<Row extends { readonly id: string }>(
  sorted: readonly Row[],
  after: string | null,
  limit: number,
): CursorPage<Row> {
  return firstOf(after === null ? sorted : sorted.filter(({ id }) => id > after), limit);
}

/** The first rows of those that follow. */
export function firstOf<Row extends { readonly id: string }>(rows: readonly Row[], limit: number): CursorPage<Row> {
  const shown = rows.slice(0, limit);
  return { rows: shown, nextId: rows.length > limit ? (shown.at(-1)?.id ?? null) : null };
}
