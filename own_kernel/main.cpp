// Which of your two kernels is faster on this GPU, and why? See README.md.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "compile/check.h"
#include "compile/init.h"
#include "core/base/error.h"
#include "core/base/parse_number.h"
#include "core/base/process.h"
#include "description/read.h"
#include "run/other_chip.h"
#include "run/program.h"

namespace {

using bench::UsageError;

struct Wish {
  bench::own::ProgramOptions run;
  std::string chip;
  bool check = false;
  std::vector<std::string> init;
  bench::own::SourceOptions sources;  // of init
};

// "NAME=VALUE"; a name alone is 1, as for compilers.
std::pair<std::string, std::string> define_of(const std::string& text) {
  const std::size_t at = text.find('=');
  return {text.substr(0, at), at == std::string::npos ? "1" : text.substr(at + 1)};
}

// False, after printing, when only help was asked for. Throws UsageError.
bool parse(int argc, char** argv, Wish& wish) {
  CLI::App app{"own_kernel\nTwo kernels of yours, named by a TOML file: are both right, which is faster on this GPU, and why?"};
  bench::own::ProgramOptions& options = wish.run;
  std::string fail_on;
  app.add_option("file", options.file, "The TOML file: see own_kernel/README.md");
  app.add_option("--init", wish.init, "Print a first TOML file for one or two kernels (.cu .ptx .cubin .comp .spv), and stop")
      ->expected(1, 2);
  std::vector<std::string> defines;
  app.add_option("--define", defines, "NAME=VALUE, with --init: a macro that the sources need; may be repeated")
      ->allow_extra_args(false);
  app.add_option("--include", wish.sources.include, "With --init: a folder of files that the sources include; may be repeated")
      ->allow_extra_args(false);
  app.add_option("--flag", wish.sources.flags,
                 "With --init: an option of the sources' compiler, as --flag=-std=c++17; may be repeated")
      ->allow_extra_args(false);
  app.add_option("--kernel", wish.sources.kernel, "With --init: which of a file's kernels, by a part of its name")
      ->check(CLI::Validator([](std::string& text) { return text.empty() ? "a part of a kernel's name is needed" : ""; }, ""));
  app.add_flag("--check", wish.check,
               "Compile both, compare what the file gives with what the code takes, and stop: needs no GPU");
  app.add_option("--json", options.json, "Write all figures here");
  app.add_option("--csv", options.csv, "Write all rows here, and every sample to <name>.samples.csv beside it");
  app.add_option("--dump-isa", options.dump_isa, "Write the kernels' machine code into this folder");
  app.add_flag("--compile-only", options.compile_only, "With --dump-isa: run nothing, as where there is a driver and no GPU");
  app.add_option("--chip", wish.chip,
                 "Print what the compiler for this chip makes of the Vulkan sides, e.g. gfx1100: the chip need not be here "
                 "(scripts/dump_sass.py --help names all)");
  app.add_option("--wave", options.wave,
                 "With --chip or --compile-only: threads per subgroup of Vulkan's kernels, where the file gives none")
      ->check(CLI::IsMember({"32", "64"}));
  app.add_option("--count", options.count,
                 "Count each kernel's traffic and instructions with the GPU's own counters, into this CSV");
  app.add_option("--fail-on", fail_on,
                 "slower: exit with 1 where the second side is more than 1 % slower at some size, in two thirds of the "
                 "processes or more")
      ->check(CLI::IsMember({"slower"}));
  app.add_option("--processes", options.processes, "That time the kernels, one after another")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  app.add_option("--device", options.device, "Which GPU: an index, a UUID or part of a name");
  app.add_option("--budget", options.budget, "Seconds of sampling per case (default 0.5)");
  app.add_option("--timeout", options.timeout, "Seconds that a launch may take before it counts as endless")
      ->capture_default_str();
  app.add_flag("--validate", options.validate,
               "Vulkan validation layer with synchronization checks; any message fails the run");
  app.footer("Exit codes: 0 all ran, 1 something failed or is slower, 2 usage, 77 nothing could run here, 130 interrupted.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return false;
  } catch (const CLI::ParseError& error) {
    throw UsageError("{} (see --help)", error.what());
  }
  for (const std::string& one : defines) wish.sources.defines.push_back(define_of(one));
  options.fail_on_slower = fail_on == "slower";
  if (options.file.empty() == wish.init.empty())
    throw UsageError("give a TOML file, or --init with one or two kernels (see --help)");
  if (options.compile_only &&
      (options.dump_isa.empty() || !options.count.empty() || !options.csv.empty() || !options.json.empty()))
    throw UsageError("--compile-only goes with --dump-isa, and without --count, --csv and --json");
  if (options.wave != 0 && wish.chip.empty() && !options.compile_only) throw UsageError("--wave goes with --chip");
  if (!wish.chip.empty() && (options.compile_only || wish.check || options.file.empty() || !options.count.empty() ||
                             !options.csv.empty() || !options.json.empty() || !options.device.empty()))
    throw UsageError("--chip goes with a TOML file, --wave and --dump-isa alone");
  const bench::own::SourceOptions& sources = wish.sources;
  if (wish.init.empty() &&
      (!sources.kernel.empty() || sources.defines.size() + sources.include.size() + sources.flags.size() > 0))
    throw UsageError(
        "--define, --include, --flag and --kernel belong to --init; a TOML file has the keys defines, include, flags and "
        "entry");
  for (const auto& [option, text] : {std::pair("--budget", options.budget), std::pair("--timeout", options.timeout)}) {
    if (text.empty()) continue;
    const auto seconds = bench::parse_number<double>(text);
    if (!seconds || !(*seconds > 0) || *seconds > 1e6)
      throw UsageError("{} {}: expected seconds, a number above 0 such as 0.5", option, text);
  }
  return true;
}

int run(const Wish& wish) {
  if (!wish.init.empty()) {
    std::cout << bench::own::first_description({wish.init.begin(), wish.init.end()}, {}, std::filesystem::current_path(),
                                               wish.sources)
              << std::flush;
    return bench::kOk;
  }
  if (!wish.chip.empty()) bench::own::list_for({wish.chip, wish.run.wave}, wish.run.file, wish.run.dump_isa);
  if (!wish.check) return bench::own::run_program(wish.run);
  const bench::own::CheckReport report = bench::own::check(bench::own::read_description(wish.run.file), {});
  std::cout << report.text << std::flush;
  return report.exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  bench::note_signals();
  try {
    Wish wish;
    const int code = parse(argc, argv, wish) ? run(wish) : bench::kOk;
    if (std::cout.flush()) return code;
    std::cerr << "own_kernel: standard output cannot be written: what it was to say is lost\n";
    return code == bench::kOk ? bench::kFailed : code;
  } catch (const UsageError& error) {
    std::cerr << "own_kernel: " << error.what() << '\n';
    return bench::kUsage;
  } catch (const bench::Skip& skip) {
    std::cerr << "own_kernel: " << skip.what() << '\n';
    return bench::kAllSkipped;
  } catch (const bench::Interrupted&) {
    std::cerr << "own_kernel: interrupted\n";
    return bench::kInterruptedBySignal;
  } catch (const std::exception& error) {
    std::cerr << "own_kernel: " << error.what() << '\n';
    return bench::kFailed;
  }
}
