// Types of modules that the build generates.
declare module 'virtual:operations' {
  import type { CalledOperation } from '#contract/caller.ts';
  import type { OperationId } from '#contract/operations.ts';
  export const operations: Readonly<Record<OperationId, CalledOperation>>;
}
declare module '*.module.css' {
  const classes: Readonly<Record<string, string>>;
  export default classes;
}
