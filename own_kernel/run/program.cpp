#include "run/program.h"

#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

#include "backends.h"
#include "compile/check.h"
#include "compile/compile.h"
#include "compile/scratch.h"
#include "core/base/child.h"
#include "core/base/csv.h"
#include "core/base/durable_file.h"
#include "core/base/error.h"
#include "core/base/parse_number.h"
#include "core/base/process.h"
#include "core/device/nvml.h"
#include "core/device/selection.h"
#include "core/results/result_file.h"
#include "description/expression.h"
#include "description/read.h"
#include "run/cases.h"
#include "run/result.h"
#include "run/side_run.h"

namespace bench::own {
namespace {

constexpr double kListingS = 60;
constexpr double kSpareS = 120;  // beside what a child's own watchdog allows

void write_file(std::string_view option, const std::string& path, const std::string& text) {
  try {
    replace_file(path, text);
  } catch (const UsageError& error) {
    throw UsageError("{}: {}", option, error.what());
  }
}

// Before anything is measured that could not be written then.
void check_place(std::string_view option, const std::string& path) {
  if (path.empty()) return;
  const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
  if (!std::filesystem::is_directory(folder)) throw UsageError("{} {}: there is no folder {}", option, path, folder.string());
  if (std::filesystem::is_directory(path)) throw UsageError("{} {}: a folder has this name", option, path);
}

// What a child process tells of the GPU.
struct Gpu {
  Board device;
  std::string arch;            // "sm_90"; of CUDA
  std::set<std::string> apis;  // by their CSV spelling
  std::map<std::string, std::string> reasons;
};

// As the rows name it: NVML's for both APIs, where it knows the GPU.
std::string driver_of(const DeviceInfo& info) {
  if (!info.uuid || info.is_cpu) return info.driver;
  return Nvml(*info.uuid).driver_version().value_or(info.driver);
}

Gpu ask_gpu(const std::string& device) {
  const ChildEnd end = run_in_child(
      [&] {
        const auto backends = all_backends();
        const DeviceList listed = list_devices(backends);
        CsvRow row(4);
        std::string text;
        Selection selection;
        try {
          if (!device.empty() && listed.empty()) throw UsageError("--device {}: there is no device", device);
          selection = select_devices(listed, {.api = "both", .device = device});
        } catch (const UsageError& error) {
          return csv_record({error.what()});
        }
        for (const auto& [api, info] : selection.devices) {
          if (row[0].empty()) row = {info.name, driver_of(info), "", info.is_cpu ? "software" : ""};
          if (!info.arch.empty()) row[2] = info.arch;
        }
        text = csv_record(row);
        for (const auto& [api, listing] : listed.of) {
          const bool has = selection.devices.contains(api) && !selection.unpaired.contains(api);
          const auto unpaired = selection.unpaired.find(api);
          text += csv_record({std::string(api.csv), has                                    ? ""
                                                    : unpaired != selection.unpaired.end() ? unpaired->second
                                                                                           : listing.reason});
        }
        return text;
      },
      kListingS);
  if (!end.ok()) throw Error("the devices cannot be listed: {} {}", end.words(), end.output);
  const std::vector<CsvRow> rows = parse_csv(end.output);
  if (rows.at(0).size() == 1) throw UsageError("{}", rows[0][0]);
  Gpu gpu = {
      .device = {rows[0].at(0), rows[0].at(1), !rows[0].at(3).empty()}, .arch = rows[0].at(2), .apis = {}, .reasons = {}};
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (rows[i].at(1).empty()) {
      gpu.apis.insert(rows[i][0]);
    } else {
      gpu.reasons[rows[i][0]] = rows[i][1];
    }
  }
  return gpu;
}

std::string csv_of(SideApi api) { return api == SideApi::kCuda ? "cuda" : "vulkan"; }

// How messages and listings call a step's code: the side's name, in the letters that file names have.
std::string stem_of(const Description& description, std::size_t side, std::size_t step) {
  std::string stem = description.name + "_";
  for (const char c : description.sides[side].name)
    stem += std::isalnum(static_cast<unsigned char>(c)) != 0 ? static_cast<char>(std::tolower(c)) : '_';
  return description.sides[side].steps.size() == 1 ? stem : fmt::format("{}_{}", stem, step + 1);
}

class Program {
 public:
  explicit Program(const ProgramOptions& options) : options_(options) {
    job_.description = read_description(options.file);
    for (Side& side : job_.description.sides) {
      for (Step& step : side.steps) {
        if (side.api == SideApi::kVulkan && step.subgroup_size == 0) step.subgroup_size = options.wave;
      }
    }
  }

