/** Prints the CPU time of importing a module in this new process. Milliseconds. */
const before = process.cpuUsage();
await import(process.argv[2] as string);
const { user, system } = process.cpuUsage(before);
process.stdout.write(JSON.stringify((user + system) / 1000));
