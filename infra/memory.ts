/** Memory of a function, in MiB. */
export const MEMORY_MEBIBYTES = 512;
/** Memory of a function that transfers files: Lambda gives more network throughput with more memory. */
export const FILE_MEMORY_MEBIBYTES = 1024;
