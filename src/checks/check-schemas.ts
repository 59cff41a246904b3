// Schemas of check kinds by type, without their probes: for the contract.
import type { CheckType } from '#domain/checks/check.ts';
import type { CheckSchema } from './schema.ts';
import * as schemas from './schemas.ts';

export type KindSchema = (typeof schemas)[keyof typeof schemas];

export const checkSchemas: readonly (CheckSchema & KindSchema)[] = Object.values(schemas).toSorted((one, other) =>
  one.type < other.type ? -1 : 1,
);

/** Returns the schema of a check type. Throws if it is unknown. */
export function schemaOf(type: CheckType): CheckSchema & KindSchema {
  const schema = checkSchemas.find((each) => each.type === type);
  if (schema === undefined) throw new Error(`there is no check type ${type}`);
  return schema;
}

/** Values that the kind refuses although checks in general may have them, by field. Unknown fields are ignored. */
export function commonProblems(type: CheckType, written: object): { path: string; message: string }[] {
  const { commonFields = {} }: CheckSchema = schemaOf(type);
  return Object.entries(written).flatMap(([path, value]) => {
    const message = commonFields[path]?.safeParse(value).error?.issues[0]?.message;
    return message === undefined ? [] : [{ path, message }];
  });
}
