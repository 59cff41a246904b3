// Entry point of the web UI.
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import '../styles/tokens.css';
import '../styles/base.css';
import { keepAnswer } from '../api/provider.ts';
import { createQueryClient } from '../api/query.ts';
import { showLinkedResult } from './linked-result.tsx';
import { createAppRouter } from './router.tsx';
import { applyTheme } from '../ui/layout/theme.ts';

keepAnswer();
applyTheme();
replaceInvalidLanguage();
const root = document.querySelector('#root');
if (root === null) throw new Error('the page has no root element');
if (root.childElementCount > 0) void showLinkedResult(root);
else showApp(root);

function showApp(element: Element): void {
  const cache = createQueryClient();
  createRoot(element).render(
    <StrictMode>
      <QueryClientProvider client={cache}>
        <RouterProvider router={createAppRouter()} />
      </QueryClientProvider>
    </StrictMode>,
  );
}

/** Some browsers report `en-US@posix`, which the library of the charts hands to `Intl` when it is loaded. */
function replaceInvalidLanguage(): void {
  try {
    Intl.getCanonicalLocales(navigator.language);
  } catch {
    Object.defineProperty(navigator, 'language', { value: 'en' });
  }
}
