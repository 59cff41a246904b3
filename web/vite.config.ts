// Builds the web UI into dist/web; `npm run dev` serves it with reload in front of a running server.
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import type { InlineConfig, Plugin } from 'vite';
import { everyOperation } from '../src/contract/operations.ts';

const virtualId = 'virtual:operations';

/** The method, path and media type of every operation: the contract without its schemas, which a browser does not need. */
function operationTable(): Plugin {
  return {
    name: 'operation-table',
    resolveId: (id) => (id === virtualId ? `\0${virtualId}` : null),
    load(id) {
      if (id !== `\0${virtualId}`) return null;
      const entries = everyOperation().map(({ id: name, method, path, media }) => [name, { method, path, media }]);
      return `export const operations = ${JSON.stringify(Object.fromEntries(entries))};`;
    },
  };
}

/** @param server address of the API during development */
export function webConfig(server = 'http://127.0.0.1:3000'): InlineConfig {
  return {
    root: fileURLToPath(new URL('.', import.meta.url)),
    configFile: false,
    plugins: [react(), operationTable()],
    build: {
      outDir: fileURLToPath(new URL('../dist/web', import.meta.url)),
      emptyOutDir: true,
      target: 'es2022',
      // The first versions with light-dark(), which the tokens use.
      cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
      // A data: URL would need an exception in the content security policy.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      sourcemap: false,
      license: { fileName: 'LICENSES.md' },
    },
    server: { proxy: { '^/(v1|v2|docs|results|health|ping)(/|$)': { target: server, changeOrigin: false } } },
  };
}
