// Lists conditions that need attention: failing channels of the account and problems of this installation.
import type { QuotaWait } from '#store/channels/sending-quotas.ts';
import type { Store } from '#store/store.ts';
import { type Caller, mayDo } from '#domain/accounts/api-key.ts';
import type { ConfigFolderState } from '#domain/projects/config-folder.ts';
import type { DeliveryHold } from '#domain/deliveries/delivery.ts';
import { holdWords, releaseHint } from '../alerts/held-deliveries.ts';
import { withoutPaths } from '#domain/deliveries/failing-channel.ts';
import type { Notice } from '#domain/alerts/notice-channel.ts';
import { requirePermission } from '../accounts/permission.ts';

export type { Notice };

/** A stored channel that cannot be rendered. */
export interface BrokenChannel {
  readonly alertChannelId: number;
  readonly name: string;
  /** When this was found, epoch ms. */
  readonly since: number;
  readonly fault: {
    readonly path: string;
    readonly message: string;
    readonly line?: number;
    readonly column?: number;
  };
}

/** A channel whose last messages were not delivered. */
interface FailingChannel {
  readonly alertChannelId: number;
  readonly name: string;
  readonly failingSince: number;
  readonly exhaustedInARow: number;
  readonly reason: string | null;
}

/** Notices of an account. */
export type BrokenChannels = (accountId: string) => Promise<readonly BrokenChannel[]>;

export interface NoticeDeps extends Pick<Store, 'gaps' | 'heldDeliveries' | 'sendingQuotas' | 'configFolder'> {
  readonly brokenChannels: BrokenChannels;
  readonly failingChannels: { list(accountId: string): Promise<readonly FailingChannel[]> };
  /** Runtimes about to end that an account uses. */
  readonly runtimeEnds: (accountId: string) => Promise<readonly Notice[]>;
  /** Locations without Chromium where the account has browser checks. */
  readonly missingBrowsers: (accountId: string) => Promise<readonly Notice[]>;
  /** Locations of the account's checks that have no runner. */
  readonly silentLocations: (accountId: string) => Promise<readonly Notice[]>;
  /** Checks whose failures notify no channel. */
  readonly silentCheckNotices: (accountId: string) => Promise<readonly Notice[]>;
  /** The alert storm of the account. */
  readonly stormNotices: (accountId: string) => Promise<readonly Notice[]>;
  /** Problems of this installation that make results inconclusive, for every account. */
  readonly ownFaultNotices: () => Promise<readonly Notice[]>;
  /** Undefined variables that checks use. */
  readonly missingVariables: { notices(accountId: string): Promise<readonly Notice[]> };
  /** Problems of this process: unusable runtimes. */
  readonly processNotices: () => Promise<readonly Notice[]> | readonly Notice[];
}

export type NoticeActions = ReturnType<typeof createNoticeActions>;

export function createNoticeActions(deps: NoticeDeps) {
  const { gaps } = deps;
  return {
    /** Oldest first. */
    async list(caller: Caller): Promise<Notice[]> {
      requirePermission(caller, 'read');
      const { accountId } = caller;
      const all = [
        ...(await deps.failingChannels.list(accountId)).map((channel) => failingNotice(channel, caller)),
        ...(await deps.sendingQuotas.waiting(accountId)).map(quotaNotice),
        ...(await deps.brokenChannels(accountId)).map(brokenNotice),
        ...absenceNotice(await gaps.lastAbsence()),
        ...gapNotice(await gaps.ofAccount(accountId)),
        ...(await deps.runtimeEnds(accountId)),
        ...(await deps.missingBrowsers(accountId)),
        ...(await deps.silentLocations(accountId)),
        ...(await deps.missingVariables.notices(accountId)),
        ...(await deps.silentCheckNotices(accountId)),
        ...(await deps.stormNotices(accountId)),
        ...(await deps.ownFaultNotices()),
        ...(mayDo(caller.role, 'operate') ? await deps.processNotices() : []),
        ...folderNotices(await deps.configFolder.state(), caller),
        ...holdNotices(await deps.heldDeliveries.find()),
      ];
      return all.sort((a, b) => a.since - b.since);
    },
  };
}

/** Deliveries that wait for a limit of the account per hour. */
export function quotaNotice({ alertChannelId, name, deliveries, since, reason }: QuotaWait): Notice {
  const waiting = deliveries === 1 ? '1 message' : `${deliveries} messages`;
  return {
    id: `quota-waits:${alertChannelId}`,
    kind: 'quota-waits',
    since,
    subject: name,
    message: `${waiting} to the channel "${name}" ${deliveries === 1 ? 'waits' : 'wait'}: ${reason}.`,
    action: `See GET /v1/deliveries?alertChannelId=${alertChannelId}. New failures go first; a message that waited for 24 hours is not sent. The operator sets the limit.`,
  };
}

/** The folder of the account that cannot be applied; one that belongs to no account is for operators. */
function folderNotices(state: ConfigFolderState | null, { accountId, role }: Caller): Notice[] {
  if (state === null || state.problem === null) return [];
  const isTheirs = state.accountId === null ? mayDo(role, 'operate') : state.accountId === accountId;
  if (!isTheirs) return [];
  const { message, since } = state.problem;
  return [
    {
      id: 'config-folder-failed',
      kind: 'config-folder-failed',
      since,
      subject: 'TOCSIN_CONFIG_FOLDER',
      message: `The folder of resource files is not applied, and monitoring stays as it was: ${message}`,
      action: 'Correct the files. They are applied as soon as they change. See docs/files.md.',
    },
  ];
}

