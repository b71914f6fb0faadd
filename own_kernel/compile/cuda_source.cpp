#include "compile/cuda_source.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <string_view>
#include <utility>

#include "compile/cuda_code.h"

namespace bench::own {
namespace {

namespace fs = std::filesystem;

// Of C++'s words for a type, without const and *.
std::optional<Type> type_of(const std::string& words) {
  static const std::map<std::string, Type> known = {{"float", Type::kF32},
                                                    {"float2", Type::kF32},
                                                    {"float3", Type::kF32},
                                                    {"float4", Type::kF32},
                                                    {"double", Type::kF64},
                                                    {"double2", Type::kF64},
                                                    {"half", Type::kF16},
                                                    {"__half", Type::kF16},
                                                    {"half2", Type::kF16},
                                                    {"__half2", Type::kF16},
                                                    {"__nv_bfloat16", Type::kBf16},
                                                    {"nv_bfloat16", Type::kBf16},
                                                    {"int", Type::kI32},
                                                    {"int32_t", Type::kI32},
                                                    {"int2", Type::kI32},
                                                    {"int4", Type::kI32},
                                                    {"unsigned", Type::kU32},
                                                    {"unsigned int", Type::kU32},
                                                    {"uint", Type::kU32},
                                                    {"uint32_t", Type::kU32},
                                                    {"uint2", Type::kU32},
                                                    {"uint4", Type::kU32},
                                                    {"short", Type::kI16},
                                                    {"int16_t", Type::kI16},
                                                    {"unsigned short", Type::kU16},
                                                    {"uint16_t", Type::kU16},
                                                    {"char", Type::kI8},
                                                    {"signed char", Type::kI8},
                                                    {"int8_t", Type::kI8},
                                                    {"unsigned char", Type::kU8},
                                                    {"uint8_t", Type::kU8},
                                                    {"bool", Type::kU8},
                                                    {"long", Type::kI64},
                                                    {"long long", Type::kI64},
                                                    {"int64_t", Type::kI64},
                                                    {"unsigned long", Type::kU64},
                                                    {"unsigned long long", Type::kU64},
                                                    {"uint64_t", Type::kU64},
                                                    {"size_t", Type::kU64}};
  std::string text = std::regex_replace(
      words,
      std::regex("\\b(std::|const\\b|volatile\\b|__restrict__\\b|__restrict\\b|restrict\\b|__grid_constant__\\b|struct\\b)"),
      " ");
  text = std::regex_replace(text, std::regex("[*&]"), " ");
  text = std::regex_replace(text, std::regex("\\s+"), " ");
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string::npos) return std::nullopt;
  text = text.substr(begin, text.find_last_not_of(' ') - begin + 1);
  if (text == "unsigned long long int") text = "unsigned long long";
  const auto found = known.find(text);
  return found == known.end() ? std::nullopt : std::optional(found->second);
}

// At commas that stand in no brackets.
std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    if (c == '(' || c == '<' || c == '[') ++depth;
    if (c == ')' || c == '>' || c == ']') --depth;
    if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  if (parts.size() == 1 && parts[0].find_first_not_of(" \t\n") == std::string::npos) parts.clear();
  return parts;
}

// The text between the bracket at `open` and its partner; "" if it has none.
std::string in_brackets(const std::string& text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return text.substr(open + 1, i - open - 1);
  }
  return "";
}

// "a::b::" of the named namespaces that are open at a place of a source.
std::string namespaces_at(const std::string& text, std::size_t at) {
  std::vector<std::string> open;  // a name for each bracket
  std::string next;
  for (std::size_t i = 0; i < at; ++i) {
    std::smatch found;
    if (text.compare(i, 10, "namespace ") == 0) {
      const std::string rest = text.substr(i, 200);
      if (std::regex_search(rest, found, std::regex("^namespace\\s+([A-Za-z_][A-Za-z0-9_:]*)\\s*\\{")))
        next = found[1].str() + "::";
    }
    if (text[i] == '{') open.push_back(std::exchange(next, ""));
    if (text[i] == '}' && !open.empty()) open.pop_back();
  }
  return fmt::format("{}", fmt::join(open, ""));
}

// Of "template <typename T, int N>": "float, 4"; "" of what is no template.
std::string guessed_arguments(const std::string& head) {
  std::smatch found;
  if (!std::regex_search(head, found, std::regex("\\btemplate\\s*<([^<>]*)>"))) return "";
  std::vector<std::string> arguments;
  for (const std::string& one : split(found[1].str())) {
    const bool is_type = std::regex_search(one, std::regex("\\b(typename|class)\\b"));
    arguments.emplace_back(is_type ? "float" : std::regex_search(one, std::regex("\\bbool\\b")) ? "true" : "4");
  }
  return fmt::format("{}", fmt::join(arguments, ", "));
}

// Of a demangled name: "void saxpy<float, 4>(unsigned int, float const*)".
std::vector<std::string> types_in(const std::string& name) {
  const std::string text = demangled(name);
  const std::size_t open = text.find('(');
  return open == std::string::npos ? std::vector<std::string>() : split(in_brackets(text, open));
}

}  // namespace

