#include "description/read.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <set>

#include "core/base/error.h"
#include "description/expression.h"
#include "description/keys.h"

namespace bench::own {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostTomlBytes = 1 << 20;    // of a TOML file
constexpr std::size_t kMostSizes = 64;                // values of one size
constexpr std::uint64_t kMostThreads = 1024;          // of a CUDA block
constexpr std::uint64_t kMostGridX = (1U << 31) - 1;  // CUDA C++ Programming Guide, "Compute Capabilities"
constexpr std::uint64_t kMostGridYZ = 65535;
constexpr std::uint64_t kMostPush = 1 << 16;  // bytes; no device has as many
constexpr std::size_t kMostElements = 1024;   // of a struct's member
constexpr double kExactInteger = 9007199254740992.0;

constexpr std::array<std::string_view, 2> kCaches = {"cold", "warm"};
constexpr std::array<std::string_view, 3> kContents = {"random", "zeros", "counting"};
constexpr std::array<std::string_view, 4> kRoles = {"in", "out", "inout", "scratch"};
constexpr std::array<std::string_view, 3> kAs = {"storage", "uniform", "address"};
constexpr std::array<std::string_view, 2> kRestore = {"batch", "each"};
constexpr std::array<std::string_view, 3> kCudaEndings = {".cu", ".ptx", ".cubin"};
constexpr std::array<std::string_view, 2> kVulkanEndings = {".comp", ".spv"};

bool is_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(),
                                      [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
}

bool is_identifier(std::string_view name) {
  return !name.empty() && !(name[0] >= '0' && name[0] <= '9') && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

bool is_among(std::string_view one, const auto& all) { return std::find(all.begin(), all.end(), one) != all.end(); }

class Reader {
 public:
  Reader(const toml::table& root, const fs::path& file)
      : name_(file.string()), folder_(fs::absolute(file).parent_path()), root_(root, name_, "the file") {
    found_.file = fs::absolute(file);
  }

  Description read() {
    read_sizes();
    read_head();
    for (const toml::table* table : root_.tables("buffer")) read_buffer(*table);
    for (const toml::table* table : root_.tables("scalar")) read_scalar(*table);
    for (const toml::table* table : root_.tables("struct")) read_struct(*table);
    const std::vector<const toml::table*> sides = root_.tables("side");
    for (const toml::table* table : sides) read_side(*table);
    root_.end();  // before what is missing: a misspelt [[side]] is told as that
    if (sides.empty() || sides.size() > 2) root_.fail(1, "{} [[side]] tables; one or two are allowed", sides.size());
    name_sides();
    check_use();
    return std::move(found_);
  }

 private:
  // value_of and count_of for every combination of sizes, with the place in their messages.
  template <class Check>
  void with_sizes(const Keys& keys, std::string_view key, const Expression& expression, Check check) {
    for (const Sizes& sizes : found_.sizes) {
      try {
        check(in_hand_ != nullptr ? sizes_of(*in_hand_, sizes) : sizes);
      } catch (const Error& error) {
        keys.fail(expression.line, "{} = {}", key, error.what());
      }
    }
  }

  void counts(const Keys& keys, std::string_view key, const Expression& expression, std::uint64_t least,
              std::uint64_t most = 1ULL << 53) {
    with_sizes(keys, key, expression, [&](const Sizes& sizes) {
      const std::uint64_t count = count_of(expression, sizes, least);
      if (count > most) {
        throw Error("\"{}\" is {}{}; a whole number from {} to {} is allowed", expression.text, count, with(expression, sizes),
                    least, most);
      }
    });
  }

  // A value that its type holds.
  void fits(const Keys& keys, std::string_view key, const Expression& expression, Type type) {
    with_sizes(keys, key, expression, [&](const Sizes& sizes) {
      const double value = value_of(expression, sizes);
      if (is_float(type)) return;
      double least = 0;
      double most = 1;
      if (type != Type::kBool) {
        const bool is_signed = type == Type::kI8 || type == Type::kI16 || type == Type::kI32 || type == Type::kI64;
        const int bits = static_cast<int>(bytes_of(type)) * 8 - (is_signed ? 1 : 0);
        most = bits < 53 ? std::ldexp(1, bits) - 1 : kExactInteger;
        least = !is_signed ? 0 : bits < 53 ? -std::ldexp(1, bits) : -kExactInteger;
      }
      if (value != std::floor(value) || value < least || value > most) {
        throw Error("\"{}\" is {}{}; a whole number from {} to {} is allowed in {}", expression.text, text_of(value),
                    with(expression, sizes), text_of(least), text_of(most), to_string(type));
      }
    });
  }

  fs::path existing(const Keys& keys, std::uint32_t line, std::string_view key, const std::string& text, bool folder = false) {
    if (text.empty()) keys.fail(line, "{} is empty; a path is allowed", key);
    if (has_control_character(text)) keys.fail(line, "{} = \"{}\": a control character in a path; none is allowed", key, text);
    fs::path path = (folder_ / text).lexically_normal();
    std::error_code ignored;
    if (folder ? !fs::is_directory(path, ignored) : !fs::is_regular_file(path, ignored))
      keys.fail(line, "{} = \"{}\": no such {} ({})", key, text, folder ? "folder" : "file", path.string());
    return path;
  }

  void read_sizes() {
    found_.sizes = {Sizes{}};
    const toml::node* node = root_.find("sizes");
    if (node == nullptr) return;
    const toml::table& table = root_.table("sizes", *node, "a table [sizes] of names and their values");
    Keys keys(table, name_, "[sizes]");
    std::vector<std::pair<std::string, std::vector<double>>> lists;
    std::size_t longest = 1;
    std::string longest_name;
    for (const auto& [key, value] : table) {
      const std::string name(key.str());
      const std::uint32_t line = line_of(value);
      if (!is_identifier(name) || !is_name_of_size(name))
        keys.fail(line, "\"{}\" cannot be a size's name; letters, digits and _ are allowed, and no function's name", name);
      std::vector<double> values;
      const auto add = [&](const toml::node& one) {
        const Expression expression = keys.expression(name, one);
        try {
          values.push_back(static_cast<double>(count_of(expression, {}, 1)));
        } catch (const Error& error) {
          keys.fail(expression.line, "{} = {}", name, error.what());
        }
      };
      if (const toml::array* list = value.as_array()) {
        for (const toml::node& one : *list) add(one);
      } else {
        add(value);
      }
      if (values.empty() || values.size() > kMostSizes)
        keys.fail(line, "{} has {} values; 1 to {} are allowed", name, values.size(), kMostSizes);
      if (values.size() > 1 && longest > 1 && values.size() != longest) {
        keys.fail(line, "{} has {} values and {} has {}; lists are swept together: one length is allowed, or one value", name,
                  values.size(), longest_name, longest);
      }
      if (values.size() > longest) {
        longest = values.size();
        longest_name = name;
      }
      lists.emplace_back(name, std::move(values));
    }
    found_.sizes.assign(longest, {});
    for (const auto& [name, values] : lists) {
      for (std::size_t i = 0; i < longest; ++i) found_.sizes[i][name] = values[values.size() == 1 ? 0 : i];
    }
  }

  void read_head() {
    if (const auto name = root_.text("name")) {
      if (!is_name(*name)) root_.fail(root_.line_of("name"), "name is \"{}\"; small letters, digits and _ are allowed", *name);
      found_.name = *name;
    } else {
      for (const char c : found_.file.stem().string()) {
        const char small = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        found_.name += is_name(std::string(1, small)) ? small : '_';
      }
    }
    for (auto [key, into] : {std::pair("useful_bytes", &found_.useful_bytes), std::pair("operations", &found_.operations)}) {
      if (const auto expression = root_.expression(key)) {
        *into = *expression;
        counts(root_, key, *expression, 1);
      }
    }
    if (const toml::node* node = root_.find("cache")) {
      const auto add = [&](const toml::node& one) {
        const Cache cache = root_.word("cache", one, kCaches) == 0 ? Cache::kCold : Cache::kWarm;
        if (is_among_caches(cache)) root_.fail(line_of(one), "cache names {} twice; once is allowed", to_string(cache));
        found_.caches.push_back(cache);
      };
      if (const toml::array* list = node->as_array()) {
        for (const toml::node& one : *list) add(one);
        if (list->empty()) root_.fail(line_of(*node), "cache is an empty list; allowed: cold, warm, or both");
      } else {
        add(*node);
      }
    }
    if (const toml::node* node = root_.find("tolerance")) read_tolerance(*node);
    found_.restores_each = root_.word("restore", kRestore).value_or(0) == 1;
  }

  bool is_among_caches(Cache cache) const {
    return std::find(found_.caches.begin(), found_.caches.end(), cache) != found_.caches.end();
  }

  void read_tolerance(const toml::node& node) {
    constexpr std::string_view kForm = "{ absolute = 1e-6 }, { relative = 1e-6 } or { ulp = 2 }";
    const toml::table& table = root_.table("tolerance", node, kForm);
    Keys keys(table, name_, "tolerance");
    for (auto [key, kind] : {std::pair("absolute", Tolerance::Kind::kAbsolute),
                             std::pair("relative", Tolerance::Kind::kRelative), std::pair("ulp", Tolerance::Kind::kUlp)}) {
      const auto expression = keys.expression(key);
      if (!expression) continue;
      if (found_.tolerance) keys.fail(expression->line, "more than one kind; one of {} is allowed", kForm);
      with_sizes(keys, key, *expression, [&, which = kind](const Sizes& sizes) {
        const double value = value_of(*expression, sizes);
        if (value < 0) throw Error("\"{}\" is {}; a number from 0 on is allowed", expression->text, value);
        found_.tolerance = Tolerance{which, value};
      });
    }
    keys.end();
    if (!found_.tolerance) keys.fail(line_of(node), "it is empty; {} is allowed", kForm);
  }

  // A name that nothing else has.
  std::string take_name(Keys& keys, std::string_view table) {
    const toml::node& node = keys.need("name", "a name that arguments use");
    std::string name = keys.text("name", node);
    if (!is_identifier(name))
      keys.fail(line_of(node), "name is \"{}\"; letters, digits and _ are allowed, a digit not first", name);
    if (!names_.emplace(name, line_of(node)).second)
      keys.fail(line_of(node), "the name {} is taken in line {}; each buffer, scalar and struct has its own", name,
                names_.at(name));
    keys.rename(fmt::format("{} {}", table, name));
    return name;
  }

  Type take_type(Keys& keys) {
    constexpr std::span<const std::string_view> kNumbers(kTypeNames.data(), kTypeNames.size() - 1);  // all but bool
    return static_cast<Type>(
        keys.word("type", keys.need("type", fmt::format("one of {}", fmt::join(kNumbers, ", "))), kNumbers));
  }

  // [low, high] of random numbers.
  void read_range(const Keys& keys, const toml::node& node, Buffer& buffer) {
    const toml::array* list = node.as_array();
    if (list == nullptr || list->size() != 2)
      keys.fail(line_of(node), "range is no [low, high] of two numbers; range = [-1, 1] is allowed");
    for (const toml::node& one : *list) {
      buffer.range.push_back(keys.expression("range", one));
      fits(keys, "range", buffer.range.back(), buffer.type);
    }
    with_sizes(keys, "range", buffer.range[1], [&](const Sizes& sizes) {
      const double low = value_of(buffer.range[0], sizes);
      const double high = value_of(buffer.range[1], sizes);
      if (low < high || (low == high && !is_float(buffer.type))) return;
      throw Error("[{}, {}]{}: the second is to be above the first; range = [-1, 1] is allowed", text_of(low), text_of(high),
                  with(buffer.range[1], sizes));
    });
  }

  // One for all elements, or a list with one for each.
  void read_values(const Keys& keys, const toml::node& node, Buffer& buffer) {
    buffer.content = Content::kValues;
    if (const toml::array* list = node.as_array()) {
      for (const toml::node& one : *list) buffer.values.push_back(keys.expression("value", one));
      if (buffer.values.empty() || buffer.values.size() > kMostElements)
        keys.fail(line_of(node), "value has {} elements; 1 to {} are allowed", buffer.values.size(), kMostElements);
      with_sizes(keys, "elements", buffer.elements, [&](const Sizes& sizes) {
        if (const std::uint64_t count = count_of(buffer.elements, sizes, 1); count != buffer.values.size())
          throw Error("\"{}\" is {}{}; value has {}: one for each, or one number for all, is allowed", buffer.elements.text,
                      count, with(buffer.elements, sizes), buffer.values.size());
      });
    } else {
      buffer.values.push_back(keys.expression("value", node));
    }
    for (const Expression& one : buffer.values) fits(keys, "value", one, buffer.type);
  }

  void read_buffer(const toml::table& table) {
    Keys keys(table, name_, "[[buffer]]");
    Buffer buffer;
    buffer.line = keys.line();
    buffer.name = take_name(keys, "[[buffer]]");
    buffer.type = take_type(keys);
    buffer.elements = keys.expression("elements", keys.need("elements", "a number or an expression of the sizes"));
    with_sizes(keys, "elements", buffer.elements, [&](const Sizes& sizes) {
      if (count_of(buffer.elements, sizes, 1) > (1ULL << 53) / bytes_of(buffer.type))
        throw Error("\"{}\" are more than 2^53 bytes", buffer.elements.text);
    });
    buffer.role = static_cast<Role>(keys.word("role", kRoles).value_or(0));
    const bool is_filled = buffer.role == Role::kIn || buffer.role == Role::kInout;
    const auto content = keys.word("content", kContents);
    const auto seed = keys.whole("seed", std::numeric_limits<std::int64_t>::max());
    if (const toml::node* range = keys.find("range")) read_range(keys, *range, buffer);
    const auto file = keys.text("file");
    const toml::node* const value = keys.find("value");
    const auto expected = keys.text("expected");
    keys.end();
    if (!is_filled) {
      for (const char* key : {"content", "seed", "range", "file", "value"}) {
        if (keys.has(key))
          keys.fail(keys.line_of(key), "{} of a buffer of role {}, which the kernel fills; allowed with role in or inout", key,
                    kRoles.at(static_cast<std::size_t>(buffer.role)));
      }
      buffer.content = Content::kZeros;
    }
    if (content) buffer.content = static_cast<Content>(*content);
    if (file) {
      if (content) keys.fail(keys.line_of("content"), "both content and file; one of them is allowed");
      buffer.content = Content::kFile;
      buffer.file = existing(keys, keys.line_of("file"), "file", *file);
    }
    if (value != nullptr) {
      if (content || file)
        keys.fail(line_of(*value), "both value and {}; one of them is allowed", content ? "content" : "file");
      read_values(keys, *value, buffer);
    }
    if (seed) {
      if (buffer.content != Content::kRandom)
        keys.fail(keys.line_of("seed"), "seed without content = \"random\"; leave it out");
      buffer.seed = *seed;
    }
    if (keys.has("range") && buffer.content != Content::kRandom)
      keys.fail(keys.line_of("range"), "range without content = \"random\"; leave it out");
    if (expected) {
      if (buffer.role != Role::kOut && buffer.role != Role::kInout)
        keys.fail(keys.line_of("expected"), "expected of a buffer of role {}; allowed with role out or inout",
                  kRoles.at(static_cast<std::size_t>(buffer.role)));
      buffer.expected = existing(keys, keys.line_of("expected"), "expected", *expected);
    }
    found_.buffers.push_back(std::move(buffer));
  }

  void read_scalar(const toml::table& table) {
    Keys keys(table, name_, "[[scalar]]");
    Scalar scalar;
    scalar.line = keys.line();
    scalar.name = take_name(keys, "[[scalar]]");
    scalar.type = take_type(keys);
    scalar.value = keys.expression("value", keys.need("value", "a number or an expression of the sizes"));
    keys.end();
    fits(keys, "value", scalar.value, scalar.type);
    found_.scalars.push_back(std::move(scalar));
  }

  void read_struct(const toml::table& table) {
    Keys keys(table, name_, "[[struct]]");
    Struct one;
    one.line = keys.line();
    one.name = take_name(keys, "[[struct]]");
    keys.need("members", "a list of { name = \"n\", type = \"u32\", value = \"n\" }");
    std::uint32_t end = 0;
    std::set<std::string> taken;
    for (const toml::table* member : keys.tables("members")) {
      for (Member& last : read_member(*member, one.name, end)) {
        if (!taken.insert(last.name).second)
          keys.fail(last.line, "two members are called {}; each has its own name", last.name);
        const auto bytes = static_cast<std::uint32_t>(bytes_of(last.type));
        end = last.offset + bytes;
        one.alignment = std::max(one.alignment, bytes);
        one.members.push_back(std::move(last));
      }
    }
    const auto bytes = keys.whole("bytes", kMostPush);
    keys.end();
    if (one.members.empty()) keys.fail(keys.line_of("members"), "members is empty; one member or more is allowed");
    one.bytes = (end + one.alignment - 1) / one.alignment * one.alignment;
    if (bytes) {
      if (*bytes < end) keys.fail(keys.line_of("bytes"), "bytes is {}; the last member ends at {}", *bytes, end);
      one.bytes = static_cast<std::uint32_t>(*bytes);
    }
    found_.structs.push_back(std::move(one));
  }

  // One, or those that a vector or an array is made of: "name_0", "name_1", ...
  std::vector<Member> read_member(const toml::table& table, const std::string& of, std::uint32_t end) {
    Keys keys(table, name_, fmt::format("[[struct]] {}, a member", of));
    Member member;
    member.line = keys.line();
    const toml::node& name = keys.need("name", "a name");
    member.name = keys.text("name", name);
    if (!is_identifier(member.name))
      keys.fail(line_of(name), "name is \"{}\"; letters, digits and _ are allowed, a digit not first", member.name);
    keys.rename(fmt::format("[[struct]] {}, member {}", of, member.name));
    std::vector<Expression> values;
    if (const auto address = keys.text("address")) {
      member.type = Type::kU64;
      const auto at = std::find_if(found_.buffers.begin(), found_.buffers.end(),
                                   [&](const Buffer& buffer) { return buffer.name == *address; });
      if (at == found_.buffers.end())
        keys.fail(keys.line_of("address"), "address = \"{}\": no such buffer{}", *address, known_names(*address));
      member.buffer = static_cast<std::size_t>(at - found_.buffers.begin());
      member.value = {"0", keys.line()};
      used_.insert(*address);
    } else {
      member.type = take_type(keys);
      const toml::node& value =
          keys.need("value", "a number, an expression of the sizes or a list of these, or address = \"a buffer\"");
      if (const toml::array* list = value.as_array()) {
        for (const toml::node& one : *list) values.push_back(keys.expression("value", one));
        if (values.empty() || values.size() > kMostElements)
          keys.fail(line_of(value), "value has {} elements; 1 to {} are allowed", values.size(), kMostElements);
      } else {
        member.value = keys.expression("value", value);
        fits(keys, "value", member.value, member.type);
      }
    }
    if (const auto count = keys.whole("count", kMostElements)) {
      if (*count == 0 || !values.empty() || member.buffer)
        keys.fail(keys.line_of("count"), "count is {}; 1 to {} are allowed, with one value", *count, kMostElements);
      values.assign(*count, member.value);
    }
    const auto alignment = static_cast<std::uint32_t>(bytes_of(member.type));
    member.offset = (end + alignment - 1) / alignment * alignment;
    if (const auto offset = keys.whole("offset", kMostPush)) {
      if (*offset < end || *offset % alignment != 0) {
        keys.fail(keys.line_of("offset"), "offset is {}; a multiple of {} from {} on is allowed: the member before ends there",
                  *offset, alignment, end);
      }
      member.offset = static_cast<std::uint32_t>(*offset);
    }
    keys.end();
    if (values.empty()) return {member};
    std::vector<Member> all;
    for (const Expression& value : values) {
      fits(keys, "value", value, member.type);
      Member element = member;
      element.name = fmt::format("{}_{}", member.name, all.size());
      element.value = value;
      element.offset = member.offset + static_cast<std::uint32_t>(all.size()) * alignment;
      all.push_back(std::move(element));
    }
    return all;
  }

  void read_side(const toml::table& table) {
    const std::string what = fmt::format("[[side]] {}", found_.sides.size() + 1);
    Keys keys(table, name_, what);
    Side side;
    side.line = keys.line();
    side.name = keys.text("name").value_or("");
    if (keys.has("name") && (side.name.empty() || side.name.size() > 40 || has_control_character(side.name) ||
                             side.name.find_first_of(",\"") != std::string::npos))
      keys.fail(keys.line_of("name"), "name is \"{}\"; 1 to 40 characters are allowed, without commas, quotes and tabs",
                side.name);
    const std::vector<const toml::table*> steps = keys.tables("step");
    if (keys.has("step")) {
      keys.end();
      if (steps.empty()) keys.fail(keys.line_of("step"), "step is empty; one [[side.step]] or more is allowed");
      for (std::size_t i = 0; i < steps.size(); ++i) {
        Keys own(*steps[i], name_, fmt::format("{}, step {}", what, i + 1));
        side.steps.push_back(read_step(own, side, i));
      }
    } else {
      side.steps.push_back(read_step(keys, side, 0));
    }
    found_.sides.push_back(std::move(side));
  }

  // While a step is read, expressions may name what is its own.
  struct InHand {
    InHand(Reader& reader, const Step& step) : of(reader) { of.in_hand_ = &step; }
    InHand(const InHand&) = delete;
    InHand& operator=(const InHand&) = delete;
    ~InHand() noexcept { of.in_hand_ = nullptr; }
    Reader& of;
  };

  Step read_step(Keys& keys, Side& side, std::size_t index) {
    Step step;
    step.line = keys.line();
    const toml::node& file = keys.need("file", "a kernel's file");
    const std::string name = keys.text("file", file);
    const std::string ending = fs::path(name).extension().string();
    const bool is_cuda = is_among(ending, kCudaEndings);
    if (ending == ".cuh" || ending == ".glsl") {
      keys.fail(line_of(file), "file = \"{}\": a header; a {} file that includes it is allowed", name,
                ending == ".cuh" ? ".cu" : ".comp");
    }
    if (!is_cuda && !is_among(ending, kVulkanEndings)) {
      keys.fail(line_of(file), "file = \"{}\": the ending tells the language; allowed: {}, {}", name,
                fmt::join(kCudaEndings, ", "), fmt::join(kVulkanEndings, ", "));
    }
    const SideApi api = is_cuda ? SideApi::kCuda : SideApi::kVulkan;
    if (index > 0 && api != side.api)
      keys.fail(line_of(file), "file = \"{}\" is a {} kernel in a side of {}; all steps of a side are of one API", name,
                to_string(api), to_string(side.api));
    side.api = api;
    step.file = existing(keys, line_of(file), "file", name);
    const bool is_source = ending == ".cu" || ending == ".comp";

    step.entry = keys.text("entry").value_or("");
    if (keys.has("entry") && step.entry.empty())
      keys.fail(keys.line_of("entry"), "entry is empty; an entry's name is allowed, or leave it out");
    const InHand in_hand(*this, step);
    refuse_elsewhere(keys, is_cuda, {"shared_bytes"}, "a CUDA kernel (.cu, .ptx, .cubin)");
    refuse_elsewhere(keys, !is_cuda, {"constants", "subgroup_size"}, "a Vulkan kernel (.comp, .spv)");
    refuse_elsewhere(keys, is_source, {"flags", "include", "defines"}, "a source (.cu, .comp)");
    refuse_elsewhere(keys, ending == ".cu", {"instance"}, "a .cu file");
    if (ending == ".cu") {
      step.instance = keys.text("instance").value_or("");
      if (keys.has("instance")) check_instance(keys, step);
    }
    if (is_source) {
      step.flags = keys.texts("flags");
      for (const std::string& folder : keys.texts("include"))
        step.include.push_back(existing(keys, keys.line_of("include"), "include", folder, true));
      if (const toml::node* node = keys.find("defines")) step.defines = read_defines(keys, *node);
    }
    if (is_cuda) {
      step.subgroup_size = 32;
      if (const auto bytes = keys.expression("shared_bytes")) {
        step.shared_bytes = *bytes;
        counts(keys, "shared_bytes", *bytes, 0, 1 << 20);
      }
    } else {
      if (const auto size = keys.whole("subgroup_size", 128)) {
        if (*size == 0 || (*size & (*size - 1)) != 0)
          keys.fail(keys.line_of("subgroup_size"), "subgroup_size is {}; a power of two from 1 to 128 is allowed", *size);
        step.subgroup_size = static_cast<std::uint32_t>(*size);
      }
      if (const toml::node* node = keys.find("constants")) step.constants = read_constants(keys, *node);
    }
    if (const auto barrier = keys.yes_or_no("barrier")) {
      if (index == 0)
        keys.fail(keys.line_of("barrier"),
                  "barrier of a first launch, which has none before it; allowed from a side's second step on");
      step.barrier = *barrier;
    }
    read_arguments(keys, step, is_cuda);
    step.block = read_dimensions(keys, "block", is_cuda, is_cuda ? kMostThreads : kMostGridX, is_cuda ? 64 : kMostGridYZ);
    if (is_cuda) check_threads(keys, step);
    step.grid = read_dimensions(keys, "grid", true, kMostGridX, kMostGridYZ);
    keys.end();
    return step;
  }

  static void refuse_elsewhere(const Keys& keys, bool is_allowed, std::initializer_list<const char*> names,
                               std::string_view where) {
    for (const char* name : names) {
      if (!is_allowed && keys.has(name))
        keys.fail(keys.line_of(name), "{} is not a key of this file's kind; allowed with {}", name, where);
    }
  }

  void check_instance(const Keys& keys, const Step& step) {
    const std::uint32_t line = keys.line_of("instance");
    const std::size_t bracket = step.instance.find('<');
    const bool is_one_line = step.instance.find_first_of(";{}\n\r\"#\\") == std::string::npos;
    if (bracket == std::string::npos || bracket == 0 || !step.instance.ends_with('>') || !is_one_line)
      keys.fail(line, "instance is \"{}\"; a template with its arguments is allowed, \"saxpy<float, 4>\"", step.instance);
    if (keys.has("entry")) keys.fail(line, "both entry and instance; one of them is allowed");
  }

  std::vector<std::pair<std::string, std::string>> read_defines(const Keys& keys, const toml::node& node) {
    std::vector<std::pair<std::string, std::string>> all;
    for (const auto& [key, value] : keys.table("defines", node, "{ NAME = value }")) {
      const std::string name(key.str());
      if (!is_identifier(name))
        keys.fail(line_of(value), "defines has \"{}\"; letters, digits and _ are allowed, a digit not first", name);
      if (const auto* yes = value.as_boolean()) {
        all.emplace_back(name, yes->get() ? "1" : "0");
      } else if (value.is_string()) {
        all.emplace_back(name, keys.text(name, value));
      } else {
        all.emplace_back(name, keys.expression(name, value).text);
      }
    }
    return all;
  }

  std::vector<Constant> read_constants(const Keys& keys, const toml::node& node) {
    std::vector<Constant> all;
    for (const auto& [key, value] : keys.table("constants", node, "{ 0 = 256 }, by the constants' ids,")) {
      const std::string text(key.str());
      const std::uint32_t line = line_of(value);
      if (text.empty() || text.size() > 9 || text.find_first_not_of("0123456789") != std::string::npos ||
          (text.size() > 1 && text[0] == '0'))
        keys.fail(line, "constants has the key \"{}\"; a specialization constant's id is allowed: 0, 1, ...", text);
      Constant constant;
      constant.id = static_cast<std::uint32_t>(std::stoul(text));
      const std::string name = "constants." + text;
      if (const auto* yes = value.as_boolean()) {
        constant.type = Type::kBool;
        constant.value = {yes->get() ? "1" : "0", line};
      } else if (const toml::table* table = value.as_table()) {
        Keys own(*table, name_, fmt::format("{}: {}", keys.what(), name));
        constant.type = take_constant_type(own);
        constant.value = own.expression("value", own.need("value", "a number or an expression of the sizes"));
        own.end();
      } else {
        constant.value = keys.expression(name, value);
        const bool is_negative = value.is_integer() && value.as_integer()->get() < 0;
        constant.type = value.is_floating_point() ? Type::kF32 : is_negative ? Type::kI32 : Type::kU32;
      }
      fits(keys, name, constant.value, constant.type);
      all.push_back(std::move(constant));
    }
    std::sort(all.begin(), all.end(), [](const Constant& a, const Constant& b) { return a.id < b.id; });
    return all;
  }

  Type take_constant_type(Keys& keys) const {
    std::vector<std::string_view> names(kTypeNames.begin(), kTypeNames.end());
    std::erase(names, to_string(Type::kBf16));  // which no core SPIR-V has
    const std::size_t word = keys.word("type", keys.need("type", fmt::format("one of {}", fmt::join(names, ", "))), names);
    return static_cast<Type>(std::ranges::find(kTypeNames, names[word]) - kTypeNames.begin());
  }

  std::array<Expression, 3> read_dimensions(Keys& keys, const char* key, bool is_needed, std::uint64_t most_x,
                                            std::uint64_t most_other) {
    std::array<Expression, 3> all;
    const toml::node* node = is_needed ? &keys.need(key, "a list of one to three numbers or expressions") : keys.find(key);
    if (node == nullptr) return all;
    all.fill({"1", line_of(*node)});
    if (const toml::array* list = node->as_array()) {
      if (list->empty() || list->size() > 3)
        keys.fail(line_of(*node), "{} has {} dimensions; one to three are allowed", key, list->size());
      for (std::size_t i = 0; i < list->size(); ++i) all.at(i) = keys.expression(key, (*list)[i]);
    } else {
      all[0] = keys.expression(key, *node);
    }
    for (std::size_t i = 0; i < 3; ++i) {
      counts(keys, fmt::format("{}.{}", key, "xyz"[i]), all.at(i), 1,
             i == 0                                       ? most_x
             : i == 1 && std::string_view(key) == "block" ? most_x
                                                          : most_other);
    }
    return all;
  }

  void check_threads(const Keys& keys, const Step& step) {
    with_sizes(keys, "block", step.block[0], [&](const Sizes& sizes) {
      std::uint64_t threads = 1;
      for (const Expression& one : step.block) threads *= count_of(one, sizes, 1);
      if (threads > kMostThreads) throw Error("{} threads; at most {} are allowed", threads, kMostThreads);
    });
  }

  // "; allowed: a, n, x" with the near ones first.
  std::string known_names(const std::string& name) const {
    std::vector<std::string> all;
    for (const auto& [known, line] : names_) all.push_back(known);
    if (all.empty()) return "; the file has no [[buffer]], [[scalar]] or [[struct]]";
    return fmt::format("{}; allowed: {}", near_names(name, all), fmt::join(all, ", "));
  }

  void find_argument(const Keys& keys, Argument& argument) {
    const auto look = [&](const auto& all, Argument::Kind kind) {
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].name != argument.name) continue;
        argument.kind = kind;
        argument.index = i;
        return true;
      }
      return false;
    };
    if (!look(found_.buffers, Argument::Kind::kBuffer) && !look(found_.scalars, Argument::Kind::kScalar) &&
        !look(found_.structs, Argument::Kind::kStruct)) {
      keys.fail(argument.line, "\"{}\" is the name of no buffer, scalar or struct{}", argument.name,
                known_names(argument.name));
    }
    used_.insert(argument.name);
  }

  std::uint32_t bytes_of_argument(const Argument& argument) const {
    if (argument.kind == Argument::Kind::kBuffer) return 8;
    return argument.kind == Argument::Kind::kScalar ? static_cast<std::uint32_t>(bytes_of(found_.scalars[argument.index].type))
                                                    : found_.structs[argument.index].bytes;
  }

  void read_arguments(Keys& keys, Step& step, bool is_cuda) {
    const std::string_view form = is_cuda ? "a list of names, [\"n\", \"x\", \"y\"], in the kernel's order"
                                          : "a list of { name = \"x\", set = 0, binding = 0 } and { name = \"n\", push = 0 }";
    const toml::node& node = keys.need("arguments", form);
    if (!node.is_array()) keys.fail(line_of(node), "arguments is {}; {} is allowed", kind_of(node), form);
    for (const toml::node& one : *node.as_array()) {
      if (is_cuda ? !one.is_string() : !one.is_table())
        keys.fail(line_of(one), "arguments holds {}; {} is allowed", kind_of(one), form);
      Argument argument;
      argument.line = line_of(one);
      if (is_cuda) {
        argument.name = keys.text("arguments", one);
        find_argument(keys, argument);
      } else {
        read_vulkan_argument(keys, *one.as_table(), argument);
      }
      step.arguments.push_back(std::move(argument));
    }
    check_places(keys, step);
  }

  void read_vulkan_argument(const Keys& step, const toml::table& table, Argument& argument) {
    Keys keys(table, name_, fmt::format("{}, an argument", step.what()));
    argument.name = keys.text("name", keys.need("name", "the name of a buffer, scalar or struct"));
    keys.rename(fmt::format("{}, argument {}", step.what(), argument.name));
    find_argument(keys, argument);
    const bool is_buffer = argument.kind == Argument::Kind::kBuffer;
    const auto as = keys.word("as", kAs);
    const auto set = keys.whole("set", 31);
    const auto binding = keys.whole("binding", 1 << 20);
    const auto push = keys.whole("push", kMostPush);
    keys.end();
    const bool is_address = as && *as == 2;
    if (is_address && !is_buffer)
      keys.fail(keys.line_of("as"), "as = \"address\" of what is no buffer; a buffer alone has an address");
    if (push && (binding || set)) keys.fail(keys.line_of("push"), "both push and a binding; one of them is allowed");
    if (push && as && !is_address)
      keys.fail(keys.line_of("as"), "as = \"{}\" with push; {} is allowed", kAs.at(*as), is_buffer ? "\"address\"" : "no as");
    if (is_address && !push)
      keys.fail(argument.line, "as = \"address\" without push; the byte offset in the push constants is needed: push = 0");
    if (!push && !binding)
      keys.fail(argument.line, "neither binding nor push; set and binding, or a byte offset in the push constants, is needed");
    if (push) {
      argument.as = As::kPush;
      argument.push = static_cast<std::uint32_t>(*push);
      const std::uint32_t alignment = is_buffer                                  ? 8
                                      : argument.kind == Argument::Kind::kScalar ? bytes_of_argument(argument)
                                                                                 : found_.structs[argument.index].alignment;
      if (argument.push % alignment != 0)
        keys.fail(keys.line_of("push"), "push is {}; a multiple of {} is allowed for {}", argument.push, alignment,
                  argument.name);
    } else {
      argument.as = as ? (*as == 1 ? As::kUniform : As::kStorage) : is_buffer ? As::kStorage : As::kUniform;
      argument.set = static_cast<std::uint32_t>(set.value_or(0));
      argument.binding = static_cast<std::uint32_t>(*binding);
      refuse_addresses(keys, argument);
    }
  }

  // Addresses are known when a launch is made: they can stand in its parameters alone.
  void refuse_addresses(const Keys& keys, const Argument& argument) const {
    if (argument.kind != Argument::Kind::kStruct) return;
    for (const Member& member : found_.structs[argument.index].members) {
      if (!member.buffer) continue;
      keys.fail(argument.line, "the struct {} holds the address of {}; it is allowed in the push constants alone: push = 0",
                argument.name, found_.buffers[*member.buffer].name);
    }
  }

  // No two arguments in one place.
  void check_places(const Keys& keys, const Step& step) const {
    for (std::size_t i = 0; i < step.arguments.size(); ++i) {
      const Argument& a = step.arguments[i];
      for (std::size_t j = 0; j < i; ++j) {
        const Argument& b = step.arguments[j];
        if (a.as == As::kParameter) continue;
        if ((a.as == As::kPush) != (b.as == As::kPush)) continue;
        if (a.as != As::kPush && a.set == b.set && a.binding == b.binding)
          keys.fail(a.line, "arguments {} and {} are both at set {}, binding {}; one is allowed", b.name, a.name, a.set,
                    a.binding);
        if (a.as == As::kPush && a.push < b.push + bytes_of_argument(b) && b.push < a.push + bytes_of_argument(a)) {
          keys.fail(a.line, "arguments {} and {} overlap in the push constants: bytes {} to {} and {} to {}", b.name, a.name,
                    b.push, b.push + bytes_of_argument(b), a.push, a.push + bytes_of_argument(a));
        }
      }
    }
  }

  void name_sides() {
    if (found_.sides.size() == 2 && !found_.sides[0].name.empty() && found_.sides[0].name == found_.sides[1].name)
      root_.fail(found_.sides[1].line, "both sides are called {}; each has its own name", found_.sides[0].name);
    const bool are_two_apis = found_.sides.size() < 2 || found_.sides[0].api != found_.sides[1].api;
    std::vector<std::string> names;
    for (const Side& side : found_.sides) {
      const Step& first = side.steps.front();
      names.push_back(are_two_apis ? std::string(to_string(side.api)) : first.file.filename().string());
    }
    if (names.size() == 2 && names[0] == names[1]) {
      for (std::size_t i = 0; i < 2; ++i) {
        const Step& first = found_.sides[i].steps.front();
        const std::string kernel = first.instance + first.entry;
        if (!kernel.empty()) names[i] += " " + kernel;
      }
    }
    if (names.size() == 2 && names[0] == names[1]) {
      names[0] += " (1)";
      names[1] += " (2)";
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (found_.sides[i].name.empty()) found_.sides[i].name = names[i];
    }
  }

  void check_use() {
    for (const auto& [name, line] : names_) {
      if (!used_.contains(name)) root_.fail(line, "{} is an argument of no side; use it or leave it out", name);
    }
    bool has_output = false;
    for (std::size_t i = 0; i < found_.buffers.size(); ++i) {
      const Buffer& buffer = found_.buffers[i];
      if (buffer.role != Role::kOut && buffer.role != Role::kInout) continue;
      has_output = true;
      for (const Side& side : found_.sides) {
        const bool takes = std::any_of(side.steps.begin(), side.steps.end(), [&](const Step& step) {
          return std::any_of(step.arguments.begin(), step.arguments.end(),
                             [&](const Argument& argument) { return names_buffer(argument, i); });
        });
        if (!takes)
          root_.fail(buffer.line, "the output {} is no argument of side {}; both sides write it, or it has role scratch",
                     buffer.name, side.name);
      }
    }
    if (!has_output) root_.fail(1, "no buffer has role out or inout, so no result could be checked; one or more is needed");
  }

  bool names_buffer(const Argument& argument, std::size_t buffer) const {
    if (argument.kind == Argument::Kind::kBuffer) return argument.index == buffer;
    if (argument.kind != Argument::Kind::kStruct) return false;
    const std::vector<Member>& members = found_.structs[argument.index].members;
    return std::any_of(members.begin(), members.end(), [&](const Member& member) { return member.buffer == buffer; });
  }

  std::string name_;
  fs::path folder_;
  const Step* in_hand_ = nullptr;
  Keys root_;
  Description found_;
  std::map<std::string, std::uint32_t> names_;  // of buffers, scalars and structs, with their lines
  std::set<std::string> used_;
};

