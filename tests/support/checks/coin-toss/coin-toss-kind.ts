// A made-up check kind that tosses a coin and expects heads (tests/new-check-kind.test.ts).
import type { CheckKind } from '#checks/kind.ts';
import { readerOf } from '#checks/schema.ts';
import { bareFinding } from '#domain/results/result.ts';
import { coinTossSchema } from './schema.ts';

const read = readerOf(coinTossSchema);

export const coinTossKind: CheckKind<typeof coinTossSchema> = {
  schema: coinTossSchema,
  createProbe: () => (input) => {
    const { coin } = read(input.check.settings);
    const isUp = coin.side === 'HEADS';
    const verdict = isUp
      ? ({ verdict: 'passed', reason: null, message: null } as const)
      : ({ verdict: 'failed', reason: 'assertion', message: 'the coin shows its tail' } as const);
    return Promise.resolve({ ...bareFinding(Date.now(), verdict), details: { ...coin } });
  },
  validateSettings: (settings) =>
    read(settings).coin.value === 13 ? [{ path: 'coin.value', message: 'there is no such coin' }] : [],
  describeResult: ({ details }) => ({ ...(details as object) }),
  measures: { statusCode: false, phases: [] },
  alertFacts: () => ({ url: null, status: null, statusText: null }),
};
