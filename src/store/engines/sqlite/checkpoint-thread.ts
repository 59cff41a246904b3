// A thread that copies pages of the write-ahead log into the database file on request (docs/decisions/0003).
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { checkpoint } from './checkpoint.ts';

const database = new DatabaseSync(String(workerData), { timeout: 0 });
database.exec('PRAGMA synchronous = FULL');
// A connection that has not read anything yet does not see the log.
database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get();

parentPort?.on('message', () => {
  checkpoint(database, 'PASSIVE');
  parentPort?.postMessage(null);
});
