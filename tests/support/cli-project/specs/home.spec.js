// A script that imports a file of the project.
import { test } from '@playwright/test';
import { title } from '../lib/title.js';

test(title, async () => {});
