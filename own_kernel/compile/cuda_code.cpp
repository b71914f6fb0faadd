#include "compile/cuda_code.h"

#include <cxxabi.h>
#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>

#include "core/base/error.h"
#include "core/base/parse_number.h"
#include "core/code/machine_code.h"

namespace bench::own {
namespace {

using Bytes = std::span<const std::byte>;

// Attributes of .nv.info, as NVIDIA's cuobjdump --dump-elf names them.
constexpr std::uint8_t kHasSize = 4;           // EIFMT_SVAL: the second half is the number of bytes that follow
constexpr std::uint8_t kMaxThreads = 0x05;     // EIATTR_MAX_THREADS
constexpr std::uint8_t kReqNtid = 0x10;        // EIATTR_REQNTID
constexpr std::uint8_t kParameter = 0x17;      // EIATTR_KPARAM_INFO: bytes in the upper 14 bits of the third word
constexpr std::uint8_t kLongParameter = 0x45;  // EIATTR_KPARAM_INFO_V2: bytes in its lower 16
constexpr std::uint8_t kEntry = 0x10;          // of a symbol's st_other: STO_CUDA_ENTRY
constexpr std::size_t kMostParameters = 4096;  // of a kernel: 32764 bytes at most

template <class T>
T value_at(Bytes bytes, std::uint64_t offset) {
  const auto value = read_at<T>(bytes, offset);
  if (!value) throw Error("the cubin ends too early: it was cut short, or damaged");
  return *value;
}

std::string text_at(Bytes table, std::uint32_t offset) {
  std::string text;
  for (std::size_t i = offset;; ++i) {
    const auto c = value_at<char>(table, i);
    if (c == '\0') return text;
    if (static_cast<unsigned char>(c) >= ' ') text += c;
  }
}

struct Cubin {
  Bytes bytes;
  std::vector<Elf64_Shdr> sections;
  std::vector<std::string> names;  // of the sections

  explicit Cubin(Bytes file) : bytes(file) {
    const auto header = read_at<Elf64_Ehdr>(bytes, 0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64)
      throw Error("no cubin: it does not begin as a 64-bit ELF file");
    if (header->e_machine != EM_CUDA) throw Error("no cubin: an ELF file of machine {}, not of CUDA", header->e_machine);
    if (header->e_shentsize != sizeof(Elf64_Shdr)) throw Error("the cubin's sections have another form than ELF's");
    for (std::uint64_t i = 0; i < header->e_shnum; ++i)
      sections.push_back(value_at<Elf64_Shdr>(bytes, header->e_shoff + i * sizeof(Elf64_Shdr)));
    for (std::size_t i = 0; i < sections.size(); ++i) content(i);  // throws if one is cut off
    if (!part_of(bytes, header->e_phoff, std::uint64_t{header->e_phnum} * header->e_phentsize))
      throw Error("the cubin ends too early: it was cut short, or damaged");
    if (header->e_shstrndx >= sections.size()) throw Error("the cubin's sections have no names");
    const Bytes table = content(header->e_shstrndx);
    for (const Elf64_Shdr& section : sections) names.push_back(text_at(table, section.sh_name));
  }

