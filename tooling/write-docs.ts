// Writes the generated files in docs/: npm run docs.
import { writeFileSync } from 'node:fs';
import { fileSchemaText } from '#contract/projects/file-schema.ts';
import { configurationPage } from './configuration-page.ts';
import { receiverVectorsText } from './receiver-vectors.ts';

const pages = {
  'configuration.md': configurationPage(),
  'receivers/vectors.json': receiverVectorsText(),
  'schema.json': fileSchemaText(),
};
for (const [name, text] of Object.entries(pages)) writeFileSync(new URL(`../docs/${name}`, import.meta.url), text);
