// Sends stored mails by SMTP, once each. An interrupted attempt is repeated with the same bytes (docs/decisions/0012).
import type { SendOutcome } from '#domain/deliveries/delivery.ts';
import type { Gateways } from '#domain/deliveries/gateways.ts';
import { mask } from '#domain/deliveries/shown-url.ts';
import type { ConnectionGuard } from '#lib/net/guarded.ts';
import { createTrust, type Trust } from '#lib/net/tls-trust.ts';
import { createMasker } from '#lib/text-masker.ts';
import type { ChannelSender, SenderOptions, Sending } from '../../kind.ts';
import { parseSender } from './config.ts';
import { parseAnswer, mailFailure, mailTimeout, type Standing } from './failure.ts';
import { composeMail, type DialogueError, type MailServer, type MailSession, serverOf } from './mailer.ts';
import { type Attempt, createSessionPool, type SessionPool } from './pool.ts';
import { type MailData, smtpMissing } from './render.ts';

type Ended = Pick<SendOutcome, 'error' | 'response'>;

const interrupted: Ended = {
  response: null,
  error: { class: 'interrupted', message: 'the process stopped during the attempt' },
};

interface MailSenderOptions extends SenderOptions {
  /** With a server at once. */
  readonly maxSessions?: number;
  /** How long an attempt waits for a session before its deadline begins, ms; 0 = the deadline covers it. */
  readonly longestWaitMs?: number;
}

/** Creates a sender. Use one per process, because it pools sessions. */
export function createEmailSender({
  operatorGuard,
  gateways,
  extraCertificates = [],
  deadlineMs = 30_000,
  maxSessions = 10,
  longestWaitMs = 0,
}: MailSenderOptions): ChannelSender {
  const trust = createTrust(extraCertificates);
  const ways = createWays(gateways, (server) => wayThrough(server, operatorGuard, trust, maxSessions));
  const inProgress = new Set<MailAttempt>();

  return {
    async send(sending) {
      const { startedAt, request } = sending;
      const outcome = { startedAt, durationMs: 0, headers: request.headers, response: null };
      const way = ways.of(sending.accountId);
      if (way === null) return { ...outcome, error: { class: 'connect', message: smtpMissing } };
      const attempt = new MailAttempt(sending, way);
      inProgress.add(attempt);
      const endIn = (ms: number): NodeJS.Timeout =>
        setTimeout(() => attempt.end(mailTimeout(way.server, attempt.standing, ms)), ms);
      let timer = endIn(longestWaitMs > 0 ? longestWaitMs : deadlineMs);
      attempt.onEnter = () => {
        if (longestWaitMs === 0) return;
        clearTimeout(timer);
        timer = endIn(deadlineMs);
      };
      const ended = await attempt.run();
      clearTimeout(timer);
      inProgress.delete(attempt);
      return { ...outcome, durationMs: attempt.standing.afterMs, ...ended };
    },
    async close() {
      for (const attempt of inProgress) attempt.end(interrupted);
      ways.close();
    },
  };
}

/** How mails reach a server. */
interface Way {
  readonly server: MailServer;
  readonly pool: SessionPool;
  /** Masks the password, which a server may repeat. */
  readonly hide: (text: string) => string;
}

/** One way per mail server: accounts that share a server share its sessions. */
function createWays({ smtp, accountSmtp }: Gateways, open: (server: MailServer) => Way) {
  const ways = new Map<string, Way>();
  return {
    of(accountId: string): Way | null {
      const gateway = accountSmtp[accountId] ?? smtp;
      if (gateway === null) return null;
      const server = serverOf(gateway);
      const key = JSON.stringify(server);
      const way = ways.get(key) ?? open(server);
      ways.set(key, way);
      return way;
    },
    close(): void {
      for (const { pool } of ways.values()) pool.close();
    },
  };
}

function wayThrough(server: MailServer, guard: ConnectionGuard, trust: Trust, maxSessions: number): Way {
  const { name = '', password = '' } = server.user ?? {};
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const secrets = password === '' ? [] : [password, base64(password), base64(`\0${name}\0${password}`)];
  const hide = secrets.length === 0 ? (text: string): string => text : createMasker(secrets, mask);
  return { server, pool: createSessionPool(server, guard, { trust, maxSessions }), hide };
}

/** One attempt to hand a mail to the server. */
class MailAttempt implements Attempt {
  readonly accountId: string;
  isOver = false;
  /** Called when it has a place. */
  onEnter = (): void => {};
  readonly #sending: Sending;
  readonly #way: Way;
  readonly #startedAt = performance.now();
  #session: MailSession | null = null;
  #hasEntered = false;
  #isSent = false;
  #close = (): void => {};
  #settle = (_ended: Ended): void => {};

  constructor(sending: Sending, way: Way) {
    this.accountId = sending.accountId;
    this.#sending = sending;
    this.#way = way;
  }

  get standing(): Standing {
    const afterMs = Math.round(performance.now() - this.#startedAt);
    const hasPlace = this.#hasEntered;
    return { command: this.#session?.command ?? null, hasPlace, isSent: this.#isSent, afterMs };
  }

  hold(close: () => void): void {
    if (this.isOver) close();
    else this.#close = close;
  }

  use(session: MailSession): void {
    this.#session = session;
    this.hold(() => session.close());
  }

  run(): Promise<Ended> {
    return new Promise((resolve) => {
      this.#settle = resolve;
      void this.#send();
    });
  }

  /** Ends the attempt, which closes what it holds unless it succeeded. */
  end(ended: Ended): void {
    if (this.isOver) return;
    this.isOver = true;
    if (ended.error !== null) this.#close();
    this.#settle(ended);
  }

  async #send(): Promise<void> {
    const { server, pool, hide } = this.#way;
    const address = this.#sending.request.url.slice('mailto:'.length);
    if (!(await pool.enter(this))) return;
    this.#hasEntered = true;
    this.onEnter();
    let kept: MailSession | null = null;
    try {
      const answer = await this.#deliver(address);
      kept = this.isOver ? null : this.#session;
      this.end({ response: parseAnswer(hide(answer)), error: null });
    } catch (error) {
      this.end(mailFailure(error as DialogueError, server, address, this.standing, hide));
    }
    pool.leave(this.accountId, kept);
  }

  /** A session that was idle may be unusable, so a new one is tried if the message has not been sent. */
  async #deliver(to: string): Promise<string> {
    const { deliveryId, request } = this.#sending;
    const { pool } = this.#way;
    const from = parseSender(request.headers.find(([name]) => name === 'From')?.[1] ?? '').address;
    const mail = await composeMail(request, (request.data as MailData).html, deliveryId);
    const sendOver = (session: MailSession): Promise<string> =>
      session.send({ from, to }, mail, () => {
        this.#isSent = true;
      });
    const idle = pool.takeIdle();
    if (idle !== null) {
      this.use(idle);
      try {
        return await sendOver(idle);
      } catch (error) {
        idle.close();
        if (this.isOver || this.#isSent || isAboutRecipient(error as DialogueError)) throw error;
        this.#session = null;
      }
    }
    return sendOver(await pool.open(this));
  }
}

function isAboutRecipient({ command, responseCode }: DialogueError): boolean {
  return responseCode !== undefined && (command === 'RCPT TO' || command === 'DATA');
}
