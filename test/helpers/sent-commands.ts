import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('../../', import.meta.url));
const functions = readdirSync(`${root}functions`).filter((name) => name !== 'shared');
const handlerOf = (name: string) => `${root}functions/${name}/handler.ts`;

const program = ts.createProgram(functions.map(handlerOf), {
  ...ts.parseJsonConfigFileContent(ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile).config, ts.sys, root)
    .options,
  noEmit: true,
});
const checker = program.getTypeChecker();

/**
 * The commands of the AWS SDK that each function can send: what is constructed in its handler, and in whatever that refers to, function by
 * function and method by method. `Upload` stands for the upload in parts.
 */
export function sentCommands(): Map<string, Set<string>> {
  return new Map(functions.map((name) => [name, commandsFrom(handlerOf(name))]));
}

function commandsFrom(path: string): Set<string> {
  const source = program.getSourceFile(path);
  if (!source) throw new Error(`${path} is not there.`);
  const commands = new Set<string>();
  const seen = new Set<ts.Node>();
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node)) return;
    if (ts.isNewExpression(node)) commandsOf(node).forEach((command) => void commands.add(command));
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) declarationsOf(node).forEach(enter);
    ts.forEachChild(node, visit);
  };
  const enter = (declaration: ts.Node): void => {
    if (seen.has(declaration)) return;
    seen.add(declaration);
    // Of a class what is constructed is reached here; its methods are reached where they are called.
    if (ts.isClassLike(declaration)) declaration.members.filter(isMadeWithIt).forEach(visit);
    else visit(declaration);
  };
  ts.forEachChild(source, visit);
  return commands;
}

function commandsOf({ expression }: ts.NewExpression): string[] {
  const name = expression.getText();
  return /Command$/.test(name) || name === 'Upload' ? [name] : [];
}

const isMadeWithIt = (member: ts.ClassElement) =>
  ts.isConstructorDeclaration(member) || ts.isPropertyDeclaration(member);

/** Where it is declared, in the sources of the functions. */
function declarationsOf(node: ts.Identifier | ts.PrivateIdentifier): ts.Node[] {
  const found = symbolOf(node);
  const symbol = found && found.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(found) : found;
  return (symbol?.declarations ?? []).filter(
    (declaration) =>
      declaration.getSourceFile().fileName.startsWith(`${root}functions/`) &&
      !ts.isInterfaceDeclaration(declaration) &&
      !ts.isSourceFile(declaration) &&
      !ts.isParameter(declaration),
  );
}

/** What `const { name } = await import(…)` takes is the module's own. */
function symbolOf(node: ts.Identifier | ts.PrivateIdentifier): ts.Symbol | undefined {
  const { parent } = node;
  if (ts.isBindingElement(parent) && ts.isObjectBindingPattern(parent.parent)) {
    return checker.getTypeAtLocation(parent.parent).getProperty((parent.propertyName ?? parent.name).getText());
  }
  return ts.isShorthandPropertyAssignment(parent)
    ? checker.getShorthandAssignmentValueSymbol(parent)
    : checker.getSymbolAtLocation(node);
}
