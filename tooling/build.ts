// Bundles the server and the web UI into dist/, with source maps and the licences of bundled packages. npm runs it after an
// install (docs/decisions/0124).
import { cpSync, globSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build, type Plugin } from 'rolldown';
import { everyOperation } from '../src/contract/operations.ts';
import { webConfig } from '../web/vite.config.ts';

const root = join(import.meta.dirname, '..');
const output = join(root, 'dist');
/** Entry points and threads, one file each in a single folder (src/lib/package-files.ts). */
const entries = ['main.ts', 'tocsin.ts', ...globSync('**/*-thread.ts', { cwd: join(root, 'src') })];

/** Commands of the client start in half the time if they do not build the schemas of the contract. */
const withoutSchemas: Plugin = {
  name: 'operations-without-schemas',
  load: {
    filter: { id: /\/src\/contract\/called-operations\.ts$/ },
    handler: () => {
      const called = everyOperation().map(({ id, method, path, media, isPaged }) => [
        id,
        { method, path, media, isPaged },
      ]);
      const table = JSON.stringify(Object.fromEntries(called));
      return `const operations = ${table};\nexport const calledOperation = (id) => operations[id];\n`;
    },
  },
};

rmSync(output, { recursive: true, force: true });
const { output: files } = await build({
  cwd: root,
  input: Object.fromEntries(entries.map((entry) => [basename(entry, '.ts'), `src/${entry}`])),
  platform: 'node',
  plugins: [withoutSchemas],
  output: {
    dir: output,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    sourcemap: true,
  },
});
// Files of the sandbox are copied, because other versions of Node.js run them. Only the one that needs a package is bundled.
cpSync(join(root, 'src/sandbox/inside'), join(output, 'inside'), { recursive: true });
const { output: video } = await build({
  cwd: root,
  input: 'src/sandbox/inside/webm.mjs',
  platform: 'node',
  output: { file: join(output, 'inside', 'webm.mjs'), format: 'esm', codeSplitting: false, minify: true },
});
// Swagger UI is served unchanged.
const reference = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
for (const name of ['swagger-ui-bundle.js', 'swagger-ui.css', 'swagger-ui-bundle.js.LICENSE.txt', 'LICENSE']) {
  cpSync(join(reference, name), join(output, 'reference', name));
}
await buildWeb();
const modules = [...files, ...video].flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
writeFileSync(join(output, 'LICENSES.txt'), licencesOf(modules));

/** Builds the web UI into dist/web, with a compressed copy of each file. */
async function buildWeb(): Promise<void> {
  const { build: buildSite } = await import('vite');
  await buildSite({ ...webConfig(), logLevel: 'warn' });
  const folder = join(output, 'web');
  for (const name of globSync('**/*.{js,css,html,svg}', { cwd: folder })) {
    const path = join(folder, name);
    const content = readFileSync(path);
    writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
    writeFileSync(`${path}.br`, brotliCompressSync(content));
  }
}

/** The fields of a package.json that the licence list shows. */
interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
}

/** Texts of the licences of the packages that modules belong to. */
function licencesOf(modules: readonly string[]): string {
  const folders = new Set(modules.map((path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]));
  const texts = [...folders].map((folder) => {
    if (folder === undefined) return [];
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
    const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim();
    return [`${name} ${version} (${license})\n\n${text}\n`];
  });
  return texts
    .flat()
    .toSorted()
    .join(`\n${'-'.repeat(80)}\n\n`);
}
