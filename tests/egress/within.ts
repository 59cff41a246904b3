// Runs in its own network: makes the real service connect to forbidden hosts in every way, and records responses and
// connections.
import { startService, type Service } from '../support/service/service.ts';
import { until } from '../support/until.ts';
import { startNameServer } from './name-server.ts';
import { changingHost, forbiddenHosts, port, publicHosts, unwritableHosts } from './spellings.ts';
import { startSilentTrap, startTrap, type Trap } from './trap.ts';

/** Outcome for one host. */
export interface Asked {
  readonly host: string;
  /** The API's status, or the outcome: `refused`, `delivered`, `passed`, `failed egress-refused` … */
  readonly outcome: string;
  readonly message: string;
}

/** One way out: outcomes by host, and the addresses with connections. */
export interface Way {
  readonly asked: readonly Asked[];
  readonly connected: readonly string[];
}

/** All outcomes. */
export interface Seen {
  readonly ways: Readonly<Record<'save' | 'preview' | 'test message' | 'delivery' | 'check' | 'redirect', Way>>;
  /** Check kinds with a host instead of a URL. */
  readonly light: Readonly<Record<'tcp' | 'ssl' | 'dns', Way>>;
  /** A name with changing addresses, for the ways that connect. */
  readonly changing: Way;
  /** Addresses with connections from an unrestricted service. */
  readonly unguarded: readonly string[];
  /** Connections to the proxy in the environment. */
  readonly proxied: readonly string[];
}

const proxyPort = 3128;
const proxies = Object.fromEntries(
  ['http_proxy', 'https_proxy', 'all_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].map((name) => [
    name,
    `http://127.0.0.1:${proxyPort}`,
  ]),
);

const endings: (() => void | Promise<void>)[] = [];
const cleanup = { after: (work: () => void | Promise<void>): void => void endings.push(work) };
try {
  process.stdout.write(JSON.stringify(await inspectAll()));
} finally {
  for (const end of endings.toReversed()) await end();
}

async function inspectAll(): Promise<Seen> {
  endings.push(await startNameServer());
  const trap = await startTrap(port);
  const proxy = await startSilentTrap(proxyPort);
  endings.push(
    () => trap.close(),
    () => proxy.close(),
  );
  // Without a configured policy, a service that others can reach only connects to public addresses.
  const others = { HOST: '0.0.0.0', NO_PROXY: '', NODE_USE_ENV_PROXY: '1', ...proxies };
  const service = await startService(cleanup, others);
  const hosts = [...forbiddenHosts, ...publicHosts];
  const { groupId, channels, save } = await saveAll(service, trap, [...hosts, ...unwritableHosts]);
  const ways = {
    save,
    preview: await previewAll(service, trap, channels),
    'test message': await testAll(service, trap, channels),
    delivery: await deliverAll(service, trap, groupId, channels),
    check: await checkAll(service, trap, hosts, (host) => urlOf(host)),
    redirect: await checkAll(service, trap, hosts, (host) => redirectTo(urlOf(host))),
  };
  const light = {
    tcp: await lightAll(service, trap, 'tcp', hosts, (hostname) => ({ request: { hostname, port } })),
    ssl: await lightAll(service, trap, 'ssl', hosts, (hostname) => ({
      sslConfig: { hostname, port, handshakeTimeoutMs: 1000 },
    })),
    dns: await lightAll(service, trap, 'dns', hosts, (nameServer) => ({
      request: { query: 'public.test', recordType: 'A', nameServer, port, protocol: 'TCP' },
    })),
  };
  const changing = await changeAll(service, trap);
  await service.stop();
  const open = await startService(cleanup, { TOCSIN_EGRESS: 'any', TOCSIN_EGRESS_ALLOW: '0.0.0.0/0,::/0' });
  const { connected } = await checkAll(open, trap, forbiddenHosts, (host) => urlOf(host));
  return { ways, light, changing, unguarded: connected, proxied: proxy.take() };
}

function urlOf(host: string): string {
  return `http://${host}:${port}/`;
}

function redirectTo(url: string): string {
  return `http://93.184.216.34:${port}/to/${encodeURIComponent(url)}`;
}

/** Runs work for each item with bounded concurrency; results in the order of items. */
async function forEach<Item, Answer>(items: Iterable<Item>, work: (item: Item) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  const queue = [...items].entries();
  const takeAll = async (): Promise<void> => {
    for (const [index, item] of queue) answers[index] = await work(item);
  };
  await Promise.all(Array.from({ length: 8 }, takeAll));
  return answers;
}

/** A channel for each host, subscribed to one group; saved twice. */
async function saveAll(service: Service, trap: Trap, hosts: readonly string[]) {
  const groupId = await newGroup(service);
  const channels = new Map<string, number>();
  const asked = await forEach(hosts, async (host): Promise<Asked> => {
    const config = { name: host, url: urlOf(host) };
    const channel = { type: 'WEBHOOK', config, subscriptions: [{ groupId }] };
    const { status, body } = await service.api('POST', '/v1/alert-channels', channel);
    if (status === 201) {
      channels.set(host, Number(body['id']));
      await service.must('PUT', `/v1/alert-channels/${Number(body['id'])}`, { config });
    }
    return { host, outcome: String(status), message: JSON.stringify(body) };
  });
  return { groupId, channels, save: { asked, connected: trap.take() } };
}

