// Node's HTTP module, without what an import of it loads beside.
import type * as Whole from 'node:http';

/**
 * The module `node:http`. An `import` of it reads each of its exports, and the getter of one of them loads all of Node's own fetch
 * client: up to 80 ms of CPU and 3 MB in each thread, for what the service does not use (docs/decisions/0063).
 */
export const http: typeof Whole = process.getBuiltinModule('node:http');
