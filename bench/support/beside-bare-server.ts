// Requests per second of a path, compared with a plain node:http server that sends the same bytes.
import { median, type Row } from './report.ts';
import type { Peer } from './peer.ts';
import { bootstrapKey } from './seed.ts';
import type { Service } from './service.ts';

const connections = 32;

export interface Compared {
  readonly path: string;
  /** What the service answers. */
  readonly sample: { readonly status: number; readonly headers: Headers; readonly body: string };
  readonly ratioAtLeast: number;
  readonly service: Service;
  readonly bare: Peer;
  readonly bareAddress: string;
  readonly load: Peer;
}

/** Measures both in turn, three times. @param forMs duration of a round */
export async function besideBareServer(
  { path, sample: { status, headers: sent, body }, ratioAtLeast, service, bare, bareAddress, load }: Compared,
  forMs: number,
): Promise<{ readonly row: Row; readonly wrong: number }> {
  const headers = Object.fromEntries([...sent].filter(([name]) => !/^(connection|keep-alive)$/.test(name)));
  await bare.ask('give', { status, headers, body });
  const measure = async (address: string, ms: number): Promise<{ perSecond: number; wrong: number }> =>
    load.ask('load', { url: `${address}${path}`, key: bootstrapKey, connections, forMs: ms });
  // Code becomes fast only after some thousand calls, on both sides.
  await measure(service.address, 5000);
  await measure(bareAddress, 3000);
  const own: number[] = [];
  const limit: number[] = [];
  let wrong = 0;
  for (let round = 0; round < 3; round++) {
    const answered = await measure(service.address, forMs);
    own.push(answered.perSecond);
    wrong += answered.wrong;
    limit.push((await measure(bareAddress, forMs)).perSecond);
  }
  const row: Row = {
    figure: `GET ${path}`,
    value: median(own),
    unit: '/s',
    limit: { what: 'bare node:http', value: median(limit) },
    ratioAtLeast,
  };
  return { row, wrong };
}