async function previewAll(service: Service, trap: Trap, channels: ReadonlyMap<string, number>): Promise<Way> {
  const asked = await forEach(channels.keys(), async (host): Promise<Asked> => {
    const { status, body } = await service.api('POST', '/v1/alert-channels/preview', { config: { url: urlOf(host) } });
    return { host, outcome: String(status), message: JSON.stringify(body) };
  });
  return { asked, connected: trap.take() };
}

interface Attempt {
  readonly error?: { readonly class: string; readonly message: string };
}

async function testAll(service: Service, trap: Trap, channels: ReadonlyMap<string, number>): Promise<Way> {
  const asked = await forEach(channels, ([host, id]) => testOne(service, host, id));
  return { asked, connected: trap.take() };
}

async function testOne(service: Service, host: string, id: number): Promise<Asked> {
  const { error } = (await service.must('POST', `/v1/alert-channels/${id}/test`, {})) as Attempt;
  return { host, outcome: error?.class ?? 'delivered', message: error?.message ?? '' };
}

/** Alerts of one failure to every channel. */
async function deliverAll(
  service: Service,
  trap: Trap,
  groupId: number,
  channels: ReadonlyMap<string, number>,
): Promise<Way> {
  const request = { method: 'GET', url: `http://93.184.216.34:${port}/fail` };
  const check = await service.must('POST', '/v1/checks/api', { name: 'Failing', frequency: 1440, groupId, request });
  const asked = await forEach(channels, async ([host, id]): Promise<Asked> => {
    // Reports on refused channels go to the others, and must not push the alert off the first page.
    const path = `/v1/deliveries?alertChannelId=${id}&checkId=${String(check['id'])}`;
    const { id: deliveryId, status } = await until(`the alert to ${host} to end`, async () => {
      const list = (await service.must('GET', path)) as unknown as Record<string, unknown>[];
      return list.find(({ alertType, status }) => alertType !== undefined && status !== 'pending');
    });
    const { attempts } = await service.must('GET', `/v1/deliveries/${String(deliveryId)}`);
    const message = (attempts as Attempt[]).map(({ error }) => error?.message ?? '').join();
    return { host, outcome: String(status), message };
  });
  return { asked, connected: trap.take() };
}

/** A check for each host; new checks run at once. */
async function checkAll(
  service: Service,
  trap: Trap,
  hosts: readonly string[],
  urlFor: (host: string) => string,
): Promise<Way> {
  const groupId = await newGroup(service);
  const checks = await forEach(hosts, async (host) => {
    const request = { method: 'GET', url: urlFor(host), followRedirects: true };
    const check = { name: host, frequency: 1440, groupId, request };
    return { host, id: String((await service.must('POST', '/v1/checks/api', check))['id']) };
  });
  const asked = await forEach(checks, ({ host, id }) => resultOf(service, host, id));
  return { asked, connected: trap.take() };
}

/** A check for each host that the kind accepts; new checks run at once. */
async function lightAll(
  service: Service,
  trap: Trap,
  kind: string,
  hosts: readonly string[],
  settingsFor: (host: string) => object,
): Promise<Way> {
  const groupId = await newGroup(service);
  const made = await forEach(hosts, async (host) => {
    const check = { name: host, frequency: 1440, groupId, ...settingsFor(host) };
    const { status, body } = await service.api('POST', `/v1/checks/${kind}`, check);
    return { host, status, id: String(body['id']), message: JSON.stringify(body) };
  });
  const asked = await forEach(made, async ({ host, status, id, message }): Promise<Asked> => {
    return status === 201 ? resultOf(service, host, id) : { host, outcome: String(status), message };
  });
  return { asked, connected: trap.take() };
}

async function resultOf(service: Service, host: string, id: string): Promise<Asked> {
  const { outcome, reason, message } = await until(`a result of ${host}`, async () => {
    const list = await service.must('GET', `/v1/check-results/${id}`);
    return (list as unknown as Record<'outcome' | 'reason' | 'message', string | null>[])[0];
  });
  return { host, outcome: [outcome, reason].filter((word) => word !== null).join(' '), message: message ?? '' };
}

/** A channel and checks of a name with changing addresses, used repeatedly. */
async function changeAll(service: Service, trap: Trap): Promise<Way> {
  const config = { url: urlOf(changingHost) };
  const id = Number((await service.must('POST', '/v1/alert-channels', { type: 'WEBHOOK', config }))['id']);
  const asked: Asked[] = [];
  for (let n = 0; n < 10; n++) asked.push(await testOne(service, changingHost, id));
  const connected = trap.take();
  const numbers = Array.from({ length: 10 }, (_, n) => String(n));
  const checks = await checkAll(service, trap, numbers, (n) => `${urlOf(changingHost)}${n}`);
  return { asked: [...asked, ...checks.asked], connected: [...connected, ...checks.connected] };
}

async function newGroup(service: Service): Promise<number> {
  return Number((await service.must('POST', '/v2/check-groups', { name: 'All of a way' }))['id']);
}
