import { useState } from 'preact/hooks';
import { messages } from '../messages/language.ts';
import { Button, Section } from '../parts/controls.tsx';
import { ShownDocument, shownType } from '../parts/document.tsx';
import { form, size } from '../parts/format.ts';
import type { PackageState } from './kept-packages.ts';
import { documentsOf, type usePackages } from './use-packages.ts';

type Acts = Pick<ReturnType<typeof usePackages>, 'moveFile' | 'nameFile' | 'removeFiles'>;

/** The files of a package: they can be opened, renamed, removed, and named in order.json. */
export function PackageFiles({ state: { files, text }, ...acts }: { state: PackageState } & Acts) {
  const words = messages.value.submit;
  const named = new Set(['order.json', ...documentsOf(text).map(({ file }) => file)]);
  return (
    <Section title={form(files.size, words.files)}>
      <ul class="rows files">
        {[...files].sort().map(([path, file]) => (
          <Row key={path} {...{ path, file, files }} isUnnamed={text !== undefined && !named.has(path)} {...acts} />
        ))}
      </ul>
    </Section>
  );
}

type RowProps = Acts & Pick<PackageState, 'files'> & { path: string; file: File; isUnnamed: boolean };

function Row({ path, file, files, isUnnamed, moveFile, nameFile, removeFiles }: RowProps) {
  const [isOpen, setOpen] = useState(false);
  const words = messages.value.submit;
  const { view, hide } = messages.value.sign;
  const type = shownType(file.type);
  const rename = () => {
    const to = prompt(words.fileName, path) || path;
    if (!files.has(to)) void moveFile(path, to);
    else if (to !== path) alert(words.nameTaken(to));
  };
  return (
    <li>
      <span>
        {path}{' '}
        <span class="faint">
          {size(file.size)}
          {isUnnamed && `, ${words.unnamed}`}
        </span>
      </span>
      <span class="buttons">
        {type !== undefined && (
          <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? hide : view}
          </button>
        )}
        {isUnnamed && !files.has(`documents/${path}`) && (
          <Button words={words.nameFile} onClick={() => nameFile(path)} />
        )}
        <Button words={words.rename} onClick={rename} />
        <Button words={words.remove} onClick={() => removeFiles(path)} />
      </span>
      {isOpen && type && <ShownDocument name={file.name} type={type} size={file.size} source={file} />}
    </li>
  );
}
