import { paths } from "../../lifecycle/rig";
import { changingAnswer, type Wire } from "../../lifecycle/wire";
import { member, withItems } from "./answers";

const prefix = "name-of-";

/** The id of what a state, an answer or a request calls so. */
export function idOf(name: string): string {
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

/** A service that answers the create of a marketplace instance with a name, and lists it with that name and an id. */
export const separateNames: Wire = (transport) => {
  const withNames = (list: unknown) =>
    withItems(list, (items) =>
      items.map((item) => ({ ...Object(item), instance_name: `${prefix}${member(item, "id")}` })),
    );
  const listed = ["GET", "POST"].map((method) => changingAnswer(method, paths.instances, withNames));
  const created = changingAnswer("POST", paths.createInstance, ({ instance_id: id, ...answer }) =>
    // Some dialects call it otherwise.
    id === undefined ? answer : { ...answer, instance_name: `${prefix}${id}` },
  );
  // It ends what is called by either.
  const ended: Wire = (send) => (request) =>
    send({ ...request, ...(request.body && { body: request.body.replaceAll(`"${prefix}`, '"') }) });
  return [created, ...listed, ended].reduceRight((wire, change) => change(wire), transport);
};
