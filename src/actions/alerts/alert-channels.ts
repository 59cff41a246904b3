// Actions on alert channels and their subscriptions (reference §1; spec §2.4, §5 rule 2).
import type { Page, Slice } from '#store/base/database.ts';
import type { StoredChannel } from '#store/channels/alert-channels.ts';
import type { Store } from '#store/store.ts';
import type { EnvironmentVariable } from '#domain/accounts/environment-variable.ts';
import type { AlertChannel, ChannelHealth, SubscribedTo, Subscription } from '#domain/alerts/alert-channel.ts';
import { type Caller, mayDo } from '#domain/accounts/api-key.ts';
import type { ReportSchedule, ReportScheduleInput } from '#domain/results/account-report.ts';
import type { JsonObject } from '#domain/json.ts';
import { type Change, merged } from '#domain/patch.ts';
import type { Clock } from '#lib/clock.ts';
import { withoutSecretUrl } from './delivery-redactor.ts';
import { mergedMasks, withoutLocked } from '../masking.ts';
import { accountZone, type AccountZoneDeps } from '../accounts/account-zone.ts';
import { requireGroup } from '../results/account-reports.ts';
import {
  type Expected,
  requireRevision,
  type Problem,
  refuseProblems,
  invalidField,
  notFound,
  orNotFound,
} from '../refusal.ts';
import { requirePermission } from '../accounts/permission.ts';
import { savedOrRefused } from '../checks/check-rules.ts';
import { type Warned, type Warning, withWarnings } from '../warnings.ts';

type Switch =
  | 'sendRecovery'
  | 'sendFailure'
  | 'sendDegraded'
  | 'sslExpiry'
  | 'sslExpiryThreshold'
  | 'autoSubscribe'
  | 'activeHours';

/** A channel in a request, with secrets in its configuration. */
export interface ChannelInput extends Pick<AlertChannel, Switch> {
  /** null = default of its kind. */
  readonly grouping: boolean | null;
  readonly type: string;
  readonly config: JsonObject;
  readonly subscriptions: readonly SubscribedTo[];
  readonly report: ReportScheduleInput | null;
}

/** A channel in a response, with secrets masked. */
export interface ShownChannel extends Warned<Omit<AlertChannel, 'secrets'>>, ChannelHealth {
  readonly subscriptions: readonly Subscription[];
}

export interface ChannelDeps extends Pick<Store, 'alertChannels' | 'variables' | 'checkGroups'>, AccountZoneDeps {
  /** Validation of a configuration by the channel's kind; empty = valid. */
  readonly validateConfig: (type: string, config: JsonObject, secretNames: ReadonlySet<string>) => readonly Problem[];
  /** What the operator must set up before channels of a type can be saved; null = nothing. */
  readonly missing: (type: string, accountId: string) => string | null;
  /** Default of `grouping`. */
  readonly isGrouped: (type: string, config: JsonObject) => boolean;
  /** Types of the channels that can receive reports. */
  readonly reportTypes: readonly string[];
  /** Warnings of the channel's kind. `defined`: variables of the account and its groups. */
  readonly nameWarnings: (type: string, config: JsonObject, defined: ReadonlySet<string>) => readonly Warning[];
  /** Splits a configuration into its stored part and its secrets. `present`: secrets before. Times are epoch ms. */
  readonly storedConfig: (
    type: string,
    written: JsonObject,
    present: JsonObject,
    now: number,
  ) => Pick<AlertChannel, 'config' | 'secrets'> | { readonly issue: Problem };
  /** The configuration with secrets masked, for any reader. */
  readonly shownConfig: (channel: Pick<AlertChannel, 'type' | 'config' | 'secrets'>, now: number) => JsonObject;
  /** The configuration that a partial update is merged into. */
  readonly mergedConfig: (channel: AlertChannel) => JsonObject;
  /** Validates a merged configuration against the kind's schema; throws if it is invalid. */
  readonly wholeConfig: (type: string, config: unknown) => JsonObject;
  readonly clock: Clock;
  /** Called for every channel that was created or changed. */
  readonly onWritten: () => void;
}

/** IDs of other accounts are refused like unknown IDs: `not-found`, or `invalid` in a subscription. */
export type ChannelActions = ReturnType<typeof createChannelActions>;

/** Fields of a new channel that the store sets. */
const newChannel = { id: 0, createdAt: 0, updatedAt: null, exhaustedInARow: 0, failingSince: null };

