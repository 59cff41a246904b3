// Texts of the dialog of badges.
export const text = {
  open: 'Badge',
  title: (name: string) => `Badge of ${name}`,
  help: 'Anyone who has the address sees the name, the state and the response time without signing in.',
  style: 'Style',
  styles: {
    flat: 'Flat',
    plastic: 'Plastic',
    'flat-square': 'Flat, square',
    'for-the-badge': 'Large',
    social: 'Bubble',
  },
  theme: 'Theme',
  themes: { default: 'Default', light: 'Light', dark: 'Dark' },
  responseTime: 'Show the response time',
  preview: 'Preview',
  markdown: 'Markdown',
  html: 'HTML',
  address: 'Address',
  close: 'Close',
} as const;
