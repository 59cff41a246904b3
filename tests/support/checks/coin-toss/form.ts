// The form of the made-up check kind.
import type { CheckForm } from '#checks/form.ts';

export const coinTossForm: CheckForm = {
  type: 'COIN_TOSS',
  label: 'Coin toss',
  about: 'watches which side of a coin is up',
  hasInterval: true,
  shortestInterval: 10,
  start: { coin: {} },
  target: [{ path: 'coin.value', label: 'Worth', input: 'number', unit: 'cents' }],
  sections: [],
};
