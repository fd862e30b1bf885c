/** Runs `work` on every element, at most `limit` at a time. Throws the first failure. */
export async function inParallel<Element, Result>(
  elements: readonly Element[],
  limit: number,
  work: (element: Element) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const next = elements.entries();
  const worker = async () => {
    for (const [position, element] of next) results[position] = await work(element);
  };
  await Promise.all(Array.from({ length: limit }, worker));
  return results;
}
