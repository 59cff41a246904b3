import { readFileSync } from 'node:fs';

/** Tocsin's version, as package.json says. */
export const version: string = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
).version;