std::string source_text(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  text.resize(std::min<std::size_t>(text.size(), 1 << 20));
  // Comments would stand in the way.
  std::string bare;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "//") == 0) {
      i = std::min(text.find('\n', i), text.size());
      bare += '\n';
    } else if (text.compare(i, 2, "/*") == 0) {
      i = std::min(text.find("*/", i), text.size()) + 1;
      bare += ' ';
    } else {
      bare += text[i];
    }
  }
  return bare;
}

std::string preprocessed_text(const fs::path& file, const fs::path& toolkit) {
  constexpr std::string_view kAttribute = "__attribute__((global))";
  std::ifstream in(file, std::ios::binary);
  std::string text;
  bool is_users = true;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("# ")) {  // # 12 "file" flags
      const std::size_t begin = line.find('"');
      const std::size_t end = line.rfind('"');
      if (begin == std::string::npos || end <= begin + 1) continue;
      const std::string from = fs::path(line.substr(begin + 1, end - begin - 1)).lexically_normal().string();
      is_users = !from.starts_with("/usr/") && !from.starts_with(toolkit.lexically_normal().string()) && from[0] != '<';
    } else if (is_users) {
      for (std::size_t at = line.find(kAttribute); at != std::string::npos; at = line.find(kAttribute))
        line.replace(at, kAttribute.size(), "__global__");
      text += line + '\n';
    }
  }
  return text;
}

std::vector<DeclaredKernel> declared_kernels(const std::string& text) {
  std::vector<DeclaredKernel> all;
  for (std::size_t at = text.find("__global__"); at != std::string::npos; at = text.find("__global__", at + 1)) {
    std::size_t i = at + std::string_view("__global__").size();
    for (; i < text.size() && text[i] != ';' && text[i] != '{'; ++i) {
      if (text[i] != '(') continue;
      std::size_t end = text.find_last_not_of(" \t\n", i - 1);
      if (end == std::string::npos) break;
      std::size_t begin = end;
      while (begin > at && (std::isalnum(static_cast<unsigned char>(text[begin])) != 0 || text[begin] == '_')) --begin;
      const std::string name = text.substr(begin + 1, end - begin);
      const std::string inside = in_brackets(text, i);
      if (name == "__launch_bounds__" || name == "__block_size__" || name == "__cluster_dims__" ||
          name.starts_with("__attribute")) {
        i += inside.size() + 1;
        continue;
      }
      const std::size_t before = text.find_last_of(";}", at);
      const std::string head =
          text.substr(before == std::string::npos ? 0 : before + 1, at - (before == std::string::npos ? 0 : before + 1));
      all.push_back({namespaces_at(text, at) + name, guessed_arguments(head), split(inside)});
      break;
    }
  }
  return all;
}

DeclaredParameter declared_parameter(const std::string& words) {
  DeclaredParameter declared;
  std::string text = words.substr(0, words.find('='));
  declared.is_pointer = text.find('*') != std::string::npos || text.find('[') != std::string::npos;
  text = text.substr(0, text.find('['));
  // The last word is the name, unless it is a part of the type.
  std::smatch found;
  const bool has_name = std::regex_search(text, found, std::regex("([A-Za-z_][A-Za-z0-9_]*)\\s*$")) &&
                        !type_of(found[1].str()) && found[1].str() != "const" && found[1].str() != "int" &&
                        found[1].str() != "__restrict__" && found.position(1) > 0;
  if (has_name) {
    declared.name = found[1].str();
    text = text.substr(0, static_cast<std::size_t>(found.position(1)));
  }
  declared.is_table = std::count(text.begin(), text.end(), '*') > 1 && text.find('(') == std::string::npos;
  // "float* const" is a constant pointer to what may be written.
  declared.is_const = declared.is_pointer && std::regex_search(text.substr(0, text.rfind('*')), std::regex("\\bconst\\b"));
  declared.type = type_of(text);
  declared.is_vector = std::regex_search(text, std::regex("[a-z][234]\\b"));
  std::smatch word;
  if (!declared.is_pointer && !declared.type &&
      std::regex_search(text, word, std::regex("([A-Za-z_][A-Za-z0-9_]*)\\s*&?\\s*$")))
    declared.type_name = word[1].str();
  return declared;
}

// What stands behind `name` and its template's arguments in a demangled name, before its parameters.
std::string bare_name(const std::string& name) {
  std::string text = demangled(name);
  text = text.substr(0, std::min(text.find('('), text.find('<')));
  return text.substr(text.find_last_of(" :") + 1);
}

std::vector<DeclaredParameter> declared_parameters(const std::string& entry, const std::vector<DeclaredKernel>& source,
                                                   std::size_t count) {
  const std::vector<std::string> types = types_in(entry);
  const std::string name = bare_name(entry);
  const auto declared = std::ranges::find_if(
      source, [&](const DeclaredKernel& one) { return bare_name(one.name) == name && one.parameters.size() == count; });
  if (declared == source.end() && types.size() != count) return {};
  std::vector<DeclaredParameter> all(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (declared != source.end()) all[i] = declared_parameter(declared->parameters[i]);
    if (types.size() != count) continue;
    DeclaredParameter by_type = declared_parameter(types[i] + " x");  // the compiler's own word
    by_type.name = all[i].name;
    if (!by_type.type) by_type.type = all[i].type;
    all[i] = std::move(by_type);
  }
  return all;
}

}  // namespace bench::own
