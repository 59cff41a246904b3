// What is wrong with the assertions and time limits of a check, before anything is filled in.
import type { SettingsProblem } from '../../kind.ts';
import { hasPlaceholder } from '../placeholders.ts';
import { type AssertionSettings, type AssertionSource, compileAssertion, sortOf } from './assertion.ts';

/** Every problem of the assertions at `path`. What a variable will bring cannot be judged yet. */
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

/** Degraded must not begin after failed does; ms. */
export function timeProblems({
  degradedResponseTime,
  maxResponseTime,
}: {
  readonly degradedResponseTime: number;
  readonly maxResponseTime: number;
}): SettingsProblem[] {
  if (degradedResponseTime <= maxResponseTime) return [];
  const message = `${degradedResponseTime} is more than maxResponseTime, ${maxResponseTime}`;
  return [{ path: 'degradedResponseTime', message }];
}
