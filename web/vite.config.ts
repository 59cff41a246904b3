// Builds the web UI into dist/web; `npm run dev` serves it with reload in front of a running server.
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import type { InlineConfig } from 'vite';
import { checkSchemas } from '../src/checks/check-schemas.ts';
import { publicOperations } from '../src/contract/operations.ts';

/** What the client needs of an operation: the schemas of the contract would add a quarter to the first load. */
const callable = publicOperations().map(({ id, method, path, media }) => [id, { method, path, media }]);

const analyticsPaths = checkSchemas.map(({ type, analyticsPath }) => [type, analyticsPath]);

/** @param server address of the API during development */
export function webConfig(server = 'http://127.0.0.1:3000'): InlineConfig {
  return {
    root: fileURLToPath(new URL('.', import.meta.url)),
    configFile: false,
    plugins: [react()],
    define: {
      OPERATIONS: JSON.stringify(Object.fromEntries(callable)),
      ANALYTICS_PATHS: JSON.stringify(Object.fromEntries(analyticsPaths)),
    },
    // Relative, because the page of a RESULT_LINK may be behind a proxy that adds a path.
    experimental: { renderBuiltUrl: (path, { hostType }) => (hostType === 'html' ? `/${path}` : { relative: true }) },
    worker: { format: 'es' },
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
    server: { proxy: { '^/(v1|v2|docs|results|assets|health|ping)(/|$)': { target: server, changeOrigin: false } } },
  };
}
