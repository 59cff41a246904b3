// Flows on one process with SQLite and on two processes with PostgreSQL: the path from a check to a delivery.
import { casesOn } from './flow-cases.ts';

export const { test, describe } = casesOn(['one process, SQLite', 'two processes, PostgreSQL']);
