// Writes the pages of docs/ that are made from the code: npm run docs.
import { writeFileSync } from 'node:fs';
import { configurationPage } from './configuration-page.ts';

const pages = { 'configuration.md': configurationPage() };
for (const [name, text] of Object.entries(pages)) writeFileSync(new URL(`../docs/${name}`, import.meta.url), text);
