// All check kinds. To add one, add a folder, and a line here, in schemas.ts and in shows.ts.
export { apiKind } from './kinds/api/api-kind.ts';
export { browserKind } from './kinds/browser/browser-kind.ts';
export { dnsKind } from './kinds/dns/dns-kind.ts';
export { heartbeatKind } from './kinds/heartbeat/heartbeat-kind.ts';
export { icmpKind } from './kinds/icmp/icmp-kind.ts';
export { multiStepKind } from './kinds/multi-step/multi-step-kind.ts';
export { sslKind } from './kinds/ssl/ssl-kind.ts';
export { tcpKind } from './kinds/tcp/tcp-kind.ts';
export { urlKind } from './kinds/url/url-kind.ts';
