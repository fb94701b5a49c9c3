/** The classes, interfaces and functions of the SDK with their doc comments, read with the TypeScript compiler. */
const path = require("node:path");
const ts = require("typescript");
const { root } = require("../bootstrap/paths");

const folder = path.join(root, "sdk");

/**
 * @typedef {object} Member
 * @property {string} name
 * @property {string} type as it is written, without `Output<…>` or `Input<…>` around it
 * @property {boolean} optional
 * @property {string} description
 */

/**
 * @typedef {object} Documented
 * @property {string} name
 * @property {string} description
 * @property {Member[]} members
 */

/**
 * @typedef {object} DocumentedFunction
 * @property {string} name
 * @property {string} description
 * @property {string} argument the type of its first parameter
 * @property {string} result the type that it promises
 */

class SdkDocs {
  constructor() {
    const { config } = ts.readConfigFile(path.join(root, "tsconfig.json"), ts.sys.readFile);
    const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
    const program = ts.createProgram([path.join(folder, "index.ts")], options);
    this.checker = program.getTypeChecker();
    this.sources = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(`${folder}${path.sep}`));
  }

  /**
   * A class or interface with what it declares itself.
   * @param {string} name
   * @returns {Documented}
   */
  get(name) {
    const found = this.find(name);
    if (!found) throw new Error(`sdk/ has no class or interface ${name}`);
    return {
      name,
      description: this.descriptionOf(found.name),
      members: [...found.members].flatMap((member) => this.memberOf(member, name)),
    };
  }

  /**
   * The same with what an interface inherits from others of the SDK.
   * @param {string} name
   * @returns {Documented}
   */
  getWhole(name) {
    const found = this.find(name);
    const own = this.get(name);
    const bases = (found?.heritageClauses ?? []).flatMap((clause) => [...clause.types]);
    const inherited = bases
      .map((base) => base.expression.getText())
      .filter((base) => this.find(base) !== undefined)
      .flatMap((base) => this.getWhole(base).members);
    return { ...own, members: [...own.members, ...inherited] };
  }

  /** @param {string} name */
  find(name) {
    for (const statement of this.sources.flatMap((file) => [...file.statements])) {
      if (!ts.isClassDeclaration(statement) && !ts.isInterfaceDeclaration(statement)) continue;
      if (statement.name?.text === name) return statement;
    }
    return undefined;
  }

  /** @param {string} name */
  isInterface(name) {
    const found = this.find(name);
    return found !== undefined && ts.isInterfaceDeclaration(found);
  }

  /**
   * The interfaces of the SDK that a type is made of, and those that they are made of.
   * @param {string} type
   * @param {ReadonlySet<string>} [seen]
   * @returns {Documented[]}
   */
  partsOf(type, seen = new Set()) {
    const names = [...new Set(type.match(/\b[A-Z]\w+/g) ?? [])].filter((name) => !seen.has(name));
    const parts = names.filter((name) => this.isInterface(name)).map((name) => this.getWhole(name));
    if (parts.length === 0) return [];
    const inner = parts.flatMap(({ members }) => members.map((member) => member.type)).join(" ");
    return [...parts, ...this.partsOf(inner, new Set([...seen, ...names]))];
  }

  /**
   * The exported functions of a file or folder of the SDK.
   * @param {string} place
   * @returns {DocumentedFunction[]}
   */
  functions(place) {
    return this.sources
      .filter(({ fileName }) => fileName.startsWith(path.join(folder, place)))
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

  /**
   * @param {import("typescript").ClassElement | import("typescript").TypeElement} node
   * @param {string} owner
   * @returns {Member[]}
   */
  memberOf(node, owner) {
    if (!ts.isPropertyDeclaration(node) && !ts.isPropertySignature(node)) return [];
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

  /**
   * Inherited where the property itself has none.
   * @param {import("typescript").Node | undefined} node
   */
  descriptionOf(node) {
    const symbol = node && this.checker.getSymbolAtLocation(node);
    const text = symbol ? ts.displayPartsToString(symbol.getDocumentationComment(this.checker)) : "";
    const paragraphs = text.split(/\n\s*\n/).map((paragraph) => paragraph.replaceAll(/\s+/g, " ").trim());
    return paragraphs.join("\n\n");
  }
}

/**
 * @param {string} description
 * @param {string} name
 */
function required(description, name) {
  if (description === "") throw new Error(`${name} in sdk/ has no doc comment, and its page needs one`);
  return description;
}

/** @param {import("typescript").TypeNode | undefined} node */
function typeOf(node) {
  const inner = unwrap(node);
  const alternatives = inner && ts.isUnionTypeNode(inner) ? [...inner.types] : inner ? [inner] : [];
  const defined = alternatives.filter((type) => type.kind !== ts.SyntaxKind.UndefinedKeyword);
  return {
    type: defined.map((type) => textOf(unwrap(type) ?? type)).join(" | "),
    optional: defined.length < alternatives.length,
  };
}

/** @param {import("typescript").TypeNode | undefined} node */
function unwrap(node) {
  const wrapped = node && ts.isTypeReferenceNode(node) && /\b(Output|Input)$/.test(node.typeName.getText());
  return wrapped ? node.typeArguments?.[0] : node;
}

/** Without the comments inside. @param {import("typescript").TypeNode} node */
function textOf(node) {
  const text = node
    .getText()
    .replaceAll(/\/\*.*?\*\//gs, "")
    .replaceAll(/\bInput<(\w+)>/g, "$1");
  return text
    .replaceAll(/\s+/g, " ")
    .replaceAll("; }", " }")
    .replace(/^readonly /, "");
}

module.exports = { SdkDocs };
