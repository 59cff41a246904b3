// How a receiver shows a message, for previews.

/** All texts are untrusted, but for the markup of `html`, in which values are escaped. */
export type MessageView =
  /** `html` loads nothing. The text part is the body of the message. */
  | { readonly kind: 'mail'; readonly subject: string; readonly html: string }
  /** `note` is about the text, such as its length. */
  | { readonly kind: 'text'; readonly text: string; readonly note: string };
