// What a caller may do with alert channels and their subscriptions (reference §1; spec §2.4, §5 rule 2).
import type { AlertChannel, SubscribedTo, Subscription } from '#domain/alerts/alert-channel.ts';
import { type Caller, mayDo } from '#domain/accounts/api-key.ts';
import type { EnvironmentVariable } from '#domain/accounts/environment-variable.ts';
import type { JsonObject } from '#domain/json.ts';
import { type Change, merged } from '#domain/patch.ts';
import type { Clock } from '#lib/clock.ts';
import { withoutSecretUrl } from './delivery-redactor.ts';
import { unmasked, withoutLocked } from '../masking.ts';
import { requirePermission } from '../accounts/permission.ts';
import { type Problem, refuseProblems } from '../problems.ts';
import { invalidField, notFound } from '../refusal.ts';
import { type Saved, savedOrRefused } from '../checks/saved.ts';
import type { Slice } from '../accounts/variables.ts';
import { type Warned, type Warning, withWarnings } from '../warnings.ts';

type Switch = 'sendRecovery' | 'sendFailure' | 'sendDegraded' | 'sslExpiry' | 'sslExpiryThreshold' | 'autoSubscribe';

/** A channel as it is written, with its secrets in its configuration. */
export interface ChannelInput extends Pick<AlertChannel, Switch> {
  readonly type: string;
  readonly config: JsonObject;
  readonly subscriptions: readonly SubscribedTo[];
}

/** A channel as it may be shown, its secrets masked. */
export interface ShownChannel extends Warned<Omit<AlertChannel, 'secrets'>> {
  readonly subscriptions: readonly Subscription[];
}

interface Stored {
  readonly channel: AlertChannel;
  readonly subscriptions: readonly Subscription[];
}

interface Write {
  readonly channel: AlertChannel;
  readonly subscriptions: readonly SubscribedTo[] | null;
}

/** What these actions need. */
export interface ChannelMeans {
  readonly alertChannels: {
    list(accountId: string, slice: Slice): Promise<{ rows: Stored[]; total: number }>;
    find(accountId: string, id: number): Promise<Stored | null>;
    add(write: Write): Promise<Saved<Stored>>;
    change(accountId: string, id: number, edit: (present: Stored) => Write): Promise<Saved<Stored> | null>;
    subscribe(accountId: string, id: number, subscription: SubscribedTo): Promise<Saved<Stored> | null>;
    remove(accountId: string, id: number): Promise<boolean>;
  };
  readonly variables: { all(accountId: string): Promise<readonly EnvironmentVariable[]> };
  readonly checkGroups: {
    find(
      accountId: string,
      id: number,
    ): Promise<{ readonly group: { readonly environmentVariables: readonly EnvironmentVariable[] } } | null>;
    variableKeys(accountId: string): Promise<readonly Pick<EnvironmentVariable, 'key'>[]>;
  };
  /** What the kind of a channel says of its configuration; empty = fine. */
  readonly validateConfig: (type: string, config: JsonObject, secretNames: ReadonlySet<string>) => readonly Problem[];
  /** What the kind of a channel warns of. `defined`: variables of the account and its groups. */
  readonly nameWarnings: (type: string, config: JsonObject, defined: ReadonlySet<string>) => readonly Warning[];
  /** What is stored of a written configuration: without its secrets, and these. `present`: secrets before. Instants are epoch ms. */
  readonly storedConfig: (
    type: string,
    written: JsonObject,
    present: JsonObject,
    now: number,
  ) => Pick<AlertChannel, 'config' | 'secrets'> | { readonly issue: Problem };
  /** The configuration as everybody may see it, secrets masked. */
  readonly shownConfig: (channel: Pick<AlertChannel, 'type' | 'config' | 'secrets'>, now: number) => JsonObject;
  /** The configuration that a change is merged into. */
  readonly mergedConfig: (channel: AlertChannel) => JsonObject;
  /** A merged configuration as the kind of the channel reads it; throws if it is invalid. */
  readonly wholeConfig: (type: string, config: unknown) => JsonObject;
  readonly clock: Clock;
  /** Told of each channel that was made or changed. */
  readonly onWritten: () => void;
}

/** Ids of other accounts are refused as ids of nothing are: `not-found`; in a subscription: `invalid`. */
export interface ChannelActions {
  /** In the order of their ids. */
  list(caller: Caller, slice: Slice): Promise<{ rows: ShownChannel[]; total: number }>;
  find(caller: Caller, id: number): Promise<ShownChannel>;
  /** Refuses templates that are broken or name a secret variable. */
  create(caller: Caller, input: ChannelInput): Promise<ShownChannel>;
  /** What is not named stays, in `config` too; `subscriptions` are replaced as a whole. */
  change(caller: Caller, id: number, change: Change<ChannelInput>): Promise<ShownChannel>;
  /** Adds one subscription, or changes the one there is to that check or group. */
  subscribe(caller: Caller, id: number, subscription: SubscribedTo): Promise<Subscription>;
  /** Its pending deliveries are cancelled; the history of deliveries stays. */
  remove(caller: Caller, id: number): Promise<void>;
}

/** What the store sets of a new channel. */
const newChannel = { id: 0, createdAt: 0, updatedAt: null, exhaustedInARow: 0, failingSince: null };

