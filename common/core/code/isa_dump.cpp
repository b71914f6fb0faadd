#include "core/code/isa_dump.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <fstream>
#include <string>

#include "core/base/environment.h"
#include "core/base/error.h"
#include "core/code/listing.h"

namespace bench {
namespace {

using Json = nlohmann::ordered_json;

// JSON knows neither nan nor infinity; what is whole is written as such.
Json numbers(const std::vector<std::pair<std::string, double>>& statistics) {
  Json object = Json::object();
  for (const auto& [name, value] : statistics) {
    if (!std::isfinite(value)) continue;
    if (value == std::trunc(value) && std::abs(value) < 0x1p53) {
      object[name] = static_cast<std::int64_t>(value);
    } else {
      object[name] = value;
    }
  }
  return object;
}

std::string_view stem_of(const KernelSpec& spec) { return spec.images == nullptr ? std::string_view() : spec.images->stem; }

}  // namespace

IsaDump::IsaDump(const std::string& folder, std::string_view experiment)
    : folder_(std::filesystem::path(folder) / experiment), experiment_(experiment) {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) throw UsageError("--dump-isa {}: cannot make {}: {}", folder, folder_.string(), error.message());
}

nlohmann::ordered_json IsaDump::write(const std::string& name, std::span<const std::byte> bytes) const {
  if (bytes.empty()) return nullptr;
  std::ofstream file(folder_ / name, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) throw Error("--dump-isa: cannot write {}", (folder_ / name).string());
  return name;
}

// The entry's name, and its variant's; the constants distinguish kernels that share both.
std::string IsaDump::unused_name(const Api& api, const std::string& variant, const KernelSpec& spec) {
  const std::string entry = variant.empty() ? spec.entry : fmt::format("{}.{}", spec.entry, variant);
  std::string name = fmt::format("{}.{}", entry, to_string(api));
  if (!names_.insert(name).second) {
    name = fmt::format("{}.{}.{}.{}", entry, stem_of(spec), fmt::join(spec.constants, "-"), to_string(api));
    names_.insert(name);
  }
  return name;
}

void IsaDump::add(const Api& api, const std::string& variant, const KernelSpec& spec, const KernelCode& code) {
  const std::string key =
      fmt::format("{}/{}/{}/{}/{}", stem_of(spec), spec.entry, to_string(api), variant, fmt::join(spec.constants, "."));
  if (!known_.insert(key).second) return;
  const std::string name = unused_name(api, variant, spec);
  entries_.push_back({{"kernel", spec.entry},
                      {"stem", stem_of(spec)},
                      {"api", to_string(api)},
                      {"arch", code.arch},
                      {"block_x", spec.block_threads()},
                      {"constants", spec.constants},
                      {"variant", variant},
                      {"code", write(name + ".bin", code.code)},
                      {"container", write(fmt::format("{}.{}", name, code.container_type), code.container)},
                      {"source", write(fmt::format("{}.{}", stem_of(spec), code.source_type), code.source)},
                      {"text", write(name + ".txt", std::as_bytes(std::span(code.text)))},
                      {"isa_hash", isa_hash(code)},
                      {"statistics", numbers(code.statistics)},
                      {"reason", code.reason}});
}

void IsaDump::finish(std::string_view gpu, std::string_view driver) {
  const Json index = {{"schema", 1},      {"experiment", experiment_}, {"gpu", gpu},
                      {"driver", driver}, {"git_rev", git_revision()}, {"kernels", entries_}};
  // What a driver says of itself need not be UTF-8.
  const std::string text = index.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
  write("index.json", std::as_bytes(std::span(text)));
}

}  // namespace bench
