// How checks of the made-up kind are presented (tests/web/made-up-kinds.test.ts).
import type { CheckShow, PartOf } from '#checks/show.ts';
import type { coinTossSchema } from './schema.ts';

export const coinTossShow: CheckShow<PartOf<(typeof coinTossSchema)['result']>> = {
  type: 'COIN_TOSS',
  label: 'Coin toss',
  timeLabel: 'Time in the air',
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
