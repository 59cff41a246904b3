// Outcomes of assertions while they are edited, on the result beside the form.
import { useEffect, useState } from 'react';
import type { CheckForm } from '#checks/form.ts';
import type { ObservedValues } from '#checks/show.ts';
import { evidenceOf, type Result } from '../../ui/checks/evidence.ts';
import type { AssertionOutcome } from '../../ui/form/assertions.tsx';
import { type Draft, textOf, valueAt } from '../../ui/form/draft.ts';
import { itemsOf } from '../../ui/form/pairs.tsx';
import { text } from './strings.ts';

/** Outcomes of the assertions in the form. */
export interface LiveOutcomes {
  /** Path of the list in the body. */
  readonly path: string;
  /** In order; empty = no result has their values. */
  readonly outcomes: readonly AssertionOutcome[];
  /** Whether they have changed since the run. */
  readonly isEdited: boolean;
}

/** Time after which an evaluation is given up, ms. */
const limitMs = 2000;

const none: readonly AssertionOutcome[] = [];

/**
 * Evaluates the assertions of a draft on a result.
 *
 * @param result null = there is none
 * @param tried the settings of its run
 */
export function useLiveOutcomes(form: CheckForm, draft: Draft, result: Result | null, tried: Draft): LiveOutcomes {
  const path = form.sections.flatMap(({ fields }) => fields).find(({ input }) => input === 'assertions')?.path ?? '';
  const observed = result === null || path === '' ? null : observedOf(result);
  const assertions = JSON.stringify(
    itemsOf(valueAt(draft, path)).map((item) => ({
      source: textOf(item['source']),
      comparison: textOf(item['comparison']),
      property: textOf(item['property']),
      target: textOf(item['target']),
      regex: textOf(item['regex']) || null,
      ...(item['passesIfAbsent'] === true && { passesIfAbsent: true }),
    })),
  );
  const [outcomes, setOutcomes] = useState(none);
  const key = observed === null ? null : JSON.stringify(observed);
  useEffect(() => {
    if (key === null) return undefined;
    const asked = JSON.parse(assertions) as unknown[];
    return evaluate([asked, JSON.parse(key)], (found) => {
      setOutcomes(found ?? asked.map(() => ({ passed: null, message: text.slowAssertions })));
    });
  }, [assertions, key]);
  const isEdited = key !== null && valueAt(draft, path) !== valueAt(tried, path);
  return { path, outcomes: key === null ? none : outcomes, isEdited };
}

/** What a result has, and its response time. */
function observedOf(result: Result): ObservedValues | null {
  const { observed } = evidenceOf(result);
  if (observed === undefined) return null;
  const { values, text: body } = observed;
  return { values: { ...values, ...(result.responseTime > 0 && { RESPONSE_TIME: result.responseTime }) }, text: body };
}

let idle: Worker | null = null;

/** Evaluates in a worker; null = it takes too long. @returns gives up */
function evaluate(asked: unknown, onFound: (found: readonly AssertionOutcome[] | null) => void): () => void {
  const worker = idle ?? new Worker(new URL('./evaluate-worker.ts', import.meta.url), { type: 'module' });
  idle = null;
  const give = (found: readonly AssertionOutcome[] | null): void => {
    clearTimeout(timer);
    worker.onmessage = null;
    if (found === null) worker.terminate();
    else idle ??= worker;
  };
  const timer = setTimeout(() => {
    give(null);
    onFound(null);
  }, limitMs);
  worker.onmessage = ({ data }: MessageEvent<readonly AssertionOutcome[]>) => {
    give(data);
    onFound(data);
  };
  worker.postMessage(asked);
  return () => {
    if (worker.onmessage !== null) give(null);
  };
}