  Bytes content(std::size_t section) const {
    const Elf64_Shdr& one = sections[section];
    if (one.sh_type == SHT_NOBITS) return {};
    const auto part = part_of(bytes, one.sh_offset, one.sh_size);
    if (!part) throw Error("a section of the cubin lies outside it: it was cut short, or damaged");
    return *part;
  }
};

void read_records(Bytes records, CudaKernel& kernel) {
  std::map<std::uint32_t, CudaParameter> found;
  for (std::size_t i = 0; i + 4 <= records.size();) {
    const auto form = value_at<std::uint8_t>(records, i);
    const auto attribute = value_at<std::uint8_t>(records, i + 1);
    const std::size_t size = form == kHasSize ? value_at<std::uint16_t>(records, i + 2) : 0;
    const auto payload = part_of(records, i + 4, size);
    if (!payload) throw Error("a record of the cubin's kernel {} leaves its section: it was damaged", kernel.name);
    if (form == kHasSize && (attribute == kParameter || attribute == kLongParameter)) {
      CudaParameter one;
      one.index = value_at<std::uint16_t>(*payload, 4);
      one.offset = value_at<std::uint16_t>(*payload, 6);
      const auto last = value_at<std::uint32_t>(*payload, 8);
      one.bytes = attribute == kParameter ? last >> 18 : last & 0xffffU;
      found[one.index] = one;
    } else if (form == kHasSize && attribute == kReqNtid) {
      for (std::size_t d = 0; d < 3; ++d) kernel.required_block.push_back(value_at<std::uint32_t>(*payload, 4 * d));
      kernel.required_block.resize(3);
    } else if (form == kHasSize && attribute == kMaxThreads) {
      kernel.most_threads = 1;
      for (std::size_t d = 0; d < 3; ++d)
        kernel.most_threads *= std::max(1U, value_at<std::uint32_t>(*payload, 4 * d) & 0xffffU);
    }
    i += 4 + size;
  }
  for (const auto& [index, one] : found) {
    if (index != kernel.parameters.size() || index > kMostParameters)
      throw Error("the cubin's kernel {} has no record of parameter {}", kernel.name, kernel.parameters.size());
    kernel.parameters.push_back(one);
  }
}

// Variables of the module that no initializer fills: constant memory that is all zeros, and global memory without content.
std::vector<std::string> empty_globals(const Cubin& cubin, Bytes symbols, Bytes names) {
  std::vector<std::string> found;
  for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= symbols.size(); at += sizeof(Elf64_Sym)) {
    const auto symbol = value_at<Elf64_Sym>(symbols, at);
    if (ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT || symbol.st_shndx >= cubin.sections.size()) continue;
    const std::string& section = cubin.names[symbol.st_shndx];
    if (section == ".nv.global") found.push_back(text_at(names, symbol.st_name));
    if (section != ".nv.constant3") continue;
    const auto content = part_of(cubin.content(symbol.st_shndx), symbol.st_value, symbol.st_size);
    const bool is_empty =
        content && std::all_of(content->begin(), content->end(), [](std::byte b) { return b == std::byte{0}; });
    if (is_empty) found.push_back(text_at(names, symbol.st_name));
  }
  return found;
}

}  // namespace

std::vector<CudaKernel> cubin_kernels(std::span<const std::byte> file) {
  const Cubin cubin(file);
  const auto table = std::find_if(cubin.sections.begin(), cubin.sections.end(),
                                  [](const Elf64_Shdr& one) { return one.sh_type == SHT_SYMTAB; });
  if (table == cubin.sections.end() || table->sh_link >= cubin.sections.size()) throw Error("the cubin has no symbols");
  const Bytes symbols = cubin.content(static_cast<std::size_t>(table - cubin.sections.begin()));
  const Bytes names = cubin.content(table->sh_link);
  std::vector<CudaKernel> kernels;
  for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= symbols.size(); at += sizeof(Elf64_Sym)) {
    const auto symbol = value_at<Elf64_Sym>(symbols, at);
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || (symbol.st_other & kEntry) == 0) continue;
    CudaKernel kernel;
    kernel.name = text_at(names, symbol.st_name);
    const auto info = std::find(cubin.names.begin(), cubin.names.end(), ".nv.info." + kernel.name);
    if (info != cubin.names.end()) read_records(cubin.content(static_cast<std::size_t>(info - cubin.names.begin())), kernel);
    kernels.push_back(std::move(kernel));
  }
  if (kernels.empty()) throw Error("the cubin has no kernel");
  for (const std::string& global : empty_globals(cubin, symbols, names)) {
    for (CudaKernel& kernel : kernels)
      kernel.refused.push_back(fmt::format("the device global {}, which nothing here sets", demangled(global)));
  }
  return kernels;
}

std::string demangled(const std::string& name) {
  if (!name.starts_with("_Z")) return name;  // "f" would be "float": the letters of C++'s types
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && text ? text.get() : name;
}

namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '.' ||
         c == '%';
}

