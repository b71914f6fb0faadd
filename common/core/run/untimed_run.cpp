#include "core/run/untimed_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <set>
#include <variant>

#include "core/base/error.h"
#include "core/base/process.h"
#include "core/code/isa_dump.h"
#include "core/run/case_list.h"
#include "core/run/case_runner.h"

namespace bench {
namespace {

// As any API names it.
std::string arch_of(const DeviceInfo& info, const DeviceList& listed) {
  for (const auto& [api, listing] : listed.of) {
    for (const DeviceInfo& device : listing.devices) {
      if (info.uuid && device.uuid == info.uuid && !device.arch.empty()) return device.arch;
    }
  }
  return "";
}

void say_failure(const Experiment& experiment, const Case& the_case, const Side& side, const SideResult& result) {
  say(fmt::format("{}: {}", benchmark_name(experiment, the_case, side), result.reason));
}

}  // namespace

int dump_kernels(const Experiment& experiment, const std::vector<Case>& cases, const std::string& folder,
                 const DeviceList& listed, OpenDevices& devices) {
  IsaDump dump(folder, experiment.name);
  std::set<std::pair<Api, std::string>> with_code;
  std::map<std::string, std::set<std::string>> reasons;  // and the kernels they are said of
  const auto take_kernels = [&] {
    for (const auto& [api, open] : devices.all()) {
      if (!open.workbench) continue;
      for (const auto& [key, asked] : open.workbench->kernels()) {
        if (asked.spec.vulkan.imported) continue;  // CUDA's, which has an entry of its own
        KernelCode code;
        if (asked.kernel) {
          code = asked.kernel->code();
        } else {
          code.reason = asked.reason;
        }
        if (code.arch.empty()) code.arch = arch_of(open.info, listed);
        if (!code.reason.empty()) reasons[code.reason].insert(fmt::format("{} ({})", asked.spec.entry, to_string(api)));
        if (!code.code.empty() || !code.text.empty()) with_code.emplace(api, key);
        dump.add(api, open.device->build_of(asked.spec), asked.spec, code);
      }
    }
  };
  bool failed = false;
  for (const Case& one : cases) {
    // The device of the run: what it was opened with decides which kernels load, and what becomes of them.
    if (devices.is_another(one.vulkan)) {
      take_kernels();
      devices.use(one.vulkan);
    }
    for (const Side& side : one.sides) {
      OpenDevice& open = devices.at(side.api);
      if (!open.device || interrupted()) continue;
      const auto made = set_up(experiment, one, side, open);
      const auto* why_not = std::get_if<SideResult>(&made);
      if (why_not == nullptr || why_not->status != Status::kFailed) continue;
      say_failure(experiment, one, side, *why_not);
      failed = true;
    }
  }
  if (interrupted()) return kInterruptedBySignal;
  take_kernels();
  const DeviceInfo& named = *devices.selection().named();
  dump.finish(named.name, devices.at(named.api).info.driver);
  for (const auto& [reason, kernels] : reasons) say(fmt::format("{}: {}", fmt::join(kernels, ", "), reason));
  say(fmt::format("{}: the code of {} kernels is in {}", experiment.name, with_code.size(), folder));
  return failed || devices.complained() ? kFailed : kOk;
}

int run_for_profiler(const Experiment& experiment, const std::vector<Case>& cases, OpenDevices& devices) {
  std::size_t run = 0;
  std::size_t failed = 0;
  std::size_t skipped = 0;
  for (const Case& one : cases) {
    devices.use(one.vulkan);
    for (const Side& side : one.sides) {
      if (interrupted()) return kInterruptedBySignal;
      OpenDevice& open = devices.at(side.api);
      const auto made = set_up(experiment, one, side, open);
      if (const auto* prepared = std::get_if<Prepared>(&made)) {
        try {
          const auto range = open.device->profile(case_name(experiment, one, side));
          prepared->subject->time_host(1);
          ++run;
        } catch (const Skip&) {  // it does not run alone
          ++skipped;
        }
        continue;
      }
      const SideResult& why_not = std::get<SideResult>(made);
      if (why_not.status == Status::kSkipped) {
        ++skipped;
        continue;
      }
      say_failure(experiment, one, side, why_not);
      ++failed;
      if (why_not.out_of_memory) devices.release_buffers();
    }
  }
  say(fmt::format("{}: {} kernels run for a profiler, {} failed, {} skipped", experiment.name, run, failed, skipped));
  if (failed != 0 || devices.complained()) return kFailed;
  return run == 0 ? kAllSkipped : kOk;
}

}  // namespace bench
