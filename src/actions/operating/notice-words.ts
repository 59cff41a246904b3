// Phrases that notices share.

/** Maximum number of list items that a notice names. */
const maxListed = 5;

/** The first items of a list, and the number of the others. */
export function firstOf(all: readonly string[]): string {
  const more = all.length - maxListed;
  return `${all.slice(0, maxListed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