// PTX as words and single signs, without comments and texts. ".param" and "%envreg1" are words.
std::vector<std::string_view> tokens_of(std::string_view ptx) {
  std::vector<std::string_view> tokens;
  for (std::size_t i = 0; i < ptx.size();) {
    if (ptx.substr(i, 2) == "//") {
      i = std::min(ptx.find('\n', i), ptx.size());
    } else if (ptx.substr(i, 2) == "/*") {
      const std::size_t end = ptx.find("*/", i + 2);
      i = end == std::string_view::npos ? ptx.size() : end + 2;
    } else if (ptx[i] == '"') {
      const std::size_t end = ptx.find('"', i + 1);
      i = end == std::string_view::npos ? ptx.size() : end + 1;
    } else if (is_word(ptx[i])) {
      const std::size_t begin = i;
      while (i < ptx.size() && is_word(ptx[i])) ++i;
      tokens.push_back(ptx.substr(begin, i - begin));
    } else {
      if (static_cast<unsigned char>(ptx[i]) > ' ') tokens.push_back(ptx.substr(i, 1));
      ++i;
    }
  }
  return tokens;
}

std::uint32_t bytes_of_ptx_type(std::string_view type) {
  if (type.size() < 3) return 0;
  const auto bits = parse_number<std::uint32_t>(type.substr(2));
  const bool is_number = type[1] == 'u' || type[1] == 's' || type[1] == 'b' || type[1] == 'f';
  return is_number && bits && (*bits == 8 || *bits == 16 || *bits == 32 || *bits == 64 || *bits == 128) ? *bits / 8 : 0;
}

class PtxReader {
 public:
  explicit PtxReader(std::string_view ptx) : tokens_(tokens_of(ptx)) {}

  std::vector<CudaKernel> read() {
    for (at_ = 0; at_ < tokens_.size();) {
      const std::string_view token = tokens_[at_];
      if (token == ".entry") {
        read_kernel();
      } else if (token == ".func") {
        read_function();
      } else if (token == ".const" || token == ".global") {
        read_global();
      } else {
        ++at_;
      }
    }
    if (kernels_.empty()) throw Error("the PTX has no .entry");
    for (CudaKernel& kernel : kernels_) refuse(kernel);
    return std::move(kernels_);
  }

 private:
  std::string_view token(std::size_t at) const { return at < tokens_.size() ? tokens_[at] : std::string_view(); }

  void read_kernel() {
    CudaKernel kernel;
    kernel.name = token(++at_);
    ++at_;
    if (token(at_) == "(") read_parameters(kernel);
    for (; at_ < tokens_.size() && token(at_) != "{" && token(at_) != ";"; ++at_) {
      if (token(at_) != ".reqntid" && token(at_) != ".maxntid") continue;
      std::vector<std::uint32_t> block = {1, 1, 1};
      for (std::size_t d = 0; d < 3; ++d) {
        block[d] = parse_number<std::uint32_t>(token(at_ + 1 + 2 * d)).value_or(1);
        if (token(at_ + 2 + 2 * d) != ",") break;
      }
      if (token(at_) == ".reqntid") {
        kernel.required_block = block;
      } else {
        kernel.most_threads = std::uint64_t{block[0] & 0xffffU} * (block[1] & 0xffffU) * (block[2] & 0xffffU);
      }
    }
    if (token(at_) == ";") return;  // declared, and defined further down
    bodies_[kernel.name] = body();
    kernels_.push_back(std::move(kernel));
  }

  // ( .param .align 8 .b8 name[24], .param .u64 .ptr .global .align 4 name, ... )
  void read_parameters(CudaKernel& kernel) {
    std::uint32_t end = 0;
    while (at_ < tokens_.size() && token(at_) != ")") {
      ++at_;  // ( or ,
      if (token(at_) == ")") break;
      CudaParameter one;
      std::uint32_t alignment = 0;
      bool is_pointer = false;
      std::uint32_t bytes = 0;
      for (; at_ < tokens_.size() && token(at_) != "," && token(at_) != ")"; ++at_) {
        const std::string_view word = token(at_);
        if (word == ".align") {
          const auto number = parse_number<std::uint32_t>(token(at_ + 1));
          if (!is_pointer && number) alignment = *number;  // behind .ptr: of what it points to
        } else if (word == ".ptr") {
          is_pointer = true;
        } else if (word == ".texref" || word == ".surfref" || word == ".samplerref") {
          kernel.refused.emplace_back("a texture, surface or sampler as parameter");
          bytes = 8;
        } else if (word.size() > 1 && word[0] == '.' && bytes == 0) {
          bytes = bytes_of_ptx_type(word);
          one.holds = word[1] == 'f'   ? CudaParameter::Holds::kFloat
                      : word[1] == 'b' ? CudaParameter::Holds::kUnknown
                                       : CudaParameter::Holds::kInteger;
        } else if (word == "[") {
          const auto count = parse_number<std::uint32_t>(token(at_ + 1));
          if (!count || *count > (1U << 16))
            throw Error("the PTX's kernel {} has a parameter whose size cannot be read", kernel.name);
          if (alignment == 0) alignment = bytes;
          bytes *= *count;
          one.holds = CudaParameter::Holds::kBytes;
        }
      }
      if (bytes == 0) throw Error("the PTX's kernel {} has a parameter whose type cannot be read", kernel.name);
      if (alignment == 0) alignment = bytes;
      one.index = static_cast<std::uint32_t>(kernel.parameters.size());
      if (one.index > kMostParameters)
        throw Error("the PTX's kernel {} has more than {} parameters", kernel.name, kMostParameters);
      one.offset = (end + alignment - 1) / alignment * alignment;
      one.bytes = bytes;
      end = one.offset + bytes;
      kernel.parameters.push_back(one);
    }
    ++at_;
  }

