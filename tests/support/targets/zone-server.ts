// A name server on loopback over UDP and TCP, on one port, that answers as told.
import { createSocket } from 'node:dgram';
import { createServer, type AddressInfo, type Socket } from 'node:net';

/** What a test is asked for. */
interface Cleanup {
  after(work: () => void): void;
}

/** A record of a response; its data as in the message. */
export interface ZoneRecord {
  readonly type: number;
  readonly data: Buffer;
}

/** How a question is answered: with records, with a code alone, with raw bytes, or not at all. */
export type ZoneAnswer =
  | readonly ZoneRecord[]
  | { readonly code: number }
  | { readonly raw: Buffer; readonly isForged?: true }
  | null;

/** A question as it came. */
export interface ZoneQuestion {
  readonly name: string;
  readonly type: number;
  readonly transport: 'UDP' | 'TCP';
  /** Whether it was asked with EDNS. */
  readonly isExtended: boolean;
}

export interface ZoneServer {
  readonly port: number;
  readonly asked: readonly ZoneQuestion[];
}

/**
 * Starts it.
 *
 * @param isShort truncates every answer over UDP
 * @param hasTcp false = it refuses connections
 */
export async function startZoneServer(
  t: Cleanup,
  answer: (question: ZoneQuestion, before: number) => ZoneAnswer,
  isShort = false,
  hasTcp = true,
): Promise<ZoneServer> {
  const asked: ZoneQuestion[] = [];
  const reply = (query: Buffer, transport: ZoneQuestion['transport']): Buffer | null => {
    const { name, end } = nameIn(query);
    const isExtended = query.readUInt16BE(10) > 0;
    const question = { name, type: query.readUInt16BE(end), transport, isExtended };
    asked.push(question);
    const given = answer(question, asked.length - 1);
    if (given === null) return null;
    if ('raw' in given) {
      // With the number of the question, unless somebody else sends it.
      const raw = Buffer.from(given.raw);
      if (given.isForged !== true) query.copy(raw, 0, 0, 2);
      return raw;
    }
    const isCut = isShort && transport === 'UDP';
    const records = 'code' in given || isCut ? [] : given;
    const code = 'code' in given ? given.code : 0;
    const high = code >> 4;
    const extension = high > 0 ? [Buffer.from([0, 0, 41, 4, 208, high, 0, 0, 0, 0, 0])] : [];
    const flags = [isCut ? 0x83 : 0x81, 0x80 | (code & 15)];
    const head = Buffer.from([0, 0, ...flags, 0, 1, 0, records.length, 0, 0, 0, extension.length]);
    query.copy(head, 0, 0, 2);
    return Buffer.concat([head, query.subarray(12, end + 4), ...records.map(encoded), ...extension]);
  };
  const tcp = createServer((socket: Socket) => {
    socket.on('error', () => {});
    let held = Buffer.alloc(0);
    socket.on('data', (bytes: Buffer) => {
      held = Buffer.concat([held, bytes]);
      // Prefixed with its length: queries of clients of a previous server on this port are never complete.
      if (held.length < 2 || held.length < 2 + held.readUInt16BE(0)) return;
      const message = reply(held.subarray(2), 'TCP');
      if (message === null) return;
      socket.end(Buffer.concat([Buffer.from([message.length >> 8, message.length & 255]), message]));
    });
  });
  await new Promise<void>((resolve) => void tcp.listen(0, '127.0.0.1', resolve));
  const { port } = tcp.address() as AddressInfo;
  const udp = createSocket('udp4');
  udp.on('message', (query, peer) => {
    const message = reply(query, 'UDP');
    if (message !== null) udp.send(message, peer.port, peer.address);
  });
  await new Promise<void>((resolve) => void udp.bind(port, '127.0.0.1', resolve));
  if (!hasTcp) tcp.close();
  t.after(() => {
    udp.close();
    tcp.close();
  });
  return { port, asked };
}

function nameIn(query: Buffer): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: `${labels.join('.')}.`, end: at + 1 };
}

/** Its name is a pointer to that of the question, as servers compress it. */
function encoded({ type, data }: ZoneRecord): Buffer {
  const head = Buffer.from([0xc0, 12, type >> 8, type & 255, 0, 1, 0, 0, 1, 44, data.length >> 8, data.length & 255]);
  return Buffer.concat([head, data]);
}

/** A name as encoded in a message. */
export function zoneName(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.from([0])]);
}

/** A text with its length in front. */
export function zoneText(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}

/** A number of two bytes. */
export function zoneNumber(value: number): Buffer {
  return Buffer.from([value >> 8, value & 255]);
}
