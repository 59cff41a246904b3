// How messages and notices name a channel.
import type { AlertChannel } from './alert-channel.ts';

/**
 * The name of a channel; without one its type, its destination and its ID. The destination is shortened, because it is
 * sent to other receivers: a host without path, the beginning of an email address, or the end of a number.
 */
export function channelName({ id, type, config }: Pick<AlertChannel, 'id' | 'type' | 'config'>): string {
  const { name } = config;
  if (typeof name === 'string' && name.trim() !== '') return name;
  const target = targetOf(config);
  return `${type.toLowerCase()} ${target === null ? `channel ${id}` : `${target} (channel ${id})`}`;
}

function targetOf({ address, url, number }: AlertChannel['config']): string | null {
  if (typeof address === 'string' && address.includes('@')) {
    return `${address.slice(0, 1)}…${address.slice(address.lastIndexOf('@'))}`;
  }
  if (typeof number === 'string' && number.length > 4) return `…${number.slice(-4)}`;
  // A template has no host before it is rendered.
  const host = typeof url === 'string' && !url.includes('{{') ? URL.parse(url)?.host : undefined;
  return host === undefined || host === '' ? null : host;
}
