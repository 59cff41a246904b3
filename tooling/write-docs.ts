// Writes what in docs/ is made from the code, or computed: npm run docs.
import { readFileSync, writeFileSync } from 'node:fs';
import { configurationPage } from './configuration-page.ts';
import { unitCosts } from './measured-costs.ts';
import { receiverVectorsText } from './receiver-vectors.ts';
import { scalePage } from './scale-page.ts';

const place = (name: string): URL => new URL(`../docs/${name}`, import.meta.url);
const pages = {
  'configuration.md': configurationPage(),
  'receivers/vectors.json': receiverVectorsText(),
  'scale.md': scalePage(
    readFileSync(place('scale.md'), 'utf8'),
    unitCosts(readFileSync(place('performance.md'), 'utf8')),
  ),
};
for (const [name, text] of Object.entries(pages)) writeFileSync(place(name), text);
