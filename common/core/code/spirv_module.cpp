// Read from the few instructions that say what a module takes, whatever else is in it: types and instructions of newer
// extensions, too. Numbers of opcodes, decorations and storage classes: SPIR-V specification, section 3.
#include "core/code/spirv_module.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <set>
#include <utility>

#include "core/base/error.h"

namespace bench {
namespace spirv {

using Word = std::uint32_t;
using Words = std::span<const Word>;

enum Op : Word {
  kName = 5,
  kMemberName = 6,
  kLine = 8,
  kExtension = 10,
  kExtInst = 12,
  kEntryPoint = 15,
  kExecutionMode = 16,
  kCapability = 17,
  kTypeBool = 20,
  kTypeInt = 21,
  kTypeFloat = 22,
  kTypeVector = 23,
  kTypeMatrix = 24,
  kTypeImage = 25,
  kTypeSampler = 26,
  kTypeSampledImage = 27,
  kTypeArray = 28,
  kTypeRuntimeArray = 29,
  kTypeStruct = 30,
  kTypePointer = 32,
  kConstantTrue = 41,
  kConstantFalse = 42,
  kConstantValue = 43,
  kConstantComposite = 44,
  kSpecConstantTrue = 48,
  kSpecConstantFalse = 49,
  kSpecConstant = 50,
  kSpecConstantComposite = 51,
  kSpecConstantOp = 52,
  kFunction = 54,
  kFunctionEnd = 56,
  kFunctionCall = 57,
  kVariable = 59,
  kLoad = 61,
  kStore = 62,
  kArrayLength = 68,
  kDecorate = 71,
  kMemberDecorate = 72,
  kGroupDecorate = 74,
  kGroupMemberDecorate = 75,
  kVectorShuffle = 79,
  kCompositeExtract = 81,
  kCompositeInsert = 82,
  kLoopMerge = 246,
  kSelectionMerge = 247,
  kSwitch = 251,
  kExecutionModeId = 331,
  kTypeUntypedPointer = 4417,
  kUntypedVariable = 4418,
  kTypeAccelerationStructure = 5341,
};
enum Decoration : Word {
  kSpecId = 1,
  kBufferBlock = 3,
  kRowMajor = 4,
  kArrayStride = 6,
  kMatrixStride = 7,
  kBuiltIn = 11,
  kNonWritable = 24,
  kNonReadable = 25,
  kBinding = 33,
  kDescriptorSet = 34,
  kOffset = 35,
};
enum StorageClass : Word {
  kUniformConstant = 0,
  kUniform = 2,
  kPushConstant = 9,
  kStorageBuffer = 12,
  kPhysicalStorageBuffer = 5349
};
constexpr Word kMagic = 0x07230203;  // section 2.3
constexpr Word kSwappedMagic = 0x03022307;
constexpr std::size_t kHeaderWords = 5;
constexpr Word kGlCompute = 5;
constexpr Word kLocalSize = 17;
constexpr Word kLocalSizeId = 38;
constexpr Word kWorkgroupSize = 25;  // a BuiltIn
constexpr Word kDimBuffer = 5;       // of an image
constexpr Word kUsedForStorage = 2;  // likewise, its Sampled
constexpr int kDeepest = 64;         // structs within structs
constexpr std::size_t kMostMembers = 4096;
constexpr std::size_t kMostSteps = std::size_t{1} << 20;
constexpr std::uint64_t kLargest = std::uint64_t{1} << 40;  // bytes of a block

using Decorations = std::map<Word, Word>;  // with the first operand; 0 if there is none

struct Instruction {
  Word op = 0;
  Words words;  // without the first

  Word at(std::size_t index) const {
    if (index >= words.size()) throw Error("instruction {} is shorter than it has to be", op);
    return words[index];
  }
};

// A literal string: UTF-8 that ends with a zero byte. Characters that would leave a line are left out.
std::string string_at(Words words, std::size_t& index) {
  std::string text;
  for (; index < words.size(); ++index) {
    for (int shift = 0; shift < 32; shift += 8) {
      const auto c = static_cast<char>((words[index] >> shift) & 0xffU);
      if (c == '\0') {
        ++index;
        return text;
      }
      if (static_cast<unsigned char>(c) >= ' ') text += c;
    }
  }
  throw Error("a text in the module has no end");
}

struct EntryPoint {
  Word model = 0;
  Word function = 0;
  std::string name;
};

struct Load {
  Word type = 0;  // of what is loaded
  Word pointer = 0;
};

struct Function {
  std::set<Word> uses;   // ids in its instructions
  std::set<Word> calls;  // ids of functions
  std::vector<Load> loads;
  std::map<Word, Word> types;  // of its values
};

}  // namespace spirv
using namespace spirv;

struct SpirvModule::Content {
  std::vector<Word> words;
  std::map<Word, Instruction> made;  // types, constants and variables of the module, by their ids
  std::vector<Word> variables;
  std::map<Word, Decorations> decorations;               // of an id
  std::map<std::pair<Word, Word>, Decorations> members;  // of a struct's member
  std::map<Word, std::string> names;
  std::map<std::pair<Word, Word>, std::string> member_names;
  std::vector<EntryPoint> entry_points;
  std::vector<Instruction> modes;
  std::map<Word, Function> functions;
  std::vector<Word> capabilities;
  std::vector<std::string> extensions;

