// Applies a channel's rule against secrets in templates when a group's subscriptions or variables change.
import type { Store } from '#store/store.ts';
import type { SubscribedChannel } from '#domain/alerts/alert-channel.ts';
import type { CheckGroup } from '#domain/checks/check-group.ts';
import type { JsonObject } from '#domain/json.ts';
import type { Problem } from '../refusal.ts';

export interface GroupSecretDeps extends Pick<Store, 'alertChannels'> {
  /** Validation of a configuration by the channel's kind; empty = valid. */
  readonly validateConfig: (type: string, config: JsonObject, secretNames: ReadonlySet<string>) => readonly Problem[];
}

/**
 * Channels of a group whose templates use a secret of the group (spec §5 rule 2). Channels with `autoSubscribe` are
 * excluded: for them the secret renders empty.
 * @param isOfSubscriptions whether the subscriptions changed; otherwise the variables did
 */
export async function groupSecretProblems(
  { accountId, environmentVariables }: Pick<CheckGroup, 'accountId' | 'environmentVariables'>,
  subscriptions: readonly SubscribedChannel[],
  isOfSubscriptions: boolean,
  { alertChannels, validateConfig }: GroupSecretDeps,
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
