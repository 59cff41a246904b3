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

/** The same for a body: also a request without values, which one client sends for kinds that make none. */
function ignoredIn(body: object, schema: CheckSchema): readonly string[] {
  const isEmpty = !('request' in schema.fields) && 'request' in body && isNothing(body.request);
  return isEmpty ? [...ignoredBy(schema), 'request'] : ignoredBy(schema);
}

function isNothing(value: unknown): boolean {
  return typeof value === 'object' && value !== null ? Object.values(value).every(isNothing) : !value;
}

function bodiesOf(schema: CheckSchema & KindSchema): KindBodies {
  const { type, name, about, fields: own, shown = {}, lenient = (body: z.ZodType) => body }: CheckSchema = schema;
  const fields = fieldsOf(schema);
  const checkType = z.literal(type, `must be ${type} or omitted`);
  const written = (body: z.ZodType, what: string) => lenient(body).meta({ id: `${name}Check${what}` });
  return {
    schema,
    create: written(
      creating((body) => ignoredIn(body, schema), fields.extend({ checkType: checkType.default(type) })),
      'Create',
    ),
    update: written(
      ignoring((body) => ignoredIn(body, schema), updateOf(fields).extend({ checkType: checkType.exactOptional() })),
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

const api = schemaOf('API');
/** Kinds all of whose fields can be changed if the body names the type and the path does not. */
const scripted = [schemaOf('BROWSER'), schemaOf('MULTI_STEP')] as const;
export const scriptedTypes = scripted.map(({ type }) => type);
const others = checkTypes.filter((type) => scripted.every((schema) => schema.type !== type));

function ignoredOfAny(body: object): readonly string[] {
  const schema = checkSchemas.find(({ type }) => 'checkType' in body && body.checkType === type);
  return ignoredIn(body, schema ?? api);
}

function ignoredOfUpdate(body: object): readonly string[] {
  const schema = scripted.find(({ type }) => 'checkType' in body && body.checkType === type);
  return ignoredIn(body, schema ?? api);
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

const apiUpdate = updateOf(fieldsOf(api));

/** The update of a scripted kind, with the schemas of the common fields of another: a document has each of them once. */
function scriptedUpdate({ type, commonFields, fields }: CheckSchema) {
  const shared = Object.entries(apiUpdate.shape).filter(([name]) => name in checkFields);
  const own = updateOf(z.strictObject({ ...commonFields, ...fields }));
  return z.strictObject({ ...Object.fromEntries(shared), ...own.shape, checkType: z.literal(type) });
}

export const checkUpdate = ignoring(
  ignoredOfUpdate,
  z.discriminatedUnion(
    'checkType',
    [
      apiUpdate.extend({ checkType: z.enum(others).exactOptional() }),
      ...scripted.map(scriptedUpdate),
    ] as unknown as readonly [z.ZodObject],
    { error: `must be one of ${checkTypes.join(', ')}` },
  ),
).meta({ id: 'CheckUpdate' }) as unknown as z.ZodType<CheckUpdate>;

export const check = z
  .discriminatedUnion('checkType', kindBodies.map(({ shown }) => shown) as unknown as readonly [ShownOf<KindSchema>])
  .meta({ id: 'Check', description: 'A monitored target with its schedule and locations.' });
export type CheckBody = z.output<typeof check>;

export const checkParams = z.object({ id: pathUuid('ID of the check.') });
