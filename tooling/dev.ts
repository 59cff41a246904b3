// Runs the server from source with the web UI in front of it; both reload when a file changes.
import { spawn } from 'node:child_process';
import { createServer } from 'vite';
import { webConfig } from '../web/vite.config.ts';

const port = process.env['PORT'] ?? '3000';
const server = spawn(process.execPath, ['--watch', 'src/main.ts'], {
  env: { ...process.env, PORT: port },
  stdio: 'inherit',
});
const site = await createServer(webConfig(`http://127.0.0.1:${port}`));
await site.listen();
site.printUrls();
server.once('exit', (code) => {
  void site.close().then(() => {
    process.exitCode = code ?? 1;
  });
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => server.kill('SIGTERM'));
