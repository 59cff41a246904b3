// Describes why a mail was not accepted, for the log of attempts.
import type { SendOutcome } from '#domain/deliveries/delivery.ts';
import { hostAndPort } from '#lib/net/host-and-port.ts';
import { handshakeWords, isTlsCode } from '#lib/net/tls-words.ts';
import { describeFailure } from '../../http/send-error.ts';
import type { DialogueError, MailServer } from './mailer.ts';

type Described = Pick<SendOutcome, 'error' | 'response'>;

/** Where an attempt stood when it failed. */
export interface Standing {
  /** The last command; null = not connected. */
  readonly command: string | null;
  /** Whether it had one of the limited connections. */
  readonly hasPlace: boolean;
  /** Whether all of the message was written. */
  readonly isSent: boolean;
  /** Milliseconds since the start of the attempt. */
  readonly afterMs: number;
}

/** Log form of a server's answer. Its status takes the place of an HTTP status. */
export function parseAnswer(response: string): NonNullable<SendOutcome['response']> {
  return { status: Number(response.slice(0, 3)), headers: {}, body: response.slice(0, 4096) };
}

/** Describes a failure. @param hide masks secrets, which a server may repeat */
export function mailFailure(
  error: DialogueError,
  server: MailServer,
  recipient: string,
  { command, isSent, afterMs }: Standing,
  hide: (text: string) => string,
): Described {
  const { code = '', originalCode = '', response = '', responseCode = 0 } = error;
  const host = hostAndPort(server.host, server.port);
  // A temporary answer to STARTTLS is no lack of TLS (RFC 3207 §4).
  if (responseCode >= 400 && (code !== 'ETLS' || responseCode < 500)) {
    const answer = parseAnswer(hide(response));
    const words = answer.body.replaceAll('\n', ' ');
    const failed = error.command === 'CONN' ? command : error.command;
    const isRejected = failed === 'RCPT TO' && responseCode >= 500;
    return {
      response: answer,
      error: isRejected
        ? { class: 'rejected', message: `${host} rejected ${recipient}: ${words}` }
        : { class: 'status', message: `${host} answered ${place(failed ?? null)} with ${words}` },
    };
  }
  const fail = (kind: NonNullable<SendOutcome['error']>['class'], message: string): Described => ({
    response: null,
    error: { class: kind, message },
  });
  if (code === 'NO_AUTH') {
    return fail('protocol', `${host} does not offer AUTH, but TOCSIN_SMTP_URL contains a user`);
  }
  if (code === 'PLAIN_AUTH') {
    return fail('tls', `${host} does not offer STARTTLS, and if-offered sends no password without it`);
  }
  if (code === 'EPROTOCOL') {
    return fail('protocol', `${host} sent an invalid response: ${firstLine(hide(response || error.message))}`);
  }
  if (code === 'ETLS' && response !== '') {
    const isRequired = server.startTls === 'required';
    return fail('tls', `${host} ${isRequired ? noStartTls : 'offers STARTTLS but refused it'}`);
  }
  if (isTlsCode(originalCode)) {
    const hint = originalCode.includes('WRONG_VERSION_NUMBER') && server.isTls ? '; smtp:// uses STARTTLS' : '';
    return fail('tls', `the TLS handshake with ${host} failed: ${handshakeWords(originalCode)}${hint}`);
  }
  if (code === 'EMESSAGE') return fail('protocol', `${host} does not accept messages of this size`);
  if (code === 'ECONNECTION' || code === 'ESOCKET' || code === 'ETLS') {
    const doubt = isSent
      ? '. The whole message was sent, so the recipient may receive it twice with the same Message-ID'
      : '';
    return fail('reset', `${host} closed the connection after ${afterMs} ms, ${during(command)}${doubt}`);
  }
  return { response: null, error: describeFailure(error, `smtp://${host}`, afterMs) };
}

/** Describes an attempt that took too long. */
export function mailTimeout(
  server: MailServer,
  { command, hasPlace, isSent }: Standing,
  deadlineMs: number,
): Described {
  const host = hostAndPort(server.host, server.port);
  const within = `within ${deadlineMs / 1000} s`;
  const message = isSent
    ? `${host} did not confirm the message ${within}; the recipient may receive it twice with the same Message-ID`
    : !hasPlace
      ? `no connection to ${host} was free ${within}; other emails used them`
      : command === null
        ? `could not connect to ${host} ${within}`
        : `${host} did not finish the SMTP session ${within}; it stopped ${during(command)}`;
  return { response: null, error: { class: 'timeout', message } };
}

function place(command: string | null): string {
  return command === null || command === 'greeting' ? 'the connection' : command;
}

function during(command: string | null): string {
  return command === null || command === 'greeting' ? 'before its greeting' : `after ${command}`;
}

const noStartTls = 'does not support STARTTLS, which TOCSIN_SMTP_STARTTLS requires';

function firstLine(text: string): string {
  return (text.split('\n', 1)[0] ?? '').slice(0, 200);
}
