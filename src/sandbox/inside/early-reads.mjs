// Records which variables are read before the environment is set. A script that sets one of them needs a new process.

/** @returns a function that ends recording and returns the names */
export function noteReads() {
  const own = Object.getOwnPropertyDescriptor(process, 'env');
  const names = new Set();
  const note = (name) => void (typeof name === 'string' && names.add(name));
  // Enumeration counts only existing variables. Playwright copies them all to detect changes later, and `debug` looks
  // for its own, which the caller knows by name.
  const value = new Proxy(process.env, {
    get(variables, name) {
      note(name);
      return variables[name];
    },
    has(variables, name) {
      note(name);
      return name in variables;
    },
    getOwnPropertyDescriptor(variables, name) {
      note(name);
      return Reflect.getOwnPropertyDescriptor(variables, name);
    },
    set(variables, name, text) {
      variables[name] = text;
      return true;
    },
  });
  Object.defineProperty(process, 'env', { ...own, value });
  return () => {
    Object.defineProperty(process, 'env', own);
    return [...names];
  };
}