  const Instruction& maker(Word id) const {
    const auto found = made.find(id);
    if (found == made.end()) throw Error("id %{} is used and never made", id);
    return found->second;
  }
  std::optional<Word> decoration(Word id, Decoration which) const { return in(decorations, id, which); }
  std::optional<Word> decoration(Word type, Word member, Decoration which) const {
    return in(members, std::pair(type, member), which);
  }
  std::string name(Word id) const {
    const auto found = names.find(id);
    return found == names.end() ? "" : found->second;
  }

  void read();

 private:
  template <class Map, class Key>
  static std::optional<Word> in(const Map& map, const Key& key, Decoration which) {
    const auto found = map.find(key);
    if (found == map.end()) return std::nullopt;
    const auto one = found->second.find(which);
    return one == found->second.end() ? std::nullopt : std::optional(one->second);
  }
  void read_one(const Instruction& one);
  void read_in_function(const Instruction& one, Function& function) const;
};

namespace {

// How many words at the begin of these instructions in a function may be ids; what is behind them are numbers. Of a variable
// the third is its storage class.
constexpr std::pair<Word, std::size_t> kIdWords[] = {
    {kLine, 1},  {kCompositeExtract, 3}, {kLoad, 3},           {kArrayLength, 3}, {kCompositeInsert, 4}, {kVectorShuffle, 4},
    {kStore, 2}, {kLoopMerge, 2},        {kSelectionMerge, 1}, {kSwitch, 1},      {kVariable, 2}};

std::vector<Word> words_of(std::span<const std::byte> bytes) {
  std::vector<Word> words(bytes.size() / sizeof(Word));
  if (!words.empty()) std::memcpy(words.data(), bytes.data(), words.size() * sizeof(Word));
  if (words.empty() || (words[0] != kMagic && words[0] != kSwappedMagic))
    throw Error("no SPIR-V module: it does not begin as one");
  if (words[0] == kSwappedMagic) throw Error("a SPIR-V module of the other byte order; little-endian ones are read");
  if (bytes.size() % sizeof(Word) != 0)
    throw Error("a SPIR-V module of {} bytes, which are no whole words: it was cut short", bytes.size());
  if (words.size() < kHeaderWords) throw Error("a SPIR-V module that ends in its header");
  return words;
}

}  // namespace

void SpirvModule::Content::read_in_function(const Instruction& one, Function& function) const {
  if (one.op == kFunctionCall) function.calls.insert(one.at(2));
  if (one.op == kLoad) function.loads.push_back({one.at(0), one.at(2)});
  // A type and a result come first; what has neither names values that are known already, or labels.
  if (one.words.size() > 1) function.types.emplace(one.words[1], one.words[0]);
  const auto known = std::ranges::find(kIdWords, one.op, &std::pair<Word, std::size_t>::first);
  const std::size_t ids = known == std::end(kIdWords) ? one.words.size() : std::min(known->second, one.words.size());
  for (std::size_t i = 0; i < ids; ++i) {
    if (one.op == kExtInst && i == 3) continue;  // the number of an instruction in its set
    function.uses.insert(one.words[i]);
  }
}

void SpirvModule::Content::read_one(const Instruction& one) {
  std::size_t at = 0;
  switch (one.op) {
    case kName:
      at = 1;
      names[one.at(0)] = string_at(one.words, at);
      break;
    case kMemberName:
      at = 2;
      member_names[{one.at(0), one.at(1)}] = string_at(one.words, at);
      break;
    case kExtension:
      extensions.push_back(string_at(one.words, at));
      break;
    case kCapability:
      capabilities.push_back(one.at(0));
      break;
    case kEntryPoint:
      at = 2;
      entry_points.push_back({one.at(0), one.at(1), string_at(one.words, at)});
      break;
    case kExecutionMode:
    case kExecutionModeId:
      modes.push_back(one);
      break;
    case kTypeBool:
    case kTypeInt:
    case kTypeFloat:
    case kTypeVector:
    case kTypeMatrix:
    case kTypeImage:
    case kTypeSampler:
    case kTypeSampledImage:
    case kTypeArray:
    case kTypeRuntimeArray:
    case kTypeStruct:
    case kTypePointer:
    case kTypeUntypedPointer:
    case kTypeAccelerationStructure:
      made[one.at(0)] = one;
      break;
    case kConstantTrue:
    case kConstantFalse:
    case kConstantValue:
    case kConstantComposite:
    case kSpecConstantTrue:
    case kSpecConstantFalse:
    case kSpecConstant:
    case kSpecConstantComposite:
    case kSpecConstantOp:
      made[one.at(1)] = one;
      break;
    case kVariable:
    case kUntypedVariable:
      made[one.at(1)] = one;
      variables.push_back(one.at(1));
      break;
    case kDecorate:
      decorations[one.at(0)][one.at(1)] = one.words.size() > 2 ? one.words[2] : 0;
      break;
    case kMemberDecorate:
      members[{one.at(0), one.at(1)}][one.at(2)] = one.words.size() > 3 ? one.words[3] : 0;
      break;
    case kGroupDecorate: {  // the group's own decorations stand before it
      const Decorations group = decorations[one.at(0)];
      for (const Word target : one.words.subspan(1)) decorations[target].insert(group.begin(), group.end());
      break;
    }
    case kGroupMemberDecorate: {
      const Decorations group = decorations[one.at(0)];
      for (at = 1; at + 1 < one.words.size(); at += 2)
        members[{one.words[at], one.words[at + 1]}].insert(group.begin(), group.end());
      break;
    }
    default:
      break;
  }
}

void SpirvModule::Content::read() {
  Function* function = nullptr;
  for (std::size_t i = kHeaderWords; i < words.size();) {
    const Word length = words[i] >> 16;
    if (length == 0 || length > words.size() - i)
      throw Error("an instruction leaves the SPIR-V module: it was cut short, or damaged");
    const Instruction one = {words[i] & 0xffffU, Words(words).subspan(i + 1, length - 1)};
    if (one.op == kFunction) {
      if (function != nullptr) throw Error("a function begins within another");
      function = &functions[one.at(1)];
    } else if (one.op == kFunctionEnd) {
      if (function == nullptr) throw Error("a function ends that did not begin");
      function = nullptr;
    } else if (function != nullptr) {
      read_in_function(one, *function);
    } else {
      read_one(one);
    }
    i += length;
  }
  if (function != nullptr) throw Error("the SPIR-V module ends within a function: it was cut short");
  if (entry_points.empty()) throw Error("the SPIR-V module has no entry point");
  for (const EntryPoint& entry : entry_points) {
    if (!functions.contains(entry.function))
      throw Error("the code of entry point {} is not in the SPIR-V module: it was cut short", entry.name);
  }
  for (const auto& [id, one] : functions) {
    for (const Word called : one.calls) {
      if (!functions.contains(called)) throw Error("the SPIR-V module calls a function that is not in it: it was cut short");
    }
  }
}

namespace {

// Of two whole numbers that are not negative.
struct Operation {
  Word op = 0;
  std::uint64_t (*result)(std::uint64_t, std::uint64_t) = nullptr;
  // Of the second one.
  std::uint64_t least = 0;
  std::uint64_t most = ~std::uint64_t{0};
};
constexpr Operation kOperations[] = {
    {128, [](auto a, auto b) { return a + b; }},                            // OpIAdd
    {130, [](auto a, auto b) { return a - b; }},                            // OpISub
    {132, [](auto a, auto b) { return a * b; }},                            // OpIMul
    {134, [](auto a, auto b) { return a / b; }, 1},                         // OpUDiv
    {135, [](auto a, auto b) { return a / b; }, 1},                         // OpSDiv
    {137, [](auto a, auto b) { return a % b; }, 1},                         // OpUMod
    {138, [](auto a, auto b) { return a % b; }, 1},                         // OpSRem
    {139, [](auto a, auto b) { return a % b; }, 1},                         // OpSMod
    {170, [](auto a, auto b) -> std::uint64_t { return a == b ? 1 : 0; }},  // OpIEqual
    {171, [](auto a, auto b) -> std::uint64_t { return a != b ? 1 : 0; }},  // OpINotEqual
    {172, [](auto a, auto b) -> std::uint64_t { return a > b ? 1 : 0; }},   // OpUGreaterThan
    {173, [](auto a, auto b) -> std::uint64_t { return a > b ? 1 : 0; }},   // OpSGreaterThan
    {174, [](auto a, auto b) -> std::uint64_t { return a >= b ? 1 : 0; }},  // OpUGreaterThanEqual
    {175, [](auto a, auto b) -> std::uint64_t { return a >= b ? 1 : 0; }},  // OpSGreaterThanEqual
    {176, [](auto a, auto b) -> std::uint64_t { return a < b ? 1 : 0; }},   // OpULessThan
    {177, [](auto a, auto b) -> std::uint64_t { return a < b ? 1 : 0; }},   // OpSLessThan
    {178, [](auto a, auto b) -> std::uint64_t { return a <= b ? 1 : 0; }},  // OpULessThanEqual
    {179, [](auto a, auto b) -> std::uint64_t { return a <= b ? 1 : 0; }},  // OpSLessThanEqual
    {194, [](auto a, auto b) { return a >> b; }, 0, 63},                    // OpShiftRightLogical
    {195, [](auto a, auto b) { return a >> b; }, 0, 63},                    // OpShiftRightArithmetic
    {196, [](auto a, auto b) { return a << b; }, 0, 63},                    // OpShiftLeftLogical
    {197, [](auto a, auto b) { return a | b; }},                            // OpBitwiseOr
    {198, [](auto a, auto b) { return a ^ b; }},                            // OpBitwiseXor
    {199, [](auto a, auto b) { return a & b; }},                            // OpBitwiseAnd
};

// One entry point, with the values of its specialization constants.
template <class Content>
class EntryReader {
 public:
  EntryReader(const Content& module, const EntryPoint& point, const SpirvValues& values)
      : module_(module), point_(point), values_(values) {}

