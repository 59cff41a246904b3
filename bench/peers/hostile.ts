// The twelve kinds of hostile receivers, in their own process.
import { type HostileReceivers, startHostileReceivers } from '../../tests/support/receivers/hostile-receivers.ts';
import { answerQuestions } from '../support/peer.ts';

let receivers: HostileReceivers | null = null;

answerQuestions({
  start: async () => {
    receivers = await startHostileReceivers();
    return receivers.kinds;
  },
  // Hanging ones would outlive the process that started them.
  close: () => receivers?.close(),
});
