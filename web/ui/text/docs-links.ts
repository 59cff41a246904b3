// Finds names of pages of the documentation in texts, such as `docs/operating.md#gaps`.

/** A part of a text, and where it leads; null = nowhere. */
interface Part {
  readonly part: string;
  readonly href: string | null;
}

/** Divides a text. The pages are plain text: browsers scroll to the words of a heading. */
export function docsParts(text: string): readonly Part[] {
  return text.split(/\b(docs\/[a-z-]+\.md(?:#[a-z-]+)?)/).map((part, index) => {
    if (index % 2 === 0) return { part, href: null };
    const [page = '', anchor] = part.split('#');
    const words = anchor === undefined ? '' : `#:~:text=${encodeURIComponent(`# ${anchor.replaceAll('-', ' ')}`)}`;
    return { part, href: `/${page}${words}` };
  });
}
