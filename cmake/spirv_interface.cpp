// What a SPIR-V module takes, as the initializer of a bench::SpirvInterface (common/core/device/kernel_images.h).
//   spirv_interface <file.spv> <file.inc>
// Read from the few instructions that say so, whatever else is in the module: types and instructions of newer extensions, too.
// Numbers of opcodes, decorations and storage classes: SPIR-V specification, section 3.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using Word = std::uint32_t;

enum Op : Word {
  kTypeInt = 21,
  kTypeFloat = 22,
  kTypeVector = 23,
  kTypeArray = 28,
  kTypeRuntimeArray = 29,
  kTypeStruct = 30,
  kTypePointer = 32,
  kConstant = 43,
  kVariable = 59,
  kDecorate = 71,
  kMemberDecorate = 72,
};
enum Decoration : Word {
  kSpecId = 1,
  kBlock = 2,
  kBufferBlock = 3,
  kArrayStride = 6,
  kBinding = 33,
  kDescriptorSet = 34,
  kOffset = 35
};
enum StorageClass : Word { kUniform = 2, kPushConstant = 9, kStorageBuffer = 12, kPhysicalStorageBuffer = 5349 };

struct Instruction {
  Word op = 0;
  std::vector<Word> words;  // without the first
};

struct Module {
  std::map<Word, Instruction> made;  // of types and constants, by their ids
  std::vector<Instruction> variables;
  std::map<Word, std::map<Word, Word>> decorations;               // of an id
  std::map<std::pair<Word, Word>, std::map<Word, Word>> members;  // of a struct's member

  Word decoration(Word id, Decoration which) const {
    const auto found = decorations.find(id);
    return found != decorations.end() && found->second.contains(which) ? found->second.at(which) : 0;
  }
  bool has(Word id, Decoration which) const { return decorations.contains(id) && decorations.at(id).contains(which); }

  std::uint64_t bytes_of(Word type) const {
    const Instruction& made_by = made.at(type);
    const std::vector<Word>& words = made_by.words;
    switch (made_by.op) {
      case kTypeInt:
      case kTypeFloat:
        return words.at(1) / 8;
      case kTypeVector:
        return bytes_of(words.at(1)) * words.at(2);
      case kTypeArray:
        return std::uint64_t{made.at(words.at(2)).words.at(2)} * decoration(type, kArrayStride);
      case kTypePointer:
        if (words.at(1) == kPhysicalStorageBuffer) return sizeof(std::uint64_t);
        break;
      case kTypeStruct: {
        std::uint64_t end = 0;  // of the last member
        for (Word member = 0; member + 1 < words.size(); ++member) {
          end = std::max(end, members.at({type, member}).at(kOffset) + bytes_of(words.at(member + 1)));
        }
        return end;
      }
      default:
        break;
    }
    throw std::runtime_error("push constants hold a type made by instruction " + std::to_string(made_by.op));
  }
};

std::vector<Word> words_of(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::vector<Word> words(bytes.size() / sizeof(Word));
  std::copy_n(bytes.data(), words.size() * sizeof(Word), reinterpret_cast<char*>(words.data()));
  if (bytes.size() % sizeof(Word) != 0 || words.size() < 5 || words[0] != 0x07230203U)
    throw std::runtime_error("no SPIR-V module");  // section 2.3
  return words;
}

Module read(std::span<const Word> words) {
  Module module;
  for (std::size_t i = 5; i < words.size();) {
    const Word length = words[i] >> 16;
    if (length == 0 || i + length > words.size()) throw std::runtime_error("an instruction leaves the module");
    const Instruction one = {
        words[i] & 0xffffU,
        {words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.begin() + static_cast<std::ptrdiff_t>(i + length)}};
    switch (one.op) {
      case kTypeInt:
      case kTypeFloat:
      case kTypeVector:
      case kTypeArray:
      case kTypeRuntimeArray:
      case kTypeStruct:
      case kTypePointer:
        module.made[one.words.at(0)] = one;
        break;
      case kConstant:
        module.made[one.words.at(1)] = one;
        break;
      case kVariable:
        module.variables.push_back(one);
        break;
      case kDecorate:
        module.decorations[one.words.at(0)][one.words.at(1)] = one.words.size() > 2 ? one.words[2] : 0;
        break;
      case kMemberDecorate:
        module.members[{one.words.at(0), one.words.at(1)}][one.words.at(2)] = one.words.size() > 3 ? one.words[3] : 0;
        break;
      default:
        break;
    }
    i += length;
  }
  return module;
}

std::string interface_of(const Module& module) {
  std::string storage;
  std::string uniform;
  std::uint64_t push_bytes = 0;
  for (const Instruction& variable : module.variables) {
    const Word id = variable.words.at(1);
    const Word storage_class = variable.words.at(2);
    const Word pointee = module.made.at(variable.words.at(0)).words.at(2);
    if (storage_class == kPushConstant) push_bytes = module.bytes_of(pointee);
    if (storage_class != kUniform && storage_class != kStorageBuffer) continue;
    const Instruction& type = module.made.at(pointee);
    const bool is_array = type.op == kTypeArray || type.op == kTypeRuntimeArray;
    const bool is_uniform = storage_class == kUniform && !module.has(is_array ? type.words.at(1) : pointee, kBufferBlock);
    (is_uniform ? uniform : storage) += "{" + std::to_string(module.decoration(id, kDescriptorSet)) + ", " +
                                        std::to_string(module.decoration(id, kBinding)) + ", " +
                                        (is_uniform ? "true" : "false") + ", " + (is_array ? "true" : "false") + "}, ";
  }
  std::set<Word> ids;
  for (const auto& [id, found] : module.decorations) {
    if (found.contains(kSpecId)) ids.insert(found.at(kSpecId));
  }
  std::string constants;
  for (const Word id : ids) constants += (constants.empty() ? "" : ", ") + std::to_string(id);
  return "{{" + storage + uniform + "}, " + std::to_string(push_bytes) + ", {" + constants + "}}\n";
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 3) throw std::runtime_error("usage: spirv_interface <file.spv> <file.inc>");
    const std::string text = interface_of(read(words_of(argv[1])));
    std::ofstream out(argv[2]);
    out << text;
    if (!out.flush()) throw std::runtime_error(std::string(argv[2]) + " cannot be written");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argc > 1 ? argv[1] : argv[0], error.what());
    return 1;
  }
}