  SpirvEntry read() {
    entry_.name = point_.name;
    entry_.capabilities = module_.capabilities;
    entry_.extensions = module_.extensions;
    read_constants();
    read_local_size();
    const std::vector<const Function*> functions = reached();
    std::set<Word> used;
    for (const Function* function : functions) used.insert(function->uses.begin(), function->uses.end());
    for (const Word variable : module_.variables) {
      if (used.contains(variable)) read_variable(variable);
    }
    entry_.stored_address = stored_address(functions);
    const auto place = [](const SpirvBinding& one) { return std::tuple(one.set, one.binding, one.is_uniform); };
    std::stable_sort(entry_.bindings.begin(), entry_.bindings.end(),
                     [&](const auto& a, const auto& b) { return place(a) < place(b); });
    std::stable_sort(entry_.push.begin(), entry_.push.end(), [](const auto& a, const auto& b) { return a.offset < b.offset; });
    return std::move(entry_);
  }

 private:
  // The entry point's function, and those that it calls.
  std::vector<const Function*> reached() const {
    std::vector<const Function*> functions;
    std::set<Word> seen;
    std::vector<Word> ahead = {point_.function};
    while (!ahead.empty()) {
      const Word id = ahead.back();
      ahead.pop_back();
      const auto function = module_.functions.find(id);
      if (function == module_.functions.end() || !seen.insert(id).second) continue;
      functions.push_back(&function->second);
      ahead.insert(ahead.end(), function->second.calls.begin(), function->second.calls.end());
    }
    return functions;
  }

