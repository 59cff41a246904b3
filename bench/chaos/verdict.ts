// What a chaos command is given, and what it finds.
import type { Engine } from './deliver-fixture.ts';

/** Options of a chaos command. */
export interface ChaosOptions {
  readonly dataDir: string;
  /** Kills, minutes or seconds: each command says which. */
  readonly length: number;
  readonly seed: number;
  /** Commit to update from; null = the last one before the latest migration. */
  readonly from: string | null;
  /** Part of the names of the disturbances to run; null = all. */
  readonly only: string | null;
  readonly engine: Engine;
  readonly say: (what: string) => void;
}

/** A guarantee, how often it was checked, and its violations. */
export interface Verdict {
  readonly guarantee: string;
  readonly checked: number;
  readonly violations: readonly string[];
}
