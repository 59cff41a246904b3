// The output of a start: address, first key, and the commands that lead to a first alert.
import type { Tocsin } from './compose.ts';

/** Those of README: a channel, a failing check, a receiver that prints the alert, and the delivery. */
const commands = String.raw`api() { route=$1; shift; curl -sS "${'$'}{TOCSIN_URL:-http://127.0.0.1:3000}$route" -H "authorization: Bearer $TOCSIN_API_KEY" -H 'content-type: application/json' "$@"; echo; }
api /v1/alert-channels -d '{"type":"WEBHOOK","autoSubscribe":true,"config":{"name":"first","url":"http://127.0.0.1:'"${'$'}{RECEIVER_PORT:-9099}"'/","longTail":true}}'
api /v1/checks/api -d '{"name":"first check","frequency":0,"frequencyOffset":10,"request":{"method":"GET","url":"http://127.0.0.1:1/"}}'
node -e 'require("http").createServer((q,a)=>{q.pipe(process.stdout);a.end("thanks");setTimeout(()=>{console.log();process.exit()},200)}).listen(process.argv[1]||9099)' "$RECEIVER_PORT"
api /v1/deliveries`;

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
${firstKey.text === null ? 'Your address, and the API key that you chose:' : 'Your address and API key; the key is shown only this once:'}

  export TOCSIN_URL=${address}
  export TOCSIN_API_KEY=${firstKey.text ?? "''"}

Paste these two lines${firstKey.text === null ? ', with your key between the quotes,' : ''} into another terminal, then these five for a first alert:

${commands}

What each line does, and how to clean up: docs/first-alert.md

`;
}
