/** Answers to reads that are made to cost time and memory, or to break what reads them. */
export interface HostileAnswer {
  place: keyof typeof PLACES;
  unit: keyof typeof UNITS;
  /** How often it is repeated, but the answer is not longer than {@link LARGEST_ANSWER}. */
  times: number;
  /** It ends early. */
  isCut: boolean;
}

/** The longest answer that a stage reads by default. Bytes. */
export const LARGEST_ANSWER = 8 * 1024 * 1024;

const UNITS = {
  object: () => '{}',
  list: () => '[]',
  nothing: () => '',
  zero: () => '0',
  digits: () => '1234567890123456789012345678901234567890.50',
  exponent: () => '-1e-99999',
  text: () => '""',
  escapes: () => '"\\u0000\\"\\\\\\ud800"',
  wide: () => '"Ы\u{1F600}\u202E"',
  member: () => '{"a":0}',
  ownName: (index: number) => `{"k${index}":0}`,
  proto: () => '{"__proto__":{},"constructor":0}',
  levels: () => `${'['.repeat(101)}${']'.repeat(101)}`,
  file: (index: number) => `{"fileId":"f${index}"}`,
  fileNumber: (index: number) => `{"fileId":${index}}`,
  offer: (index: number) =>
    `{"offerId":${index},"status":"AVAILABLE","creditOptions":[{"code":"c"},{"code":${index}}]}`,
  longId: (index: number) => `{"offerId":"${'x'.repeat(880)}${index}","fileId":"${'y'.repeat(880)}${index}"}`,
  strayOpening: () => '[[{"a":[',
  strayClosing: () => ']}',
  strayQuote: () => '"',
};

/** Where it is repeated. */
const PLACES = {
  offers: (list: string) => `{"status":"OFFERS_AVAILABLE","pollAfterSeconds":1,"offers":[${list}]}`,
  documents: (list: string) => `{"status":"WAITING_FOR_SIGNATURE","documents":[${list}]}`,
  creditOptions: (list: string) => `{"status":"IN_WORK","offers":[{"offerId":"o","creditOptions":[${list}]}]}`,
  inOneOffer: (list: string) => `{"status":"IN_WORK","offers":[[${list}]]}`,
  questionnaire: (list: string) => `{"status":"IN_WORK","questionnaire":[${list}]}`,
  twice: (list: string) => `{"status":"IN_WORK","offers":[${list}],"offers":[{"offerId":"o"}]}`,
  status: (list: string) => `{"status":[${list}]}`,
  alone: (list: string) => `[${list}]`,
};

/** Twice as many values are still read, so nothing costs more: a member of a list and its own member, or an empty list. */
const HALF_OF_THE_LIMIT = 49_000;

/** Each unit in each place, whole or cut, and those that cost most as often as they are read, and as often as they fit. */
export function hostileAnswers(): HostileAnswer[] {
  const places = Object.keys(PLACES) as HostileAnswer['place'][];
  const units = Object.keys(UNITS) as HostileAnswer['unit'][];
  const small = places.flatMap((place, at) =>
    units.map((unit, number) => ({ place, unit, times: 1 + 40 * number, isCut: (at + number) % places.length === 0 })),
  );
  const costly = [
    { place: 'creditOptions', unit: 'file' },
    { place: 'creditOptions', unit: 'ownName' },
    { place: 'documents', unit: 'fileNumber' },
    { place: 'documents', unit: 'longId' },
  ] as const;
  const large = costly.map((answer) => ({ ...answer, times: HALF_OF_THE_LIMIT, isCut: false }));
  const largest = costly.slice(1, 3).map((answer) => ({ ...answer, times: LARGEST_ANSWER, isCut: false }));
  return [...small, ...large, ...largest];
}

export function textOf({ place, unit, times, isCut }: HostileAnswer): string {
  const text = PLACES[place](repeated(UNITS[unit], times));
  return isCut ? text.slice(0, text.length * 0.9) : text;
}

/** A list of `times` units, or of as many as fit. */
function repeated(unit: (index: number) => string, times: number): string {
  let left = LARGEST_ANSWER - 200;
  if (unit.length === 0) {
    const text = unit(0);
    const most = Math.floor(left / (Buffer.byteLength(text) + 1));
    return `${text},`.repeat(Math.min(times, most)).slice(0, -1);
  }
  const units: string[] = [];
  while (units.length < times) {
    const next = unit(units.length);
    left -= next.length + 1;
    if (left < 0) break;
    units.push(next);
  }
  return units.join(',');
}