  // See SpirvEntry.
  std::string stored_address(const std::vector<const Function*>& functions) const {
    std::set<Word> seen;  // types: the first address ends the search
    for (const Function* function : functions) {
      for (const Load& load : function->loads) {
        if (!is_in_buffer(load.pointer, *function)) continue;
        const auto pointee = address_in(load.type, seen, 0);
        if (!pointee) continue;
        const std::string name = module_.name(*pointee);
        return name.empty() ? "a buffer" : name;
      }
    }
    return "";
  }

  bool is_in_buffer(Word pointer, const Function& function) const {
    const auto variable = module_.made.find(pointer);
    const auto value = function.types.find(pointer);
    if (variable == module_.made.end() && value == function.types.end()) return false;
    const auto type = module_.made.find(variable != module_.made.end() ? variable->second.at(0) : value->second);
    if (type == module_.made.end() || type->second.op != kTypePointer) return false;
    const Word place = type->second.at(1);
    return place == kUniform || place == kStorageBuffer || place == kPhysicalStorageBuffer;
  }

  // What the first address in a value of this type points to.
  std::optional<Word> address_in(Word type, std::set<Word>& seen, int depth) const {
    const auto found = module_.made.find(type);
    if (found == module_.made.end() || depth > kDeepest || !seen.insert(type).second) return std::nullopt;
    const Instruction& of = found->second;
    if (of.op == kTypePointer && of.at(1) == kPhysicalStorageBuffer) return of.at(2);
    if (of.op == kTypeArray || of.op == kTypeRuntimeArray) return address_in(of.at(1), seen, depth + 1);
    if (of.op != kTypeStruct) return std::nullopt;
    for (const Word member : of.words.subspan(1)) {
      if (const auto pointee = address_in(member, seen, depth + 1)) return pointee;
    }
    return std::nullopt;
  }

