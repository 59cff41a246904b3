// The way out of a script that has no network: a Unix socket of its run, behind which each connection is judged by the guard,
// made and passed on (docs/decisions/0089).
import { createServer, type Socket } from 'node:net';
import { refuseCall, serveCall } from './gateway-call.ts';
import type { Guard } from './guard.ts';

/** What one run may ask of its gateway. */
export interface GatewayBounds {
  /** Connections and look-ups at a time; further ones are refused. */
  readonly atOnce: number;
  /** Of those a second that are served without waiting for their turn. */
  readonly perSecond: number;
  /** Of a whole run; after them nobody listens any more. */
  readonly calls: number;
  /** How long one may take to say what it wants, ms. */
  readonly askMs: number;
}

/** More than a page with many pictures needs, and too few to trouble a name server or another run with. */
export const gatewayBounds: GatewayBounds = { atOnce: 256, perSecond: 200, calls: 10_000, askMs: 5000 };

/**
 * Listens at `path`. Whoever connects there is a stranger: what it says is bounded, and where it wants to go is judged as of
 * a check's own.
 *
 * @returns ends it, with all that goes through it
 * @throws as `listen` does, as for a path that is too long
 */
export async function openGateway(
  path: string,
  guard: Guard,
  bounds: GatewayBounds = gatewayBounds,
): Promise<() => void> {
  const calls = new Set<Socket>();
  const ways = new Set<Socket>();
  const turn = createTurns(bounds.perSecond);
  let count = 0;
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined);
    // The kernel refuses whoever comes later, at no cost of ours.
    if (++count >= bounds.calls) server.close();
    if (calls.size >= bounds.atOnce) {
      refuseCall(socket, 'EGRESS_LIMIT', `a script may have ${bounds.atOnce} connections at a time`);
      return;
    }
    calls.add(socket);
    socket.once('close', () => calls.delete(socket));
    serveCall(socket, {
      guard,
      askMs: bounds.askMs,
      turn,
      onWay: (way) => {
        ways.add(way);
        way.once('close', () => ways.delete(way));
      },
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      // As where no further file can be opened: that call is lost, and the next one is taken.
      server.off('error', reject).on('error', () => undefined);
      resolve();
    });
  });
  return () => {
    server.close();
    for (const socket of [...calls, ...ways]) socket.destroy();
  };
}

/** How long the next one is to wait, ms: a second's worth at once, then one after the other. */
function createTurns(perSecond: number): () => number {
  let next = 0;
  return () => {
    const now = performance.now();
    next = Math.max(next, now - 1000) + 1000 / perSecond;
    return Math.max(0, next - now);
  };
}
