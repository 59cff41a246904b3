// The definitions that a probe thread keeps: all of them as text, which its collector passes over, those of a few thousand checks
// as objects as well, with what is made of them.
import type { ProbeInput } from '#domain/probe.ts';
import { createKeptUsed } from '#lib/kept-used.ts';
import type { InputText } from './probe-messages.ts';

/** Some 4 kB each. */
const preparedMost = 5000;
/** One that was not asked for this long makes room for another, ms: longer than most checks rest. */
const unusedMs = 20 * 60_000;

/** Definitions by the id of their check. */
export interface ProbeInputs {
  define(checkId: string, text: InputText): void;
  forget(checkId: string): void;
  /** The same object again while it is among those that are kept as such; undefined = there is no definition. */
  of(checkId: string): ProbeInput | undefined;
}

/** @param now ms of the monotonic clock */
export function createProbeInputs(now: () => number): ProbeInputs {
  const texts = new Map<string, InputText>();
  const prepared = createKeptUsed<ProbeInput>(preparedMost, now);
  return {
    define(checkId, text) {
      texts.set(checkId, text);
      prepared.forget(checkId);
    },
    forget(checkId) {
      texts.delete(checkId);
      prepared.forget(checkId);
    },
    of(checkId) {
      const expectedTo = now() + unusedMs;
      const kept = prepared.use(checkId, expectedTo);
      if (kept !== undefined) return kept;
      const text = texts.get(checkId);
      if (text === undefined) return undefined;
      const input = readInput(text);
      prepared.keep(checkId, { value: input, size: 1, expectedTo });
      return input;
    },
  };
}

/** An input from its text: what is written of it on the other side. */
export function readInput(text: InputText): ProbeInput {
  return JSON.parse(text) as ProbeInput;
}
