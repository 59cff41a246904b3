// What the `checkly` command line asks for that this service does not have, each with a sentence that it prints.

const refused: readonly (readonly [path: RegExp, sentence: string])[] = [
  [/^[/]v1[/](test-session-)?error-groups\b/, 'Tocsin does not group errors.'],
  [/^[/]v1[/]root-cause-analyses\b/, 'Tocsin does not analyze root causes.'],
  [/^[/]v1[/]usage[/]/, 'Tocsin has no contracts and credits. `checkly account plan` shows the limits of the account.'],
  [/^[/]next[/]projects\b/, 'Tocsin does not import existing resources into the code of a project.'],
  [
    /^[/]v1[/]private-locations[/][^/]+[/]metrics$/,
    'Tocsin stores no queue metrics of private locations. GET /v1/private-locations/{id} shows the processes that serve it.',
  ],
  [/^[/]users[/]me[/]api-keys\b/, 'Create an API key in Tocsin, and set CHECKLY_API_KEY and CHECKLY_ACCOUNT_ID.'],
];

/** Why a path that is unknown is not served; null = it is not one of that command line. */
export function refusedCliPath(path: string): string | null {
  return refused.find(([pattern]) => pattern.test(path))?.[1] ?? null;
}
