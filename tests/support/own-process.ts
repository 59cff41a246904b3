// What a process that a test starts gets as its environment.

/** The environment without what a test runner adds to it. */
export function plainEnvironment(): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT: _, NODE_OPTIONS: __, ...env } = process.env;
  return env;
}
