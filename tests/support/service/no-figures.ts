// The figures of an installation in which nothing has happened yet, for what is said of metrics without a database.
import type { Figures } from '#store/accounts/figures.ts';

export const noFigures: Figures = {
  conservation: () =>
    Promise.resolve({
      requested: 0,
      open: 0,
      outcomes: { passed: 0, degraded: 0, failed: 0, unknown: 0, missed: 0 },
      difference: 0,
    }),
  outbox: () => Promise.resolve({ pending: 0, waitingSince: null }),
  runQueue: () => Promise.resolve([]),
  heartbeatDueAt: () => Promise.resolve(null),
  failingChannels: () => Promise.resolve(0),
  failingPageCopies: () => Promise.resolve(0),
  rolledUpTo: () => Promise.resolve(null),
  checkStates: () => Promise.resolve([]),
};
