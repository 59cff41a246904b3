// Baseline for deliveries: signs one body and posts it repeatedly over kept-alive connections.
import { createHmac } from 'node:crypto';
import { Pool } from 'undici';
import { answerQuestions } from '../support/peer.ts';
import { channelSecret } from '../support/seed.ts';

/** Request and duration. */
interface Order {
  readonly receiver: string;
  readonly body: string;
  readonly forMs: number;
  readonly connections: number;
}

answerQuestions({
  post: async ({ receiver, body, forMs, connections }: Order): Promise<number> => {
    const pool = new Pool(receiver, { connections, pipelining: 1 });
    const secret = channelSecret(1);
    const until = performance.now() + forMs;
    let sent = 0;
    const startedAt = performance.now();
    const loop = async (lane: number): Promise<void> => {
      while (performance.now() < until) {
        const now = Date.now();
        const headers = {
          'content-type': 'application/json',
          'x-service-timestamp': String(now),
          'x-service-delivery-id': `${lane}/${sent}`,
          'x-service-signature': createHmac('sha256', secret).update(body).digest('hex'),
        };
        const answer = await pool.request({ path: '/1', method: 'POST', headers, body });
        await answer.body.dump();
        sent++;
      }
    };
    await Promise.all(Array.from({ length: connections }, (_, lane) => loop(lane)));
    const perSecond = (sent / (performance.now() - startedAt)) * 1000;
    await pool.close();
    return perSecond;
  },
});