  int run() {
    check_places();
    gpu_ = ask_gpu(options_.device);
    compile_all();
    if (const std::string doubt = doubtful_bytes(job_.description); !doubt.empty()) add_note(doubt);
    if (!options_.compile_only) {
      for (std::size_t side = 0; side < sides().size(); ++side) run_alone(side);
      for (std::uint32_t process = 1; process <= options_.processes && has_any(); ++process) time_all(process);
    }
    if (!options_.dump_isa.empty() && has_any()) run_once("--dump-isa", options_.dump_isa, "listings");
    if (!options_.count.empty() && has_any()) run_once("--count", options_.count, "counts");
    return finish();
  }

 private:
  const std::vector<Side>& sides() const { return job_.description.sides; }
  std::size_t sizes() const { return job_.description.sizes.size(); }

  void progress(const std::string& text) const {
    if (isatty(STDERR_FILENO) != 0) std::cerr << fmt::format("\r{}\033[K", text) << std::flush;
  }

  void add_fault(const std::string& text) {
    std::string line = text.substr(0, text.find('\n'));
    std::ranges::replace_if(line, is_control_character, ' ');
    if (std::ranges::find(faults_, line) == faults_.end()) faults_.push_back(std::move(line));
  }
  void add_note(std::string text) {
    std::ranges::replace_if(text, is_control_character, ' ');
    if (std::ranges::find(notes_, text) == notes_.end()) notes_.push_back(std::move(text));
  }

  void compile_all() {
    job_.sides.resize(sides().size());
    job_.toolkits.resize(sides().size());
    for (std::size_t i = 0; i < sides().size(); ++i) {
      const Side& side = sides()[i];
      progress("compiling " + side.name);
      CompiledSide compiled;
      try {
        for (std::size_t step = 0; step < side.steps.size(); ++step) {
          Target target;
          if (!gpu_.arch.empty()) target.cuda_arch = gpu_.arch;
          Compiled code = compile(side.steps[step], target);
          job_.toolkits[i] = code.by;
          if (const std::string differs = layout_difference(job_.description, side.steps[step], code); !differs.empty())
            throw Error("{} ({}:{}; --check shows both layouts)", differs.substr(0, differs.find('\n')),
                        job_.description.file.filename().string(), side.steps[step].line);
          compiled.steps.push_back(std::make_unique<Code>(std::move(code), stem_of(job_.description, i, step), gpu_.arch));
        }
      } catch (const Skip& skip) {
        add_note(fmt::format("{}: skipped: {}", side.name, skip.what()));
        continue;
      } catch (const Error& error) {
        add_fault(fmt::format("{}: {}", side.name, error.what()));
        continue;
      }
      if (!gpu_.apis.contains(csv_of(side.api))) {
        add_note(fmt::format("{}: skipped: {}", side.name, gpu_.reasons[csv_of(side.api)]));
        continue;
      }
      job_.sides[i] = std::move(compiled);
    }
  }

  bool is_left(std::size_t side) const {
    for (std::size_t i = 0; i < sizes(); ++i) {
      if (job_.sides[side] && !without_.contains({side, i})) return true;
    }
    return false;
  }
  bool has_any() const {
    for (std::size_t side = 0; side < sides().size(); ++side) {
      if (is_left(side)) return true;
    }
    return false;
  }

  // Before anything is measured: a file that cannot be written, that the run reads, or that two options name.
  void check_places() const {
    std::vector<std::filesystem::path> read = {job_.description.file};
    for (const Side& side : sides()) {
      for (const Step& step : side.steps) read.push_back(step.file);
    }
    for (const Buffer& buffer : job_.description.buffers) read.insert(read.end(), {buffer.file, buffer.expected});
    std::map<std::filesystem::path, std::string> taken;
    for (const auto& [option, path] :
         {std::pair("--json", options_.json), std::pair("--csv", options_.csv), std::pair("--count", options_.count)}) {
      if (path.empty()) continue;
      check_place(option, path);
      std::error_code ignored;
      for (const std::filesystem::path& one : read) {
        if (!one.empty() && std::filesystem::equivalent(path, one, ignored))
          throw UsageError("{} {}: this run reads it; another file is allowed", option, path);
      }
      const auto [other, is_new] = taken.emplace(std::filesystem::weakly_canonical(path, ignored), option);
      if (!is_new) throw UsageError("{} {}: {} names it, too; each has its own file", option, path, other->second);
    }
  }

  // Both APIs, or the one that all sides are of.
  std::string apis() const {
    std::set<std::string> found;
    for (std::size_t side = 0; side < sides().size(); ++side) {
      if (is_left(side)) found.insert(csv_of(sides()[side].api));
    }
    return found.size() == 1 ? *found.begin() : "both";
  }

  struct Child {
    ChildEnd end;
    std::vector<CsvRow> rows;
    std::string last_line;  // of what it said
  };

