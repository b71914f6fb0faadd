#include "compile/stored_addresses.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <string_view>
#include <vector>

namespace bench::own {
namespace {

using Word = std::uint32_t;

// SPIR-V specification, sections 3.7 and 3.49.
enum Op : Word {
  kName = 5,
  kEntryPoint = 15,
  kTypeArray = 28,
  kTypeRuntimeArray = 29,
  kTypeStruct = 30,
  kTypePointer = 32,
  kFunction = 54,
  kFunctionCall = 57,
  kVariable = 59,
  kLoad = 61,
};
constexpr Word kUniform = 2;
constexpr Word kStorageBuffer = 12;
constexpr Word kPhysicalStorageBuffer = 5349;
constexpr Word kGlCompute = 5;
constexpr std::size_t kHeaderWords = 5;
constexpr int kDeepest = 32;  // of types in types

struct Instruction {
  Word op = 0;
  std::vector<Word> words = {};  // its operands
  Word at(std::size_t i) const { return i < words.size() ? words[i] : 0; }
};

std::string text_at(const Instruction& one, std::size_t first) {
  std::string text;
  for (std::size_t i = first; i < one.words.size(); ++i) {
    for (int shift = 0; shift < 32; shift += 8) {
      const char c = static_cast<char>((one.words[i] >> shift) & 0xff);
      if (c == 0) return text;
      text += c;
    }
  }
  return text;
}

class Module {
 public:
  explicit Module(std::span<const std::byte> bytes) {
    std::vector<Word> words(bytes.size() / sizeof(Word));
    if (!words.empty()) std::memcpy(words.data(), bytes.data(), words.size() * sizeof(Word));
    Word function = 0;
    for (std::size_t i = kHeaderWords; i < words.size();) {
      const std::size_t count = words[i] >> 16;
      if (count == 0 || count > words.size() - i) break;
      const auto begin = words.begin() + static_cast<std::ptrdiff_t>(i);
      Instruction one = {words[i] & 0xffff, {begin + 1, begin + static_cast<std::ptrdiff_t>(count)}};
      i += count;
      if (one.op == kName) names_[one.at(0)] = text_at(one, 1);
      if (one.op == kEntryPoint && one.at(0) == kGlCompute) entries_[text_at(one, 2)] = one.at(1);
      const bool is_type = one.op >= kTypeArray && one.op <= kTypePointer;
      if (is_type) types_[one.at(0)] = one;
      if (one.op == kFunction) function = one.at(1);
      if (function != 0) bodies_[function].push_back(one);
      // A type and a result come first; what has neither in a body names values that are known already, or labels.
      if (function != 0 || one.op == kVariable) type_of_.emplace(one.at(1), one.at(0));
    }
  }

  std::string first_stored(const std::string& entry) const {
    std::set<Word> seen;
    const auto found = entries_.find(entry);
    std::vector<Word> waiting = {found == entries_.end() ? 0 : found->second};
    while (!waiting.empty()) {
      const Word function = waiting.back();
      waiting.pop_back();
      if (!seen.insert(function).second) continue;
      const auto body = bodies_.find(function);
      if (body == bodies_.end()) continue;
      for (const Instruction& one : body->second) {
        if (one.op == kFunctionCall) waiting.push_back(one.at(2));
        if (one.op != kLoad || !is_in_a_buffer(one.at(2))) continue;
        if (const Word pointee = address_in(one.at(0), 0); pointee != 0) return name_of(pointee);
      }
    }
    return "";
  }

 private:
  const Instruction& type(Word id) const {
    static const Instruction none;
    const auto found = types_.find(id);
    return found == types_.end() ? none : found->second;
  }

  bool is_in_a_buffer(Word pointer) const {
    const auto found = type_of_.find(pointer);
    if (found == type_of_.end()) return false;
    const Instruction& of = type(found->second);
    return of.op == kTypePointer && (of.at(1) == kUniform || of.at(1) == kStorageBuffer || of.at(1) == kPhysicalStorageBuffer);
  }

  // What the first address in a value of this type points to; 0: there is none.
  Word address_in(Word id, int depth) const {
    const Instruction& of = type(id);
    if (depth > kDeepest) return 0;
    if (of.op == kTypePointer) return of.at(1) == kPhysicalStorageBuffer ? of.at(2) : 0;
    if (of.op == kTypeArray || of.op == kTypeRuntimeArray) return address_in(of.at(1), depth + 1);
    if (of.op != kTypeStruct) return 0;
    for (std::size_t i = 1; i < of.words.size(); ++i) {
      if (const Word pointee = address_in(of.at(i), depth + 1); pointee != 0) return pointee;
    }
    return 0;
  }

  std::string name_of(Word id) const {
    const auto found = names_.find(id);
    return found == names_.end() || found->second.empty() ? "a buffer" : found->second;
  }

  std::map<Word, std::string> names_;
  std::map<std::string, Word> entries_;
  std::map<Word, Instruction> types_;
  std::map<Word, std::vector<Instruction>> bodies_;  // of functions
  std::map<Word, Word> type_of_;                     // of values
};

}  // namespace

std::string stored_address(std::span<const std::byte> spirv, const std::string& entry) {
  return Module(spirv).first_stored(entry);
}

}  // namespace bench::own