export function createChannelActions(means: ChannelMeans): ChannelActions {
  const { alertChannels, validateConfig, clock } = means;
  const shown = (caller: Caller, stored: Stored) =>
    shownChannel(caller, stored, means.shownConfig(stored.channel, clock.now()));
  return {
    async list(caller, slice) {
      requirePermission(caller, 'read');
      const { rows, total } = await alertChannels.list(caller.accountId, slice);
      return { rows: rows.map((stored) => shown(caller, stored)), total };
    },
    async find(caller, id) {
      requirePermission(caller, 'read');
      const stored = await alertChannels.find(caller.accountId, id);
      if (stored === null) throw notFound('alert channel', id);
      return shown(caller, stored);
    },
    async create(caller, { subscriptions, ...input }) {
      requirePermission(caller, 'write');
      const names = await secretNames(caller, subscriptions, means);
      const stored = storedOrRefused(means.storedConfig(input.type, input.config, {}, clock.now()));
      refuseProblems(validateConfig(input.type, stored.config, names));
      const channel: AlertChannel = { ...newChannel, ...input, ...stored, accountId: caller.accountId };
      const saved = savedOrRefused(await alertChannels.add({ channel, subscriptions }));
      means.onWritten();
      return warned(means, shown(caller, saved));
    },
    change: async (caller, id, change) => warned(means, shown(caller, await changeChannel(means, caller, id, change))),
    subscribe: (caller, id, subscription) => subscribeChannel(means, caller, id, subscription),
    async remove(caller, id) {
      requirePermission(caller, 'write');
      if (!(await alertChannels.remove(caller.accountId, id))) throw notFound('alert channel', id);
    },
  };
}

/** Answers a write, with warnings if the channel receives no alerts or its templates use undefined variables. */
async function warned(means: ChannelMeans, channel: ShownChannel): Promise<ShownChannel> {
  const { accountId, type, config } = channel;
  const defined = [...(await means.variables.all(accountId)), ...(await means.checkGroups.variableKeys(accountId))];
  const names = means.nameWarnings(type, config, new Set(defined.map(({ key }) => key)));
  const { sendFailure, sendDegraded, sendRecovery, sslExpiry, autoSubscribe, subscriptions } = channel;
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
  means: ChannelMeans,
  caller: Caller,
  id: number,
  { subscriptions, ...written }: Change<ChannelInput>,
): Promise<Stored> {
  requirePermission(caller, 'write');
  const { alertChannels, validateConfig } = means;
  const before = await alertChannels.find(caller.accountId, id);
  if (before === null) throw notFound('alert channel', id);
  const { type } = before.channel;
  if (written.type !== undefined && written.type !== type)
    throw invalidField('type', `cannot be changed: it is ${type}`);
  const names = await secretNames(caller, subscriptions ?? before.subscriptions, means);
  const changed = await alertChannels.change(caller.accountId, id, ({ channel: present }) => {
    const base = { ...present, config: means.mergedConfig(present) };
    const { config, ...change } = merged<Omit<ChannelInput, 'subscriptions'>>(written, base);
    const stored = config === undefined ? present : storedMeant(means, present, config);
    const channel: AlertChannel = { ...present, ...change, config: stored.config, secrets: stored.secrets };
    const isJudged = config !== undefined || subscriptions !== undefined;
    if (isJudged) refuseProblems(validateConfig(type, channel.config, names));
    return { channel, subscriptions: subscriptions ?? null };
  });
  if (changed === null) throw notFound('alert channel', id);
  const saved = savedOrRefused(changed);
  means.onWritten();
  return saved;
}

/** What is stored of a changed configuration. */
function storedMeant(means: ChannelMeans, { type, config, secrets }: AlertChannel, written: JsonObject) {
  const meant = unmasked(means.wholeConfig(type, written), config, 'config');
  return storedOrRefused(means.storedConfig(type, meant, secrets, means.clock.now()));
}

function storedOrRefused<Stored extends object>(outcome: Stored | { readonly issue: Problem }): Stored {
  if ('issue' in outcome) throw invalidField(outcome.issue.path, outcome.issue.message);
  return outcome;
}

async function subscribeChannel(
  means: ChannelMeans,
  caller: Caller,
  id: number,
  subscription: SubscribedTo,
): Promise<Subscription> {
  requirePermission(caller, 'write');
  const { alertChannels, validateConfig } = means;
  const stored = await alertChannels.find(caller.accountId, id);
  if (stored === null) throw notFound('alert channel', id);
  const { type, config } = stored.channel;
  refuseProblems(validateConfig(type, config, await secretNames(caller, [subscription], means)));
  const outcome = await alertChannels.subscribe(caller.accountId, id, subscription);
  if (outcome === null) throw notFound('alert channel', id);
  const { checkId, groupId } = subscription;
  const made = savedOrRefused(outcome).subscriptions.find(
    (each) => each.checkId === checkId && each.groupId === groupId,
  );
  if (made === undefined) throw new Error('a subscription is gone within its own transaction');
  return made;
}

/** Keys of the secret variables that the templates of a channel could meet: the account's and its groups'. */
async function secretNames(
  { accountId }: Caller,
  subscriptions: readonly SubscribedTo[],
  { variables, checkGroups }: ChannelMeans,
): Promise<ReadonlySet<string>> {
  const lists = [await variables.all(accountId)];
  for (const groupId of new Set(subscriptions.map((subscription) => subscription.groupId))) {
    if (groupId === null) continue;
    const found = await checkGroups.find(accountId, groupId);
    if (found !== null) lists.push(found.group.environmentVariables);
  }
  return new Set(lists.flat().flatMap(({ key, secret }) => (secret ? key : [])));
}

function shownChannel(caller: Caller, { channel, subscriptions }: Stored, config: JsonObject): ShownChannel {
  const { secrets: _secrets, ...shown } = channel;
  return {
    ...shown,
    config: mayDo(caller.role, 'write') ? config : withoutSecretUrl(withoutLocked(config)),
    subscriptions,
  };
}