  // The name is what stands before the last parameter list.
  void read_function() {
    std::string_view name;
    for (++at_; at_ < tokens_.size() && token(at_) != "{" && token(at_) != ";"; ++at_) {
      if (token(at_ + 1) == "(" && is_word(token(at_)[0]) && token(at_)[0] != '.') name = token(at_);
      if (name.empty() && token(at_ + 1) == "{" && is_word(token(at_)[0])) name = token(at_);
    }
    if (token(at_) == "{") bodies_[std::string(name)] = body();
  }

  std::set<std::string> body() {
    std::set<std::string> words;
    int depth = 0;
    for (; at_ < tokens_.size(); ++at_) {
      if (token(at_) == "{") ++depth;
      if (token(at_) == "}" && --depth == 0) break;
      words.emplace(token(at_));
    }
    ++at_;
    return words;
  }

  // .global .align 4 .b8 name[16]; or with = {...}
  void read_global() {
    const bool is_constant = token(at_) == ".const";
    std::string_view name;
    bool is_filled = false;
    bool is_texture = false;
    for (++at_; at_ < tokens_.size() && token(at_) != ";"; ++at_) {
      const std::string_view word = token(at_);
      if (word == "=") is_filled = true;
      if (word == ".texref" || word == ".surfref" || word == ".samplerref") is_texture = true;
      if (!is_filled && name.empty() && is_word(word[0]) && word[0] != '.' && !(word[0] >= '0' && word[0] <= '9')) name = word;
    }
    if (is_texture) {
      globals_[std::string(name)] = fmt::format("the texture, surface or sampler {}", demangled(std::string(name)));
    } else if (!is_filled) {
      globals_[std::string(name)] =
          fmt::format("the {} {}, which nothing here sets", is_constant ? "__constant__ variable" : "device global",
                      demangled(std::string(name)));
    }
  }

  void refuse(CudaKernel& kernel) const {
    std::set<std::string> seen;
    std::vector<std::string> ahead = {kernel.name};
    std::set<std::string> refused(kernel.refused.begin(), kernel.refused.end());
    while (!ahead.empty()) {
      const std::string name = ahead.back();
      ahead.pop_back();
      const auto found = bodies_.find(name);
      if (found == bodies_.end() || !seen.insert(name).second) continue;
      for (const std::string& word : found->second) {
        for (const char* texture : {"tex.", "tld4.", "txq.", "suld.", "sust.", "sured.", "suq."}) {
          if (word.starts_with(texture)) refused.insert(fmt::format("a texture or surface (instruction {})", word));
        }
        if (word == "%envreg1" || word == "%envreg2") refused.insert("a barrier of the whole grid (cooperative launch)");
        if (const auto global = globals_.find(word); global != globals_.end()) refused.insert(global->second);
        if (bodies_.contains(word)) ahead.push_back(word);
      }
    }
    kernel.refused.assign(refused.begin(), refused.end());
  }

  std::vector<std::string_view> tokens_;
  std::size_t at_ = 0;
  std::vector<CudaKernel> kernels_;
  std::map<std::string, std::set<std::string>> bodies_;  // the words of entries and functions
  std::map<std::string, std::string> globals_;           // that nothing fills
};

}  // namespace

std::vector<CudaKernel> ptx_kernels(std::string_view ptx) { return PtxReader(ptx).read(); }

}  // namespace bench::own
