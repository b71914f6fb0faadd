#include "core/run/run_report.h"

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>

#include "core/run/case_list.h"

namespace bench {
namespace {

bool on_terminal() { return isatty(STDERR_FILENO) != 0; }

std::string title(const Experiment& experiment, const Case& the_case) {
  return case_name(experiment, the_case, the_case.sides.front());
}

std::string outcome(const Side& side, const SideResult& result) {
  std::string text = fmt::format("  {} ", to_string(side.api));
  if (!result.time_ns) {
    text += to_string(result.status);
    if (result.status == Status::kFailed) text += fmt::format(" ({})", result.reason);
    return text;
  }
  text += fmt::format("{:.3f} us", result.time_ns->median * 1e-3);
  if (result.gbps > 0) text += fmt::format(" {:.0f} GB/s", result.gbps);
  return text;
}

}  // namespace

void RunReport::start_case(std::size_t number, const Case& the_case) const {
  if (on_terminal()) std::cerr << fmt::format("\r[{}/{}] {} ...\033[K", number + 1, cases_, title(experiment_, the_case));
}

void RunReport::end_case(std::size_t number, const Case& the_case, const CaseResult& result) {
  for (const SideResult& side : result.sides) {
    ++counts_[static_cast<std::size_t>(side.status)];
    ++verified_[static_cast<std::size_t>(side.verified)];
  }
  spent_.add(result.spent);
  gpu_s_ += result.gpu_s;
  discarded_ += result.samples.discarded;

  std::string line = fmt::format("[{}/{}] {}", number + 1, cases_, title(experiment_, the_case));
  for (std::size_t s = 0; s < result.sides.size(); ++s) line += outcome(the_case.sides[s], result.sides[s]);
  if (result.sides.size() == 2 && result.sides[0].time_ns && result.sides[1].time_ns) {
    const std::optional<Ratio> time_ratio = ratio(*result.sides[1].time_ns, *result.sides[0].time_ns);
    // Without its interval: that is of this run's samples, and boards and further runs differ by more.
    if (time_ratio) line += fmt::format("  ratio {:.4f}", time_ratio->value);
  }
  if (!result.samples.stop.empty()) line += fmt::format("  ({})", result.samples.stop);
  const double elapsed = now_s() - started_;
  const auto left = static_cast<int>(elapsed / static_cast<double>(number + 1) * static_cast<double>(cases_ - number - 1));
  line += fmt::format("  {}:{:02} left", left / 60, left % 60);
  say(on_terminal() ? "\r" + line + "\033[K" : line);
}

void RunReport::end_run() const {
  const double now = now_s();
  const double elapsed = now - program_started_;
  const auto percent = [elapsed](double seconds) { return elapsed > 0 ? 100 * seconds / elapsed : 0; };
  say(
      fmt::format("{}: {} rows ok, {} failed, {} skipped in {:.1f} s ({:.0f} % of it timed or eviction work on the GPU, {} "
                  "throttled samples retaken)",
                  experiment_.name, count(Status::kOk), count(Status::kFailed), count(Status::kSkipped), elapsed,
                  percent(gpu_s_), discarded_));
  if (count(Status::kOk) == 0) return;
  const double cases_s = now - started_;
  const double rest_s =
      cases_s - spent_.inputs_s - spent_.verify_s - spent_.set_up_s - spent_.sampling_s - spent_.measure_s - spent_.remaking_s;
  say(
      fmt::format("{}: {:.0f} % of its time was sampling, {:.0f} % set-up, {:.0f} % inputs, {:.0f} % verification ({} sides by "
                  "checksum, {} in full), {:.0f} % figures read back, {:.1f} % outputs made again, {:.0f} % opening devices, "
                  "{:.0f} % the rest",
                  experiment_.name, percent(spent_.sampling_s), percent(spent_.set_up_s), percent(spent_.inputs_s),
                  percent(spent_.verify_s), verified_[static_cast<std::size_t>(Verified::kChecksum)],
                  verified_[static_cast<std::size_t>(Verified::kFull)], percent(spent_.measure_s), percent(spent_.remaking_s),
                  percent(started_ - program_started_), percent(rest_s)));
}

}  // namespace bench
