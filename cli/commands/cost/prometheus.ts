import { cleanText } from "../../../provider/shared/cleanText";
import { type CostRow, type CostSummary, costNotes } from "../../account";

/** The summary in the text format of Prometheus. A price that is unknown has no sample: it is counted instead. */
export function costMetrics(summary: CostSummary): string {
  const { stack, stacks = [stack], elsewhere, total, balance, accounts } = summary;
  const places = [
    ...stacks.map(({ name, resources }) => ({ stack: name, resources })),
    { stack: "", resources: elsewhere.resources },
  ];
  const rows = places.flatMap(({ stack: name, resources }) => resources.map((row) => ({ row, stack: name })));
  const each = (value: (row: CostRow) => number | null) =>
    rows.flatMap(({ row, stack: name }) => {
      const number = value(row);
      return number === null ? [] : [{ labels: labelsOf(row, name), value: number }];
    });
  const balances = accounts ?? [{ account: null, balance }];
  return [
    metric(
      "gpufleet_cost_per_hour_usd",
      "Price of a resource in USD per hour",
      each(({ costPerHour }) => costPerHour),
    ),
    metric(
      "gpufleet_spent_usd",
      "Cost of a resource so far in USD",
      each(({ spent }) => spent),
    ),
    metric(
      "gpufleet_gpus",
      "GPUs of a resource",
      each(({ gpuCount }) => gpuCount),
    ),
    metric("gpufleet_unknown_prices", "Resources whose price is unknown", [{ labels: {}, value: total.unknown }]),
    metric("gpufleet_not_included", "Lists, records and resources that could not be read or are not listed", [
      { labels: {}, value: costNotes(summary).length },
    ]),
    metric(
      "gpufleet_balance_usd",
      "Balance of an account in USD",
      balances.flatMap((one) =>
        one.balance === null ? [] : [{ labels: { account: one.account ?? "" }, value: one.balance }],
      ),
    ),
  ].join("");
}

interface Sample {
  labels: Readonly<Record<string, string>>;
  value: number;
}

/** Two accounts may have the same ids. */
function labelsOf({ account, name, id, type, region, status, gpuModel }: CostRow, stack: string): Sample["labels"] {
  const facts = { region: region ?? "", status: status ?? "", gpu_model: gpuModel ?? "" };
  return { stack, account: account ?? "", name, id, type, ...facts };
}

function metric(name: string, help: string, samples: readonly Sample[]): string {
  const lines = samples.map(({ labels, value }) => `${name}${writeLabels(labels)} ${value}\n`);
  return [`# HELP ${name} ${help}\n`, `# TYPE ${name} gauge\n`, ...lines].join("");
}

function writeLabels(labels: Sample["labels"]): string {
  const written = Object.entries(labels).map(([label, value]) => `${label}="${escapeLabel(value)}"`);
  return written.length === 0 ? "" : `{${written.join(",")}}`;
}

/** Names and statuses come from the service: whoever prints the metrics must not have a terminal steered by them. */
function escapeLabel(value: string): string {
  return cleanText(value).replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
