// Flows on one process with SQLite: what the topology does not change, because store tests prove it on both engines.
import { casesOn } from './flow-cases.ts';

export const { test, describe } = casesOn(['one process, SQLite']);
