// Validates assertions and time limits before variables are filled in.
import type { SettingsProblem } from '../../kind.ts';
import { hasPlaceholder } from '../placeholders.ts';
import { type AssertionSettings, compileAssertion } from './assertion.ts';
import { type AssertionSource, sortOf } from './sources.ts';

/** Returns all problems of the assertions at `path`. Values of variables are not known yet. */
export function assertionProblems(
  assertions: readonly AssertionSettings[],
  sources: readonly AssertionSource[],
  path: string,
): SettingsProblem[] {
  const sample = (text: string, value: string): string => (hasPlaceholder(text) ? value : text);
  return assertions.flatMap((assertion, index) => {
    const source = sources.find((each) => each === assertion.source);
    const isJson = source !== undefined && sortOf[source] === 'json';
    const compiled = compileAssertion(
      {
        ...assertion,
        target: sample(assertion.target, '0'),
        property: sample(assertion.property, isJson ? '$' : 'x'),
        regex: sample(assertion.regex ?? '', 'x'),
      },
      sources,
    );
    return typeof compiled === 'string' ? [{ path: `${path}[${index}]`, message: compiled }] : [];
  });
}

/** The degraded limit must not exceed the failed limit; ms. */
export function timeProblems({
  degradedResponseTime,
  maxResponseTime,
}: {
  readonly degradedResponseTime: number;
  readonly maxResponseTime: number;
}): SettingsProblem[] {
  if (degradedResponseTime <= maxResponseTime) return [];
  const message = `${degradedResponseTime} exceeds maxResponseTime (${maxResponseTime})`;
  return [{ path: 'degradedResponseTime', message }];
}
