// URLs as they may be shown: user info is a secret, and of some receivers the whole address is.
import type { JsonObject } from '../json.ts';

/** Shown in the place of a secret; sent back, it leaves the secret as it is (decisions: Secret). */
export const mask = '********';
const parts = /^(\s*[a-z][a-z0-9+.-]*:\/\/)(?:([^/?#]*)@)?([^/?#]*)(.*)$/is;

/** The URL, or template of one, with a mask in the place of its user info. */
export function maskUserInfo(url: string): string {
  return url.replace(parts, (_whole, scheme: string, userInfo: string | undefined, host: string, rest: string) =>
    userInfo === undefined ? url : `${scheme}${mask}@${host}${rest}`,
  );
}

/** The URL without its user info. */
export function withoutUserInfo(url: string): string {
  return url.replace(
    parts,
    (_whole, scheme: string, _userInfo, host: string, rest: string) => `${scheme}${host}${rest}`,
  );
}

/** The scheme and the host, and a mask in the place of everything else. */
export function maskAddress(url: string): string {
  return url.replace(parts, (_whole, scheme: string, userInfo: string | undefined, host: string, rest: string) =>
    [scheme, userInfo === undefined ? '' : `${mask}@`, host, rest.length > 1 ? `/${mask}` : rest].join(''),
  );
}

/** Presets of receivers that take whoever knows the address for somebody who may post. */
const secretTypes: ReadonlySet<unknown> = new Set([
  'WEBHOOK_DISCORD',
  'WEBHOOK_GOOGLECHAT',
  'WEBHOOK_MATTERMOST',
  'WEBHOOK_MSTEAMS',
  'WEBHOOK_NTFY',
  'WEBHOOK_SLACK',
  'WEBHOOK_TELEGRAM',
]);
/** Where they are, for channels that were made without a preset. */
const secretHosts =
  /(^|\.)(slack\.com|discord(app)?\.com|office\.com|office365\.com|logic\.azure\.com|powerplatform\.com|chat\.googleapis\.com|telegram\.org|ntfy\.sh)(:\d+)?$/i;

/** Whether the URL of a channel with this configuration is a secret. */
export function hasSecretUrl({ webhookType, url }: JsonObject): boolean {
  const host = typeof url === 'string' ? (parts.exec(url)?.[3] ?? '') : '';
  return secretTypes.has(webhookType) || secretHosts.test(host);
}