  // run_main in a child process. A kernel may print as much as it likes.
  Child run_child_main(const CaseWish& wish, std::vector<std::string> arguments, double limit_s) {
    arguments.insert(arguments.begin(), std::string(kExperiment));
    if (!options_.device.empty()) arguments.insert(arguments.end(), {"--device", options_.device});
    arguments.insert(arguments.end(), {"--timeout", options_.timeout});
    if (options_.validate) arguments.emplace_back("--validate");
    Child child;
    child.end = run_in_child(
        [&] {
          std::vector<char*> argv;
          for (std::string& one : arguments) argv.push_back(one.data());
          Outputs outputs;
          const int code =
              run_main(static_cast<int>(argv.size()), argv.data(), experiment_of(job_, wish, outputs), all_backends());
          std::cout.flush();
          // No destructors of drivers: what a kernel has done to them is not known.
          _exit(code);
          return std::string();
        },
        limit_s, Says::kToOutput);
    std::istringstream lines(child.end.output);
    for (std::string line; std::getline(lines, line);) {
      if (!line.empty()) child.last_line = line;
    }
    return child;
  }

  std::vector<CsvRow> rows_of(const std::filesystem::path& csv) const {
    std::vector<CsvRow> rows = parse_csv(read_file(csv.string()));
    if (!rows.empty()) rows.erase(rows.begin());
    return rows;
  }

  double timeout_s() const { return parse_number<double>(options_.timeout).value_or(20); }

  void run_alone(std::size_t side) {
    if (!job_.sides[side]) return;
    progress(sides()[side].name + " alone");
    const std::filesystem::path csv = folder_.path() / fmt::format("alone{}.csv", side);
    const Child child =
        run_child_main({.alone = side, .without = {}},
                       {"--csv", csv.string(), "--api", csv_of(sides()[side].api), "--smoke", "--cache", "warm"},
                       kSpareS + static_cast<double>(sizes()) * (2 * timeout_s() + 30));
    std::set<std::size_t> right;
    bool has_reason = false;
    const std::vector<CsvRow> rows = rows_of(csv);
    for (const CsvRow& row : rows) {
      const auto cell = [&](std::string_view column) { return schema().results.cell(row, column); };
      const std::string where =
          cell("sizes").empty() ? sides()[side].name : fmt::format("{}, {}", sides()[side].name, cell("sizes"));
      const std::string status = cell("status");
      if (status == "failed") add_fault(fmt::format("{}: {}", where, cell("reason")));
      if (status == "skipped") add_note(fmt::format("{}: skipped: {}", where, cell("reason")));
      has_reason = has_reason || status != "ok";
      for (std::size_t i = 0; i < sizes() && status == "ok"; ++i) {
        if (text_of(job_.description.sizes[i]) == cell("sizes")) right.insert(i);
      }
    }
    for (std::size_t i = 0; i < sizes(); ++i) {
      if (!right.contains(i)) without_.emplace(side, i);
    }
    if (rows.size() == sizes() || has_reason) return;
    const bool has_words = child.end.signal == 0 && !child.end.timed_out && !child.last_line.empty();
    add_fault(fmt::format("{}: {}", sides()[side].name,
                          has_words ? child.last_line : fmt::format("the process that ran it alone {}", child.end.words())));
  }

  void time_all(std::uint32_t process) {
    progress(fmt::format("timing, process {} of {}", process, options_.processes));
    const CaseWish wish = {.alone = {}, .process = process, .without = without_};
    const std::filesystem::path csv = folder_.path() / fmt::format("timed{}.csv", process);
    std::vector<std::string> arguments = {"--csv",    csv.string(), "--api", apis(), "--seed", std::to_string(process),
                                          "--shuffle"};
    if (!options_.budget.empty()) arguments.insert(arguments.end(), {"--budget", options_.budget});
    const double per_case_s = 60 + 20 * parse_number<double>(options_.budget).value_or(0.5);
    const Child child =
        run_child_main(wish, arguments, kSpareS + static_cast<double>(8 * sizes() * sides().size()) * per_case_s);
    const std::vector<CsvRow> rows = rows_of(csv);
    add_rows(measured_, job_, schema(), rows);
    bool has_reason = false;
    for (const CsvRow& row : rows) has_reason = take_status(row) || has_reason;
    csvs_.push_back(csv);
    if (child.end.ok() || has_reason) return;
    const bool is_skipped = child.end.exit_code == kAllSkipped;
    if (is_skipped) return;
    const bool has_words = child.end.signal == 0 && !child.end.timed_out && !child.last_line.empty();
    add_fault(fmt::format("timing, process {}: {}", process, has_words ? child.last_line : child.end.words()));
    options_.processes = process;  // another would end no better
  }