export function createChannelActions(deps: ChannelDeps) {
  const { alertChannels, clock } = deps;
  const shown = (caller: Caller, stored: StoredChannel) =>
    shownChannel(caller, stored, deps.shownConfig(stored.channel, clock.now()));
  return {
    /** Ordered by ID. */
    async list(caller: Caller, slice: Slice): Promise<Page<ShownChannel>> {
      requirePermission(caller, 'read');
      const { rows, total } = await alertChannels.list(caller.accountId, slice);
      return { rows: rows.map((stored) => shown(caller, stored)), total };
    },
    async find(caller: Caller, id: number): Promise<ShownChannel> {
      requirePermission(caller, 'read');
      const stored = orNotFound(await alertChannels.find(caller.accountId, id), 'alert channel', id);
      return shown(caller, stored);
    },
    /** Refuses templates that are invalid or use a secret variable. */
    async create(caller: Caller, { subscriptions, ...written }: ChannelInput): Promise<ShownChannel> {
      requirePermission(caller, 'write');
      const channel = await draftChannel(caller, written, subscriptions, null, deps);
      const saved = savedOrRefused(await alertChannels.add({ channel, subscriptions }));
      deps.onWritten();
      return warned(deps, shown(caller, saved));
    },
    /** Keeps fields that are not given, also in `config`. Replaces `subscriptions` as a whole. */
    change: async (
      caller: Caller,
      id: number,
      change: Change<ChannelInput>,
      expected: Expected = null,
    ): Promise<ShownChannel> => warned(deps, shown(caller, await changeChannel(deps, caller, id, change, expected))),
    /** Adds a subscription or changes the existing one to the check or group. */
    async subscribe(caller: Caller, id: number, subscription: SubscribedTo): Promise<Subscription> {
      const [made] = await subscribeChannel(deps, caller, id, [subscription], (path) => path.replace('[0].', ''));
      if (made === undefined) throw new Error('the subscription disappeared within its own transaction');
      return made;
    },
    /** The same for many checks and groups: all or none. Returns them in the order of the channel. */
    subscribeMany: (caller: Caller, id: number, subscriptions: readonly SubscribedTo[]): Promise<Subscription[]> =>
      subscribeChannel(deps, caller, id, subscriptions, (path) => `subscriptions${path}`),
    /** Cancels pending deliveries and keeps the delivery history. */
    async remove(caller: Caller, id: number): Promise<void> {
      requirePermission(caller, 'write');
      if (!(await alertChannels.remove(caller.accountId, id))) throw notFound('alert channel', id);
    },
  };
}

/**
 * The channel that an input describes, validated as if it were saved.
 * @param present the stored channel, for values that the input masks; null = it is new
 */
export async function draftChannel(
  caller: Caller,
  written: Omit<ChannelInput, 'subscriptions'>,
  subscriptions: readonly SubscribedTo[],
  present: AlertChannel | null,
  deps: ChannelDeps,
): Promise<AlertChannel> {
  const { accountId } = caller;
  const report = zonedReport(written.report, await accountZone(deps, accountId));
  await refuseUnknownGroup(deps, caller, written.report);
  const { type, config, grouping } = written;
  const missing = deps.missing(type, accountId);
  if (missing !== null) throw invalidField('type', missing);
  refuseReport(deps, type, { report });
  const names = await secretNames(caller, subscriptions, deps);
  const whole = present === null ? config : mergedMasks(config, present.config, 'config');
  const stored = storedOrRefused(deps.storedConfig(type, whole, present?.secrets ?? {}, deps.clock.now()));
  refuseProblems(deps.validateConfig(type, stored.config, names));
  return {
    ...newChannel,
    ...present,
    ...written,
    report,
    grouping: grouping ?? deps.isGrouped(type, stored.config),
    ...stored,
    accountId,
  };
}

/**
 * The response to a write, with warnings if the channel receives no alerts or its templates use undefined variables.
 */
async function warned(deps: ChannelDeps, channel: ShownChannel): Promise<ShownChannel> {
  const { accountId, type, config } = channel;
  const defined = [...(await deps.variables.all(accountId)), ...(await deps.checkGroups.variableKeys(accountId))];
  const names = deps.nameWarnings(type, config, new Set(defined.map(({ key }) => key)));
  const { sendFailure, sendDegraded, sendRecovery, sslExpiry, autoSubscribe, subscriptions } = channel;
  // A channel may be for reports alone.
  if (channel.report !== null)
    return withWarnings(
      channel,
      names.map(({ path, message }) => ({ path, message })),
    );
  const isQuiet = !sendFailure && !sendDegraded && !sendRecovery && !sslExpiry;
  const isAlone = !autoSubscribe && !subscriptions.some(({ activated }) => activated);
  return withWarnings(channel, [
    ...(isQuiet
      ? [{ path: 'sendFailure', message: 'all alert types are disabled, so the channel sends nothing' }]
      : []),
    ...(isAlone
      ? [{ path: 'subscriptions', message: 'no check or group is subscribed, so the channel sends nothing' }]
      : []),
    ...names.map(({ path, message }) => ({ path, message })),
  ]);
}

