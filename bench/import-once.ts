/** Prints how many milliseconds of CPU time the import of a module takes in a new process. */
const before = process.cpuUsage();
await import(process.argv[2] as string);
const { user, system } = process.cpuUsage(before);
process.stdout.write(JSON.stringify((user + system) / 1000));
