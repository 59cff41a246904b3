// Lists of services and parts of lists in the API of status pages.
import { z } from 'zod';
import { pathUuid, wholeNumber } from '#lib/schema/fields.ts';

/** The query of lists that continue after an ID. */
export const cursorQuery = z.object({
  limit: wholeNumber(1, 100).default(20).describe('Page size, 1 to 100.'),
  nextId: z.uuid().exactOptional().describe('`nextId` of the previous response.'),
});

/** A part of a list. */
export function cursorPage<Item extends z.ZodType>(item: Item) {
  return z.strictObject({
    length: z.int(),
    entries: z.array(item),
    nextId: z.uuid().nullable().describe('null on the last page.'),
  });
}

/** A service, by its ID or by an object that contains it, as clients send what they received. */
export const serviceReference = z.union([
  pathUuid('ID of a service.'),
  z.looseObject({ id: pathUuid('ID of a service.') }).transform(({ id }) => id),
]);

/** Services, each once. */
export function serviceList(most: number) {
  return z
    .array(serviceReference)
    .max(most)
    .transform((ids) => [...new Set(ids)]);
}

/** A service as pages and incidents name it. */
export const namedService = z
  .strictObject({ id: z.uuid(), name: z.string(), accountId: z.uuid() })
  .meta({ id: 'NamedStatusService' });