async function changeChannel(
  deps: ChannelDeps,
  caller: Caller,
  id: number,
  { subscriptions, ...written }: Change<ChannelInput>,
  expected: Expected,
): Promise<StoredChannel> {
  requirePermission(caller, 'write');
  const { alertChannels, validateConfig } = deps;
  const before = orNotFound(await alertChannels.find(caller.accountId, id), 'alert channel', id);
  const { type } = before.channel;
  if (written.type !== undefined && written.type !== type)
    throw invalidField('type', `cannot be changed: it is ${type}`);
  const names = await secretNames(caller, subscriptions ?? before.subscriptions, deps);
  const zone = await accountZone(deps, caller.accountId);
  await refuseUnknownGroup(deps, caller, merged<Pick<ChannelInput, 'report'>>(written, before.channel).report);
  const changed = await alertChannels.change(caller.accountId, id, ({ channel: present }) => {
    requireRevision(present, expected);
    const base = { ...present, config: deps.mergedConfig(present) };
    const { config, ...change } = merged<Omit<ChannelInput, 'subscriptions'>>(written, base);
    const stored = config === undefined ? present : mergedConfig(deps, present, config);
    const { config: ownConfig, secrets } = stored;
    const grouping =
      change.grouping === undefined ? present.grouping : (change.grouping ?? deps.isGrouped(type, ownConfig));
    const report = change.report === undefined ? present.report : zonedReport(change.report, zone);
    const channel: AlertChannel = { ...present, ...change, report, grouping, config: ownConfig, secrets };
    refuseReport(deps, type, channel);
    const isJudged = config !== undefined || subscriptions !== undefined;
    if (isJudged) refuseProblems(validateConfig(type, channel.config, names));
    return { channel, subscriptions: subscriptions ?? null };
  });
  if (changed === null) throw notFound('alert channel', id);
  const saved = savedOrRefused(changed);
  deps.onWritten();
  return saved;
}

/** With a zone of its own, because later changes of the account's do not move its weeks. */
function zonedReport(report: ReportScheduleInput | null, zone: string): ReportSchedule | null {
  return report === null ? null : { ...report, timeZone: report.timeZone ?? zone };
}

async function refuseUnknownGroup(
  deps: ChannelDeps,
  { accountId }: Caller,
  report: ReportScheduleInput | null | undefined,
): Promise<void> {
  if (report?.groupId != null) await requireGroup(deps, accountId, 'report.groupId', report.groupId);
}

/** Refuses reports through a channel that cannot render them. */
function refuseReport({ reportTypes }: ChannelDeps, type: string, { report }: Pick<AlertChannel, 'report'>): void {
  if (report === null || reportTypes.includes(type)) return;
  throw invalidField('report', `must be null: only channels of type ${reportTypes.join(' or ')} receive reports`);
}

/** The stored form of a changed configuration. */
function mergedConfig(deps: ChannelDeps, { type, config, secrets }: AlertChannel, written: JsonObject) {
  const merged = mergedMasks(deps.wholeConfig(type, written), config, 'config');
  return storedOrRefused(deps.storedConfig(type, merged, secrets, deps.clock.now()));
}

function storedOrRefused<Stored extends object>(outcome: Stored | { readonly issue: Problem }): Stored {
  if ('issue' in outcome) throw invalidField(outcome.issue.path, outcome.issue.message);
  return outcome;
}

/** @param pathOf path in the request of a path that begins with the index */
async function subscribeChannel(
  deps: ChannelDeps,
  caller: Caller,
  id: number,
  subscriptions: readonly SubscribedTo[],
  pathOf: (path: string) => string,
): Promise<Subscription[]> {
  requirePermission(caller, 'write');
  const { alertChannels, validateConfig } = deps;
  const stored = orNotFound(await alertChannels.find(caller.accountId, id), 'alert channel', id);
  const { type, config } = stored.channel;
  refuseProblems(validateConfig(type, config, await secretNames(caller, subscriptions, deps)));
  const outcome = await alertChannels.subscribe(caller.accountId, id, ...subscriptions);
  if (outcome === null) throw notFound('alert channel', id);
  const saved = savedOrRefused('dangling' in outcome ? { dangling: pathOf(outcome.dangling) } : outcome);
  const wanted = new Set(subscriptions.map(targetOf));
  return saved.subscriptions.filter((each) => wanted.has(targetOf(each)));
}

function targetOf({ checkId, groupId }: Pick<Subscription, 'checkId' | 'groupId'>): string {
  return checkId ?? String(groupId);
}

/** Keys of the secret variables that could be used in templates of a channel: those of the account and its groups. */
async function secretNames(
  { accountId }: Caller,
  subscriptions: readonly SubscribedTo[],
  { variables, checkGroups }: ChannelDeps,
): Promise<ReadonlySet<string>> {
  const lists: (readonly Pick<EnvironmentVariable, 'key' | 'secret'>[])[] = [await variables.all(accountId)];
  for (const groupId of new Set(subscriptions.map((subscription) => subscription.groupId))) {
    if (groupId === null) continue;
    const found = await checkGroups.find(accountId, groupId);
    if (found !== null) lists.push(found.group.environmentVariables);
  }
  return new Set(lists.flat().flatMap(({ key, secret }) => (secret ? key : [])));
}

function shownChannel(
  caller: Caller,
  { channel, subscriptions, health }: StoredChannel,
  config: JsonObject,
): ShownChannel {
  const { secrets: _secrets, ...shown } = channel;
  return {
    ...shown,
    ...health,
    config: mayDo(caller.role, 'write') ? config : withoutSecretUrl(withoutLocked(config)),
    subscriptions,
  };
}
