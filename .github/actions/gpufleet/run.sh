#!/usr/bin/env bash
# The steps of the action, so that they can be run and tested without GitHub. `pulumi` and the project's dependencies are installed.
set -euo pipefail

readonly stack="${ACTION_STACK:?the stack is missing}"

gpufleet() {
  npx --no-install gpufleet "$@"
}

preview() {
  local folder preview events comment
  folder="$(mktemp -d "${RUNNER_TEMP:-/tmp}/gpu-fleet.XXXXXX")"
  preview="$folder/preview.json" events="$folder/events.jsonl" comment="$folder/comment.md"
  local previewed=0 commented=0
  # The event log has the results of policy packs; the engine hides the option unless it is asked for.
  PULUMI_DEBUG_COMMANDS=true pulumi preview --json --show-sames --non-interactive --stack "$stack" \
    --event-log "$events" >"$preview" || previewed=$?

  local options=(--preview "$preview")
  [ -s "$events" ] && options+=(--events "$events")
  [ -n "${ACTION_MAX_COST_PER_HOUR:-}" ] && options+=(--max-cost-per-hour "$ACTION_MAX_COST_PER_HOUR")
  [ "${ACTION_ALLOW_UNKNOWN_PRICES:-}" = true ] && options+=(--allow-unknown-prices)
  [ "${ACTION_FORBID_DATA_LOSS:-}" = true ] && options+=(--forbid-data-loss)
  [ "${GITHUB_EVENT_NAME:-}" = pull_request ] && options+=(--post)
  gpufleet comment "${options[@]}" >"$comment" || commented=$?
  if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then cat "$comment" >>"$GITHUB_STEP_SUMMARY"; fi

  # The preview's own failure first: the comment says why it failed.
  if [ "$previewed" -ne 0 ]; then return "$previewed"; fi
  return "$commented"
}

up() {
  gpufleet recover --stack "$stack"
  pulumi up --yes --non-interactive --skip-preview --stack "$stack"
}

destroy() {
  gpufleet recover --stack "$stack"
  pulumi destroy --yes --non-interactive --skip-preview --stack "$stack"
  # Orphans fail the job.
  gpufleet orphans --stack "$stack"
}

expired() {
  gpufleet recover --stack "$stack"
  gpufleet expired --destroy --yes --stack "$stack"
}

case "${1:-}" in
preview | up | destroy | expired) "$1" ;;
*)
  echo "do must be preview, up, destroy or expired, not \"${1:-}\"" >&2
  exit 1
  ;;
esac
