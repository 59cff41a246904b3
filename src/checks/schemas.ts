// The schemas of all check kinds. A new kind is also listed in registry.ts, shows.ts and forms.ts.
export { apiSchema } from './kinds/api/schema.ts';
export { browserSchema } from './kinds/browser/schema.ts';
export { dnsSchema } from './kinds/dns/schema.ts';
export { heartbeatSchema } from './kinds/heartbeat/schema.ts';
export { icmpSchema } from './kinds/icmp/schema.ts';
export { multiStepSchema } from './kinds/multi-step/schema.ts';
export { sslSchema } from './kinds/ssl/schema.ts';
export { tcpSchema } from './kinds/tcp/schema.ts';
export { urlSchema } from './kinds/url/schema.ts';
