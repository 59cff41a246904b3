/** The environment without what a test runner adds to it: what a process started by a test should see. */
export function plainEnvironment(): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT: _, NODE_OPTIONS: __, ...env } = process.env;
  return env;
}
