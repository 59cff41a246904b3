// Loads the sender of a kind that sends by HTTP, in the sending thread only.
import type { Gateways } from '#domain/deliveries/gateways.ts';
import type { ChannelKind } from '../kind.ts';
import type { Prepare } from './http-sender.ts';

/**
 * The `loadSender` of such a kind.
 *
 * @param service the gateway with the address of the service, which the operator may choose; absent = accounts do
 */
export function sendsByHttp(prepare: Prepare, service?: 'opsgenieUrl' | 'pagerDutyUrl'): ChannelKind['loadSender'] {
  const isOperators = (gateways: Gateways): boolean => service !== undefined && gateways[service] !== null;
  return async () => {
    const { createHttpSender } = await import('./http-sender.ts');
    return ({ guard, operatorGuard, gateways, ...options }) =>
      createHttpSender({ ...options, guard: isOperators(gateways) ? operatorGuard : guard, prepare });
  };
}
