// Instants and days as they are written on the wire (decisions: Dates).

/** ISO 8601, UTC, with milliseconds. @param at epoch ms */
export function isoText(at: number): string {
  return new Date(at).toISOString();
}

/** As `isoText`, with null for what never happened. */
export function isoTextOrNull(at: number | null): string | null {
  return at === null ? null : isoText(at);
}

/** The UTC calendar day, `YYYY-MM-DD`. @param at epoch ms */
export function dayText(at: number): string {
  return isoText(at).slice(0, 10);
}

/** A list that may be changed in the place of one that may not. */
type WrittenField<Field> = Field extends readonly (infer Item)[] ? Item[] : Field;

/** The same record, for a wire type that asks for lists which may be changed: answers are only read. */
export function written<Value>(value: Value): { -readonly [Key in keyof Value]: WrittenField<Value[Key]> } {
  return value as { -readonly [Key in keyof Value]: WrittenField<Value[Key]> };
}
