// Wraps nodemailer: MIME messages and the SMTP dialogue over a connection that we opened.
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { TLSSocket } from 'node:tls';
import type { Message } from '#domain/deliveries/delivery.ts';
import type { SmtpGateway } from '#domain/deliveries/gateways.ts';
import type { Trust } from '#lib/net/tls-trust.ts';
import { encodeWord, foldLines } from 'nodemailer/lib/mime-funcs';
import MimeNode from 'nodemailer/lib/mime-node';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { certificateError } from '../../http/connector.ts';
import { parseSender } from './config.ts';

export interface MailServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the start. */
  readonly isTls: boolean;
  readonly startTls: SmtpGateway['startTls'];
  /** null = no authentication. */
  readonly user: { readonly name: string; readonly password: string } | null;
  /** Our name in EHLO. */
  readonly ownName: string;
}

export function serverOf({ url, startTls, from }: SmtpGateway): MailServer {
  const { protocol, hostname, port, username, password } = new URL(url);
  const isTls = protocol === 'smtps:';
  const { address } = parseSender(from);
  return {
    host: decodeURIComponent(hostname).replace(/^\[|\]$/g, ''),
    port: port === '' ? (isTls ? 465 : 587) : Number(port),
    isTls,
    startTls,
    user: username === '' ? null : { name: decodeURIComponent(username), password: decodeURIComponent(password) },
    ownName: address.slice(address.lastIndexOf('@') + 1),
  };
}

/**
 * Composes the bytes of a mail. They depend only on the arguments, so that every attempt sends the same.
 *
 * @param boundary distinguishes the parts; unique per delivery
 */
export async function composeMail({ headers, body }: Message, html: string, boundary: string): Promise<Buffer> {
  const options = { baseBoundary: boundary, disableFileAccess: true, disableUrlAccess: true, newline: 'win' };
  const root = new MimeNode('multipart/alternative', options);
  let from = '';
  for (const [name, value] of headers) {
    if (name === 'Subject' && looksEncoded(value)) {
      root.addHeader(name, { prepared: true, foldLines: true, value: encoded(value) });
    } else if (name !== 'From') {
      root.addHeader(name, value);
    } else if (looksEncoded(value)) {
      const sender = parseSender(value);
      // Nodemailer takes no encoded name, and would put this one into quotes, where some receivers decode it.
      from = `${foldLines(`From: ${encoded(sender.name)} <${sender.address}>`)}\r\n`;
    } else {
      root.setHeader(name, parseSender(value));
    }
  }
  root.createChild('text/plain; charset=utf-8', options).setContent(body);
  root.createChild('text/html; charset=utf-8', options).setContent(html);
  return Buffer.concat([Buffer.from(from), await root.build()]);
}

/** Whether receivers would decode a text (RFC 2047) that nodemailer sends as it is, because it is ASCII. */
function looksEncoded(text: string): boolean {
  return text.includes('=?');
}

/** A text that receivers show to the letter. */
function encoded(text: string): string {
  return encodeWord(text, 'Q', 52);
}

/** A failure in the dialogue with a server. */
export interface DialogueError extends Error {
  readonly code?: string;
  /** Code of the error of the connection. */
  readonly originalCode?: string;
  /** The command that failed, such as `RCPT TO`. */
  readonly command?: string;
  /** The server's answer. */
  readonly response?: string;
  /** Status of the answer. */
  readonly responseCode?: number;
}

type Connection = InstanceType<typeof SMTPConnection>;

const commands = /^(?:EHLO|HELO|STARTTLS|AUTH|MAIL FROM|RCPT TO|DATA)\b/;

export class MailSession {
  /** The last command without arguments, i.e. the step of the dialogue. */
  command = 'greeting';
  /** Called when the connection ends. */
  onEnd = (): void => {};
  readonly #connection: Connection;
  readonly #socket: Socket;
  #failure: DialogueError | null = null;
  #onFailure = (_error: DialogueError): void => {};

