# shellcheck shell=bash
# Commands that a signal can end at any moment, and that end with the script that started them. Source it after lib.sh.
#
# bash looks at a signal only between commands, so what takes long runs in the background (run_job) and is waited for. What a job
# has started is known by a mark in its environment, which it keeps in groups and sessions of its own (ninja's compilers, ncu's
# program, dpkg) and when its parent is gone.

readonly kGraceUs=1000000   # from the first signal to SIGKILL: a program ends after the sample in hand
readonly kGiveUpUs=1900000  # what waits for a driver inside the kernel cannot be killed
interrupted=0               # signals received so far
interrupted_us=0            # when the first one came
jobs_by_sudo=0              # 1: some of what a job starts belongs to root
job_mark='' job_processes=()

# The script's INT, TERM, HUP and QUIT: the first is passed on to the job in hand as INT, the second kills it.
begin_jobs() {
  job_mark=BENCH_RUN=$$.${EPOCHREALTIME/[.,]/}
  # The watchdog reads a pipe whose other end this script alone holds (bash closes a coproc's in all that it starts), so the end
  # of file says that the script has died without a word. Its group is its own: Ctrl-C, or a kill of the script's, is not for it.
  set -m
  coproc watchdog {
    trap '' INT TERM HUP QUIT
    read -r _ || { on_signal && end_jobs; }
  } 2>/dev/null
  set +m
  trap on_signal INT TERM HUP QUIT
  trap 'if [[ -n ${watchdog[1]:-} ]]; then echo >&"${watchdog[1]}"; fi' EXIT
}

reach_jobs() {
  "$@" || true
  if ((jobs_by_sudo)); then sudo -n "$@" || true; fi
} 2>/dev/null

# Sets `job_processes`: the ids of what jobs have started and is still there.
find_processes() {
  mapfile -t job_processes < <(reach_jobs grep -lzFxs -e "$job_mark" /proc/[0-9]*/environ)
  job_processes=("${job_processes[@]//[!0-9]/}")
}

# signal_jobs SIGNAL
signal_jobs() {
  find_processes
  # shellcheck disable=SC2016  # for that shell
  if ((${#job_processes[@]})); then reach_jobs bash -c 'kill -s "$@"' _ "$1" "${job_processes[@]}"; fi
}

on_signal() {
  interrupted=$((interrupted + 1))
  if ((interrupted == 1)); then
    interrupted_us=${EPOCHREALTIME/[.,]/}
    signal_jobs INT
  else
    signal_jobs KILL
  fi
}

# Somebody has interrupted a job without this script.
note_interrupted() { if ((!interrupted)); then interrupted=1; fi; }

# After a signal: waits until all that jobs have started is gone, and kills what does not go by itself.
end_jobs() {
  local waited_us
  find_processes
  while ((${#job_processes[@]})); do
    waited_us=$((${EPOCHREALTIME/[.,]/} - interrupted_us))
    if ((waited_us > kGiveUpUs)); then
      note "${0##*/}: these processes are still there: ${job_processes[*]}"
      return
    fi
    if ((interrupted > 1 || waited_us > kGraceUs)); then signal_jobs KILL; fi
    sleep 0.05
    find_processes
  done
}

# run_job COMMAND...: its exit code; 130 after a signal, also one that came before it.
run_job() {
  local job status=0
  if ((interrupted)); then return 130; fi
  # A process group of its own, so that Ctrl-C reaches it once, by on_signal. SIGINT as usual, for it is ignored in whatever a
  # script starts in the background.
  set -m
  env --default-signal=INT,QUIT "$job_mark" "$@" &
  job=$!
  set +m
  # A trapped signal ends `wait`, not the job.
  if ((!interrupted)); then wait -f "$job" || status=$?; fi
  if ((interrupted)); then
    end_jobs
    return 130
  fi
  return "$status"
}
