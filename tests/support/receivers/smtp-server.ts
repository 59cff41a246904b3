// A mail server on loopback that can misbehave at each step of the dialogue (RFC 5321). It stores what it accepted.
import { once } from 'node:events';
import net from 'node:net';
import tls from 'node:tls';

/** A step of the dialogue. `body` is the answer to the message itself. */
export type SmtpStep = 'connect' | 'ehlo' | 'starttls' | 'auth' | 'mail' | 'rcpt' | 'data' | 'body';

/** What the server does at a step: `hang`, `disconnect`, `lose` (accepts a message and never answers), or the line that it answers. */
export type SmtpReply = string;

/** A message that the server accepted. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: string;
  /** As it went over the wire, without dot-stuffing. */
  readonly raw: string;
  readonly isSecure: boolean;
  /** `user:password`; null = not authenticated. */
  readonly user: string | null;
  /** Number of its connection, from 1. */
  readonly connection: number;
}

export interface SmtpServerOptions {
  /** Extensions offered, such as `8BITMIME` or `AUTH PLAIN`. STARTTLS is offered with a certificate unless `isTls`. */
  readonly extensions?: readonly string[];
  readonly certificate?: { readonly cert: string; readonly key: string };
  /** TLS from the start. */
  readonly isTls?: boolean;
  /** `user:password` that is accepted. */
  readonly user?: string;
  /** Called with each message that the server accepted. */
  readonly onMail?: (mail: ReceivedMail) => void;
  /** Overrides the answer to a step. `count` counts its uses over all connections, from 1. */
  readonly reply?: (step: SmtpStep, count: number, line: string, connection: number) => SmtpReply | undefined;
}

export interface SmtpServer {
  readonly port: number;
  readonly mails: readonly ReceivedMail[];
  /** Lines of all clients as received, `C1: …`; after STARTTLS with `tls` in front. */
  readonly dialogue: readonly string[];
  /** Connections so far, and those open now. */
  readonly connections: { readonly total: number; readonly open: number; readonly mostOpen: number };
  close(): Promise<void>;
}

/** Starts a mail server on a free port. */
export async function startSmtpServer(options: SmtpServerOptions = {}): Promise<SmtpServer> {
  const mails: ReceivedMail[] = [];
  const dialogue: string[] = [];
  const sockets = new Set<net.Socket>();
  const connections = { total: 0, open: 0, mostOpen: 0 };
  const counts = new Map<SmtpStep, number>();
  const replyTo = (step: SmtpStep, line: string, connection: number): SmtpReply | undefined => {
    const count = (counts.get(step) ?? 0) + 1;
    counts.set(step, count);
    return options.reply?.(step, count, line, connection);
  };
  const server = net.createServer((socket) => {
    sockets.add(socket);
    connections.total++;
    connections.open++;
    connections.mostOpen = Math.max(connections.mostOpen, connections.open);
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      connections.open--;
    });
    const onMail = (mail: ReceivedMail): void => {
      mails.push(mail);
      options.onMail?.(mail);
    };
    converse(socket, { ...options, number: connections.total, dialogue, replyTo, onMail });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as net.AddressInfo).port,
    mails,
    dialogue,
    connections,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Conversation extends SmtpServerOptions {
  readonly number: number;
  readonly dialogue: string[];
  readonly replyTo: (step: SmtpStep, line: string, connection: number) => SmtpReply | undefined;
  readonly onMail: (mail: ReceivedMail) => void;
}

