// Leaves email channels out of an import if the server has no mail server.
import type { FileResource, ResourceFile } from '#contract/projects/resource-file.ts';

/** The file without email channels and their subscriptions, and the names of these channels. */
export function withoutEmail(file: ResourceFile): { readonly file: ResourceFile; readonly left: readonly string[] } {
  const { alertChannels = {}, checks, checkGroups } = file;
  const left = Object.keys(alertChannels).filter((id) => alertChannels[id]?.['type'] === 'EMAIL');
  const unsubscribed = (resources: Readonly<Record<string, FileResource>>): Record<string, FileResource> =>
    Object.fromEntries(
      Object.entries(resources).map(([id, resource]) => {
        const { alertChannels: listed } = resource;
        if (!Array.isArray(listed)) return [id, resource];
        return [id, { ...resource, alertChannels: listed.filter((each) => !left.includes(String(each))) }];
      }),
    );
  const kept = Object.entries(alertChannels).filter(([id]) => !left.includes(id));
  return {
    file: {
      ...file,
      alertChannels: Object.fromEntries(kept),
      ...(checks !== undefined && { checks: unsubscribed(checks) }),
      ...(checkGroups !== undefined && { checkGroups: unsubscribed(checkGroups) }),
    },
    left,
  };
}
