// Changes to records: given fields replace stored ones, objects are merged (docs/decisions/0019), and revisions are compared.

/** The given fields of an object. */
interface Patch<Whole> {
  /** Merges into the stored object; throws if the result is invalid as a whole. */
  readonly onto: (present: unknown) => Whole;
}

type ObjectIn<Value> = Value extends readonly unknown[] ? never : Value extends object ? Value : never;

/** A change to a record; absent fields are not changed. */
export type Change<Input> = {
  readonly [Key in keyof Input]?: [ObjectIn<Input[Key]>] extends [never]
    ? Input[Key]
    : Input[Key] | Patch<ObjectIn<Input[Key]>>;
};

/** The new values of the changed fields, with every patch merged into its stored field. */
export function merged<Input extends object>(change: Change<Input>, present: Partial<Input>): Partial<Input> {
  const fields = Object.entries(change) as [keyof Input, unknown][];
  return Object.fromEntries(
    fields.map(([name, value]) => [name, isPatch(value) ? value.onto(present[name]) : value]),
  ) as Partial<Input>;
}

function isPatch(value: unknown): value is Patch<unknown> {
  return typeof value === 'object' && value !== null && 'onto' in value && typeof value.onto === 'function';
}

/** Times of a record. Epoch ms. */
export interface Revised {
  readonly createdAt: number;
  /** null = never changed. */
  readonly updatedAt: number | null;
}

/** The revision of a record. Epoch ms. */
export function revisionOf({ createdAt, updatedAt }: Revised): number {
  return updatedAt ?? createdAt;
}

/** `updatedAt` of a change: now, but later than the last one, also within a millisecond or after a clock jump. */
export function nextRevision(present: Revised, now: number): number {
  return Math.max(now, revisionOf(present) + 1);
}
