// How a run of chaos ends: everything settles, requested runs and outcomes match, and nothing stays open.
import type { Service } from '../support/service.ts';
import { pause } from '../support/service.ts';
import type { Recorded } from './recorded.ts';
import type { Verdict } from './verdict.ts';

const maxSettleMs = 60_000;

/** A guarantee that is checked once. */
export function judgeOne(guarantee: string, violations: readonly string[]): Verdict {
  return { guarantee, checked: 1, violations };
}

/** Waits until every slot up to `until` (epoch ms) is closed and every delivery has ended, for a minute at most. */
export async function judgeSettled(recorded: Recorded, until: number): Promise<Verdict> {
  const guarantee = 'in the end there is no open slot and no pending delivery';
  const deadline = performance.now() + maxSettleMs;
  while (performance.now() < deadline) {
    const isOpen = recorded.openSlots().some((slotAt) => slotAt <= until);
    if (!isOpen && recorded.pending() === 0 && Date.now() > until + 2000) return judgeOne(guarantee, []);
    await pause(50);
  }
  return judgeOne(guarantee, [
    `${recorded.pending()} deliveries pending, open slots ${recorded.openSlots().join(', ')}`,
  ]);
}

/** Requested runs minus their outcomes, as measured by the service. */
export async function judgeConservation(service: Pick<Service, 'call'>): Promise<Verdict> {
  const { body } = await service.call('GET', '/metrics');
  const difference = Number(/^tocsin_conservation_difference (\S+)$/m.exec(String(body))?.[1] ?? Number.NaN);
  const violations = difference === 0 ? [] : [`the difference is ${difference}`];
  return judgeOne('requested runs = outcomes + open runs', violations);
}
