// The pages of the documentation as Markdown, and their index for assistants (/llms.txt).
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { notFoundMessage } from '#actions/refusal.ts';
import { packageFolder } from '#lib/package-files.ts';

/** Code, which stays as it is, or a link or image whose target is neither a shipped page nor an address. */
const codeOrForeignLink =
  /(```[\s\S]*?^```|`[^`\n]*`)|!?\[((?:`[^`]*`|[^\]`])*)\]\((?!https?:|mailto:|#|(?:[a-z\d-]+|README)\.md(?:#|\)))[^)]*\)/gm;

/**
 * A page as the package contains it; links to files that it does not contain become their text.
 * @param name checked: it leads to no other folder
 */
export function docsPage(name: string): string {
  const path = join(packageFolder, 'docs', name);
  if (!existsSync(path)) throw notFoundMessage(`Page ${name} not found.`);
  return readFileSync(path, 'utf8').replaceAll(codeOrForeignLink, (whole, code: string | undefined, label: string) =>
    code === undefined ? label : whole,
  );
}

/** The index of the pages in the form of llmstxt.org, with absolute links. */
export function llmsIndex(publicUrl: string): string {
  const [, ...sections] = docsPage('README.md').split(/^(?=## )/m);
  const shipped = sections
    .filter((section) => !section.startsWith('## Contributing'))
    .map((section) => section.replaceAll(/\]\(([A-Za-z\d-]+\.md)/g, `](${publicUrl}/docs/$1`));
  return `# Tocsin

> Self-hosted synthetic monitoring: runs checks on a schedule, keeps their state, and notifies people when they fail.

This is the documentation of the version that runs at ${publicUrl}. Each page is Markdown. The operations of the API are in
[the OpenAPI document](${publicUrl}/v1/openapi.json). Assistants can connect to ${publicUrl}/mcp
([how](${publicUrl}/docs/agents.md)).

${shipped.join('')}`;
}
