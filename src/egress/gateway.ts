// The only way out of a script without a network: a Unix socket per run. The guard checks each connection before it is
// made (docs/decisions/0089).
import { createServer, type Socket } from 'node:net';
import { refuseCall, serveCall } from './gateway-call.ts';
import type { Guard } from './guard.ts';

/** Limits of one run's gateway. */
export interface GatewayBounds {
  /** Concurrent connections and lookups. More are refused. */
  readonly atOnce: number;
  /** Connections and lookups served per second without delay. */
  readonly perSecond: number;
  /** Connections and lookups of a whole run. After that the gateway closes. */
  readonly calls: number;
  /** Time limit for the request line. */
  readonly askMs: number;
}

/** Enough for a page with many images, without harming name servers or other runs. */
export const gatewayBounds: GatewayBounds = { atOnce: 256, perSecond: 200, calls: 10_000, askMs: 5000 };

export interface OpenGateway {
  /** Closes it and its connections. */
  readonly close: () => void;
  /** Whether lookups through it have no answer because no name server of this machine answers. Takes up to 3 s. */
  readonly isResolverDown: () => Promise<boolean>;
}

/**
 * Listens at `path`. Input is untrusted and limited, and the guard checks targets as it does for checks.
 *
 * @throws as `listen` does, for example for a path that is too long
 */
export async function openGateway(
  path: string,
  guard: Guard,
  bounds: GatewayBounds = gatewayBounds,
): Promise<OpenGateway> {
  const lookups = watchLookups(guard);
  const calls = new Set<Socket>();
  const ways = new Set<Socket>();
  const reserveSlot = createPacing(bounds.perSecond);
  let count = 0;
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined);
    // From here on the kernel refuses connections, at no cost.
    if (++count >= bounds.calls) server.close();
    if (calls.size >= bounds.atOnce) {
      refuseCall(socket, 'EGRESS_LIMIT', `a script may have at most ${bounds.atOnce} connections at a time`);
      return;
    }
    calls.add(socket);
    socket.once('close', () => calls.delete(socket));
    serveCall(socket, {
      guard: lookups.guard,
      askMs: bounds.askMs,
      reserveSlot,
      onWay: (way) => {
        ways.add(way);
        way.once('close', () => ways.delete(way));
      },
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      // For example, no file descriptor is left: that connection is lost and the next one is accepted.
      server.off('error', reject).on('error', () => undefined);
      resolve();
    });
  });
  return {
    close: () => {
      server.close();
      for (const socket of [...calls, ...ways]) socket.destroy();
    },
    isResolverDown: lookups.isResolverDown,
  };
}

/** Returns how many milliseconds the next connection must wait. The first second's worth does not wait. */
function createPacing(perSecond: number): () => number {
  let next = 0;
  return () => {
    const now = performance.now();
    next = Math.max(next, now - 1000) + 1000 / perSecond;
    return Math.max(0, next - now);
  };
}

/** A guard whose lookups are recorded. */
interface WatchedLookups {
  readonly guard: Guard;
  /** Whether lookups have no answer because no name server of this machine answers. */
  readonly isResolverDown: () => Promise<boolean>;
}

/** A lookup that takes longer counts as unanswered, ms. */
const slowMs = 1000;
/** Maximum number of unanswered names to remember. */
const remembered = 3;
/** Errors that tell something about the name or our own rules. */
const answers: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME', 'EGRESS_REFUSED']);

function watchLookups(guard: Guard): WatchedLookups {
  const unanswered = new Set<string>();
  const pending = new Set<{ readonly name: string; readonly startedAt: number }>();
  const resolve: Guard['resolve'] = async (name, family, port) => {
    const lookup = { name, startedAt: performance.now() };
    pending.add(lookup);
    try {
      return await guard.resolve(name, family, port);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : null;
      if (!answers.has(code) && unanswered.size < remembered) unanswered.add(name);
      throw error;
    } finally {
      pending.delete(lookup);
    }
  };
  return {
    guard: { ...guard, resolve },
    async isResolverDown() {
      const now = performance.now();
      const slow = [...pending].filter(({ startedAt }) => now - startedAt >= slowMs).map(({ name }) => name);
      const names = [...unanswered, ...slow].slice(0, remembered);
      return (await Promise.all(names.map((name) => guard.isResolverDown(name)))).includes(true);
    },
  };
}
