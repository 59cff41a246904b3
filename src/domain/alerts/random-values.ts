// The random values that templates may print (spec §6.3, §8), made of a source that is passed in.

/** Where randomness comes from. */
export interface RandomSource {
  /** A UUID of version 4. */
  uuid(): string;
  /** From 0 up to, and never, 1; every part of that as likely as any other of its size. */
  fraction(): number;
}

/** The largest `$RANDOM_NUMBER` (spec §8). */
const largest = 1000;

/** `$UUID` and `$RANDOM_NUMBER` of one delivery: drawn once, so that every attempt sends the same bytes. */
export function randomValues(source: RandomSource): { readonly uuid: string; readonly randomNumber: number } {
  return { uuid: source.uuid(), randomNumber: Math.floor(source.fraction() * (largest + 1)) };
}