function converse(plain: net.Socket, conversation: Conversation): void {
  const { number, dialogue, replyTo, certificate, isTls = false, user: accepted = null } = conversation;
  let socket = plain;
  let isSecure = false;
  let buffer = '';
  let user: string | null = null;
  let envelope = { from: '', to: '' };
  /** Takes the next line instead of a command. */
  let takeLine: ((line: string) => void) | null = null;
  let body: string[] | null = null;

  const answer = (step: SmtpStep, line: string, usual: string): string => {
    const reply = replyTo(step, line, number) ?? usual;
    if (reply === 'disconnect') socket.destroy();
    else if (reply !== 'hang' && reply !== 'lose') socket.write(`${reply}\r\n`);
    return reply;
  };
  const secure = (): void => {
    const own = tls.createSecureContext(certificate ?? {});
    socket = new tls.TLSSocket(plain, { isServer: true, secureContext: own });
    isSecure = true;
    buffer = '';
    socket.on('error', () => {});
    socket.on('data', read);
  };
  const login = (line: string): void => {
    const [, mechanism = '', initial = ''] = line.split(' ');
    const end = (given: string): void => {
      const reply = answer('auth', line, given === accepted ? '235 2.7.0 Accepted' : '535 5.7.8 Bad credentials');
      if (reply.startsWith('2')) user = given;
    };
    if (mechanism.toUpperCase() === 'PLAIN') {
      const [, name = '', password = ''] = decoded(initial).split('\0');
      return end(`${name}:${password}`);
    }
    socket.write('334 VXNlcm5hbWU6\r\n');
    takeLine = (name) => {
      socket.write('334 UGFzc3dvcmQ6\r\n');
      takeLine = (password) => {
        takeLine = null;
        end(`${decoded(name)}:${decoded(password)}`);
      };
    };
  };
  const greet = (line: string): void => {
    const offered = [
      ...(conversation.extensions ?? []),
      ...(certificate !== undefined && !isSecure ? ['STARTTLS'] : []),
      ...(accepted !== null ? ['AUTH LOGIN PLAIN'] : []),
    ];
    const lines = ['mail.test', ...offered];
    answer(
      'ehlo',
      line,
      lines.map((each, index) => `250${index === lines.length - 1 ? ' ' : '-'}${each}`).join('\r\n'),
    );
  };
  const command = (line: string): void => {
    const verb = line.slice(0, 4).toUpperCase();
    if (verb === 'EHLO') return greet(line);
    if (verb === 'STAR') {
      if (certificate === undefined) return void answer('starttls', line, '502 5.5.1 Unknown command');
      if (answer('starttls', line, '220 2.0.0 Ready').startsWith('220')) secure();
      return;
    }
    if (verb === 'AUTH') return login(line);
    if (verb === 'MAIL') {
      envelope = { from: pathIn(line), to: '' };
      return void answer('mail', line, '250 2.1.0 Ok');
    }
    if (verb === 'RCPT') {
      envelope.to = pathIn(line);
      return void answer('rcpt', line, '250 2.1.5 Ok');
    }
    if (verb === 'DATA') {
      if (answer('data', line, '354 Go ahead').startsWith('354')) body = [];
      return;
    }
    if (verb === 'QUIT') socket.end('221 2.0.0 Bye\r\n');
    else socket.write(verb === 'RSET' || verb === 'NOOP' ? '250 Ok\r\n' : '502 5.5.1 Unknown command\r\n');
  };
  const line = (text: string): void => {
    if (body !== null) {
      if (text !== '.') return void body.push(text.startsWith('.') ? text.slice(1) : text);
      const raw = body.join('\r\n');
      body = null;
      const mail = { ...envelope, raw, isSecure, user, connection: number };
      const reply = answer('body', '.', `250 2.0.0 Ok: queued as ${number}`);
      if (reply.startsWith('2') || reply === 'lose') conversation.onMail(mail);
      return;
    }
    dialogue.push(`C${number}${isSecure ? ' tls' : ''}: ${text}`);
    if (takeLine !== null) takeLine(text);
    else command(text);
  };
  const read = (chunk: Buffer): void => {
    buffer += chunk.toString('latin1');
    for (let end = buffer.indexOf('\r\n'); end !== -1; end = buffer.indexOf('\r\n')) {
      const text = buffer.slice(0, end);
      buffer = buffer.slice(end + 2);
      const before = socket;
      line(text);
      // What came before the handshake is no part of what comes after it.
      if (socket !== before) {
        before.removeListener('data', read);
        return;
      }
    }
  };
  if (isTls) secure();
  else socket.on('data', read);
  answer('connect', '', '220 mail.test ESMTP');
}

function decoded(base64: string): string {
  return Buffer.from(base64, 'base64').toString();
}

function pathIn(line: string): string {
  return /<([^>]*)>/.exec(line)?.[1] ?? '';
}
