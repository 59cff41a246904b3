// The definitions that a probe thread keeps: all of them as text, which its collector passes over, those of a few thousand checks
// as objects as well, with what is made of them.
import type { ThreadInput } from '#domain/checks/probe.ts';
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
  /** The definition as it stands; undefined = there is none. */
  textOf(checkId: string): InputText | undefined;
  /** Reads what `textOf` gave, then or by now: the same object again while it is among those that are kept as such. */
  read(checkId: string, text: InputText): ThreadInput;
}

/** @param now ms of the monotonic clock */
export function createProbeInputs(now: () => number): ProbeInputs {
  const texts = new Map<string, InputText>();
  const prepared = createKeptUsed<{ readonly text: InputText; readonly input: ThreadInput }>(preparedMost);
  return {
    define(checkId, text) {
      texts.set(checkId, text);
      prepared.forget(checkId);
    },
    forget(checkId) {
      texts.delete(checkId);
      prepared.forget(checkId);
    },
    textOf: (checkId) => texts.get(checkId),
    read(checkId, text) {
      const readAt = now();
      const expectedTo = readAt + unusedMs;
      const kept = prepared.use(checkId, expectedTo);
      if (kept?.text === text) return kept.input;
      const input = readInput(text);
      // A probe may have waited until its definition was another one.
      if (texts.get(checkId) === text) prepared.keep(checkId, { value: { text, input }, size: 1, expectedTo }, readAt);
      return input;
    },
  };
}

/** An input from its text: what is written of it on the other side. */
export function readInput(text: InputText): ThreadInput {
  return JSON.parse(text) as ThreadInput;
}
