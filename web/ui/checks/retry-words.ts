// How failed runs are retried, in words.
import type { AnswerOf } from '#contract/operations.ts';

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
