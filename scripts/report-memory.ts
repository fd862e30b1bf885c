import { writeSync } from 'node:fs';

/** Loaded before a program (`node --import`). When the program ends, its peak memory in KiB is written to file descriptor 3. */
process.once('exit', () => void writeSync(3, String(process.resourceUsage().maxRSS)));
