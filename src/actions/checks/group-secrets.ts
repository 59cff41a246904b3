// Secrets of a group and the channels it subscribes: what a channel's own route refuses, a group's refuses too.
import type { AlertChannel, SubscribedChannel } from '#domain/alerts/alert-channel.ts';
import type { CheckGroup } from '#domain/checks/check-group.ts';
import type { JsonObject } from '#domain/json.ts';
import type { Problem } from '../problems.ts';

/** What is needed to look at the channels of a group. */
export interface GroupSecretMeans {
  readonly alertChannels: { find(accountId: string, id: number): Promise<{ readonly channel: AlertChannel } | null> };
  /** What the kind of a channel says of its configuration; empty = fine. */
  readonly validateConfig: (type: string, config: JsonObject, secretNames: ReadonlySet<string>) => readonly Problem[];
}

/**
 * Channels of a group whose templates name a secret of it (spec §5 rule 2). Channels that subscribe themselves to every
 * new group are not among them: there the secret renders empty.
 *
 * @param isOfSubscriptions whether the subscriptions are what was written; else the variables are
 */
export async function groupSecretProblems(
  { accountId, environmentVariables }: Pick<CheckGroup, 'accountId' | 'environmentVariables'>,
  subscriptions: readonly SubscribedChannel[],
  isOfSubscriptions: boolean,
  { alertChannels, validateConfig }: GroupSecretMeans,
): Promise<Problem[]> {
  const secrets = new Set(environmentVariables.flatMap(({ key, secret }) => (secret ? key : [])));
  if (secrets.size === 0) return [];
  const problems: Problem[] = [];
  for (const [index, { alertChannelId }] of subscriptions.entries()) {
    const found = await alertChannels.find(accountId, alertChannelId);
    const [issue] = found === null ? [] : validateConfig(found.channel.type, found.channel.config, secrets);
    if (issue === undefined) continue;
    const path = isOfSubscriptions ? `alertChannelSubscriptions[${index}].alertChannelId` : 'environmentVariables';
    problems.push({ path, message: `alert channel ${alertChannelId} has ${issue.path}: ${issue.message}` });
  }
  return problems;
}
