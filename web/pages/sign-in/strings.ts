// Texts of the page `sign-in`.
export const text = {
  signIn: 'Sign in',
  email: 'Email',
  password: 'Password',
  code: 'Code',
  codeHelp: 'The 6 digits of your authenticator app, or a recovery code.',
  passwordHelp: 'At least 10 characters.',
  forgotten: 'Forgot your password? Ask an owner of the account for a new invitation.',
  setup: 'Set up Tocsin',
  setupIntro: 'Create the first user. This person operates the installation.',
  createUser: 'Create user',
  setupWithoutLink: 'Open the setup link that Tocsin printed when it started, or print another:',
  setupDone: 'Tocsin is set up already. To create another operator, run:',
  command: 'Command',
  invite: 'You are invited',
  inviteIntro: (account: string, role: string) => `Join the account ${account} with the role ${role}.`,
  accept: 'Accept invitation',
  invitePassword:
    'If you have signed in to this Tocsin before, enter that password. Otherwise choose one with at least 10 characters.',
} as const;
