// The output of a start: address, the link that creates the first user, and the first key.
import type { Tocsin } from './compose.ts';

/** The lines to print. The key is shown once, when the database was created, unless the operator chose it. */
export function firstMinutes({
  address,
  servesApi,
  firstKey,
  setupUrl,
}: Pick<Tocsin, 'address' | 'servesApi' | 'firstKey' | 'setupUrl'>): string {
  const key = firstKey?.text ?? null;
  const lines = [
    ...(setupUrl === null ? [] : [`Create your user: ${setupUrl}`]),
    ...(key === null ? [] : [`API key, shown only this once: export TOCSIN_URL=${address} TOCSIN_API_KEY=${key}`]),
  ];
  const greeting = `\nTocsin listens on ${address}  (${servesApi ? `API page: ${address}/docs` : 'health and metrics only'})\n`;
  return `${greeting}${lines.length === 0 ? '' : `\n${lines.join('\n')}\n`}\n`;
}
