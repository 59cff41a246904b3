// The advisory lock of rolling up in PostgreSQL.

/** Key of the lock; an arbitrary constant. */
export const rollUpLock = 0x746f_6373;
