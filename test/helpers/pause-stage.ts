import { vi } from 'vitest';
import { pause } from '../../commands/pause.ts';
import { resume } from '../../commands/resume.ts';
import { connectionTo } from './operator.ts';
import type { World } from './world.ts';

export const REASON = 'Maintenance of the order service';

/** Pauses or resumes the world's stage, as an operator whose clock is the world's. */
export async function changePause(world: World, what: 'pause' | 'resume') {
  vi.useFakeTimers({ toFake: ['Date'], now: world.clock.now() });
  try {
    const connection = connectionTo(world);
    return await (what === 'pause' ? pause(connection, 'local', REASON) : resume(connection, 'local'));
  } finally {
    vi.useRealTimers();
  }
}
