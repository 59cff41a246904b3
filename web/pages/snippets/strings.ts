// Texts of the page of snippets.
export const text = {
  title: 'Snippets',
  help: 'Scripts that several API checks and groups run before or after their requests. Choose them in the forms of checks and groups.',
  empty: 'No snippet yet.',
  columns: { name: 'Name', id: 'ID', changed: 'Last changed' },
  unused: 'No check or group uses it.',
  removeHelp: 'Its script is deleted.',
  newTitle: 'Add a snippet',
  name: 'Name',
  nameExample: 'Log in',
  script: 'Script',
  scriptHelp: 'JavaScript or TypeScript, like setup and teardown scripts. The next runs use what you save.',
  scriptExample: "request.headers['x-client'] = 'tocsin';",
  examples: [
    { label: 'Set a header', code: "request.headers['x-time'] = String(Date.now());\n" },
    {
      label: 'Sign the body',
      code: "const { createHmac } = require('node:crypto');\nrequest.headers['x-signature'] = createHmac('sha256', process.env.KEY).update(request.body).digest('hex');\n",
    },
    { label: 'Write to the output', code: 'console.log(request.url);\n' },
  ],
  add: 'Add snippet',
} as const;
