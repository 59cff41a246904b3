// A load generator for GETs over kept-alive connections, one request at a time on each; minimal, so that it is not the limit.
import { connect, type Socket } from 'node:net';
import { answerQuestions } from '../support/peer.ts';

/** URL, concurrency and duration. */
interface Order {
  readonly url: string;
  /** Paths to request in rotation instead of the URL's own. */
  readonly paths?: readonly string[];
  readonly key: string;
  readonly connections: number;
  readonly forMs: number;
  /** Default: as many as possible. */
  readonly perSecond?: number;
}

/** Results. */
interface Answered {
  readonly done: number;
  readonly perSecond: number;
  /** Responses other than 200. */
  readonly wrong: number;
}

answerQuestions({
  load: async ({ url, paths, key, connections, forMs, perSecond }: Order): Promise<Answered> => {
    const { hostname, port, pathname, search, host } = new URL(url);
    const heads = (paths ?? [`${pathname}${search}`]).map(
      (path) => `GET ${path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${key}\r\n\r\n`,
    );
    let asked = 0;
    const next = (): string => heads[asked++ % heads.length] ?? '';
    const startedAt = performance.now();
    const everyMs = perSecond === undefined ? 0 : (connections / perSecond) * 1000;
    const tally = { done: 0, wrong: 0, until: startedAt + forMs, everyMs };
    const lanes = Array.from({ length: connections }, () => lane(connect(Number(port), hostname), next, tally));
    await Promise.all(lanes);
    const { done, wrong } = tally;
    return { done, perSecond: (done / (performance.now() - startedAt)) * 1000, wrong };
  },
});

/** Sends a request, waits for the complete response by its content-length, and repeats. */
function lane(
  socket: Socket,
  next: () => string,
  tally: { done: number; wrong: number; until: number; readonly everyMs: number },
): Promise<void> {
  return new Promise((resolve, reject) => {
    let missing = 0;
    let text = '';
    let dueAt = performance.now();
    const ask = (): void => void socket.write(next());
    socket.setNoDelay(true);
    socket.once('connect', () => socket.write(next()));
    socket.once('error', reject);
    socket.on('data', (chunk: Buffer) => {
      if (missing === 0) {
        text += chunk.toString('latin1');
        const end = text.indexOf('\r\n\r\n');
        if (end < 0) return;
        const length = /content-length: (\d+)/i.exec(text)?.[1];
        if (!text.startsWith('HTTP/1.1 200') || length === undefined) tally.wrong++;
        missing = end + 4 + Number(length ?? 0) - text.length;
        text = '';
      } else missing -= chunk.length;
      if (missing > 0) return;
      missing = 0;
      tally.done++;
      dueAt += tally.everyMs;
      const now = performance.now();
      if (now < tally.until) {
        if (dueAt > now) setTimeout(ask, dueAt - now);
        else ask();
      } else {
        socket.destroy();
        resolve();
      }
    });
  });
}
