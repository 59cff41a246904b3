// What a person needs in the first minutes: the address, the first key, and three commands that lead to an alert.
import type { Tocsin } from './compose.ts';

/** The lines of a start. The key and the commands are shown once, when the database was made. */
export function firstMinutes({ address, firstKey }: Pick<Tocsin, 'address' | 'firstKey'>): string {
  const greeting = `\nTocsin listens on ${address}  (API page: ${address}/docs)\n`;
  if (firstKey === null) return `${greeting}\n`;
  return `${greeting}
Your API key, shown only this once:

  export TOCSIN_API_KEY=${firstKey}

Three commands lead to the first alert. Use any receiver you like in place of the first URL:

  # 1. where alerts go
  curl -s ${address}/v1/alert-channels -H "Authorization: Bearer $TOCSIN_API_KEY" -H 'content-type: application/json' \\
    -d '{"type":"WEBHOOK","autoSubscribe":true,"config":{"name":"first","url":"http://127.0.0.1:9099/"}}'

  # 2. a check that fails, because nothing listens there; it runs every 10 seconds
  curl -s ${address}/v1/checks/api -H "Authorization: Bearer $TOCSIN_API_KEY" -H 'content-type: application/json' \\
    -d '{"name":"first check","frequency":0,"frequencyOffset":10,"request":{"method":"GET","url":"http://127.0.0.1:9098/"}}'

  # 3. the alert and its delivery attempts
  curl -s ${address}/v1/deliveries -H "Authorization: Bearer $TOCSIN_API_KEY"

`;
}
