// The show parts of all check kinds, for the web UI. A new kind is also listed in registry.ts, schemas.ts and forms.ts.
export { apiShow } from './kinds/api/show.ts';
export { browserShow } from './kinds/browser/show.ts';
export { dnsShow } from './kinds/dns/show.ts';
export { heartbeatShow } from './kinds/heartbeat/show.ts';
export { icmpShow } from './kinds/icmp/show.ts';
export { multiStepShow } from './kinds/multi-step/show.ts';
export { sslShow } from './kinds/ssl/show.ts';
export { tcpShow } from './kinds/tcp/show.ts';
export { urlShow } from './kinds/url/show.ts';
