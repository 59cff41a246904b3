// Evaluates assertions on a result that is displayed, with the code that judges responses, for the web UI.
import type { JsonValue } from '#domain/json.ts';
import { type AssertionSettings, compileAssertion } from './parts/assertions/assertion.ts';
import { createEvaluator, type Hiding, outcomeOfError } from './parts/assertions/evaluator.ts';
import { sentence } from './parts/assertions/sentence.ts';
import { type AssertionSource, sortOf, sources } from './parts/assertions/sources.ts';
import { mask } from './parts/redact.ts';
import type { ObservedValues } from './show.ts';

/** How an assertion ends on a displayed result. */
export interface ShownOutcome {
  /** null = only a run can tell. */
  readonly passed: boolean | null;
  /** In words, without a capital letter. */
  readonly message: string;
}

const hidesNothing: Hiding = { text: (text) => text, longest: 0 };

/** Evaluates assertions as they are entered. May take long: call it where that blocks nothing. */
export function evaluateShown(
  assertions: readonly AssertionSettings[],
  { values, text }: ObservedValues,
): ShownOutcome[] {
  // The values are those of responses, which are JSON.
  const observed = { values: values as Readonly<Partial<Record<AssertionSource, JsonValue>>>, text: () => text ?? '' };
  const evaluate = createEvaluator(observed, hidesNothing);
  return assertions.map((settings) => {
    const { property, target, regex } = settings;
    if (`${property}${target}${regex ?? ''}`.includes('{{')) return unknown('run again: it uses variables');
    // New and changed assertions do not pass if the value does not exist.
    const assertion = compileAssertion({ ...settings, passesIfAbsent: settings.passesIfAbsent ?? false }, sources);
    if (typeof assertion === 'string') return { passed: false, message: assertion };
    const { source } = assertion;
    const isOfBody = values[source] === undefined && (sortOf[source] === 'text' || sortOf[source] === 'json');
    const value = isOfBody ? text : values[source];
    if (value === undefined || value === null) return unknown('run again: the result does not have the value');
    if (typeof value === 'string' && value.includes(mask)) return unknown('run again: the value contains a secret');
    try {
      const outcome = evaluate(assertion);
      return { passed: outcome.passed, message: sentence(assertion, outcome) };
    } catch (error) {
      return { passed: false, message: sentence(assertion, outcomeOfError(error, hidesNothing)) };
    }
  });
}

function unknown(message: string): ShownOutcome {
  return { passed: null, message };
}
