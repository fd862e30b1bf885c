#!/usr/bin/env node
import './compile-cache.ts';

// Not a static import, which would be compiled before the cache is in use.
await import('../commands/main.ts');
