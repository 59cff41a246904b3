// The forms of all check kinds, for the web UI. A new kind is also listed in registry.ts, schemas.ts and shows.ts.
export { apiForm } from './kinds/api/form.ts';
export { browserForm } from './kinds/browser/form.ts';
export { dnsForm } from './kinds/dns/form.ts';
export { heartbeatForm } from './kinds/heartbeat/form.ts';
export { icmpForm } from './kinds/icmp/form.ts';
export { multiStepForm } from './kinds/multi-step/form.ts';
export { sslForm } from './kinds/ssl/form.ts';
export { tcpForm } from './kinds/tcp/form.ts';
export { urlForm } from './kinds/url/form.ts';