  void read_constants() {
    for (const auto& [id, made_by] : module_.made) {
      const auto spec_id = module_.decoration(id, kSpecId);
      if (!spec_id) continue;
      SpirvConstant constant;
      constant.id = *spec_id;
      constant.name = module_.name(id);
      if (made_by.op == kSpecConstantTrue || made_by.op == kSpecConstantFalse) {
        constant.is_bool = true;
        constant.value = made_by.op == kSpecConstantTrue ? 1 : 0;
      } else if (made_by.op == kSpecConstant) {
        const Instruction& type = module_.maker(made_by.at(0));
        constant.bits = type.at(1);
        constant.is_float = type.op == kTypeFloat;
        constant.is_signed = type.op == kTypeInt && type.at(2) != 0;
        constant.value = literal(made_by);
      } else {
        continue;
      }
      entry_.constants.push_back(std::move(constant));
    }
    const auto less = [](const SpirvConstant& a, const SpirvConstant& b) { return a.id < b.id; };
    std::stable_sort(entry_.constants.begin(), entry_.constants.end(), less);
    // One id may stand with several constants.
    const auto same = [](const SpirvConstant& a, const SpirvConstant& b) { return a.id == b.id; };
    entry_.constants.erase(std::unique(entry_.constants.begin(), entry_.constants.end(), same), entry_.constants.end());
  }

  static std::uint64_t literal(const Instruction& constant) {
    return constant.at(2) | (constant.words.size() > 3 ? std::uint64_t{constant.words[3]} << 32 : 0);
  }

  // Of a whole number or a bool; nullopt if it is made by an operation that is not computed here.
  std::optional<std::uint64_t> value_of(Word id, int depth = 0) const {
    step();
    if (depth > kDeepest) throw Error("constants of the SPIR-V module are made of each other");
    const Instruction& constant = module_.maker(id);
    if (const auto spec_id = module_.decoration(id, kSpecId)) {
      const auto given = values_.find(*spec_id);
      if (given != values_.end()) return given->second;
    }
    switch (constant.op) {
      case kConstantTrue:
      case kSpecConstantTrue:
        return 1;
      case kConstantFalse:
      case kSpecConstantFalse:
        return 0;
      case kConstantValue:
      case kSpecConstant:
        return literal(constant);
      case kSpecConstantOp:
        return computed(constant, depth);
      default:
        return std::nullopt;
    }
  }

  std::optional<std::uint64_t> computed(const Instruction& constant, int depth) const {
    std::vector<std::uint64_t> operands;
    const Word op = constant.at(2);
    if (op == kCompositeExtract) {
      const Instruction& composite = module_.maker(constant.at(3));
      if (composite.op != kSpecConstantComposite && composite.op != kConstantComposite) return std::nullopt;
      return value_of(composite.at(std::size_t{2} + constant.at(4)), depth + 1);
    }
    for (std::size_t i = 3; i < constant.words.size(); ++i) {
      const auto value = value_of(constant.words[i], depth + 1);
      if (!value) return std::nullopt;
      operands.push_back(*value);
    }
    const auto result = operation(op, operands);
    const Instruction& type = module_.maker(constant.at(0));
    if (!result || type.op != kTypeInt || type.at(1) >= 64) return result;
    return *result & ((std::uint64_t{1} << type.at(1)) - 1);
  }

  // Of whole numbers that are not negative.
  static std::optional<std::uint64_t> operation(Word op, const std::vector<std::uint64_t>& of) {
    if (of.size() == 1 && (op == 113 || op == 114 || op == 124)) return of[0];  // OpUConvert, OpSConvert, OpBitcast
    if (of.size() == 3 && op == 169) return of[0] != 0 ? of[1] : of[2];         // OpSelect
    const auto known = std::ranges::find(kOperations, op, &Operation::op);
    if (of.size() != 2 || known == std::end(kOperations) || of[1] < known->least || of[1] > known->most) return std::nullopt;
    return known->result(of[0], of[1]);
  }

