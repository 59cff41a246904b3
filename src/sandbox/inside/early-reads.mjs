// Which variables are read while there are none yet: whoever sets one of them must have it from the beginning.

/** @returns ends it, and answers with the names that were read */
export function noteReads() {
  const own = Object.getOwnPropertyDescriptor(process, 'env');
  const names = new Set();
  const note = (name) => void (typeof name === 'string' && names.add(name));
  // Whoever goes through all of them is noted with those that are there: Playwright keeps them all to tell later which were changed, and
  // `debug` looks for its own, which whoever begins the process knows by their names.
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
