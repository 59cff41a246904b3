// Snippets: scripts that several checks and groups run around their requests.

export interface Snippet {
  readonly accountId: string;
  /** Numbered per account. */
  readonly id: number;
  readonly name: string;
  /** JavaScript or TypeScript. */
  readonly script: string;
  /** Epoch ms. */
  readonly createdAt: number;
  readonly updatedAt: number | null;
}

/** The part of a snippet that runs need. */
export type SnippetScript = Pick<Snippet, 'id' | 'name' | 'script'>;
