// A name server on loopback: some names, an alias, and a name whose address changes with every query.
import { createSocket } from 'node:dgram';
import { isIP } from 'node:net';
import { changingHost, records } from './spellings.ts';

const types = { A: 1, CNAME: 5, AAAA: 28 } as const;
const alias = ['alias.test', 'loopback.test'] as const;

/** Listens on port 53 of 127.0.0.1 and returns a function that stops it. */
export async function startNameServer(): Promise<() => void> {
  const socket = createSocket('udp4');
  let changes = 0;
  const addressesOf = (name: string, type: number): readonly string[] => {
    if (name !== changingHost) return records[name] ?? [];
    if (type !== types.A) return [];
    return [changes++ % 2 === 0 ? '93.184.216.34' : '127.0.0.1'];
  };
  socket.on('message', (query, peer) => {
    const { name, end } = nameIn(query);
    const type = query.readUInt16BE(end);
    const asked = name === alias[0] ? alias[1] : name;
    const family = type === types.A ? 4 : 6;
    const found = addressesOf(asked, type).filter((address) => isIP(address) === family);
    const answers = [
      ...(name === asked ? [] : [record(name, types.CNAME, encodedName(asked))]),
      ...found.map((address) => record(asked, type, bytesOf(address))),
    ];
    const isKnown = asked === changingHost || records[asked] !== undefined;
    const head = Buffer.from([0, 0, 0x81, isKnown ? 0x80 : 0x83, 0, 1, 0, answers.length, 0, 0, 0, 0]);
    query.copy(head, 0, 0, 2);
    socket.send(Buffer.concat([head, query.subarray(12, end + 4), ...answers]), peer.port, peer.address);
  });
  await new Promise<void>((resolve) => {
    socket.bind(53, '127.0.0.1', resolve);
  });
  return () => socket.close();
}

function nameIn(query: Buffer): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

/** Must not be cached. */
function record(name: string, type: number, data: Buffer): Buffer {
  return Buffer.concat([encodedName(name), Buffer.from([0, type, 0, 1, 0, 0, 0, 0, 0, data.length]), data]);
}

function encodedName(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.from([0])]);
}

function bytesOf(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const parts = (text = ''): number[] => (text === '' ? [] : text.split(':').map((each) => Number.parseInt(each, 16)));
  const [before, after] = [parts(groups[0]), parts(groups[1])];
  const all = [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 255]));
}
