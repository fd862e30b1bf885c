import { environment } from './environment.ts';
import type { PackageDocument } from './order-record.ts';
import type { Problem } from './package-problems.ts';
import type { OrderPackage } from './package-schema.ts';
import { headObject } from './storage.ts';

/** Looks up every file that the package names and pins its version; a file that is not there or empty is a problem. */
export async function checkFiles(
  folder: string,
  order: OrderPackage,
): Promise<{ problems: Problem[]; documents: PackageDocument[] }> {
  const facts = await Promise.all(
    order.documents.map(({ file }) =>
      headObject({ bucket: environment('INTAKE_BUCKET'), key: `orders/${folder}/${file}` }),
    ),
  );
  const problems: Problem[] = [];
  const documents = order.documents.flatMap((document, position) => {
    const found = facts[position];
    const path = `$.documents[${position}].file`;
    if (!found) {
      problems.push({
        path,
        problem: `The file ${document.file} is not in the package.`,
        mend: `Upload it as orders/${folder}/${document.file}.`,
      });
      return [];
    }
    if (found.size === 0) {
      problems.push({
        path,
        problem: `The file ${document.file} is empty.`,
        mend: 'Upload it again, with its content.',
      });
      return [];
    }
    return [{ ...document, ...found }];
  });
  return { problems, documents };
}
