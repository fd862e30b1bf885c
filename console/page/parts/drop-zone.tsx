import { useRef, useState } from 'preact/hooks';
import { messages } from '../messages/language.ts';
import { Notice } from './controls.tsx';

export interface DroppedFile {
  path: string;
  file: File;
}

type Unread = { why: 'none' | 'many' } | { why: 'unread'; path: string };

interface Props {
  label: string;
  hint: string;
  /** Whether the button chooses a folder. A folder can always be dropped. */
  isFolder?: boolean;
  onFiles(files: DroppedFile[]): void;
}

/** A folder with more files is a mistake, such as a home folder. */
const MOST_FILES = 5_000;

export function DropZone({ label, hint, isFolder, onFiles }: Props) {
  const field = useRef<HTMLInputElement>(null);
  const words = messages.value.dropped;
  const [isOver, setOver] = useState(false);
  // Files are read for a while, in which the package may change.
  const latest = useRef(onFiles);
  latest.current = onFiles;
  const [unread, setUnread] = useState<Unread>();
  const take = async (files: DroppedFile[]) => {
    const why = files.length === 0 ? 'none' : files.length > MOST_FILES ? 'many' : undefined;
    setUnread(why && { why });
    if (why) return;
    for (const { path, file } of files) if (!(await isReadable(file))) return setUnread({ why: 'unread', path });
    latest.current(files);
  };
  const drop = async (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const entries = [...(event.dataTransfer?.items ?? [])].flatMap((item) => item.webkitGetAsEntry() ?? []);
    const files: DroppedFile[] = [];
    for (const entry of entries) {
      const path = await addFiles(entry, '', files);
      if (path !== undefined) return setUnread({ why: 'unread', path });
    }
    await take(files);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button does the same for a keyboard
    <div
      class={`drop ${isOver ? 'over-it' : ''}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <button type="button" onClick={() => field.current?.click()}>
        {label}
      </button>
      <span class="faint">{hint}</span>
      <div role="status">
        <Notice words={unread && (unread.why === 'unread' ? words.unread(unread.path) : words[unread.why])} />
      </div>
      <input
        ref={field}
        type="file"
        multiple
        hidden
        aria-label={label}
        {...(isFolder && { webkitdirectory: true })}
        onChange={({ currentTarget }) => {
          void take(
            [...(currentTarget.files ?? [])].map((file) => ({ path: file.webkitRelativePath || file.name, file })),
          );
          currentTarget.value = '';
        }}
      />
    </div>
  );
}

const isReadable = (file: File) =>
  file
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    );

/** Adds the files of an entry, until there are too many. Returns the path of a file that cannot be read. */
async function addFiles(entry: FileSystemEntry, folder: string, files: DroppedFile[]): Promise<string | undefined> {
  const path = `${folder}${entry.name}`;
  try {
    if (entry.isFile) {
      const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
      files.push({ path, file });
      return undefined;
    }
    const reader = (entry as FileSystemDirectoryEntry).createReader();
    // A reader returns at most a hundred entries at a time.
    while (files.length <= MOST_FILES) {
      const entries = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
      if (entries.length === 0) return undefined;
      for (const one of entries) {
        const unread = await addFiles(one, `${path}/`, files);
        if (unread !== undefined) return unread;
      }
    }
    return undefined;
  } catch {
    return path;
  }
}
