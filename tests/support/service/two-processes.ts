// Flows on two processes with PostgreSQL: what must cross from one process to another, where one process would prove less.
import { casesOn } from './flow-cases.ts';

export const { test, describe } = casesOn(['two processes, PostgreSQL']);
