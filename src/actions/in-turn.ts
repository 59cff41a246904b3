// Work that waits for its turn among that of other accounts.
import type { SharedLanes } from '#lib/shared-lanes.ts';
import { Refusal } from './refusal.ts';

/** Works once it is the owner's turn; refuses (`unavailable`) if the signal aborts first. */
export async function inTurn<Answer>(
  lanes: SharedLanes,
  owner: string,
  signal: AbortSignal,
  work: () => Promise<Answer>,
): Promise<Answer> {
  const leave = await lanes.enter(owner, signal);
  if (leave === null) throw new Refusal('unavailable', 'The request was cancelled.');
  try {
    return await work();
  } finally {
    leave();
  }
}
