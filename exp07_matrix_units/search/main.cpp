// Which shape of each of Vulkan's products is the fastest? Not an experiment: what it finds becomes rows of exp07's tables.
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <thread>

#include "core/base/error.h"
#include "core/base/parse_number.h"
#include "core/base/process.h"
#include "core/base/watchdog.h"
#include "core/device/gpu_claim.h"
#include "core/device/selection.h"
#include "core/run/open_devices.h"
#include "matrix_search_kernels.h"
#include "search.h"
#include "vulkan/device/backend.h"
#include "vulkan/device/device.h"

namespace {

constexpr double kLastCompilationsS = 5;

struct Wish {
  std::vector<std::string> types;
  std::string device;
  std::string csv;
  std::string dump_isa;
  std::string data = "normal";
  std::uint32_t size = 0;   // 0: 8192, or 256 on a software device
  std::size_t threads = 0;  // 0: all of the host's but one
  bool list = false;
  bool validate = false;
  SearchLimits limits;
};

bool parse(int argc, char** argv, Wish& wish) {
  CLI::App app{"matrix_search\nWhich shape of each of Vulkan's products is the fastest?"};
  std::vector<std::string> known;
  for (const Types& types : kSearchedTypes) known.push_back(text_of(types));
  app.add_option("--type", wish.types, "What is multiplied, and its sums: all by default (repeatable)")
      ->delimiter(',')
      ->check(CLI::IsMember(known));
  app.add_option("--budget", wish.limits.budget_s, "Seconds for each type, its finalists' samples and verification included")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--csv", wish.csv, "Write each shape here when it has been tried; a new file");
  app.add_option("--dump-isa", wish.dump_isa, "Write the finalists' machine code under this folder, as an experiment does");
  app.add_option("--size", wish.size, "Rows and columns of the matrices (default 8192; 256 on a software device)")
      ->check(CLI::Range(256, 32768));
  app.add_option("--kernel", wish.limits.kernels, "Only kernels whose names begin so: product_staged (repeatable)")
      ->delimiter(',');
  app.add_option("--data", wish.data, "The numbers: of the normal distribution, or -0.5, 0, 0.5 and 1 (few)")
      ->check(CLI::IsMember({"normal", "few"}))
      ->capture_default_str();
  app.add_option("--device", wish.device, "Which GPU: an index, a UUID or part of a name");
  app.add_option("--threads", wish.threads, "That compile (default: all of the host's but one)")->check(CLI::Range(1, 256));
  app.add_option("--verified", wish.limits.verified, "Finalists whose output is compared in full")->capture_default_str();
  app.add_flag("--list", wish.list, "Show the shapes in the order in which they are tried, and stop");
  app.add_flag("--validate", wish.validate, "Vulkan validation layer with synchronization checks");
  app.footer("Exit codes: 0 all ran, 1 something failed, 2 usage, 3 the GPU was lost, 77 nothing could run, 130 interrupted.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return false;
  } catch (const CLI::ParseError& error) {
    throw bench::UsageError("{} (see --help)", error.what());
  }
  if (wish.types.empty()) wish.types = known;
  if (wish.size % 256 != 0) throw bench::UsageError("--size {}: a multiple of 256 is wanted", wish.size);
  return true;
}

// With the matrices of a subgroup that the device lists: 16 rows and columns where there are such.
SearchGround ground_of(const bench::vulkan::Context& context, const Types& types, const Wish& wish, std::uint32_t size) {
  SearchGround ground = {.types = types,
                         .data = wish.data == "few" ? Data::kFew : Data::kNormal,
                         .size = size,
                         .subgroup = context.info().subgroup_size,
                         .small_first = context.info().is_cpu};
  const std::string wanted = fmt::format("{} {}", name_of(types.in), name_of(types.sums));
  const std::set<std::string>& listed = context.features().matrices;
  if (listed.contains(fmt::format("16x16x{} {}", 32 / bytes_of(types.in), wanted))) return ground;
  for (const std::string& one : listed) {
    unsigned rows = 0, columns = 0, depth = 0;
    if (!one.ends_with(wanted) || std::sscanf(one.c_str(), "%ux%ux%u", &rows, &columns, &depth) != 3) continue;
    ground.matrix_rows = rows;
    ground.matrix_columns = columns;
    ground.matrix_bytes = depth * bytes_of(types.in);
    break;
  }
  return ground;
}

void print(const SearchGround& ground, const std::vector<Tried>& finalists) {
  fmt::print("\n{} at {}, {}\n", text_of(ground.types), ground.size, name_of(ground.data));
  for (const Tried& one : finalists) {
    const double operations = product_operations({.shape = one.shape, .data = ground.data, .size = ground.size, .sms = 0});
    fmt::print("{:>8.1f} TOP/s  {:<11}  {}{}\n", operations / one.ns * 1e-3, one.verified ? "verified" : "not checked",
               name_of(one.shape), one.reason.empty() ? "" : "  " + one.reason);
  }
  std::fflush(stdout);
}

int run(const Wish& wish) {
  if (wish.list) {
    for (const std::string& types : wish.types) {
      for (const Shape& shape : search_space({.types = *types_of(types)})) fmt::print("{}\n", name_of(shape));
    }
    return bench::kOk;
  }
  bench::start_watchdog();
  std::vector<std::unique_ptr<bench::Backend>> backends;
  backends.push_back(bench::vulkan::make_backend());
  const bench::DeviceList listed = bench::list_devices(backends);
  const bench::SelectionWish device_wish = {"vulkan", wish.device};
  const bench::Selection selection = bench::select_devices(listed, device_wish);
  if (selection.named() == nullptr) throw bench::Skip("{}", listed.of.at(bench::vulkan::kApi).reason);
  const bench::GpuClaim claim(*selection.named());
  bench::OpenDevices devices(std::move(backends), selection, bench::why_left_out(listed, device_wish),
                             {.device = {.validate = wish.validate}});
  devices.use({.matrix_units = true});
  bench::OpenDevice& open = devices.at(bench::vulkan::kApi);
  if (!open.device) throw bench::Skip("{}", open.unavailable);

  std::optional<SearchFile> file;
  if (!wish.csv.empty()) file.emplace(wish.csv, open.info.name, open.info.driver);
  std::optional<bench::IsaDump> dump;
  if (!wish.dump_isa.empty()) dump.emplace(wish.dump_isa, "matrix_search");
  const std::uint32_t size = wish.size != 0 ? wish.size : open.info.is_cpu ? 256 : 8192;
  const auto products = make_products(bench::kernels::matrix_search());
  const std::size_t threads = wish.threads != 0 ? wish.threads : std::max(2U, std::thread::hardware_concurrency()) - 1;
  bool all_have_one = true;
  Compilers compilers(*open.device, threads);
  for (const std::string& types : wish.types) {
    const SearchGround ground = ground_of(bench::vulkan::context_of(*open.device), *types_of(types), wish, size);
    const SearchRecord record = {.file = file ? &*file : nullptr, .dump = dump ? &*dump : nullptr};
    const std::vector<Tried> finalists = search(*open.workbench, compilers, *products, ground, wish.limits, record);
    print(ground, finalists);
    all_have_one = all_have_one && std::ranges::any_of(finalists, &Tried::verified);
  }
  if (dump) dump->finish(open.info.name, open.info.driver);
  const bench::ExitCode code = all_have_one && !devices.complained() ? bench::kOk : bench::kFailed;
  if (!compilers.wait(kLastCompilationsS)) {
    bench::say("kernels that nobody waits for any more are still being compiled: ending without them");
    bench::leave(code);
  }
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  bench::note_signals();
  try {
    Wish wish;
    return parse(argc, argv, wish) ? run(wish) : bench::kOk;
  } catch (const bench::UsageError& error) {
    std::cerr << "matrix_search: " << error.what() << '\n';
    return bench::kUsage;
  } catch (const bench::Skip& skip) {
    std::cerr << "matrix_search: " << skip.what() << '\n';
    return bench::kAllSkipped;
  } catch (const bench::Interrupted&) {
    std::cerr << "matrix_search: interrupted\n";
    return bench::kInterruptedBySignal;
  } catch (const bench::DeviceLost& lost) {
    std::cerr << "matrix_search: " << lost.what() << '\n';
    return bench::kDeviceLost;
  } catch (const std::exception& error) {
    std::cerr << "matrix_search: " << error.what() << '\n';
    return bench::kFailed;
  }
}
