// Compares the matches of a JSON path: every match by default, any match or their number on request.
import { holdsForNothing, isNegated } from '#domain/checks/absent-values.ts';
import type { Assertion, JsonPath } from './assertion.ts';
import { holds, type Target } from './compare.ts';
import type { Outcome } from './outcome.ts';
import { type ExactValue, type JsonDocument, valueAt } from './json-document.ts';

/** Maximum matches displayed; more do not fit anyway. */
const maxShown = 100;
const nothing = 'the path matches nothing';

/** Compares the matches of a path in a document. */
export function compareMatches(
  { comparison, path, passesIfAbsent }: Pick<Assertion, 'comparison' | 'path' | 'passesIfAbsent'>,
  document: JsonDocument,
  target: Target,
  show: (value: ExactValue) => string,
): Outcome {
  const matches = matchesOf(path, document);
  const isHeld = (value: ExactValue | undefined): boolean => holds(comparison, value, target);
  const isEvery = path?.mode === 'every' && comparison !== 'HAS_VALUE';
  const outcome = (passed: boolean, value: ExactValue | undefined): Outcome => ({
    passed,
    actual: value === undefined ? null : show(value),
    problem: null,
    ...(isEvery && { isEvery }),
  });
  if (path?.mode === 'count') {
    let count = 0;
    for (const _match of matches) count++;
    return outcome(isHeld(count), count);
  }
  if (path?.mode === 'one') {
    const [value] = matches;
    const isRefused = value === undefined && !passesIfAbsent && isNegated(comparison);
    if (isRefused) return { ...outcome(false, undefined), problem: nothing };
    return outcome(isHeld(value), value);
  }
  // HAS_VALUE requires only one matching value.
  const isAny = path?.mode === 'any' || comparison === 'HAS_VALUE';
  const seen: ExactValue[] = [];
  let count = 0;
  for (const value of matches) {
    count++;
    if (seen.length < maxShown) seen.push(value);
    if (isHeld(value) === isAny) {
      return isAny ? outcome(true, value) : { ...outcome(false, value), among: `match ${count}` };
    }
  }
  const [first] = seen;
  if (count === 0) {
    const passed = path?.mode !== 'any' && holdsForNothing(comparison);
    return passed ? outcome(true, undefined) : { ...outcome(false, undefined), problem: nothing };
  }
  const all = outcome(!isAny, count === 1 ? first : seen);
  return isAny && count > 1 ? { ...all, among: `none of ${count} matches` } : all;
}

/** Yields values as written. */
function* matchesOf(path: JsonPath | null, { plain, exact }: JsonDocument): Generator<ExactValue, void, undefined> {
  if (path === null) return;
  for (const { value, location } of path.query.lazyQuery(plain as Parameters<typeof path.query.query>[0])) {
    const mayHoldNumbers = typeof value === 'number' || (typeof value === 'object' && value !== null);
    const found = mayHoldNumbers ? valueAt(exact(), location) : (value as ExactValue);
    if (found !== undefined) yield found;
  }
}