  void read_local_size() {
    for (const Instruction& mode : module_.modes) {
      if (mode.at(0) != point_.function) continue;
      if (mode.at(1) == kLocalSize) {
        for (std::size_t i = 0; i < 3; ++i) entry_.local_size.at(i) = mode.at(2 + i);
      } else if (mode.at(1) == kLocalSizeId) {
        for (std::size_t i = 0; i < 3; ++i) take_local_size(i, mode.at(2 + i));
      }
    }
    // It takes precedence (SPIR-V specification, BuiltIn WorkgroupSize).
    for (const auto& [id, decorations] : module_.decorations) {
      const auto built_in = decorations.find(kBuiltIn);
      if (built_in == decorations.end() || built_in->second != kWorkgroupSize) continue;
      const Instruction& composite = module_.maker(id);
      if (composite.op != kSpecConstantComposite && composite.op != kConstantComposite) continue;
      for (std::size_t i = 0; i < 3; ++i) take_local_size(i, composite.at(2 + i));
    }
  }

  void take_local_size(std::size_t dimension, Word id) {
    const auto value = value_of(id);
    if (!value || *value == 0 || *value > std::numeric_limits<Word>::max())
      throw Error("entry point {}: its local size in {} cannot be told", point_.name, "xyz"[dimension]);
    entry_.local_size.at(dimension) = static_cast<Word>(*value);
    entry_.local_size_ids.at(dimension) = module_.decoration(id, kSpecId);
  }

  void read_variable(Word id) {
    const Instruction& variable = module_.maker(id);
    const Word storage_class = variable.at(2);
    const bool is_resource = storage_class == kUniformConstant || storage_class == kUniform ||
                             storage_class == kStorageBuffer || storage_class == kPushConstant;
    if (!is_resource) return;
    if (variable.op == kUntypedVariable && variable.words.size() < 4)
      throw Error("an untyped variable of the SPIR-V module names no type");
    Word type = variable.op == kUntypedVariable ? variable.at(3) : module_.maker(variable.at(0)).at(2);
    if (storage_class == kPushConstant) {
      entry_.push_bytes = std::max(entry_.push_bytes, static_cast<Word>(bytes_of(type)));
      flatten(type, "", 0, 0, entry_.push);
      return;
    }
    SpirvBinding binding;
    binding.set = module_.decoration(id, kDescriptorSet).value_or(0);
    binding.binding = module_.decoration(id, kBinding).value_or(0);
    for (int depth = 0; module_.maker(type).op == kTypeArray || module_.maker(type).op == kTypeRuntimeArray; ++depth) {
      if (depth > kDeepest) throw Error("an array of the SPIR-V module holds itself");
      binding.is_array = true;
      type = module_.maker(type).at(1);
    }
    binding.name = module_.name(id);
    if (binding.name.empty()) binding.name = module_.name(type);
    const Instruction& block = module_.maker(type);
    if (storage_class == kUniformConstant || block.op != kTypeStruct) {
      entry_.no_buffers.push_back(fmt::format("{}{}{} (set {}, binding {})", kind_of(block), binding.name.empty() ? "" : " ",
                                              binding.name, binding.set, binding.binding));
      return;
    }
    binding.is_uniform = storage_class == kUniform && !module_.decoration(type, kBufferBlock);
    binding.bytes = bytes_before_unsized(type);
    read_element(id, type, binding);
    if (binding.is_uniform) read_members(type, binding);
    entry_.bindings.push_back(std::move(binding));
  }

  // Of the type's last member.
  void read_element(Word variable, Word type, SpirvBinding& binding) const {
    const Instruction& block = module_.maker(type);
    const auto is_all = [&](Decoration which) {
      if (module_.decoration(variable, which)) return true;
      for (Word member = 0; member + 1 < block.words.size(); ++member) {
        if (!module_.decoration(type, member, which)) return false;
      }
      return block.words.size() > 1;
    };
    binding.is_readonly = is_all(kNonWritable);
    binding.is_writeonly = is_all(kNonReadable);
    binding.block = module_.name(type);
    if (block.words.size() < 2) return;
    const auto last = static_cast<Word>(block.words.size() - 2);
    const auto named = module_.member_names.find({type, last});
    if (named != module_.member_names.end()) binding.member = named->second;
    const Instruction& array = module_.maker(block.words.back());
    if (array.op == kTypeRuntimeArray)
      binding.element_stride = module_.decoration(block.words.back(), kArrayStride).value_or(0);
    const Instruction& scalar = module_.maker(innermost(block.words.back()));
    if (scalar.op != kTypeInt && scalar.op != kTypeFloat) return;
    binding.element_bits = scalar.at(1);
    binding.element_is_float = scalar.op == kTypeFloat;
    binding.element_is_signed = scalar.op == kTypeInt && scalar.at(2) != 0;
  }

