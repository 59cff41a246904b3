// Checks in the API: common fields, extended by the schema of each kind (reference §4.3, decisions: Checks).
import { z } from 'zod';
import { checkSchemas, type KindSchema, schemaOf } from '#checks/check-schemas.ts';
import type { CheckSchema } from '#checks/schema.ts';
import type { CheckType } from '#domain/checks/check.ts';
import { creating, ignoring } from '#lib/schema/bodies.ts';
import { pathUuid, updateOf } from '#lib/schema/fields.ts';
import { type ShownFields, shownFields } from '#lib/schema/shown.ts';
import { checkFields, checkFieldsShown, ignored } from './check-fields.ts';

/** Types of checks that this server runs. */
export const checkTypes: readonly CheckType[] = checkSchemas.map(({ type }) => type);

const common = z.strictObject(checkFields);
type CheckWrite = z.output<typeof common> & { readonly checkType: CheckType };
type CheckUpdate = z.output<ReturnType<typeof updateOf<typeof checkFields>>> & { readonly checkType?: CheckType };

const identity = { id: z.uuid(), ...checkFieldsShown };

/** Response schema of a check of a kind. */
export type ShownOf<Schema> = Schema extends CheckSchema
  ? z.ZodObject<
      typeof identity & { checkType: z.ZodLiteral<Schema['type']> } & ShownFields<Schema['fields']> &
        (Schema extends { readonly shown: infer Extra extends z.ZodRawShape } ? Extra : unknown),
      z.core.$strict
    >
  : never;

/** Create, update and response schemas of a kind. */
export interface KindBodies {
  readonly schema: CheckSchema & KindSchema;
  readonly create: z.ZodType<CheckWrite>;
  readonly update: z.ZodType<CheckUpdate>;
  readonly shown: ShownOf<KindSchema>;
}

function fieldsOf({ commonFields, fields }: CheckSchema) {
  return common.extend({ ...commonFields, ...fields });
}

/** Body fields without effect: those that clients send for every kind, except the kind's own fields. */
function ignoredBy({ fields, ignored: own = [] }: CheckSchema): readonly string[] {
  return [...ignored.filter((name) => !(name in fields)), ...own];
}

function bodiesOf(schema: CheckSchema & KindSchema): KindBodies {
  const { type, name, about, fields: own, shown = {}, lenient = (body: z.ZodType) => body }: CheckSchema = schema;
  const fields = fieldsOf(schema);
  const checkType = z.literal(type, `must be ${type} or omitted`);
  const written = (body: z.ZodType, what: string) => lenient(body).meta({ id: `${name}Check${what}` });
  return {
    schema,
    create: written(creating(ignoredBy(schema), fields.extend({ checkType: checkType.default(type) })), 'Create'),
    update: written(
      ignoring(ignoredBy(schema), updateOf(fields).extend({ checkType: checkType.exactOptional() })),
      'Update',
    ),
    shown: z
      .strictObject({ id: identity.id, checkType: z.literal(type), ...checkFieldsShown, ...shownFields(own), ...shown })
      .meta({ id: `${name}Check`, description: about }),
    // Built from the fields of that schema, which the type system cannot follow.
  } as unknown as KindBodies;
}

/** The schemas of each kind by the name of its type. */
export const kindBodies: readonly KindBodies[] = checkSchemas.map((schema) => bodiesOf(schema));

/** Fields that can be changed if the path does not name the type. */
const api = schemaOf('API');

function ignoredOfAny(body: object): readonly string[] {
  const schema = checkSchemas.find(({ type }) => 'checkType' in body && body.checkType === type);
  return ignoredBy(schema ?? api);
}

export const anyCheckCreate = creating(
  ignoredOfAny,
  z.discriminatedUnion(
    'checkType',
    checkSchemas.map((schema) =>
      fieldsOf(schema).extend({ checkType: z.literal(schema.type) }),
    ) as unknown as readonly [z.ZodObject],
    { error: `must be one of ${checkTypes.join(', ')}` },
  ),
).meta({ id: 'CheckCreate' }) as unknown as z.ZodType<CheckWrite>;

export const checkUpdate = ignoring(
  ignoredBy(api),
  updateOf(fieldsOf(api)).extend({ checkType: z.enum(checkTypes).exactOptional() }),
).meta({ id: 'CheckUpdate' }) as unknown as z.ZodType<CheckUpdate>;

export const check = z
  .discriminatedUnion('checkType', kindBodies.map(({ shown }) => shown) as unknown as readonly [ShownOf<KindSchema>])
  .meta({ id: 'Check', description: 'A monitored target with its schedule and locations.' });
export type CheckBody = z.output<typeof check>;

export const checkParams = z.object({ id: pathUuid('ID of the check.') });