// The line of the first byte outside ASCII that stands in no text and no comment, where TOML allows none; 0: there is none.
// toml++ 3.3 runs into undefined behaviour on some.
std::uint32_t line_of_stray_byte(std::string_view text) {
  std::uint32_t line = 1;
  std::string_view until;  // what ends the text or the comment that this byte stands in
  const bool has_mark = text.starts_with("\xef\xbb\xbf");
  for (std::size_t i = has_mark ? 3 : 0; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i);
    if (rest[0] == '\n') ++line;
    if (until.empty()) {
      if (static_cast<unsigned char>(rest[0]) >= 0x80) return line;
      for (const std::string_view begin : {R"(""")", "\'\'\'", "\"", "\'", "#"}) {
        if (!rest.starts_with(begin)) continue;
        until = begin == "#" ? "\n" : begin;
        i += begin.size() - 1;
        break;
      }
    } else if (rest[0] == '\\' && until[0] == '"') {
      if (rest.size() > 1 && rest[1] != '\n') ++i;
    } else if (rest.starts_with(until) || (until.size() == 1 && rest[0] == '\n')) {
      i += until.size() - 1;
      until = {};
    }
  }
  return 0;
}

}  // namespace

Description read_description(std::string_view text, const fs::path& file) {
  if (const std::uint32_t line = line_of_stray_byte(text); line != 0)
    throw UsageError("{}:{}: a character outside ASCII; allowed within quotes and in comments", file.string(), line);
  toml::table root;
  try {
    root = toml::parse(text, file.string());
  } catch (const toml::parse_error& error) {
    std::string what(error.description());
    std::replace_if(
        what.begin(), what.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
    throw UsageError("{}:{}: {}; see toml.io for the language", file.string(),
                     std::max<std::uint32_t>(error.source().begin.line, 1), what);
  }
  return Reader(root, file).read();
}

Description read_description(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error))
    throw UsageError("{}: no such file; a TOML file that describes the kernels is needed (--init writes a first one)",
                     file.string());
  constexpr std::string_view kKernels[] = {".cu", ".ptx", ".cubin", ".comp", ".spv"};
  if (std::ranges::find(kKernels, file.extension().string()) != std::end(kKernels))
    throw UsageError("{}: a kernel, and no TOML file; own_kernel --init {} writes a first one", file.string(), file.string());
  if (const auto bytes = fs::file_size(file, error); error || bytes > kMostTomlBytes)
    throw UsageError("{}: {} bytes; a TOML file of at most {} is allowed", file.string(), bytes, kMostTomlBytes);
  std::ifstream in(file, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (!in) throw UsageError("{}: cannot be read", file.string());
  return read_description(std::string_view(text), file);
}

}  // namespace bench::own
