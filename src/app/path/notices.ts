// Joins what sends notices about Tocsin itself to the operator's channel (docs/decisions/0135).
import {
  createOwnFaultNotices,
  missingChannelNotice,
  ownNotices,
  watchdogNotices,
  pageCopyNotices,
} from '#actions/operating/own-notices.ts';
import type { Notice } from '#actions/operating/notices.ts';
import type { Config } from '#config/config.ts';
import { createSendNotices } from '#upkeep/send-notices.ts';
import type { OpenedStore } from '../store/opened-store.ts';
import type { StepDeps } from './step-deps.ts';

export function composeSendNotices(stepDeps: StepDeps, idleMs: number): () => Promise<number> {
  const { config, store, clock, ownProcess, processNotices, publicUrl, wake, log } = stepDeps;
  const channel = config.noticeChannel;
  if (channel === null) return () => Promise.resolve(idleMs);
  const { accountId, alertChannelId } = channel;
  const now = (): number => clock.now();
  const deps = {
    gaps: store.gaps,
    accounts: store.accounts,
    serverTimeZone: config.serverTimeZone,
    ownFaultNotices: createOwnFaultNotices({ ...store, now }),
    processes: store.processes,
    affectedAccounts: store.affectedAccounts,
    locations: () => ownProcess.locations(),
    location: config.location,
    now,
    processNotices,
  };
  return createSendNotices({
    store: store.noticeChannel,
    channel,
    exists: async () => (await store.alertChannels.find(accountId, alertChannelId)) !== null,
    notices: () => ownNotices(deps, accountId),
    link: () => `${publicUrl()}/notices`,
    clock,
    onSent: (notices) => {
      wake('send-deliveries');
      log.info('notices.sent', { notices: notices.map(({ id }) => id).join(', ') });
    },
    onMissing: () =>
      log.warn('notice-channel.missing', {
        account: accountId,
        channel: alertChannelId,
        hint: 'set TOCSIN_NOTICE_CHANNEL to an existing channel',
      }),
  });
}

/** Problems that the processes know of. */
export function noticesOfProcesses(
  { store, clock }: OpenedStore,
  { watchdogUrl, noticeChannel }: Pick<Config, 'watchdogUrl' | 'noticeChannel'>,
  shared: () => readonly Notice[],
): () => Promise<readonly Notice[]> {
  const startedAt = clock.now();
  const hasChannel = async (): Promise<boolean> =>
    noticeChannel === null ||
    (await store.alertChannels.find(noticeChannel.accountId, noticeChannel.alertChannelId)) !== null;
  return async () => [
    ...shared(),
    ...((await hasChannel()) ? [] : [missingChannelNotice(startedAt)]),
    ...watchdogNotices(await store.watchdog.state(), watchdogUrl !== null, clock.now()),
    ...(await pageCopyNotices((place) => store.pageCopies.state(place), clock.now())),
  ];
}
