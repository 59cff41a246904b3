// What the operator should know: dead channels of the account, moves that stand still, and what this installation notices
// of itself.
import type { StalledMove } from '#domain/account-move.ts';
import { type Caller, mayDo } from '#domain/api-key.ts';
import type { DeliveryHold } from '#domain/delivery-hold.ts';
import { holdWords, releaseHint } from './held-deliveries.ts';
import { withoutPaths } from '#domain/failing-channel.ts';
import { requirePermission } from './permission.ts';

/** Something to know, and what to do about it. */
export interface Notice {
  /** The same as long as it is about the same thing. */
  readonly id: string;
  readonly kind: string;
  /** Epoch ms. */
  readonly since: number;
  readonly subject: string;
  readonly message: string;
  readonly action: string;
}

/** A channel that cannot send as it is stored. */
export interface BrokenChannel {
  readonly alertChannelId: number;
  readonly name: string;
  /** Epoch ms: when this was found. */
  readonly since: number;
  readonly fault: {
    readonly path: string;
    readonly message: string;
    readonly line?: number;
    readonly column?: number;
  };
}

/** Those of an account. */
export type BrokenChannels = (accountId: string) => Promise<readonly BrokenChannel[]>;

/** What this action needs. */
export interface NoticeMeans {
  readonly brokenChannels: BrokenChannels;
  readonly failingChannels: {
    list(accountId: string): Promise<
      readonly {
        readonly alertChannelId: number;
        readonly name: string;
        readonly failingSince: number;
        readonly exhaustedInARow: number;
        readonly reason: string | null;
      }[]
    >;
  };
  readonly gaps: {
    /** When nothing ran lately; epoch ms. */
    lastAbsence(): Promise<{ readonly from: number; readonly to: number; readonly isRollback: boolean } | null>;
    /** Slots of today and yesterday without a verdict by our own fault. */
    ofAccount(
      accountId: string,
    ): Promise<{ readonly since: number; readonly missed: number; readonly unknown: number } | null>;
  };
  readonly heldDeliveries: { find(): Promise<DeliveryHold | null> };
  readonly accountMoves: { stalled(): Promise<readonly StalledMove[]> };
  /** Runtimes near their end that an account uses. */
  readonly runtimeEnds: (accountId: string) => Promise<readonly Notice[]>;
  /** Where Chromium is missing and the account has browser checks. */
  readonly missingBrowsers: (accountId: string) => Promise<readonly Notice[]>;
  /** Checks whose failures no channel is told of. */
  readonly unheardNotices: (accountId: string) => Promise<readonly Notice[]>;
  /** Variables that checks use and nobody defines. */
  readonly missingVariables: { notices(accountId: string): Promise<readonly Notice[]> };
  /** What this process notices of itself: runtimes that are broken. */
  readonly processNotices: () => Promise<readonly Notice[]> | readonly Notice[];
}

export interface NoticeActions {
  /** The longest lasting first. */
  list(caller: Caller): Promise<Notice[]>;
}

