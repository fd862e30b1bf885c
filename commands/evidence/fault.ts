import { plain } from '../text.ts';

/** Something that is wrong with an archive. */
export interface Fault {
  /** The file of the archive; undefined for the archive as a whole. */
  file?: string;
  /** What happened, in the words of docs/evidence.md. */
  fault:
    | 'not a whole archive'
    | 'not as it was packed'
    | 'name twice'
    | 'unsafe name'
    | 'changed'
    | 'removed'
    | 'added'
    | 'second manifest'
    | 'manifest unreadable'
    | 'chain broken'
    | 'manifest signature missing'
    | 'manifest signature wrong'
    | 'certificate wrong'
    | 'timeline unreadable'
    | 'timeline line removed'
    | 'timeline line added'
    | 'timeline line changed'
    | 'timeline line moved'
    | 'detached signature wrong';
  /** The same in a sentence. */
  message: string;
}

export function faultLine({ file, fault, message }: Fault): string {
  return `  ${plain(`${file ?? 'the archive'}: ${fault}. ${message}`)}`;
}
