import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { functionFolders } from '../../infra/bundles/build.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folders = functionFolders(root);
const functions = Object.keys(folders);
const handlerOf = (name: string) => `${root}${folders[name]}/handler.ts`;

const commandsFolder = `${root}commands`;
const files = readdirSync(commandsFolder).filter((name) => name.endsWith('.ts'));

const { options } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile).config,
  ts.sys,
  root,
);
const host = ts.createCompilerHost(options);
// Packages are left out, because what they declare is never entered and to read their types would take most of the time.
host.resolveModuleNameLiterals = (literals, file) =>
  literals.map(({ text }) =>
    text.startsWith('.') ? ts.resolveModuleName(text, file, options, host) : { resolvedModule: undefined },
  );
// All that finding declarations needs of the language: to read the rest of it would take a third of the time.
const lib = ['lib.es5.d.ts', 'lib.es2015.promise.d.ts'];
const program = ts.createProgram({
  rootNames: [...functions.map(handlerOf), ...files.map((file) => `${commandsFolder}/${file}`)],
  options: { ...options, lib, types: [], noEmit: true },
  host,
});
const checker = program.getTypeChecker();

/** What each function in a folder can send: the commands that anything constructs that its handler refers to. */
export function sentCommands(folder: string): Map<string, Set<string>> {
  const inFolder = functions.filter((name) => folders[name]?.startsWith(`${folder}/`));
  return new Map(inFolder.map((name) => [name, commandsFrom(handlerOf(name))]));
}

/** The AWS SDK commands that these commands can send, with what finding the stage sends. */
export function sentBy(...names: string[]): Set<string> {
  return new Set(names.flatMap((name) => [...commandsFrom(`${commandsFolder}/${name}.ts`)]));
}

function commandsFrom(path: string): Set<string> {
  const source = program.getSourceFile(path);
  if (!source) throw new Error(`${path} does not exist.`);
  const commands = new Set<string>();
  const seen = new Set<ts.Node>();
  const enter = (declaration: ts.Node): void => {
    if (seen.has(declaration)) return;
    seen.add(declaration);
    const content = contentOf(declaration);
    for (const command of content.commands) commands.add(command);
    content.named.forEach(enter);
  };
  enter(source);
  return commands;
}

interface Content {
  commands: Set<string>;
  named: Set<ts.Node>;
}

const contents = new Map<ts.Node, Content>();

/** Each declaration is looked through once, although many functions share it. */
function contentOf(declaration: ts.Node): Content {
  const known = contents.get(declaration);
  if (known) return known;
  const content: Content = { commands: new Set(), named: new Set() };
  contents.set(declaration, content);
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node)) return;
    if (ts.isNewExpression(node)) commandsOf(node).forEach((command) => void content.commands.add(command));
    if (ts.isCallExpression(node)) pagesOf(node).forEach((command) => void content.commands.add(command));
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node))
      for (const named of declarationsOf(node)) content.named.add(named);
    ts.forEachChild(node, visit);
  };
  // A class is entered through its constructor and properties. Its methods are entered where they are called.
  if (ts.isClassLike(declaration)) declaration.members.filter(runsWithConstructor).forEach(visit);
  else visit(declaration);
  return content;
}

function commandsOf({ expression }: ts.NewExpression): string[] {
  const name = expression.getText();
  return /Command$/.test(name) || name === 'Upload' ? [name] : [];
}

/** `paginateQuery` sends QueryCommands. A name that holds one of several such functions counts as all of them. */
function pagesOf({ expression }: ts.CallExpression): string[] {
  const names = expression.getText() === 'paginate' ? pagedIn(expression) : [expression.getText()];
  return names.flatMap((name) => /^paginate([A-Z]\w+)$/.exec(name)?.[1] ?? []).map((name) => `${name}Command`);
}

function pagedIn(expression: ts.Expression): string[] {
  const declaration = checker.getSymbolAtLocation(expression)?.valueDeclaration;
  return declaration?.getText().match(/paginate[A-Z]\w+/g) ?? [];
}

const runsWithConstructor = (member: ts.ClassElement) =>
  ts.isConstructorDeclaration(member) || ts.isPropertyDeclaration(member);

function declarationsOf(node: ts.Identifier | ts.PrivateIdentifier): ts.Node[] {
  const found = symbolOf(node);
  const symbol = found && found.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(found) : found;
  return (symbol?.declarations ?? []).filter(
    (declaration) =>
      !declaration.getSourceFile().fileName.includes('/node_modules/') &&
      !ts.isInterfaceDeclaration(declaration) &&
      !ts.isSourceFile(declaration) &&
      !ts.isParameter(declaration),
  );
}

/** The symbol of an identifier. In `const { name } = await import(…)` it is the symbol of the module. */
function symbolOf(node: ts.Identifier | ts.PrivateIdentifier): ts.Symbol | undefined {
  const { parent } = node;
  if (ts.isBindingElement(parent) && ts.isObjectBindingPattern(parent.parent))
    return checker.getTypeAtLocation(parent.parent).getProperty((parent.propertyName ?? parent.name).getText());
  return ts.isShorthandPropertyAssignment(parent)
    ? checker.getShorthandAssignmentValueSymbol(parent)
    : checker.getSymbolAtLocation(node);
}
