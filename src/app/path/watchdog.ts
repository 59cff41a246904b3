// Calls the watchdog: a URL outside of this installation (docs/decisions/0135).
import type { ChannelSender } from '#channels/kind.ts';
import { type Config, ConfigError } from '#config/config.ts';
import { stepsOfRole } from '#config/roles.ts';
import { everyNetwork } from '#egress/address-class.ts';
import { createGuard, type EgressPolicy } from '#egress/guard.ts';
import { createPlaceBoard } from '#egress/closed-places.ts';
import { newId } from '#lib/id.ts';
import { createCallWatchdog, type WatchdogCaller } from '#upkeep/call-watchdog.ts';
import { ownAddresses } from '../store/own-addresses.ts';
import type { StepDeps } from './step-deps.ts';

const deadlineMs = 20_000;

/**
 * Creates the caller. The operator chose the URL, so the egress policy does not apply; Tocsin's own places stay closed.
 * @param egress the policy with the closed places
 */
export function createWatchdogCaller(
  address: string,
  egress: EgressPolicy,
  { caCertificates }: Pick<Config, 'caCertificates'>,
  userAgent: string,
): WatchdogCaller {
  // Loaded on demand, because few processes call.
  let loading: Promise<ChannelSender> | null = null;
  const load = async (): Promise<ChannelSender> => {
    const { createHttpSender } = await import('#channels/http/http-sender.ts');
    return createHttpSender({
      guard: createGuard({ ...egress, allow: everyNetwork }),
      extraCertificates: caCertificates,
      deadlineMs,
      prepare: ({ request }) => ({ request }),
    });
  };
  const { url, headers } = requestOf(address, userAgent);
  return {
    async call() {
      const sender = await (loading ??= load());
      const startedAt = Date.now();
      const { error, response } = await sender.send({
        type: 'WATCHDOG',
        accountId: '',
        request: { method: 'GET', url, headers, body: '' },
        deliveryId: newId(),
        createdAt: startedAt,
        startedAt,
        attempt: 1,
        replayOf: null,
        secrets: {},
      });
      if (error !== null) return error.message;
      const status = response?.status ?? 0;
      return status >= 200 && status < 300 ? null : `the receiver answered with status ${status}`;
    },
    close: async () => (await loading)?.close(),
  };
}

/** The user of a URL becomes Basic authorization. */
function requestOf(
  address: string,
  userAgent: string,
): { url: string; headers: (readonly [name: string, value: string])[] } {
  const url = new URL(address);
  const user = [url.username, url.password].map((part) => decodeURIComponent(part)).join(':');
  url.username = url.password = url.hash = '';
  const authorization = ['authorization', `Basic ${Buffer.from(user).toString('base64')}`] as const;
  return { url: url.href, headers: [['user-agent', userAgent], ...(user === ':' ? [] : [authorization])] };
}

/**
 * Refuses the start if the watchdog is this installation, which would not be called when it matters.
 *
 * @throws ConfigError
 */
export async function refuseOwnWatchdog(config: Config): Promise<void> {
  if (config.watchdogUrl === null) return;
  const { hostname, port, protocol } = new URL(config.watchdogUrl);
  const closed = createPlaceBoard(ownAddresses(config, [config.port, config.metrics.port ?? 0]));
  // Without the proxy, which would resolve the name elsewhere.
  const guard = createGuard({ mode: 'any', allow: everyNetwork, closed });
  const number = port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
  try {
    await guard.resolve(hostname.replace(/^\[|\]$/g, ''), 0, number);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EGRESS_REFUSED')) return;
    throw new ConfigError(
      'TOCSIN_WATCHDOG_URL is invalid: it is a URL of this installation, which cannot report its own failure; use a URL of another system',
    );
  }
}

/** The loop that calls. */
export function composeCallWatchdog(deps: StepDeps, idleMs: number): () => Promise<number> {
  const { watchdog, store, clock, startedAt, log } = deps;
  if (watchdog === null) return () => Promise.resolve(idleMs);
  return createCallWatchdog({
    store: store.watchdog,
    processes: () => store.processes.list(),
    steps: stepsOfRole,
    call: () => watchdog.call(),
    clock,
    startedAt,
    onWithheld: (reasons) => log.error('watchdog.withheld', { reasons: reasons.join('; ') }),
    onFailed: (error) => log.warn('watchdog.failed', { error }),
    onCalled: () => log.info('watchdog.called'),
  });
}
