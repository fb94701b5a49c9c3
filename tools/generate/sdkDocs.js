/** The classes and interfaces of the SDK with their doc comments, read with the TypeScript compiler. */
const path = require("node:path");
const ts = require("typescript");
const { root } = require("../paths");

/**
 * @typedef {object} Member
 * @property {string} name
 * @property {string} type as it is written, without `Output<…>` around it
 * @property {boolean} optional
 * @property {string} description
 */

/**
 * @typedef {object} Documented
 * @property {string} name
 * @property {string} description
 * @property {Member[]} members
 */

class SdkDocs {
  constructor() {
    const entry = path.join(root, "sdk", "index.ts");
    const config = ts.readConfigFile(path.join(root, "tsconfig.json"), ts.sys.readFile);
    const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, root);
    this.program = ts.createProgram([entry], options);
    this.checker = this.program.getTypeChecker();
    this.sources = this.program.getSourceFiles().filter((file) => file.fileName.startsWith(path.join(root, "sdk")));
  }

  /**
   * A class or interface of the SDK with what it declares itself.
   * @param {string} name
   * @returns {Documented}
   */
  get(name) {
    const found = this.find(name);
    if (!found) throw new Error(`sdk/ has no class or interface ${name}`);
    const symbol = found.name && this.checker.getSymbolAtLocation(found.name);
    return { name, description: this.descriptionOf(symbol), members: [...found.members].flatMap((member) => this.memberOf(member, name)) };
  }

  /** @param {string} name */
  find(name) {
    const declarations = this.sources.flatMap((file) => [...file.statements]);
    return declarations.find(
      (/** @returns {statement is import("typescript").ClassDeclaration | import("typescript").InterfaceDeclaration} */ statement) =>
        (ts.isClassDeclaration(statement) || ts.isInterfaceDeclaration(statement)) && statement.name?.text === name,
    );
  }

  /** The interfaces of the SDK that a type is made of. @param {string} type @returns {Documented[]} */
  partsOf(type) {
    const names = type.match(/\b[A-Z]\w+/g) ?? [];
    return [...new Set(names)].filter((name) => this.find(name) !== undefined).map((name) => this.get(name));
  }

  /**
   * @param {import("typescript").ClassElement | import("typescript").TypeElement} node
   * @param {string} owner
   * @returns {Member[]}
   */
  memberOf(node, owner) {
    if (!ts.isPropertyDeclaration(node) && !ts.isPropertySignature(node)) return [];
    const name = node.name.getText();
    const description = this.descriptionOf(this.checker.getSymbolAtLocation(node.name));
    if (ts.isPropertyDeclaration(node) && description === "") throw new Error(`${owner}.${name} has no doc comment`);
    const { type, optional } = typeOf(node.type);
    return [{ name, type, optional: optional || node.questionToken !== undefined, description }];
  }

  /** Inherited where the property itself has none. @param {import("typescript").Symbol | undefined} symbol */
  descriptionOf(symbol) {
    return symbol ? ts.displayPartsToString(symbol.getDocumentationComment(this.checker)).replaceAll(/\s*\n(?!\n)\s*/g, " ") : "";
  }
}

/** @param {import("typescript").TypeNode | undefined} node */
function typeOf(node) {
  const isOutput = node && ts.isTypeReferenceNode(node) && /\bOutput$/.test(node.typeName.getText());
  const inner = isOutput ? node.typeArguments?.[0] : node;
  const alternatives = inner && ts.isUnionTypeNode(inner) ? [...inner.types] : inner ? [inner] : [];
  const defined = alternatives.filter((type) => type.kind !== ts.SyntaxKind.UndefinedKeyword);
  return {
    type: defined.map((type) => type.getText().replaceAll(/\s+/g, " ")).join(" | "),
    optional: defined.length < alternatives.length,
  };
}

module.exports = { SdkDocs };
