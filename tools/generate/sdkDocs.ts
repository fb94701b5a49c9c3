/** The classes, interfaces and functions of the SDK with their doc comments, read with the TypeScript compiler. */
import { join, sep } from "node:path";
import ts from "typescript";
import { ToolError } from "../bootstrap/command";
import { root } from "../bootstrap/paths";

const folder = join(root, "sdk");

export interface Member {
  name: string;
  /** As it is written, without `Output<…>` or `Input<…>` around it. */
  type: string;
  optional: boolean;
  description: string;
}

export interface Documented {
  name: string;
  description: string;
  members: Member[];
}

export interface DocumentedFunction {
  name: string;
  description: string;
  /** The type of its first parameter. */
  argument: string;
  /** The type that it promises. */
  result: string;
}

export class SdkDocs {
  private readonly checker: ts.TypeChecker;
  private readonly sources: ts.SourceFile[];

  constructor() {
    const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
    const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
    const program = ts.createProgram([join(folder, "index.ts")], options);
    this.checker = program.getTypeChecker();
    this.sources = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(`${folder}${sep}`));
  }

  /** A class or interface with what it declares itself. */
  get(name: string): Documented {
    const found = this.find(name);
    if (!found) throw new ToolError(`sdk/ has no class or interface ${name}, or sdk/index.ts does not export it`);
    return {
      name,
      description: this.descriptionOf(found.name),
      members: [...found.members].flatMap((member) => this.memberOf(member, name)),
    };
  }

  /** The same with what an interface inherits from others of the SDK. */
  getWhole(name: string): Documented {
    const found = this.find(name);
    const own = this.get(name);
    const bases = (found?.heritageClauses ?? []).flatMap((clause) => [...clause.types]);
    const inherited = bases
      .map((base) => base.expression.getText())
      .filter((base) => this.find(base) !== undefined)
      .flatMap((base) => this.getWhole(base).members);
    return { ...own, members: [...own.members, ...inherited] };
  }

  find(name: string): ts.ClassDeclaration | ts.InterfaceDeclaration | undefined {
    for (const statement of this.sources.flatMap((file) => [...file.statements])) {
      if (!ts.isClassDeclaration(statement) && !ts.isInterfaceDeclaration(statement)) continue;
      if (statement.name?.text === name) return statement;
    }
    return undefined;
  }

  isInterface(name: string): boolean {
    const found = this.find(name);
    return found !== undefined && ts.isInterfaceDeclaration(found);
  }

  /** The interfaces of the SDK that a type is made of, and those that they are made of. */
  partsOf(type: string, seen: ReadonlySet<string> = new Set()): Documented[] {
    const names = [...new Set(type.match(/\b[A-Z]\w+/g) ?? [])].filter((name) => !seen.has(name));
    const parts = names.filter((name) => this.isInterface(name)).map((name) => this.getWhole(name));
    if (parts.length === 0) return [];
    const inner = parts.flatMap(({ members }) => members.map((member) => member.type)).join(" ");
    return [...parts, ...this.partsOf(inner, new Set([...seen, ...names]))];
  }

  /** The exported functions of a file or folder of the SDK. */
  functions(place: string): DocumentedFunction[] {
    return this.sources
      .filter(({ fileName }) => fileName.startsWith(join(folder, place)))
      .flatMap((file) => [...file.statements])
      .filter((statement) => ts.isFunctionDeclaration(statement))
      .filter(({ modifiers }) => modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword))
      .filter(({ type }) => /^Promise</.test(type?.getText() ?? ""))
      .map((found) => ({
        name: found.name?.text ?? "",
        description: required(this.descriptionOf(found.name), found.name?.text ?? ""),
        argument: found.parameters[0]?.type?.getText() ?? "",
        result: /^Promise<(.*)>$/s.exec(found.type?.getText() ?? "")?.[1] ?? "",
      }));
  }

  private memberOf(node: ts.ClassElement | ts.TypeElement, owner: string): Member[] {
    if (!ts.isPropertyDeclaration(node) && !ts.isPropertySignature(node) && !ts.isGetAccessor(node)) return [];
    // What is the class's own is nothing that comes out.
    if (node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.StaticKeyword)) return [];
    const name = node.name.getText();
    const description = this.descriptionOf(node.name);
    const { type, optional } = typeOf(node.type);
    return [
      {
        name,
        type,
        optional: optional || node.questionToken !== undefined,
        description: ts.isPropertyDeclaration(node) ? required(description, `${owner}.${name}`) : description,
      },
    ];
  }

  /** Inherited where the property itself has none. */
  private descriptionOf(node: ts.Node | undefined): string {
    const symbol = node && this.checker.getSymbolAtLocation(node);
    const text = symbol ? ts.displayPartsToString(symbol.getDocumentationComment(this.checker)) : "";
    const paragraphs = text.split(/\n\s*\n/).map((paragraph) => paragraph.replaceAll(/\s+/g, " ").trim());
    return paragraphs.join("\n\n");
  }
}

function required(description: string, name: string): string {
  if (description === "") throw new ToolError(`${name} in sdk/ has no doc comment, and its page needs one`);
  return description;
}

function typeOf(node: ts.TypeNode | undefined): { type: string; optional: boolean } {
  const inner = unwrap(node);
  const alternatives = inner && ts.isUnionTypeNode(inner) ? [...inner.types] : inner ? [inner] : [];
  const defined = alternatives.filter((type) => type.kind !== ts.SyntaxKind.UndefinedKeyword);
  return {
    type: defined.map((type) => textOf(unwrap(type) ?? type)).join(" | "),
    optional: defined.length < alternatives.length,
  };
}

function unwrap(node: ts.TypeNode | undefined): ts.TypeNode | undefined {
  const wrapped = node && ts.isTypeReferenceNode(node) && /\b(Output|Input)$/.test(node.typeName.getText());
  return wrapped ? node.typeArguments?.[0] : node;
}

/** Without the comments inside. */
function textOf(node: ts.TypeNode): string {
  const text = node
    .getText()
    .replaceAll(/\/\*.*?\*\//gs, "")
    .replaceAll(/\bInput<(\w+)>/g, "$1");
  return text
    .replaceAll(/\s+/g, " ")
    .replaceAll("; }", " }")
    .replace(/^readonly /, "");
}
