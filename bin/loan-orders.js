#!/usr/bin/env node
// Plain JavaScript without static imports of ours, so that any version of Node answers.
import { existsSync } from 'node:fs';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 12)) {
  process.stderr.write(`loan-orders needs Node 22.12 or newer, and this is Node ${process.versions.node}.\n`);
  process.exitCode = 1;
} else {
  const isCheckout = existsSync(new URL('../commands/main.ts', import.meta.url));
  const module = (name) => new URL(isCheckout ? `../${name}.ts` : `../dist/${name}.js`, import.meta.url);
  await import(module('bin/compile-cache'));
  await import(module('commands/main'));
}
