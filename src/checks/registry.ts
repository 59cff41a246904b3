// All check kinds. A new one is also listed in schemas.ts, shows.ts and forms.ts.
export { apiKind } from './kinds/api/api-kind.ts';
export { browserKind } from './kinds/browser/browser-kind.ts';
export { dnsKind } from './kinds/dns/dns-kind.ts';
export { heartbeatKind } from './kinds/heartbeat/heartbeat-kind.ts';
export { icmpKind } from './kinds/icmp/icmp-kind.ts';
export { multiStepKind } from './kinds/multi-step/multi-step-kind.ts';
export { sslKind } from './kinds/ssl/ssl-kind.ts';
export { tcpKind } from './kinds/tcp/tcp-kind.ts';
export { urlKind } from './kinds/url/url-kind.ts';
