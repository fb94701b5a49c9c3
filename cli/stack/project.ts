import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** What the project's own file says, as far as it is looked at. */
export interface Project {
  file: string;
  name: string | undefined;
  /** `options.refresh` */
  refresh: string | undefined;
}

/** The project of this folder or of one above, as the engine finds it. */
export function findProject(folder: string): Project | undefined {
  const file = ["Pulumi.yaml", "Pulumi.yml"].map((name) => join(folder, name)).find((path) => existsSync(path));
  if (file) return { file, ...readProject(readFileSync(file, "utf8")) };
  const above = dirname(folder);
  return above === folder ? undefined : findProject(above);
}

/** Two plain settings out of YAML, of which JSON is a part; the engine itself reads the rest. */
function readProject(text: string): Pick<Project, "name" | "refresh"> {
  const value = "\\s*[\"']?([\\w.-]+)";
  const isJson = text.trimStart().startsWith("{");
  const name = new RegExp(isJson ? `"name"\\s*:${value}` : `^name:${value}`, "m");
  const refresh = new RegExp(
    isJson
      ? `"options"\\s*:\\s*\\{[^}]*"refresh"\\s*:${value}`
      : `^options:\\s*(?:#.*)?\\n(?:[ \\t]+.*\\n|\\s*\\n)*?[ \\t]+refresh:${value}`,
    "m",
  );
  return { name: name.exec(text)?.[1], refresh: refresh.exec(text)?.[1] };
}
