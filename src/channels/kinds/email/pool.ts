// Sessions with the mail server: a few at once, reused for a short time. Accounts take turns for them.
import type { Socket } from 'node:net';
import { FairQueue } from '#lib/fair-queue.ts';
import { type ConnectionGuard, type Tunnel, tunnelOf } from '#lib/net/guarded.ts';
import type { Trust } from '#lib/net/tls-trust.ts';
import { type MailServer, MailSession } from './mailer.ts';

/** Servers close idle sessions after a few minutes; many limit the messages of a session. */
const idleMs = 10_000;

/** Takes part in an attempt, which may be given up at any time. */
export interface Attempt {
  readonly accountId: string;
  /** Called with what must be closed if the attempt is given up. */
  hold(close: () => void): void;
  /** Takes a session as soon as it exists, even if it is still being opened. */
  use(session: MailSession): void;
  readonly isOver: boolean;
}

export interface SessionPool {
  /** Waits for a place; false = the attempt was given up while it waited. */
  enter(attempt: Attempt): Promise<boolean>;
  /** Returns an idle session; null = none. */
  takeIdle(): MailSession | null;
  /** Connects and opens a session. @throws DialogueError, or an error of the connection */
  open(attempt: Attempt): Promise<MailSession>;
  /** Gives the place of an account back. A session that is still usable waits for the next message. */
  leave(accountId: string, session: MailSession | null): void;
  /** Closes idle sessions. */
  close(): void;
}

interface PoolOptions {
  readonly trust: Trust;
  /** With the server at once. */
  readonly maxSessions: number;
}

export function createSessionPool(
  server: MailServer,
  guard: ConnectionGuard,
  { trust, maxSessions }: PoolOptions,
): SessionPool {
  const reach = tunnelOf(guard);
  const idle = new Map<MailSession, NodeJS.Timeout>();
  const waiting = new FairQueue<(isEntered: boolean) => void>();
  const places = createPlaces(maxSessions);
  const remove = (session: MailSession): void => {
    clearTimeout(idle.get(session));
    idle.delete(session);
  };
  return {
    enter(attempt) {
      const { accountId } = attempt;
      return new Promise((resolve) => {
        const enter = (isEntered: boolean): void => {
          if (isEntered) places.take(accountId);
          resolve(isEntered);
        };
        if (places.isFree(accountId)) return enter(true);
        waiting.add(accountId, enter);
        attempt.hold(() => {
          waiting.remove(accountId, enter);
          resolve(false);
        });
      });
    },
    takeIdle() {
      const session = [...idle.keys()].at(-1);
      if (session === undefined) return null;
      remove(session);
      session.onEnd = () => {};
      return session;
    },
    open: (attempt) => openThrough(reach, server, trust, attempt),
    leave(accountId, session) {
      if (session !== null) {
        session.onEnd = () => remove(session);
        const endIdle = (): void => {
          remove(session);
          session.quit();
        };
        idle.set(session, setTimeout(endIdle, idleMs).unref());
      }
      places.giveBack(accountId);
      for (let next = waiting.next(places.isFree); next !== undefined; next = waiting.next(places.isFree)) next(true);
    },
    close() {
      for (const session of idle.keys()) {
        remove(session);
        session.close();
      }
    },
  };
}

/** Counts the places that accounts hold. */
function createPlaces(maxSessions: number) {
  const held = new Map<string, number>();
  let inUse = 0;
  const add = (accountId: string, change: 1 | -1): void => {
    inUse += change;
    const count = (held.get(accountId) ?? 0) + change;
    if (count === 0) held.delete(accountId);
    else held.set(accountId, count);
  };
  return {
    /** An account holds at most as many places as it leaves free, so that messages that hang do not block others. */
    isFree: (accountId: string): boolean => (held.get(accountId) ?? 0) < maxSessions - inUse,
    take: (accountId: string): void => add(accountId, 1),
    giveBack: (accountId: string): void => add(accountId, -1),
  };
}

async function openThrough(reach: Tunnel, server: MailServer, trust: Trust, attempt: Attempt): Promise<MailSession> {
  const socket = await new Promise<Socket>((resolve, reject) => {
    const giveUp = reach({ host: server.host, port: server.port }, (error, connected) => {
      if (connected === null) reject(error ?? new Error('no connection'));
      else resolve(connected.setNoDelay(true).setKeepAlive(true, 60_000));
    });
    attempt.hold(() => {
      giveUp();
      reject(new Error('given up'));
    });
  });
  const session = new MailSession(socket, server, trust);
  attempt.use(session);
  await session.open(server, trust);
  return session;
}
