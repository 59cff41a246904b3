// What clients of another service ask for that this one does not have, each with a sentence that they print.

const refused: readonly (readonly [path: RegExp, sentence: string])[] = [
  [/^[/]v1[/]dashboards\b/, 'Tocsin has no dashboards. Use status pages: /v1/status-pages.'],
  [
    /^[/]v1[/]incidents\b/,
    'Tocsin has no incidents of dashboards. Use incidents of status pages: /v1/status-pages/incidents.',
  ],
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

/** Why a path that is unknown is not served; null = it is not one of theirs. */
export function refusedPath(path: string): string | null {
  return refused.find(([pattern]) => pattern.test(path))?.[1] ?? null;
}
