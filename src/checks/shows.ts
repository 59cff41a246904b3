// The show parts of all check kinds, for the web UI. To add a kind, add a folder, and a line
// here, in registry.ts and in schemas.ts.
export { apiShow } from './kinds/api/show.ts';
export { browserShow } from './kinds/browser/show.ts';
export { dnsShow } from './kinds/dns/show.ts';
export { heartbeatShow } from './kinds/heartbeat/show.ts';
export { icmpShow } from './kinds/icmp/show.ts';
export { multiStepShow } from './kinds/multi-step/show.ts';
export { sslShow } from './kinds/ssl/show.ts';
export { tcpShow } from './kinds/tcp/show.ts';
export { urlShow } from './kinds/url/show.ts';
