#!/usr/bin/env bash
# The steps of the action, so that they can be run and tested without GitHub. `pulumi` and the project's dependencies are installed.
set -euo pipefail

readonly stack="${ACTION_STACK:?the stack is missing}"
# One for everything that is waited for, so that the job is not ended while it still waits.
readonly deadline="$((SECONDS + ${ACTION_WAIT_MINUTES:-60} * 60))"
readonly poll_seconds="${ACTION_POLL_SECONDS:-20}"
folder="$(mktemp -d "${RUNNER_TEMP:-/tmp}/gpu-fleet.XXXXXX")"
readonly folder

gpufleet() {
  case "${ACTION_PACKAGE_MANAGER:-npm}" in
  npm) npx --no-install gpufleet "$@" ;;
  pnpm) pnpm exec gpufleet "$@" ;;
  yarn) yarn run --silent gpufleet "$@" ;;
  bun) bun run gpufleet "$@" ;;
  *)
    echo "package-manager must be npm, pnpm, yarn or bun, not \"$ACTION_PACKAGE_MANAGER\"" >&2
    return 1
    ;;
  esac
}

# What Pulumi and gpufleet say while another run works on the stack. Nothing has been done then.
readonly busy='an update is in progress|is locked by|currently locked by|Another update is currently in progress'

# Runs it again as long as another run works on the stack.
patiently() {
  local status said="$folder/said"
  while true; do
    status=0
    { "$@" 2>&1 1>&3 3>&- | tee "$said" >&2; } 3>&1 || status=$?
    if [ "$status" -eq 0 ] || ! grep -Eq "$busy" "$said" || [ "$SECONDS" -ge "$deadline" ]; then return "$status"; fi
    echo "Another run works on the stack. Trying again in $poll_seconds s." >&2
    sleep "$poll_seconds"
  done
}

# A stack that is not there is not made: its name may be a mistake, and then nobody would notice what runs elsewhere.
need_stack() {
  local said
  if said="$(pulumi stack --stack "$stack" --show-name --non-interactive 2>&1)"; then return; fi
  echo "$said" >&2
  if grep -q 'no stack named' <<<"$said"; then echo "To create it, once: pulumi stack init $stack" >&2; fi
  return 1
}

preview() {
  local preview="$folder/preview.json" events="$folder/events.jsonl" comment="$folder/comment.md" errors="$folder/errors.txt"
  local previewed=0 commented=0
  # The event log has the results of policy packs; the engine hides the option unless it is asked for.
  PULUMI_DEBUG_COMMANDS=true pulumi preview --json --show-sames --non-interactive --stack "$stack" \
    --event-log "$events" >"$preview" 2>"$errors" || previewed=$?
  cat "$errors" >&2

  # The errors for where there is no preview at all, as when the stack does not exist.
  local options=(--preview "$preview" --errors "$errors" --stack "$stack")
  [ -s "$events" ] && options+=(--events "$events")
  [ -n "${ACTION_MAX_COST_PER_HOUR:-}" ] && options+=(--max-cost-per-hour "$ACTION_MAX_COST_PER_HOUR")
  [ "${ACTION_ALLOW_UNKNOWN_PRICES:-}" = true ] && options+=(--allow-unknown-prices)
  [ -n "${ACTION_PRICES:-}" ] && options+=(--prices "$ACTION_PRICES")
  [ "${ACTION_FORBID_DATA_LOSS:-}" = true ] && options+=(--forbid-data-loss)
  [ "${GITHUB_EVENT_NAME:-}" = pull_request ] && options+=(--post)
  gpufleet comment "${options[@]}" >"$comment" || commented=$?
  if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then cat "$comment" >>"$GITHUB_STEP_SUMMARY"; fi

  # The preview's own failure first: the comment says why it failed.
  if [ "$previewed" -ne 0 ]; then return "$previewed"; fi
  return "$commented"
}

up() {
  need_stack
  patiently gpufleet recover --stack "$stack"
  patiently pulumi up --yes --non-interactive --skip-preview --stack "$stack"
}

# What cannot be recovered fails the job, and keeps nothing else from ending.
destroy() {
  local recovered=0
  need_stack
  patiently gpufleet recover --stack "$stack" || recovered=$?
  patiently pulumi destroy --yes --non-interactive --skip-preview --stack "$stack"
  # Orphans fail the job.
  gpufleet orphans --stack "$stack"
  return "$recovered"
}

expired() {
  local recovered=0
  need_stack
  patiently gpufleet recover --stack "$stack" || recovered=$?
  patiently gpufleet expired --destroy --yes --stack "$stack"
  return "$recovered"
}

watch() {
  local status=0 recovered=0
  local options=(--destroy-expired --yes --stack "$stack")
  [ "${ACTION_ALLOW_DATA_LOSS:-}" = true ] && options+=(--allow-data-loss)
  [ -n "${ACTION_MIN_BALANCE_HOURS:-}" ] && options+=(--min-balance-hours "$ACTION_MIN_BALANCE_HOURS")
  [ -n "${ACTION_WEBHOOK_FORMAT:-}" ] && options+=(--webhook-format "$ACTION_WEBHOOK_FORMAT")
  [ -n "${ACTION_MEMORY_FILE:-}" ] && options+=(--memory-file "$ACTION_MEMORY_FILE")
  need_stack
  patiently gpufleet recover --stack "$stack" || recovered=$?
  gpufleet watch "${options[@]}" || status=$?
  # The webhook has told people. Without one the job fails, and GitHub tells them.
  if [ "$status" -eq 2 ] && [ -n "${GPUFLEET_WEBHOOK_URL:-}" ]; then
    echo "::warning title=GPU fleet::gpufleet watch has found something: see the log."
    status=0
  fi
  if [ "$status" -eq 0 ]; then status="$recovered"; fi
  return "$status"
}

case "${1:-}" in
preview | up | destroy | expired | watch) "$1" ;;
*)
  echo "do must be preview, up, destroy, expired or watch, not \"${1:-}\"" >&2
  exit 1
  ;;
esac
