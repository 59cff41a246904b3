// Leaves channels out of an import if the server cannot send their messages.
import type { FileResource, ResourceFile } from '#contract/projects/resource-file.ts';

/** How the server refuses channels of a type that is not set up. */
const refusals: Readonly<Record<string, string>> = {
  EMAIL: 'Email is not set up',
  SMS: 'SMS messages are not set up',
  CALL: 'Calls are not set up',
};

/** A file without channels of a type and their subscriptions, and the logical IDs of these channels. */
interface Without {
  readonly file: ResourceFile;
  readonly left: readonly string[];
}

/** The file without email channels. */
export function withoutEmail(file: ResourceFile): Without {
  return withoutType(file, 'EMAIL');
}

/**
 * The file without the channels that a refusal is about.
 * @param refusal message of the server. If it is about several types, those of the first one are left out
 * @returns also what is not set up, as the refusal says it
 */
export function withoutRefused(file: ResourceFile, refusal: string): Without & { readonly missing: string } {
  const [type = '', missing = ''] = Object.entries(refusals).find(([, sentence]) => refusal.includes(sentence)) ?? [];
  return { ...withoutType(file, type), missing };
}

function withoutType(file: ResourceFile, type: string): Without {
  const { alertChannels = {}, checks, checkGroups } = file;
  const left = Object.keys(alertChannels).filter((id) => alertChannels[id]?.['type'] === type);
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
