// Tracks each alert channel's attempts in progress, and how far claims have scanned its deliveries (docs/decisions/0014).
import type { DueDelivery } from '#domain/deliveries/delivery.ts';
import { subscribersChannelId } from '#domain/deliveries/page-news.ts';

/** A delivery during an attempt, without its request, which the sender holds. */
export type Held = Pick<DueDelivery, 'accountId' | 'id' | 'alertChannelId' | 'checkId' | 'isTest'>;

/**
 * The attempts in progress of each channel: their number (decisions: Fairness) and their checks. Attempts of one
 * channel and check run one after the other, because over several connections the newer one could arrive first
 * (decisions: Ordering).
 */
export function createLanes() {
  const lanes = new Map<string, Map<string, string | null>>();
  const countOf = new Map<string, number>();
  let toSubscribers = 0;
  const nameOf = (accountId: string, alertChannelId: number): string => `${accountId}/${alertChannelId}`;
  return {
    size: (accountId: string, alertChannelId: number): number =>
      lanes.get(nameOf(accountId, alertChannelId))?.size ?? 0,
    ofAccount: (accountId: string): number => countOf.get(accountId) ?? 0,
    /** Attempts of all accounts that send to subscribers of status pages. */
    get toSubscribers(): number {
      return toSubscribers;
    },
    /** Accounts with at least `most` attempts in progress. */
    accountsWith: (max: number): string[] => [...countOf].flatMap(([id, count]) => (count >= max ? id : [])),
    checks: (accountId: string, alertChannelId: number): string[] => {
      const checks: string[] = [];
      for (const id of lanes.get(nameOf(accountId, alertChannelId))?.values() ?? []) {
        if (id !== null && !checks.includes(id)) checks.push(id);
      }
      return checks;
    },
    enter({ accountId, alertChannelId, id, checkId }: Held): void {
      const name = nameOf(accountId, alertChannelId);
      const lane = lanes.get(name) ?? new Map<string, string | null>();
      if (!lane.has(id)) {
        countOf.set(accountId, (countOf.get(accountId) ?? 0) + 1);
        if (alertChannelId === subscribersChannelId) toSubscribers++;
      }
      lanes.set(name, lane.set(id, checkId));
    },
    leave({ accountId, alertChannelId, id }: Held): void {
      const name = nameOf(accountId, alertChannelId);
      const lane = lanes.get(name);
      if (lane?.delete(id) !== true) return;
      if (alertChannelId === subscribersChannelId) toSubscribers--;
      if (lane.size === 0) lanes.delete(name);
      const count = countOf.get(accountId) ?? 0;
      if (count > 1) countOf.set(accountId, count - 1);
      else countOf.delete(accountId);
    },
  };
}

export type DeliveryLanes = ReturnType<typeof createLanes>;

/** Maximum delay between a row's timestamp and its commit, ms. */
const commitsWithinMs = 1000;

/**
 * How far channels were scanned without result: thousands of deliveries waiting for one attempt are not scanned again
 * until it ends (docs/decisions/0014). Reset with every lease renewal, because deliveries may become due at an earlier
 * time than expected.
 */
export function createScannedChannels() {
  const times = new Map<string, number>();
  /** Channels with an attempt that ended during the current claim, whose scan is therefore outdated. */
  const ended = new Set<string>();
  const nameOf = (accountId: string, alertChannelId: number): string => `${accountId}/${alertChannelId}`;
  return {
    from: (accountId: string, alertChannelId: number): number => times.get(nameOf(accountId, alertChannelId)) ?? 0,
    note(channels: readonly Pick<Held, 'accountId' | 'alertChannelId'>[], now: number): void {
      for (const { accountId, alertChannelId } of channels) {
        const name = nameOf(accountId, alertChannelId);
        if (!ended.has(name)) times.set(name, now - commitsWithinMs);
      }
    },
    forget(accountId: string, alertChannelId: number): void {
      const name = nameOf(accountId, alertChannelId);
      times.delete(name);
      ended.add(name);
    },
    forgetAll: (): void => times.clear(),
    begin: (): void => ended.clear(),
  };
}

export type ScannedChannels = ReturnType<typeof createScannedChannels>;
