import variant from '@jitl/quickjs-singlefile-mjs-release-sync';
import { newQuickJSWASMModuleFromVariant, newVariant, type QuickJSContext } from 'quickjs-emscripten-core';
import JSONATA from '#jsonata-program';
import { MOST_CHOICES } from '../package/decision-limits.ts';
import { LONGEST_RULE_TEXT, RULE_MEGABYTES } from './rule-limits.ts';

/** Long texts are truncated, and lists after one element more than `MOST_CHOICES`. A function becomes a marker object. */
export interface Returned {
  kind: 'returned';
  returned?: unknown;
}

/** JSONata's own code, message and position, or QuickJS's message. */
export interface Failed {
  kind: 'failed';
  message: string;
  code?: string;
  position?: number;
  isOutOfMemory?: boolean;
}

/** WebAssembly is a part of Node, but TypeScript has its values only among the types of browsers. */
declare const WebAssembly: {
  Memory: new (pages: { initial: number; maximum: number }) => { buffer: ArrayBuffer; grow(pages: number): number };
};

const PAGE_BYTES = 64 * 1024;
const MEGABYTE = 1024 * 1024;
const pages = (megabytes: number) => (megabytes * MEGABYTE) / PAGE_BYTES;
/** The memory grows in steps, so it runs out before it reaches its full size. */
const NEARLY_ALL = 0.75;
/** Memory that the sandbox needs before it has a rule. */
const FIRST_MEGABYTES = 16;

/** Runs inside the sandbox, so that nothing leaves it but a text of limited size. */
const PROGRAM = `
const cut = (text) => text.length <= ${LONGEST_RULE_TEXT} ? text : text.slice(0, ${LONGEST_RULE_TEXT}) + '… (' + text.length + ' characters)';
const shown = (_name, value) => {
  if (typeof value === 'string') return cut(value);
  if (Array.isArray(value)) return value.slice(0, ${MOST_CHOICES + 1});
  const isFunction = typeof value === 'function' || value?._jsonata_lambda || value?._jsonata_function;
  return isFunction ? { _jsonata_function: true } : value;
};
const failure = (error) => ({
  kind: 'failed',
  message: cut(String(error?.message ?? error)),
  code: typeof error?.code === 'string' ? cut(error.code) : undefined,
  position: error?.position,
  isOutOfMemory: error?.message === 'out of memory' || undefined,
});
globalThis.evaluateRule = async (rule, input) => {
  try {
    answer = JSON.stringify({ kind: 'returned', returned: await jsonata(rule).evaluate(JSON.parse(input)) }, shown);
  } catch (error) {
    answer = JSON.stringify(failure(error));
  }
};
`;

/**
 * Opens a sandbox for one rule: JSONata in QuickJS, in memory of its own that WebAssembly limits to {@link RULE_MEGABYTES}. A rule
 * reaches nothing but its input. A rule that does not end never returns: whoever calls this must end the thread.
 */
export async function openSandbox(): Promise<(rule: string, input: string) => Returned | Failed> {
  const wasmMemory = new WebAssembly.Memory({ initial: pages(FIRST_MEGABYTES), maximum: pages(RULE_MEGABYTES) });
  const quickJs = await newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmMemory }));
  const context = quickJs.newContext();
  // JSONata expects these two outside Node.
  for (const [name, convert] of Object.entries({ btoa, atob })) {
    const own = context.newFunction(name, (text) => context.newString(convert(context.getString(text))));
    context.setProp(context.global, name, own);
  }
  context.unwrapResult(context.evalCode(`var window = globalThis, answer; ${JSONATA}; ${PROGRAM}`));
  return (rule, input) => {
    const answer = evaluate(context, rule, input);
    if (answer.kind === 'returned' || answer.code !== undefined) return answer;
    // Without memory for an error object, QuickJS throws null, which makes JSONata fail.
    return { isOutOfMemory: wasmMemory.buffer.byteLength > NEARLY_ALL * RULE_MEGABYTES * MEGABYTE, ...answer };
  };
}

function evaluate(context: QuickJSContext, rule: string, input: string): Returned | Failed {
  try {
    const call = context.getProp(context.global, 'evaluateRule');
    const given = [rule, input].map((text) => context.newString(text));
    context.unwrapResult(context.callFunction(call, context.undefined, ...given));
    context.unwrapResult(context.runtime.executePendingJobs());
    return JSON.parse(context.getString(context.getProp(context.global, 'answer'))) as Returned | Failed;
  } catch (error) {
    return { kind: 'failed', message: (error as Error).message };
  }
}
