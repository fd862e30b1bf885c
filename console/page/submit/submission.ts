import type { SubmitMessage } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { actOnEach } from '../parts/each.ts';
import { form } from '../parts/format.ts';
import type { Tell } from '../parts/sent.tsx';
import { CallFailed, eachLine } from '../state/call.ts';
import type { PackageState } from './kept-packages.ts';
import type { usePackages } from './use-packages.ts';

type Packages = Pick<ReturnType<typeof usePackages>, 'update' | 'forget'>;

/** Submits the reviewed packages, whatever is dropped meanwhile. Those that are refused stay on the page. Throws CallFailed. */
export async function submitAll(looked: readonly PackageState[], { update, forget }: Packages, tell: Tell) {
  const [only, ...others] = looked;
  const act = async (one: PackageState, tellOne: Tell) => {
    const said = await submission(one, tellOne, update);
    forget([one]);
    return `${messages.value.submit.submitted(one.orderRef)} ${said}`;
  };
  if (only && others.length === 0) return act(only, tell);
  const actOrSay = (one: PackageState) =>
    act(one, () => undefined).catch((error: Error) => {
      update(one, { failed: error.message });
      throw error;
    });
  return actOnEach(new Map(looked.map((one) => [one.orderRef, () => actOrSay(one)])), tell);
}

/** @throws CallFailed, also if the answer ends without a result. */
async function submission(one: PackageState, tell: Tell, update: Packages['update']): Promise<string> {
  const words = messages.value.submit;
  const body = new FormData();
  for (const [path, file] of one.files) body.append(encodeURIComponent(path), file);
  let last: SubmitMessage | undefined;
  const address = `/api/packages/submit?orderRef=${encodeURIComponent(one.orderRef)}`;
  await eachLine<SubmitMessage>(address, body, (message) => {
    last = message;
    if (!('progress' in message)) return;
    const { name, done, total } = message.progress;
    tell(done < total ? `${words.uploading(name)}, ${Math.floor((100 * done) / total)} %` : words.waiting);
  }).catch((error: CallFailed) => {
    // The console begins to submit after its first line.
    throw last || error.status > 0 ? error : new CallFailed(NOT_BEGUN, { error: words.notKept });
  });
  if (!last || 'progress' in last) throw new CallFailed(0, { error: messages.value.unanswered });
  if ('said' in last) return last.said;
  if ('failed' in last) throw new CallFailed(last.status, last.failed);
  const { problems } = last;
  update(one, { check: { unnamed: [], alike: [], ...one.check, problems } });
  throw new CallFailed(409, { error: form(problems.length, words.problems) });
}

/** As of a refusal: nothing was done. */
const NOT_BEGUN = 409;
