// Forbidden addresses in every spelling, and some public ones.

/** The port of all listeners. */
export const port = 8080;

/** URL hosts that lead to this machine, private networks, cloud metadata or reserved networks. */
export const forbiddenHosts = words(`
  127.0.0.1 127.1 127.0.1 127.0.0.1. 127.255.255.254 0177.0.0.1 00000177.0.0.1 017700000001 0x7f.1 0x7f000001
  0x7f.0.0.0x1 2130706433 %31%32%37.0.0.1 １２７.０.０.１ ①②⑦.⓪.⓪.① 127。0。0。1 0.0.0.0 0 0.1.2.3
  localhost LOCALHOST localhost. app.localhost user:secret@127.0.0.1 93.184.216.34@127.0.0.1
  [::1] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1] [0:0:0:0:0:FFFF:7F00:0001] [::] [::127.0.0.1]
  [::ffff:0:7f00:1] [::5efe:7f00:1] [64:ff9b::7f00:1] [64:ff9b:1::a00:1] [2002:7f00:1::1] [2001::1] [100::1] [4000::1]
  10.0.0.1 10.255.255.255 167772161 172.16.0.1 172.31.255.255 192.168.1.1 0300.0250.1.1 100.64.0.1
  [fc00::1] [fdff::1] [::ffff:10.0.0.1] [fe80::1] [fec0::1]
  169.254.169.254 0xa9fea9fe 2852039166 [::ffff:a9fe:a9fe] 100.100.100.200 168.63.129.16 192.0.0.192 [fd00:ec2::254]
  192.0.2.1 192.88.99.1 198.18.0.1 198.51.100.1 203.0.113.1 [2001:db8::1] [3fff::1]
  224.0.0.1 240.0.0.1 255.255.255.255 [ff02::1]
  inside-hosts.test mixed-hosts.test loopback.test LoopBack.test. metadata.test mapped.test six.test mixed.test
  nat64.test alias.test short`);

/** Not valid in URLs, so they cannot be saved. */
export const unwritableHosts = words('[fe80::1%25lo] [::1%lo] 127.0.0.1.1 0x7f.0.0.0.1 256.1');

/** Public hosts in unusual spellings. */
export const publicHosts = words(`
  93.184.216.34 0x5db8d822 1572395042 user:secret@93.184.216.34 [2606:4700::1111] [::ffff:93.184.216.34]
  public-hosts.test public.test PUBLIC.test.`);

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

/** Addresses of these hosts. */
export const publicAddresses: ReadonlySet<string> = new Set(['93.184.216.34', '2606:4700::1111']);

/** A name whose address changes with every lookup. */
export const changingHost = 'changing.test';

export const hostsFile = `127.0.0.1 localhost
10.0.0.1 inside-hosts.test
93.184.216.34 public-hosts.test mixed-hosts.test
127.0.0.1 mixed-hosts.test
`;

export const resolverFile = 'nameserver 127.0.0.1\nsearch corp.test\n';

/** Records of the name server, for both families. */
export const records: Readonly<Record<string, readonly string[]>> = {
  'public.test': ['93.184.216.34'],
  'loopback.test': ['127.0.0.1'],
  'metadata.test': ['169.254.169.254'],
  'mapped.test': ['::ffff:127.0.0.1'],
  'six.test': ['fd00::1'],
  'mixed.test': ['93.184.216.34', '10.0.0.1'],
  'nat64.test': ['64:ff9b::a9fe:a9fe'],
  'short.corp.test': ['10.0.0.5'],
};
