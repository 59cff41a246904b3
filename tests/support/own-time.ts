// What a piece of work takes of the processor: on a busy machine the clock tells of others.

/** Begins to count the processor time of this thread. @returns how much it has taken since, ms */
export function countOwnTime(): () => number {
  const before = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  };
}