  // For a first look alone: a block that cannot be read is left as it is.
  void read_members(Word type, SpirvBinding& binding) {
    try {
      flatten(type, "", 0, 0, binding.members);
      std::stable_sort(binding.members.begin(), binding.members.end(),
                       [](const auto& a, const auto& b) { return a.offset < b.offset; });
    } catch (const Error&) {
      binding.members.clear();
    }
  }

  // What arrays, vectors and matrices are made of.
  Word innermost(Word id) const {
    for (int i = 0; i < kDeepest; ++i) {
      const Instruction& of = module_.maker(id);
      const bool is_many = of.op == kTypeArray || of.op == kTypeRuntimeArray || of.op == kTypeVector || of.op == kTypeMatrix;
      if (!is_many) break;
      id = of.at(1);
    }
    return id;
  }

  static std::string_view kind_of(const Instruction& type) {
    switch (type.op) {
      case kTypeImage:
        if (type.at(2) == kDimBuffer) return type.at(6) == kUsedForStorage ? "storage texel buffer" : "texel buffer";
        return type.at(6) == kUsedForStorage ? "storage image" : "image";
      case kTypeSampledImage:
        return "sampled image";
      case kTypeSampler:
        return "sampler";
      case kTypeAccelerationStructure:
        return "acceleration structure";
      default:
        return "descriptor that is no buffer";
    }
  }

  std::uint64_t length_of(const Instruction& array) const {
    const auto length = value_of(array.at(2));
    if (!length) throw Error("an array's length in the SPIR-V module is an expression that is not computed here");
    return *length;
  }

  std::uint64_t bytes_of(Word id, int depth = 0) const {
    step();
    if (depth > kDeepest) throw Error("a struct of the SPIR-V module holds itself");
    const Instruction& type = module_.maker(id);
    std::uint64_t bytes = 0;
    switch (type.op) {
      case kTypeBool:
        bytes = 4;
        break;
      case kTypeInt:
      case kTypeFloat:
        bytes = type.at(1) / 8;
        break;
      case kTypeVector:
      case kTypeMatrix:  // outside a struct that would give its stride
        bytes = product(bytes_of(type.at(1), depth + 1), type.at(2));
        break;
      case kTypeArray:
        bytes = product(length_of(type),
                        module_.decoration(id, kArrayStride).value_or(static_cast<Word>(bytes_of(type.at(1), depth + 1))));
        break;
      case kTypePointer:
        if (type.at(1) != kPhysicalStorageBuffer)
          throw Error("a block of the SPIR-V module holds a pointer that is no buffer's address");
        bytes = sizeof(std::uint64_t);
        break;
      case kTypeUntypedPointer:
        bytes = sizeof(std::uint64_t);
        break;
      case kTypeStruct:
        for (Word member = 0; member + 1 < type.words.size(); ++member) {
          bytes = std::max(bytes, offset_of(id, member) + bytes_of_member(id, member, depth + 1));
        }
        break;
      default:
        throw Error("a block of the SPIR-V module holds a type of instruction {}, whose size is not known here", type.op);
    }
    if (bytes > kLargest) throw Error("a block of the SPIR-V module has more than 2^40 bytes");
    return bytes;
  }

  static std::uint64_t product(std::uint64_t a, std::uint64_t b) {
    if (b != 0 && a > kLargest / b) throw Error("a block of the SPIR-V module has more than 2^40 bytes");
    return a * b;
  }

  std::uint64_t offset_of(Word type, Word member) const {
    const auto offset = module_.decoration(type, member, kOffset);
    if (!offset) throw Error("a member of a block of the SPIR-V module has no offset");
    return *offset;
  }

