// What a person needs in the first minutes: the address, the first key, and three commands that lead to an alert.
import type { Tocsin } from './compose.ts';

/** The lines of a start. The key and the commands are shown once, when the database was made. */
export function firstMinutes({
  address,
  servesApi,
  firstKey,
}: Pick<Tocsin, 'address' | 'servesApi' | 'firstKey'>): string {
  const greeting = `\nTocsin listens on ${address}  (${servesApi ? `API page: ${address}/docs` : 'health and metrics only'})\n`;
  if (firstKey === null) return `${greeting}\n`;
  return `${greeting}
Your API key, shown only this once:

  export TOCSIN_API_KEY=${firstKey}

Paste that line into another terminal, then these three: they lead to the first alert.

  # 1. where alerts go: to the small receiver of line 3, or to any other you like
  curl -s ${address}/v1/alert-channels -H "Authorization: Bearer $TOCSIN_API_KEY" -H 'content-type: application/json' \\
    -d '{"type":"WEBHOOK","autoSubscribe":true,"config":{"name":"first","url":"http://127.0.0.1:'"\${RECEIVER_PORT:-9099}"'/"}}'

  # 2. a check that fails, because nothing listens on port 1; it runs every 10 seconds
  curl -s ${address}/v1/checks/api -H "Authorization: Bearer $TOCSIN_API_KEY" -H 'content-type: application/json' \\
    -d '{"name":"first check","frequency":0,"frequencyOffset":10,"request":{"method":"GET","url":"http://127.0.0.1:1/"}}'

  # 3. a receiver that prints the alert and ends
  node -e 'require("http").createServer((q,a)=>{q.pipe(process.stdout);a.end("thanks");setTimeout(()=>{console.log();process.exit()},200)}).listen(process.argv[1])' "\${RECEIVER_PORT:-9099}"

What was sent and what came back: ${address}/v1/deliveries. What each line means, and how to clean up: docs/first-alert.md

`;
}
