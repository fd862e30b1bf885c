/** What the console's server refuses in the same words each time, in Russian. What commands and functions say stays as they wrote it. */
export const REFUSALS: Record<string, string> = {
  'This console is not open in this browser.': 'Эта консоль не открыта в этом браузере.',
  'The request is not one that the page makes.': 'Такого запроса страница не делает.',
  'This package is no longer here: drop it again. Nothing was submitted.':
    'Этого пакета здесь больше нет: перетащите его снова. Ничего не подано.',
  'This package is being submitted: nothing was changed. Wait for its answer.':
    'Этот пакет сейчас подаётся: ничего не изменено. Дождитесь ответа.',
  'What was sent is larger than the console takes: nothing was done.':
    'Отправлено больше, чем принимает консоль: ничего не сделано.',
  'The console has nothing at this address.': 'По этому адресу в консоли ничего нет.',
  'This archive was taken already, or is gone: write it again.':
    'Этот архив уже забрали, или его нет: запишите его снова.',
  'It is empty.': 'Файл пуст.',
  'The order does not ask for it.': 'Заявка его не запрашивает.',
};

export function refusalInRussian(sentence: string): string {
  return Object.hasOwn(REFUSALS, sentence) ? (REFUSALS[sentence] as string) : sentence;
}