  // Notes what was no success; true for a failed row.
  bool take_status(const CsvRow& row) {
    const auto cell = [&](std::string_view column) { return schema().results.cell(row, column); };
    const std::string status = cell("status");
    if (status == "ok") return false;
    const std::string where = fmt::format("{}{}{}, {}{}", cell("side"), cell("sizes").empty() ? "" : ", ", cell("sizes"),
                                          cell("cache"), cell("checks").empty() ? "" : ", checks off");
    if (status == "skipped") {
      // What the device lacks, it lacks at every size.
      std::string reason = cell("reason");
      if (const auto wants = reason.find(" wants "); !cell("checks").empty() && wants != std::string::npos)
        reason = reason.substr(wants + 1);
      add_note(cell("checks").empty() ? fmt::format("{}: skipped: {}", where, reason)
                                      : fmt::format("checks off: skipped: {}", reason));
      return false;
    }
    add_fault(fmt::format("{}: {}", where, cell("reason")));
    for (std::size_t i = 0; i < sizes(); ++i) {
      if (text_of(job_.description.sizes[i]) != cell("sizes")) continue;
      for (std::size_t side = 0; side < sides().size(); ++side) {
        const bool wrong = cell("reason").starts_with("wrong output");
        if (wrong || sides()[side].name == cell("side")) without_.emplace(side, i);
      }
    }
    return true;
  }

  // Machine code or counters: a process of its own.
  void run_once(const std::string& option, const std::string& path, const std::string& what) {
    progress(what);
    const bool is_listing = option == "--dump-isa";
    const CaseWish wish = {.alone = {}, .process = 0, .without = without_, .one_launch = is_listing};
    const std::string where = std::filesystem::absolute(path).string();
    // The counters of two shaders are CUDA's, too: it opens those of all work of the GPU.
    std::vector<std::string> arguments = {option, where, "--api", is_listing ? apis() : "both"};
    if (options_.compile_only) arguments.emplace_back("--compile-only");
    const Child child = run_child_main(wish, arguments, kSpareS + 300);
    if (child.end.exit_code == kAllSkipped && !child.last_line.empty())
      add_note(fmt::format("{}: {}", option, child.last_line));
    if (!child.end.ok() && child.end.exit_code != kAllSkipped)
      add_fault(fmt::format("{} {}: {}", option, path, child.last_line.empty() ? child.end.words() : child.last_line));
  }

  const Schema& schema() {
    if (!schema_) {
      Outputs outputs;
      schema_.emplace(schema_of(experiment_of(job_, {}, outputs)));
    }
    return *schema_;
  }

  // One file of all processes' rows, as one program would have written it: the column process tells them apart.
  void write_csv() {
    for (const auto& [path, header, of] : {std::tuple(options_.csv, schema().results.header(), false),
                                           std::tuple(samples_path(options_.csv), schema().samples.header(), true)}) {
      std::string text = csv_record(header);
      for (const std::filesystem::path& csv : csvs_) {
        for (const CsvRow& row : rows_of(of ? std::filesystem::path(samples_path(csv.string())) : csv)) text += csv_record(row);
      }
      write_file("--csv", path, text);
    }
    write_file("--csv", schema_path(options_.csv), schema().json());
  }

  int finish() {
    progress("");
    const Ending ending = ending_of(job_, measured_, faults_, notes_, gpu_.device, static_cast<std::uint32_t>(csvs_.size()));
    for (const std::string& line : ending.lines) std::cout << line << '\n';
    std::cout.flush();
    if (!options_.csv.empty()) write_csv();
    if (!options_.json.empty()) write_file("--json", options_.json, json_of(job_, measured_, faults_, notes_, gpu_.device));
    if (!faults_.empty()) return kFailed;
    const bool has_times = std::ranges::any_of(measured_, [&](const Measured& one) {
      return std::ranges::any_of(one.sides, [](const std::vector<Timed>& side) {
        return std::ranges::any_of(side, [](const Timed& timed) { return timed.status == "ok"; });
      });
    });
    if (!has_times) return options_.compile_only && has_any() ? kOk : kAllSkipped;
    if (!options_.fail_on_slower || ending.slower.empty()) return kOk;
    std::cerr << fmt::format("own_kernel: {} is slower: {}\n", job_.description.sides.back().name,
                             fmt::join(ending.slower, "; "));
    return kFailed;
  }

  ProgramOptions options_;
  Scratch folder_;
  Job job_;
  Gpu gpu_;
  std::set<std::pair<std::size_t, std::size_t>> without_;
  std::vector<Measured> measured_;
  std::vector<std::string> faults_;
  std::vector<std::string> notes_;
  std::vector<std::filesystem::path> csvs_;
  std::optional<Schema> schema_;
};

}  // namespace

int run_program(const ProgramOptions& options) { return Program(options).run(); }

}  // namespace bench::own
