// Sentences about the settings of a check.
import type { Assertion } from '#checks/show.ts';
import type { AnswerOf } from '#contract/operations.ts';
import { comparisons, isUnary } from '../../ui/checks/comparisons.ts';
import { codeText } from '../../ui/text/format.ts';

/** `JSON body $.total is greater than 3` */
export function assertionText({ source, comparison, property, target, regex }: Assertion): string {
  return [
    codeText(source),
    property,
    regex ? `matching /${regex}/` : '',
    comparisons[comparison] ?? comparison,
    isUnary(comparison) ? '' : target === '' || target === undefined ? '""' : target,
  ]
    .filter((part) => part !== undefined && part !== '')
    .join(' ');
}

/** A target with the base URL of its group filled in. @param baseUrl empty = none */
export function filledTarget(target: string, baseUrl: string): string {
  return baseUrl === '' ? target : target.replace(/\{\{\s*GROUP_BASE_URL\s*\}\}/g, () => baseUrl);
}

/** `Up to 3, after 10 s, 20 s …` */
export function retryText(strategy: AnswerOf<'getCheck'>['retryStrategy']): string {
  if (strategy === null || strategy.type === 'NO_RETRIES') return 'None';
  const { type, baseBackoffSeconds: base, maxRetries, sameRegion, onlyOn } = strategy;
  const count = type === 'SINGLE_RETRY' ? 1 : maxRetries;
  const delays = [1, 2, 3]
    .slice(0, count)
    .map((n) => `${type === 'LINEAR' ? base * n : type === 'EXPONENTIAL' ? base * 2 ** (n - 1) : base} s`);
  const conditions = [
    sameRegion ? '' : 'from another location',
    onlyOn !== undefined && onlyOn.length > 0 ? 'only after network errors' : '',
  ].filter((part) => part !== '');
  const times = count === 1 ? 'One' : `Up to ${count}`;
  return [`${times}, after ${delays.join(', ')}${count > delays.length ? ' …' : ''}`, ...conditions].join(', ');
}
