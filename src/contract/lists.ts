// Lists inside bodies that checks, groups and channels share, and what of them is read only.
import { z } from 'zod';
import { orNull, variableKey } from './fields.ts';

const none = () => [];

/** Tags of a check or a group. */
export const tagList = orNull(z.array(z.string().min(1).max(200)).max(100), none);

/** Codes of run locations. */
export const locationList = orNull(z.array(z.string().min(1).max(100)).max(100), none);

/** Names of private locations: a check or a group without any says null. */
export const privateLocationList = z.array(z.string().min(1).max(100)).max(100).nullable();

/** Headers and query parameters of a request; values may hold {{NAME}}. */
export const pairs = orNull(
  z
    .array(
      z.strictObject({
        key: z.string().min(1).max(1000),
        value: z.string().max(32_768),
        locked: z.boolean().default(false),
      }),
    )
    .max(200),
  none,
);

/** Variables of a check or a group, up to 200 of them. `value` null keeps the stored value of a secret one. */
export const ownVariables = orNull(
  z
    .array(
      z.strictObject({
        key: variableKey,
        value: z.string().max(32_768).nullable(),
        locked: z.boolean().default(false),
        secret: z.boolean().default(false),
      }),
    )
    .max(200),
  none,
);

/** How many and how large they can be together; the bytes are counted with the kept secret values. */
export const ownVariablesRule = 'Up to 200, with at most 65,536 bytes of names and values together.';

/** The same as shown: null in the place of a secret value. */
export const ownVariablesShown = z.array(
  z.strictObject({ key: z.string(), value: z.string().nullable(), locked: z.boolean(), secret: z.boolean() }),
);

/** Channels that are told of a check or a group. */
export const channelSubscriptions = orNull(
  z.array(z.strictObject({ alertChannelId: z.int().min(1), activated: z.boolean().default(true) })).max(200),
  none,
);

export const channelSubscriptionsShown = z.array(z.strictObject({ alertChannelId: z.int(), activated: z.boolean() }));

/** Fields of an answer that the reference clients send back as they got them: taken out unread (reference §5.6). */
export const readOnlyFields = [
  'id',
  'created_at',
  'updated_at',
  'createdAt',
  'updatedAt',
  'projectBindings',
  'warnings',
] as const;

/** A body in which the named fields may stand, whatever they hold, without effect. */
export function ignoring<Schema extends z.ZodType>(
  names: readonly string[] | ((body: object) => readonly string[]),
  schema: Schema,
) {
  return z.preprocess((value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const left = typeof names === 'function' ? names(value) : names;
    return Object.fromEntries(Object.entries(value).filter(([name]) => !left.includes(name)));
  }, schema);
}

/** A body in which the named fields are refused with what to use instead. */
export function refusing<Schema extends z.ZodType>(hints: Readonly<Record<string, string>>, schema: Schema) {
  return z.preprocess((value, context) => {
    const names = typeof value === 'object' && value !== null ? Object.keys(value) : [];
    for (const name of names) {
      const message = Object.hasOwn(hints, name) ? hints[name] : undefined;
      if (message !== undefined) context.addIssue({ code: 'custom', path: [name], message });
    }
    return value;
  }, schema);
}

/** The body of a create: the same, but an `id` must be empty, as the reference clients send it (reference §5.6). */
export function creating<Schema extends z.ZodType>(
  names: readonly string[] | ((body: object) => readonly string[]),
  schema: Schema,
) {
  const isGiven = (body: object): boolean => 'id' in body && Boolean(body.id);
  return ignoring((body) => {
    const left = typeof names === 'function' ? names(body) : names;
    return isGiven(body) ? left.filter((name) => name !== 'id') : left;
  }, schema);
}
