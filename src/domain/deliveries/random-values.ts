// Random values for templates (spec §6.3, §8), from a given source.

/** Source of randomness. */
export interface RandomSource {
  /** A UUID of version 4. */
  uuid(): string;
  /** Uniform from 0 to below 1. */
  fraction(): number;
}

/** Maximum of `$RANDOM_NUMBER` (spec §8). */
const largest = 1000;

/** `$UUID` and `$RANDOM_NUMBER` of a delivery, generated once, so that every attempt sends the same bytes. */
export function randomValues(source: RandomSource): { readonly uuid: string; readonly randomNumber: number } {
  return { uuid: source.uuid(), randomNumber: Math.floor(source.fraction() * (largest + 1)) };
}
