import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inject } from 'vitest';

/** A folder of stages with these files. What is no text is written as JSON. */
export function stagesWith(files: Record<string, unknown>): string {
  const folder = mkdtempSync(join(inject('temporaryDirectory'), 'stages-'));
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, undefined, 2));
  }
  return folder;
}