function holdNotices(hold: DeliveryHold | null): Notice[] {
  if (hold === null) return [];
  const message = holdWords(hold);
  return [
    {
      id: 'deliveries-held',
      kind: 'deliveries-held',
      since: hold.since,
      subject: 'Tocsin',
      message,
      action: releaseHint,
    },
  ];
}

/** A receiver's URL may be secret: only callers with write permission see all of it. */
function failingNotice(channel: FailingChannel, caller: Caller): Notice {
  const { alertChannelId, name, failingSince, exhaustedInARow: count, reason } = channel;
  const messages = count === 1 ? 'The last message' : `The last ${count} messages`;
  const shown = reason === null || mayDo(caller.role, 'write') ? reason : withoutPaths(reason);
  return {
    id: `channel-failing:${alertChannelId}`,
    kind: 'channel-failing',
    since: failingSince,
    subject: name,
    message: `${messages} to the channel "${name}" could not be delivered${shown === null ? '' : `: ${shown}`}.`,
    action: `See GET /v1/deliveries?alertChannelId=${alertChannelId}, fix the receiver or the channel, then POST /v1/alert-channels/${alertChannelId}/replay.`,
  };
}

/** A channel that this version of Tocsin cannot render (docs/decisions/0060). */
function brokenNotice({ alertChannelId, name, since, fault }: BrokenChannel): Notice {
  const place =
    fault.line === undefined ? fault.path : `${fault.path}, line ${fault.line}, column ${fault.column ?? 1}`;
  // A service of the operator that the type needs.
  const isOfService = fault.path === 'type';
  return {
    id: `channel-broken:${alertChannelId}`,
    kind: 'channel-broken',
    since,
    subject: name,
    message: `The alert channel "${name}" cannot send alerts: ${fault.message}${isOfService ? '' : ` (${place})`}.`,
    action: isOfService
      ? 'The operator must set up the service. Until then, use another channel.'
      : `Fix the channel with PUT /v1/alert-channels/${alertChannelId}. POST /v1/alert-channels/preview shows the request it would send.`,
  };
}

/** Reports downtime, during which no checks ran (design §1: honest gaps). */
export function absenceNotice(absence: Awaited<ReturnType<NoticeDeps['gaps']['lastAbsence']>>): Notice[] {
  if (absence === null) return [];
  const { from, to, isRollback } = absence;
  if (isRollback) return [rollbackNotice(from, to)];
  const { stoppedMs } = absence;
  const setMs = stoppedMs === null ? 0 : to - from - stoppedMs;
  const wasSet = Math.abs(setMs) >= shownSetMs;
  const until = new Date(to).toISOString();
  const stopped = formatMinutes(wasSet && stoppedMs !== null ? stoppedMs : to - from);
  const known = 'No checks ran during that time.';
  const message = wasSet
    ? `The clock was set ${setMs > 0 ? 'forward' : 'back'} by ${formatMinutes(setMs)} while Tocsin was not running. It was not running for ${stopped}, until ${until}. ${known}`
    : `Tocsin was not running for ${stopped}, until ${until}. ${known}${stoppedMs === null ? ' If the clock was set meanwhile, it was another time.' : ''}`;
  return [
    {
      id: `downtime:${from}`,
      kind: 'downtime',
      since: Math.min(from, to),
      subject: 'Tocsin',
      message,
      action: wasSet
        ? 'Check the time synchronization of this machine.'
        : 'Find the cause, and monitor GET /health/ready from another system.',
    },
  ];
}

/** A smaller change of the clock is not shown, ms. */
const shownSetMs = 60_000;

function formatMinutes(ms: number): string {
  const length = Math.abs(ms);
  return length < 60_000 ? `${Math.round(length / 1000)} s` : `${Math.round(length / 60_000)} min`;
}

/** A restore that went back in time. Epoch ms. */
function rollbackNotice(from: number, to: number): Notice {
  return {
    id: `rollback:${from}`,
    kind: 'rollback',
    since: from,
    subject: 'Tocsin',
    message: `Data was rolled back to ${new Date(from).toISOString()} by a restore. Results recorded after that, until ${new Date(to).toISOString()}, are not shown.`,
    action: 'The replaced database is stored beside the restored one. Delete it when you no longer need it.',
  };
}

/** Reports scheduled runs without a verdict because of a problem in Tocsin (design §1: honest gaps). */
export function gapNotice(gap: Awaited<ReturnType<NoticeDeps['gaps']['ofAccount']>>): Notice[] {
  if (gap === null) return [];
  const { since, missed, unknown } = gap;
  const runs = missed === 1 ? '1 scheduled run was' : `${missed} scheduled runs were`;
  const results = unknown === 1 ? '1 result was' : `${unknown} results were`;
  return [
    {
      id: `gap:${new Date(since).toISOString().slice(0, 10)}`,
      kind: 'gap',
      since,
      subject: 'Tocsin',
      message: `Since yesterday (UTC), ${runs} missed and ${results} inconclusive because of a problem in Tocsin. They count as neither up nor down.`,
      action: 'Check the reasons of results with the outcome missed or unknown, and see docs/operating.md#gaps.',
    },
  ];
}

/** Maximum number of list items that a notice names. */
const maxListed = 5;

/** The first items of a list, and the number of the others. */
export function firstOf(all: readonly string[]): string {
  const more = all.length - maxListed;
  return `${all.slice(0, maxListed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
