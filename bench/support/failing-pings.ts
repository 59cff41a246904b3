// Heartbeats that fail one after the other, and the time until each alert arrives.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { create, pause, type Service } from './service.ts';

/** Starts the pings. `stop` returns the time from each ping to its alert, ms. */
export async function startFailingPings(service: Service) {
  const failedAt = new Map<string, number>();
  const delays: number[] = [];
  const receiver = createServer((request, response) => {
    let text = '';
    request.on('data', (part: Buffer) => (text += part.toString()));
    request.on('end', () => {
      response.end();
      const at = failedAt.get(text);
      if (at !== undefined) delays.push(performance.now() - at);
      failedAt.delete(text);
    });
  });
  await new Promise<void>((resolve) => void receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as AddressInfo;
  const hook = await create(service, '/v1/alert-channels', {
    type: 'WEBHOOK',
    grouping: false,
    config: { name: 'bench', url: `http://127.0.0.1:${port}/`, template: '{{CHECK_NAME}}' },
  });
  const alertChannelSubscriptions = [{ alertChannelId: hook['id'], activated: true }];
  const over = new AbortController();
  const ended = (async () => {
    for (let number = 0; !over.signal.aborted; number++) {
      const name = `Job ${number}`;
      const heartbeat = { period: 1, periodUnit: 'hours', grace: 1, graceUnit: 'hours' };
      const body = { name, heartbeat, alertChannelSubscriptions };
      const made = await create(service, '/v1/checks/heartbeat?autoAssignAlerts=false', body);
      const { pingUrl } = made['heartbeat'] as { pingUrl: string };
      failedAt.set(name, performance.now());
      await fetch(`${pingUrl}/fail`);
      await pause(100);
    }
  })();
  return {
    async stop(): Promise<readonly number[]> {
      over.abort();
      await ended;
      await pause(2000);
      receiver.close();
      const now = performance.now();
      // One that did not arrive has waited until now.
      return [...delays, ...[...failedAt.values()].map((at) => now - at)];
    },
  };
}