export function createNoticeActions(means: NoticeMeans): NoticeActions {
  const { failingChannels, brokenChannels, gaps, accountMoves, runtimeEnds, missingBrowsers, processNotices } = means;
  return {
    async list(caller) {
      requirePermission(caller, 'read');
      const channels = await failingChannels.list(caller.accountId);
      const ofChannels = channels.map(({ alertChannelId, name, failingSince, exhaustedInARow, reason }) => ({
        id: `channel-failing:${alertChannelId}`,
        kind: 'channel-failing',
        since: failingSince,
        subject: name,
        message: failingMessage(name, exhaustedInARow, reason, caller),
        action: `See GET /v1/deliveries?alertChannelId=${alertChannelId}, fix the receiver or the channel, then POST /v1/alert-channels/${alertChannelId}/replay.`,
      }));
      const ofGaps = [...absenceNotice(await gaps.lastAbsence()), ...gapNotice(await gaps.ofAccount(caller.accountId))];
      const ofTemplates = (await brokenChannels(caller.accountId)).map(brokenNotice);
      const ofMoves = moveNotices(await accountMoves.stalled(), caller);
      const ofRuntimes = await runtimeEnds(caller.accountId);
      const ofBrowsers = await missingBrowsers(caller.accountId);
      const ofUnheard = await means.unheardNotices(caller.accountId);
      const ofVariables = await means.missingVariables.notices(caller.accountId);
      const ofHold = holdNotices(await means.heldDeliveries.find());
      const ofProcess = mayDo(caller.role, 'operate') ? await processNotices() : [];
      const all = [
        ...ofChannels,
        ...ofTemplates,
        ...ofGaps,
        ...ofMoves,
        ...ofRuntimes,
        ...ofBrowsers,
        ...ofVariables,
        ...ofUnheard,
        ...ofProcess,
        ...ofHold,
      ];
      return all.sort((a, b) => a.since - b.since);
    },
  };
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

/** Addresses of a receiver may be secrets: only those who may change the channel see them whole. */
function failingMessage(name: string, count: number, reason: string | null, caller: Caller): string {
  const alerts = count === 1 ? 'The last alert' : `The last ${count} alerts`;
  const shown = reason === null || mayDo(caller.role, 'write') ? reason : withoutPaths(reason);
  return `${alerts} for the channel "${name}" did not arrive${shown === null ? '' : `: ${shown}`}.`;
}

/** A channel that this version of Tocsin cannot use any more (docs/decisions/0061). */
function brokenNotice({ alertChannelId, name, since, fault }: BrokenChannel): Notice {
  const place =
    fault.line === undefined ? fault.path : `${fault.path}, line ${fault.line}, column ${fault.column ?? 1}`;
  return {
    id: `channel-broken:${alertChannelId}`,
    kind: 'channel-broken',
    since,
    subject: name,
    message: `The alert channel "${name}" cannot send alerts as it is stored: ${fault.message} (${place}).`,
    action: `Mend it and save it with PUT /v1/alert-channels/${alertChannelId}; POST /v1/alert-channels/preview shows what it would send.`,
  };
}

const standings: Readonly<Partial<Record<StalledMove['state'], string>>> = {
  leaving: 'It is paused here, and goes on here by itself after a minute.',
  handing: 'It is paused, and active in neither installation until that command is repeated.',
  arriving: 'What has come of it is kept here, and it is not active here.',
};

/** Whose account it is, and the operator, is told (docs/decisions/0047). */
function moveNotices(moves: readonly StalledMove[], caller: Caller): Notice[] {
  const isOperator = mayDo(caller.role, 'operate');
  const told = moves.filter(({ accountId }) => isOperator || accountId === caller.accountId);
  return told.map(({ accountId, state, since, command }) => ({
    id: `move-stalled:${accountId}`,
    kind: 'move-stalled',
    since,
    subject: accountId,
    message: `The account ${accountId} is being moved, and the command that moves it was cut off or hangs: no sign of it since ${new Date(since).toISOString()}. ${standings[state] ?? ''}`,
    action:
      isOperator && command !== null
        ? `Run it again, it goes on where it ended: ${command}`
        : 'Let the operator run the same migrate command again: it goes on where it ended. See docs/moving.md#one-account.',
  }));
}

/** What was not watched, because nothing ran (design §1: honest gaps). */
function absenceNotice(absence: Awaited<ReturnType<NoticeMeans['gaps']['lastAbsence']>>): Notice[] {
  if (absence === null) return [];
  const { from, to, isRollback } = absence;
  if (isRollback) return [rollbackNotice(from, to)];
  const minutes = Math.round((to - from) / 60_000);
  return [
    {
      id: `downtime:${from}`,
      kind: 'downtime',
      since: from,
      subject: 'Tocsin',
      message: `Tocsin was not running for ${minutes} min, until ${new Date(to).toISOString()}: nothing was watched meanwhile.`,
      action: 'Find out why it was not running, and let something else watch GET /health/ready.',
    },
  ];
}

/** A restore took the data back. Epoch ms. */
function rollbackNotice(from: number, to: number): Notice {
  return {
    id: `rollback:${from}`,
    kind: 'rollback',
    since: from,
    subject: 'Tocsin',
    message: `Data was rolled back to ${new Date(from).toISOString()} by a restore: what was recorded until ${new Date(to).toISOString()} is not shown.`,
    action: 'The replaced database is kept beside the restored one. Delete it when it is not needed any more.',
  };
}

/** Slots without a verdict by our own fault (design §1: honest gaps). */
function gapNotice(gap: Awaited<ReturnType<NoticeMeans['gaps']['ofAccount']>>): Notice[] {
  if (gap === null) return [];
  const { since, missed, unknown } = gap;
  return [
    {
      id: `gap:${new Date(since).toISOString().slice(0, 10)}`,
      kind: 'gap',
      since,
      subject: 'Tocsin',
      message: `Today and yesterday (UTC) ${missed} slots were not run and ${unknown} verdicts withheld for reasons of Tocsin's own: they count as neither up nor down.`,
      action: 'Look at the reasons of the results with the outcome missed or unknown, and at docs/operating.md#gaps.',
    },
  ];
}