  // Of a member, whose matrix has a stride of its own, also where it stands in arrays.
  std::uint64_t bytes_of_member(Word type, Word member, int depth) const {
    Word id = module_.maker(type).at(std::size_t{member} + 1);
    std::uint64_t times = 1;
    if (const auto stride = module_.decoration(type, member, kMatrixStride)) {
      Word inner = id;
      for (int i = 0; i < kDeepest && module_.maker(inner).op == kTypeArray; ++i) {
        times = product(times, length_of(module_.maker(inner)));
        inner = module_.maker(inner).at(1);
      }
      const Instruction& matrix = module_.maker(inner);
      if (matrix.op == kTypeMatrix) {
        const bool is_by_rows = module_.decoration(type, member, kRowMajor).has_value();
        const Word vectors = is_by_rows ? module_.maker(matrix.at(1)).at(2) : matrix.at(2);
        return product(product(times, vectors), *stride);
      }
    }
    return bytes_of(id, depth);
  }

  // 0 where it cannot be told: it is for a message alone.
  std::uint64_t bytes_before_unsized(Word type) const {
    try {
      const Instruction& block = module_.maker(type);
      const auto members = static_cast<Word>(block.words.size() - 1);
      if (members == 0) return 0;
      const Word last = module_.maker(block.at(members)).op == kTypeRuntimeArray ? members - 1 : members;
      std::uint64_t bytes = last < members ? offset_of(type, last) : 0;
      for (Word member = 0; member < last; ++member)
        bytes = std::max(bytes, offset_of(type, member) + bytes_of_member(type, member, 1));
      return bytes;
    } catch (const Error&) {
      return 0;
    }
  }

  void flatten(Word id, const std::string& prefix, std::uint64_t base, int depth, std::vector<SpirvMember>& into) {
    step();
    if (depth > kDeepest) throw Error("a struct of the SPIR-V module holds itself");
    const Instruction& type = module_.maker(id);
    if (type.op != kTypeStruct) throw Error("a block of the SPIR-V module is no struct");
    for (Word member = 0; member + 1 < type.words.size(); ++member) {
      const Word member_type = type.words[std::size_t{member} + 1];
      const auto named = module_.member_names.find({id, member});
      const std::string name =
          prefix + (named == module_.member_names.end() || named->second.empty() ? fmt::format("[{}]", member) : named->second);
      const std::uint64_t offset = base + offset_of(id, member);
      if (module_.maker(member_type).op == kTypeStruct) {
        flatten(member_type, name + ".", offset, depth + 1, into);
        continue;
      }
      SpirvMember one;
      one.name = name;
      one.offset = static_cast<Word>(offset);
      one.bytes = static_cast<Word>(bytes_of_member(id, member, depth + 1));
      const Instruction& scalar = module_.maker(innermost(member_type));
      one.is_address = scalar.op == kTypePointer || scalar.op == kTypeUntypedPointer;
      one.is_float = scalar.op == kTypeFloat;
      one.is_signed = scalar.op == kTypeInt && scalar.at(2) != 0;
      into.push_back(std::move(one));
      if (into.size() > kMostMembers) throw Error("a block of the SPIR-V module has more than {} members", kMostMembers);
    }
  }

  // A damaged module's types may be made of each other in more ways than can be walked.
  void step() const {
    if (++steps_ > kMostSteps) throw Error("types and constants of the SPIR-V module are made of too many others");
  }

  mutable std::size_t steps_ = 0;
  const Content& module_;
  const EntryPoint& point_;
  const SpirvValues& values_;
  SpirvEntry entry_;
};

}  // namespace

SpirvModule::SpirvModule(std::span<const std::byte> bytes) {
  auto content = std::make_unique<Content>();
  content->words = words_of(bytes);
  content->read();
  content_ = std::move(content);
}
SpirvModule::SpirvModule(SpirvModule&&) noexcept = default;
SpirvModule& SpirvModule::operator=(SpirvModule&&) noexcept = default;
SpirvModule::~SpirvModule() noexcept = default;

std::vector<std::string> SpirvModule::entries() const {
  std::vector<std::string> names;
  for (const EntryPoint& point : content_->entry_points) {
    if (point.model == kGlCompute) names.push_back(point.name);
  }
  return names;
}

SpirvEntry SpirvModule::entry(std::string_view name, const SpirvValues& values) const {
  for (const EntryPoint& point : content_->entry_points) {
    if (point.name == name && point.model == kGlCompute) return EntryReader(*content_, point, values).read();
  }
  const std::vector<std::string> names = entries();
  if (names.empty()) throw Error("the SPIR-V module has no entry point for compute");
  throw Error("no entry point for compute is called {}; there: {}", name, fmt::join(names, ", "));
}

}  // namespace bench
