#!/usr/bin/env node
import './compile-cache.ts';

// A static import would be compiled before the cache is enabled.
await import('../commands/main.ts');