  constructor(socket: Socket, server: MailServer, trust: Trust) {
    const options = optionsFor(server, trust, (line) => {
      this.command = commands.exec(line)?.[0] ?? this.command;
    });
    this.#socket = socket;
    this.#connection = new SMTPConnection({ ...options, connection: socket });
    this.#connection.on('error', (error: DialogueError) => {
      this.#failure ??= error;
      this.#onFailure(error);
    });
    this.#connection.on('end', () => {
      // A failure that ends the connection comes first.
      setImmediate(() => this.#onFailure(this.#failure ?? closed));
      this.onEnd();
    });
  }

  /** Reads the greeting, negotiates TLS and authenticates. @throws DialogueError */
  async open({ host, user, startTls }: MailServer, trust: Trust): Promise<void> {
    await this.#step((done) => this.#connection.connect(done));
    const { _socket: socket, allowsAuth } = this.#connection;
    if (socket instanceof TLSSocket && !socket.authorized) throw certificateError(socket, host, trust);
    if (user === null) return;
    // An attacker who removes STARTTLS from the greeting must not get the password.
    if (!(socket instanceof TLSSocket) && startTls === 'if-offered' && !thisMachine.test(host)) {
      throw Object.assign(new Error('no TLS for AUTH'), { code: 'PLAIN_AUTH' });
    }
    // Servers would treat us as a stranger and reject recipients for good.
    if (!allowsAuth) throw Object.assign(new Error('no AUTH'), { code: 'NO_AUTH' });
    await this.#step((done) => this.#connection.login({ user: user.name, pass: user.password }, done));
  }

  /**
   * Sends a message and returns the server's answer.
   *
   * @param onSent called when all of the message was written
   * @throws DialogueError
   */
  async send(
    envelope: { readonly from: string; readonly to: string },
    mail: Buffer,
    onSent: () => void,
  ): Promise<string> {
    let answer = '';
    await this.#step((done) => {
      const source = Readable.from([mail]).once('end', onSent);
      this.#connection.send({ ...envelope, size: mail.length }, source, (error, info) => {
        if (!error) answer = info.response;
        done(error);
      });
    });
    return answer;
  }

  /** Closes the connection at once. */
  close(): void {
    this.#connection.close();
    this.#socket.destroy();
  }

  /** Takes leave of the server. */
  quit(): void {
    this.#connection.quit();
    setTimeout(() => this.close(), quitMs).unref();
  }

  /** Fails also if the connection ends meanwhile. */
  #step(begin: (done: (error?: Error | null) => void) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#onFailure = reject;
      begin((error) => (error ? reject(error) : resolve()));
    });
  }
}

const thisMachine = /^(?:.+\.)?localhost\.?$|^127\.|^::1$/i;

const closed: DialogueError = Object.assign(new Error('Connection closed'), { code: 'ECONNECTION' });

/** @param onLine called with each line that is sent, with secrets masked */
function optionsFor(
  { host, port, ownName, isTls, startTls }: MailServer,
  trust: Trust,
  onLine: (line: string) => void,
) {
  const debug = ({ tnx }: { readonly tnx?: string }, line: string): void => {
    if (tnx === 'client') onLine(line);
  };
  return {
    host,
    port,
    name: ownName,
    secure: isTls,
    requireTLS: startTls === 'required' && !isTls,
    ignoreTLS: startTls === 'off',
    // Verified by `open`, where the certificate can be described. A resumed session would skip the host name check.
    tls: { secureContext: trust.createContext(), rejectUnauthorized: false },
    maxResponseSize: 16_384,
    // The caller's own deadline covers everything.
    connectionTimeout: dayMs,
    greetingTimeout: dayMs,
    socketTimeout: dayMs,
    transactionLog: true,
    logger: { trace: ignore, debug, info: ignore, warn: ignore, error: ignore, fatal: ignore, level: ignore },
  };
}

const dayMs = 86_400_000;
const ignore = (): void => {};

/** How long a server may take to answer QUIT, ms. */
const quitMs = 2000;
