// Phrases that notices share.

/** Of a list that may be long, what there is room for. */
const mostListed = 5;

/** The first of it, and how many more there are. */
export function firstOf(all: readonly string[]): string {
  const more = all.length - mostListed;
  return `${all.slice(0, mostListed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
