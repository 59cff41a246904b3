// Loads what the service loads, so that Node.js keeps it compiled and the first start is as quick as any. npm runs it after an
// install, by serve.sh --compile: written while the service runs, the same files would hold up its loop (docs/decisions/0063).
import '#app/compose.ts';
import '#app/api.ts';
import '#app/postgres.ts';
import '#store/sqlite-store.ts';
