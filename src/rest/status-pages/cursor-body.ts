// Bodies of lists that continue after an ID.
import type { CursorPage } from '#actions/status-pages/cursor-page.ts';
import type { StatusService } from '#domain/status-pages/status-service.ts';

/** The body of a part of a list. */
export function cursorBody<Row, Item>({ rows, nextId }: CursorPage<Row>, itemOf: (row: Row) => Item) {
  return { length: rows.length, entries: rows.map(itemOf), nextId };
}

/** Services by name; those that no longer exist are omitted. */
export function namedServices(
  accountId: string,
  ids: readonly string[],
  services: ReadonlyMap<string, Pick<StatusService, 'name'>>,
) {
  return ids.flatMap((id) => {
    const service = services.get(id);
    return service === undefined ? [] : [{ id, name: service.name, accountId }];
  });
}
