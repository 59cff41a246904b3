// The installation under test: scripted checks, a group with a trigger and two signed channels, created through the API.
import type { Channel } from './expected.ts';
import { degradedAboveMs } from './script.ts';
import { create } from '../support/service.ts';
import type { ApiClient } from './writer.ts';

const triggeredChecks = 5;

/** Channels in the order of their creation, so that their ids are known. */
export const channels: readonly Channel[] = [
  { id: 1, secret: 'first secret of chaos', sendDegraded: false },
  { id: 2, secret: 'second secret of chaos', sendDegraded: true },
];

/** Secrets by channel. */
export const secrets: Readonly<Record<number, string>> = Object.fromEntries(
  channels.map(({ id, secret }) => [id, secret]),
);

/** Ids returned by the API. */
export interface Installation {
  /** By number: `scriptAt` of that number is what the target responds. */
  readonly checkIds: readonly string[];
  /** Between which times (epoch ms) each check was created, in the same order. */
  readonly made: readonly { readonly from: number; readonly to: number }[];
  readonly groupId: number;
  readonly triggeredIds: readonly string[];
}

/**
 * @param target port of the peer with the script
 * @param receiver port of the webhook receiver
 */
export async function install(
  service: ApiClient,
  target: string,
  receiver: string,
  count: number,
): Promise<Installation> {
  for (const { id, secret, sendDegraded } of channels) {
    const channel = await create(service, '/v1/alert-channels', {
      type: 'WEBHOOK',
      autoSubscribe: true,
      sendDegraded,
      config: { name: `channel ${id}`, url: `${receiver}/${id}`, webhookSecret: secret },
    });
    if (channel['id'] !== id) throw new Error(`channel ${id} got the id ${String(channel['id'])}`);
  }
  // Recovers and fails with the others, in storms of alerts.
  await create(service, '/v1/alert-channels', {
    type: 'SLACK',
    autoSubscribe: true,
    config: { name: 'people', url: `${receiver}/people` },
  });
  const checkIds: string[] = [];
  const made: { from: number; to: number }[] = [];
  for (let index = 0; index < count; index++) {
    const from = Date.now();
    const check = await create(service, '/v1/checks/api', {
      name: `scripted ${index}`,
      frequency: 0,
      frequencyOffset: 10,
      retryStrategy: null,
      degradedResponseTime: degradedAboveMs,
      request: { method: 'GET', url: `${target}/${index}` },
    });
    checkIds.push(String(check['id']));
    made.push({ from, to: Date.now() });
  }
  const group = await create(service, '/v1/check-groups', { name: 'triggered' });
  const triggeredIds: string[] = [];
  for (let index = 0; index < triggeredChecks; index++) {
    const check = await create(service, '/v1/checks/api', {
      name: `triggered ${index}`,
      // Once a day, so that nearly every run is a triggered one.
      frequency: 1440,
      groupId: group['id'],
      retryStrategy: null,
      request: { method: 'GET', url: `${target}/always` },
    });
    triggeredIds.push(String(check['id']));
  }
  return { checkIds, made, groupId: Number(group['id']), triggeredIds };
}
