// The schema of the made-up check kind (tests/new-check-kind.test.ts).
import { z } from 'zod';
import type { CheckSchema } from '#checks/schema.ts';

const sides = ['HEADS', 'TAILS'] as const;

export const coinTossSchema = {
  type: 'COIN_TOSS',
  name: 'CoinToss',
  title: 'a coin toss check',
  analyticsPath: 'coin-tosses',
  about: 'Watches which side of a coin is up.',
  example: { name: 'A coin', coin: { value: 5 } },
  fields: {
    coin: z.strictObject({ side: z.enum(sides).default('HEADS'), value: z.int().min(1).max(200) }),
  },
  shown: { coin: z.strictObject({ side: z.enum(sides), value: z.int() }) },
  result: { side: z.enum(sides), value: z.int() },
} as const satisfies CheckSchema;
