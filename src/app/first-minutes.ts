// The output of a start: address, first key, and four commands that lead to an alert.
import type { Tocsin } from './compose.ts';

/** The lines to print. The key and the commands are shown once, when the database was created. */
export function firstMinutes({
  address,
  servesApi,
  firstKey,
  setupUrl,
}: Pick<Tocsin, 'address' | 'servesApi' | 'firstKey' | 'setupUrl'>): string {
  const greeting = `\nTocsin listens on ${address}  (${servesApi ? `API page: ${address}/docs` : 'health and metrics only'})\n`;
  const setup = setupUrl === null ? '' : `\nCreate your user: ${setupUrl}\n`;
  if (firstKey === null) return `${greeting}${setup}\n`;
  return `${greeting}${setup}
Your address and API key; the key is shown only this once:

  export TOCSIN_URL=${address}
  export TOCSIN_API_KEY=${firstKey}

Paste these lines into another terminal, then the four commands below: they lead to the first alert.

  # 1. where alerts go: to the small receiver of line 3, or to any other you like
  curl -s "$TOCSIN_URL/v1/alert-channels" -H "Authorization: Bearer $TOCSIN_API_KEY" -H 'content-type: application/json' \\
    -d '{"type":"WEBHOOK","autoSubscribe":true,"config":{"name":"first","url":"http://127.0.0.1:'"\${RECEIVER_PORT:-9099}"'/"}}'

  # 2. a check that fails, because nothing listens on port 1; it runs every 10 seconds
  curl -s "$TOCSIN_URL/v1/checks/api" -H "Authorization: Bearer $TOCSIN_API_KEY" -H 'content-type: application/json' \\
    -d '{"name":"first check","frequency":0,"frequencyOffset":10,"request":{"method":"GET","url":"http://127.0.0.1:1/"}}'

  # 3. a receiver that prints the alert and ends
  node -e 'require("http").createServer((q,a)=>{q.pipe(process.stdout);a.end("thanks");setTimeout(()=>{console.log();process.exit()},200)}).listen(process.argv[1])' "\${RECEIVER_PORT:-9099}"

  # 4. the request and the response
  curl -s "$TOCSIN_URL/v1/deliveries" -H "Authorization: Bearer $TOCSIN_API_KEY"

What each line means, and how to clean up: docs/first-alert.md

`;
}
