#include "core/isa_dump.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <fstream>

#include "core/environment.h"
#include "core/error.h"
#include "core/machine_code.h"

namespace bench {
namespace {

std::string json(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20) {
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string json(const std::vector<std::pair<std::string, double>>& statistics) {
  std::vector<std::string> members;
  for (const auto& [name, value] : statistics) {
    if (std::isfinite(value)) members.push_back(fmt::format("{}: {}", json(name), value));
  }
  return fmt::format("{{{}}}", fmt::join(members, ", "));
}

std::string json(const std::map<std::uint32_t, std::string>& hashes) {
  std::vector<std::string> members;
  members.reserve(hashes.size());
  for (const auto& [block, hash] : hashes) members.push_back(fmt::format("\"{}\": {}", block, json(hash)));
  return fmt::format("{{{}}}", fmt::join(members, ", "));
}

std::string_view stem_of(const KernelSpec& spec) { return spec.images == nullptr ? std::string_view() : spec.images->stem; }

// How a Vulkan kernel is built otherwise than by default, e.g. "push_descriptors"; it changes nothing in CUDA.
std::string variant_of(Api api, const KernelSpec& spec) {
  std::vector<std::string_view> parts;
  if (api == Api::kVulkan && spec.binding != BufferBinding::kDescriptors) parts.push_back(to_string(spec.binding));
  if (api == Api::kVulkan && spec.robustness != Robustness::kDefault) parts.push_back(to_string(spec.robustness));
  return fmt::format("{}", fmt::join(parts, "-"));
}

}  // namespace

IsaDump::IsaDump(const std::string& folder, std::string_view experiment)
    : folder_(std::filesystem::path(folder) / experiment), experiment_(experiment) {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) throw UsageError("--dump-isa {}: cannot make {}: {}", folder, folder_.string(), error.message());
}

std::string IsaDump::write(const std::string& name, std::span<const std::byte> bytes) const {
  if (bytes.empty()) return "null";
  std::ofstream file(folder_ / name, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) throw Error("--dump-isa: cannot write {}", (folder_ / name).string());
  return json(name);
}

// The entry's name, and its variant's; the constants distinguish kernels that share both.
std::string IsaDump::unused_name(Api api, const KernelSpec& spec) {
  const std::string variant = variant_of(api, spec);
  const std::string entry = variant.empty() ? spec.entry : fmt::format("{}.{}", spec.entry, variant);
  std::string name = fmt::format("{}.{}", entry, to_string(api));
  if (!names_.insert(name).second) {
    name = fmt::format("{}.{}.{}.{}", entry, stem_of(spec), fmt::join(spec.glsl_constants, "-"), to_string(api));
    names_.insert(name);
  }
  return name;
}

void IsaDump::add(Api api, const KernelSpec& spec, const KernelCode& code) {
  const std::string variant = variant_of(api, spec);
  const std::string key =
      fmt::format("{}/{}/{}/{}/{}", stem_of(spec), spec.entry, to_string(api), variant, fmt::join(spec.glsl_constants, "."));
  const auto [place, is_new] = places_.emplace(key, entries_.size());
  if (is_new) {
    const bool cuda = api == Api::kCuda;
    const std::string name = unused_name(api, spec);
    Entry entry;
    entry.fields = fmt::format(R"("kernel": {}, "stem": {}, "api": "{}", "arch": {}, "block_x": {}, "constants": [{}],)"
                               "\n   "
                               R"("variant": {}, "code": {}, "container": {}, "source": {}, "text": {}, "isa_hash": {},)"
                               "\n   "
                               R"("statistics": {}, "reason": {})",
                               json(spec.entry), json(stem_of(spec)), to_string(api), json(code.arch), spec.block_x,
                               fmt::join(spec.glsl_constants, ", "), json(variant), write(name + ".bin", code.code),
                               write(name + (cuda ? ".cubin" : ".nvuc"), code.container),
                               write(fmt::format("{}.{}", stem_of(spec), cuda ? "ptx" : "spv"), code.source),
                               write(name + ".txt", std::as_bytes(std::span(code.text))), json(isa_hash(code.code)),
                               json(code.statistics), json(code.reason));
    entries_.push_back(std::move(entry));
  }
  entries_[place->second].block_hashes.emplace(spec.block_x, isa_hash(code.code));
}

void IsaDump::finish(std::string_view gpu, std::string_view driver) {
  std::vector<std::string> kernels;
  for (const Entry& entry : entries_) {
    kernels.push_back(fmt::format("  {{{},\n   \"block_hashes\": {}}}", entry.fields, json(entry.block_hashes)));
  }
  const std::string index = fmt::format(
      "{{\"schema\": 1, \"experiment\": {}, \"gpu\": {}, \"driver\": {}, \"git_rev\": {}, \"kernels\": [\n{}\n]}}\n",
      json(experiment_), json(gpu), json(driver), json(git_revision()), fmt::join(kernels, ",\n"));
  write("index.json", std::as_bytes(std::span(index)));
}

}  // namespace bench
