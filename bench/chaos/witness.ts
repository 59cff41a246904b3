// Calls the API, the web UI and a ping URL of the account that must not be affected, each over a new connection.
import { request } from 'node:http';

/** What was seen since the last `begin`. */
export interface Seen {
  readonly calls: number;
  /** The slowest response, ms. */
  readonly slowestMs: number;
  /** Responses other than 200, by what was called. */
  readonly failed: readonly string[];
}

/** Calls that continue until stopped. */
export interface Witness {
  begin(): void;
  seen(): Seen;
  stop(): void;
}

const everyMs = 250;
const timeoutMs = 10_000;

/** @param headers of the account's key */
export function startWitness(address: string, headers: Readonly<Record<string, string>>, pingUrl: string): Witness {
  const targets = [
    ['API', `${address}/v1/checks?limit=1`, headers],
    ['UI', `${address}/sign-in`, { accept: 'text/html' }],
    ['ping', pingUrl, {}],
  ] as const;
  let [calls, slowestMs, failed] = [0, 0, [] as string[]];
  const callOne = async ([name, url, sent]: (typeof targets)[number]): Promise<void> => {
    const startedAt = performance.now();
    const status = await statusOf(url, sent);
    calls++;
    slowestMs = Math.max(slowestMs, performance.now() - startedAt);
    if (status !== 200) failed.push(`${name}: ${status}`);
  };
  const timer = setInterval(() => void Promise.all(targets.map(callOne)), everyMs);
  return {
    begin: () => void ([calls, slowestMs, failed] = [0, 0, []]),
    seen: () => ({ calls, slowestMs: Math.round(slowestMs), failed }),
    stop: () => clearInterval(timer),
  };
}

/** 0 = no response. */
function statusOf(url: string, headers: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve) => {
    request(url, { headers, agent: false, timeout: timeoutMs })
      .on('response', (response) => {
        response.resume().once('close', () => resolve(response.complete ? (response.statusCode ?? 0) : 0));
      })
      .on('timeout', function (this: { destroy(): void }) {
        this.destroy();
      })
      .on('error', () => resolve(0))
      .end();
  });
}
