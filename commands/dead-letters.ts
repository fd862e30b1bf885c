import type { DeadLetters, Letter } from './stage/dead-letters.ts';
import { describeLetter, type LetterDescription } from './stage/letter-description.ts';
import { type Answer, columns, plain, plainIndented, Refusal, time } from './text.ts';

const HEADINGS = ['ID', 'FUNCTION', 'ARRIVED', 'ORDER', 'WHAT', 'WHY'];

/** `dead-letters list`: the events that failed, oldest first. */
export async function listDeadLetters(queues: DeadLetters): Promise<Answer> {
  const letters = await look(queues);
  const rows = letters.map((letter) => [
    letter.id,
    letter.function,
    time(letter.at),
    letter.orderRef ?? '',
    letter.what,
    letter.why,
  ]);
  const lines = rows.length > 0 ? columns([HEADINGS, ...rows]) : ['No dead letters.'];
  return { lines, json: letters.map(({ event: _event, ...rest }) => rest) };
}

/** `dead-letters show <id>`: one event that failed, whole. */
export async function showDeadLetter(queues: DeadLetters, id: string): Promise<Answer> {
  const letter = (await look(queues)).find((one) => one.id === id);
  if (!letter) throw noLetter(id);
  const facts = [
    ['Function', letter.function],
    ['Arrived', time(letter.at)],
    ['Order', letter.orderRef ?? '-'],
    ['What', letter.what],
    ['Why', letter.why],
    ['Received', `${letter.receives} times`],
  ];
  const found = `Its lines in the log have messageId ${letter.id}.`;
  const event = JSON.stringify(letter.event, undefined, 2).split('\n').map(plainIndented);
  return { lines: [...columns(facts), found, '', ...event], json: letter };
}

/**
 * `dead-letters replay [<id> | --all]`: sends events to their functions again. Repeating it is safe: a replayed letter is deleted, and
 * a function that gets an event twice acts once.
 */
export async function replayDeadLetters(queues: DeadLetters, id?: string): Promise<Answer> {
  const taken = await queues.take();
  const chosen = taken.filter((letter) => id === undefined || letter.id === id);
  const left = new Set(taken);
  try {
    if (id !== undefined && chosen.length === 0) throw noLetter(id);
    for (const letter of chosen) {
      await queues.replay(letter);
      left.delete(letter);
    }
  } finally {
    await queues.putBack([...left]);
  }
  const replayed = chosen.map(describeLetter);
  const lines = replayed.length > 0 ? replayed.map(sentence) : ['No dead letters: nothing was replayed.'];
  return { lines, json: replayed.map(({ event: _event, ...rest }) => rest) };
}

/** Describes all letters, and leaves them in their queues. */
async function look(queues: DeadLetters): Promise<LetterDescription[]> {
  const taken: Letter[] = await queues.take();
  await queues.putBack(taken);
  return taken.map(describeLetter);
}

function sentence({ id, function: name, orderRef, what }: LetterDescription): string {
  if (name === 'sweep-orders') return `${id}: deleted. The next sweep does the same work.`;
  return plain(`${id}: sent to ${name} again (${what}${orderRef === undefined ? '' : ` of order ${orderRef}`}).`);
}

function noLetter(id: string): Refusal {
  return new Refusal(
    `There is no dead letter ${plain(id)}: nothing was done. It was replayed already, it is older than 14 days, or another command ` +
      'is looking at it (wait two minutes). "loan-orders dead-letters list" lists them.',
  );
}
