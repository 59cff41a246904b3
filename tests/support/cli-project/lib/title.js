/** A file that a script imports. */
export const title = 'home';
