import type { JudgedMachine } from "../../../provider/resources";
import { availableGpus } from "../../../provider/service";
import { count } from "../../../provider/shared/count";
import { roundUsd, showPerHour, showUsd } from "../../../provider/shared/money";
import { gapNotes } from "../../account";
import { commandLine, quoteForShell } from "../../place";
import { type Paint, table } from "../../terminal";
import type { Search } from "./asked";
import type { Offers } from "./offers";
import type { KnownRental } from "./rentals";
import type { Exclusion } from "./search";

/** How many machines a table has unless more are asked for. */
const usualLimit = 20;

export function showOffers(offers: Offers, limit: number = usualLimit, paint: Paint): string {
  const { machines, listed, rentals, rentalNotes, gaps, asked } = offers;
  const market =
    machines.length > 0
      ? [
          `${paint("bold", "Marketplace")}  ${machines.length} of ${count(listed, "machine")} ${machines.length === 1 ? "matches" : "match"}`,
          ...machineTable(machines.slice(0, limit), asked, paint),
          ...(machines.length > limit ? [`  … and ${machines.length - limit} more: --limit ${machines.length}`] : []),
          `To rent the first: \`${commandLine(`gpufleet offers${optionsOf(asked)} --program`)}\` prints the program.`,
        ]
      : noMatch(offers, paint);
  return [
    ...market,
    "",
    ...rentalLines(rentals, asked, paint),
    ...[...rentalNotes, ...gapNotes(gaps)].map((note) => paint("yellow", note)),
  ].join("\n");
}

function machineTable(machines: readonly JudgedMachine[], { gpuCount }: Search, paint: Paint): string[] {
  const columns = [
    { title: "NODE" },
    { title: "GPU" },
    { title: "GPU RAM", right: true },
    { title: "REGION" },
    { title: "FREE GPUS", right: true },
    { title: "STORAGE" },
    { title: "$/H PER GPU", right: true },
    ...(gpuCount > 1 ? [{ title: `$/H FOR ${gpuCount}`, right: true }] : []),
    { title: "$/H MACHINE", right: true },
  ];
  const rows = machines.map(({ machine, facts }) => [
    machine.id,
    facts.gpuModel,
    `${facts.gpuRamGb} GB`,
    facts.region,
    `${availableGpus(machine)} of ${machine.gpus_total}`,
    facts.persistentStorage ? "persistent" : "–",
    showUsd(facts.pricePerGpuHour),
    ...(gpuCount > 1 ? [showUsd(facts.pricePerGpuHour * gpuCount)] : []),
    showUsd(facts.pricePerGpuHour * machine.gpus_total),
  ]);
  return table(columns, rows, paint);
}

function noMatch({ listed, exclusions, closest, guesses, asked }: Offers, paint: Paint): string[] {
  if (listed === 0) return [`${paint("bold", "Marketplace")}  no machine is listed`];
  const columns = [
    { title: "EXCLUDED BY" },
    { title: "MACHINES", right: true },
    { title: "MATCH WITHOUT IT", right: true },
  ];
  const rows = exclusions.map((one) => [
    exclusionName(one, asked),
    `${one.excludes} of ${listed}`,
    String(one.matchWithout),
  ]);
  return [
    paint("red", `Marketplace  none of ${count(listed, "machine")} matches`),
    ...table(columns, rows, paint),
    ...guesses,
    "Closest:",
    ...closest.map((one) => `  ${describe(one, asked)}`),
  ];
}

/** `node-1 (8×H100 in us-east-1, $2.10/h per GPU): it is in us-east-1` */
function describe({ machine, facts, shortcomings }: JudgedMachine, { gpuCount }: Search): string {
  const price = `${showPerHour(facts.pricePerGpuHour * gpuCount)} for ${count(gpuCount, "GPU")}`;
  const reasons = shortcomings.map(({ reason }) => reason).join(", ");
  return `${machine.id} (${machine.gpus_total}×${facts.gpuModel} in ${facts.region}, ${price}): ${reasons}`;
}

function exclusionName({ criterion }: Exclusion, asked: Search): string {
  if (criterion === "status") return "status: not ready";
  if (criterion === "gpuCount") return asked.gpuCount === 1 ? "no free GPU" : `--gpu-count ${asked.gpuCount}`;
  return optionOf(criterion, asked.criteria[criterion]);
}

/** The options that were given, to be given again. */
function optionsOf({ criteria, gpuCount }: Search): string {
  const given = Object.entries(criteria).map(([name, value]) => ` ${optionOf(name, value)}`);
  return [...given, ...(gpuCount > 1 ? [` --gpu-count ${gpuCount}`] : [])].join("");
}

function optionOf(name: string, value: unknown): string {
  const option = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  if (value === true) return option;
  return `${option} ${quoteForShell(String(value))}`;
}

function rentalLines(rentals: readonly KnownRental[], { gpuCount }: Search, paint: Paint): string[] {
  if (rentals.length === 0) {
    return [
      `${paint("bold", "Rentals")}  no price is known of one that matches`,
      "  The service has no price list. What you pay can be written down in gpufleet:prices.",
    ];
  }
  const columns = [
    { title: "KIND" },
    { title: "GPU" },
    { title: "REGION" },
    { title: "$/H PER GPU", right: true },
    { title: gpuCount > 1 ? `$/H FOR ${gpuCount}` : "$/H", right: true },
    { title: "PRICE FROM" },
  ];
  const rows = rentals.map(({ kind, gpuModel, region, pricePerGpuHour, gpuCount: billed, source }) => {
    const about = source.kind === "priceBook" ? "≈ " : "";
    return [
      kind,
      gpuModel,
      region ?? "other regions",
      `${about}${showUsd(pricePerGpuHour)}`,
      `${about}${showUsd(pricePerGpuHour * billed)}${billed === gpuCount ? "" : ` (${billed} GPUs)`}`,
      source.kind === "priceBook" ? "your price book" : `${source.name}, in this account`,
    ];
  });
  return [
    `${paint("bold", "Rentals")}  with a known price; whether one is free is known only when it is rented`,
    ...table(columns, rows, paint),
  ];
}

export function offersJson(offers: Offers, limit: number | undefined): string {
  const { asked, machines, listed, exclusions, closest, guesses, rentals, rentalNotes, gaps } = offers;
  const { gpuCount } = asked;
  const report = {
    version: 1,
    currency: "USD",
    asked: { ...asked.criteria, gpuCount },
    listed,
    matching: machines.length,
    machines: machines.slice(0, limit).map((one) => machineJson(one, gpuCount)),
    excludedBy: exclusions,
    closest: closest.map((one) => ({
      ...machineJson(one, gpuCount),
      reasons: one.shortcomings.map(({ reason }) => reason),
    })),
    rentals: rentals.map(({ region, gpuCount: billed, source, ...rental }) => ({
      ...rental,
      region: region ?? null,
      gpuCount: billed,
      costPerHour: roundUsd(rental.pricePerGpuHour * billed),
      estimated: source.kind === "priceBook",
    })),
    notes: [...guesses, ...rentalNotes],
    unreadable: gaps,
  };
  return JSON.stringify(report, null, 2);
}

function machineJson({ machine, facts }: JudgedMachine, gpuCount: number) {
  return {
    nodeName: machine.id,
    clusterName: machine.cluster_name,
    ...facts,
    status: machine.status,
    gpusTotal: machine.gpus_total,
    gpusAvailable: availableGpus(machine),
    costPerHour: roundUsd(facts.pricePerGpuHour * gpuCount),
    machineCostPerHour: roundUsd(facts.pricePerGpuHour * machine.gpus_total),
  };
}
