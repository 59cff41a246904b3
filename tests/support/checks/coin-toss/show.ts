// How checks of the made-up kind are presented (tests/web/made-up-kinds.test.ts).
import type { CheckShow } from '#checks/show.ts';
import type { coinTossSchema } from './schema.ts';

export const coinTossShow: CheckShow<typeof coinTossSchema> = {
  type: 'COIN_TOSS',
  label: 'Coin toss',
  timeLabel: 'Time in the air',
  request: ({ coin }) => ({ target: `${coin.value} cents`, assertions: [] }),
  evidence: ({ side, value }) => ({
    sections: [
      {
        title: 'Coin',
        facts: [
          ['Side up', side],
          ['Worth', `${value} cents`],
        ],
      },
    ],
    comparable: [['Side up', side]],
  }),
};
