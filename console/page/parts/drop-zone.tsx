import { useRef, useState } from 'preact/hooks';

/** A file with its path in what was dropped. */
export interface DroppedFile {
  path: string;
  file: File;
}

interface Props {
  label: string;
  hint: string;
  /** Whether a folder can be chosen; one can always be dropped. */
  isFolder?: boolean;
  onFiles(files: DroppedFile[]): void;
}

/** A place where files are dropped, and a button that chooses them. */
export function DropZone({ label, hint, isFolder, onFiles }: Props) {
  const field = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const drop = async (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const entries = [...(event.dataTransfer?.items ?? [])].flatMap((item) => item.webkitGetAsEntry() ?? []);
    onFiles((await Promise.all(entries.map((entry) => filesOf(entry, '')))).flat());
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
      <input
        ref={field}
        type="file"
        multiple
        hidden
        aria-label={label}
        {...(isFolder && { webkitdirectory: true })}
        onChange={({ currentTarget }) => {
          onFiles(
            [...(currentTarget.files ?? [])].map((file) => ({ path: file.webkitRelativePath || file.name, file })),
          );
          currentTarget.value = '';
        }}
      />
    </div>
  );
}

async function filesOf(entry: FileSystemEntry, folder: string): Promise<DroppedFile[]> {
  const path = `${folder}${entry.name}`;
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    return [{ path, file }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: DroppedFile[] = [];
  // A reader gives at most a hundred at a time.
  for (;;) {
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (entries.length === 0) return found;
    for (const one of entries) found.push(...(await filesOf(one, `${path}/`)));
  }
}
