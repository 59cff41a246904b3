// Baseline for HTTP checks: requests over new connections, reading the responses.
import { Agent, get } from 'node:http';
import { answerQuestions } from '../support/peer.ts';

/** URL and duration. */
interface Order {
  readonly url: string;
  readonly forMs: number;
  readonly concurrency: number;
}

answerQuestions({
  get: async ({ url, forMs, concurrency }: Order): Promise<{ perSecond: number; cpuPer1000: number }> => {
    const cpu = process.cpuUsage();
    const startedAt = performance.now();
    const until = startedAt + forMs;
    let done = 0;
    const loop = async (): Promise<void> => {
      while (performance.now() < until) {
        await once(url);
        done++;
      }
    };
    await Promise.all(Array.from({ length: concurrency }, loop));
    const { user, system } = process.cpuUsage(cpu);
    return { perSecond: (done / (performance.now() - startedAt)) * 1000, cpuPer1000: (user + system) / 1000 / done };
  },
});

function once(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, { agent: new Agent({ keepAlive: false }) }, (answer) => {
      answer.resume();
      answer.once('end', resolve);
      answer.once('error', reject);
    }).once('error', reject);
  });
}
