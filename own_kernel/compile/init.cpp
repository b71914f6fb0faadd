#include "compile/init.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

#include "compile/cuda_source.h"
#include "core/base/error.h"

namespace bench::own {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGuess = "  # guess";

// A parameter of a CUDA kernel as its source declares it, or a resource of a shader.
struct Taken {
  std::string name;
  bool is_buffer = false;
  bool is_struct = false;
  std::optional<Type> type;  // of the elements
  bool is_readonly = false;
  bool is_writeonly = false;
  std::uint32_t bytes = 0;  // of a number or a struct
  // Vulkan
  bool is_push = false;
  bool is_uniform = false;
  std::uint32_t set = 0;
  std::uint32_t place = 0;         // binding or byte of the push constants
  std::uint64_t least_bytes = 0;   // of a buffer
  std::uint32_t count = 1;         // of a field that is a vector, a matrix or an array
  std::uint32_t offset = 0;        // of a field
  std::uint64_t stride = 0;        // bytes of an element of a buffer; 0: of its type
  std::string type_name;           // CUDA's, of a struct
  std::vector<Taken> fields = {};  // of a struct whose declaration was understood
};

struct Kernel {
  Compiled compiled;
  std::vector<Taken> takes;
  std::vector<std::string> others;  // of the file
  std::string problem;              // an instance to make: of a template that has none yet there is no code
};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string identifier(const std::string& text, const std::string& otherwise) {
  std::string name;
  for (const char c : text) name += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ? c : '_';
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) name = otherwise + name;
  return name;
}

// A parameter of a source, of so many bytes.
Taken taken_of(const DeclaredParameter& declared, std::uint32_t bytes, std::size_t index) {
  Taken taken;
  taken.name = declared.name.empty() ? fmt::format("p{}", index) : declared.name;
  taken.is_buffer = declared.is_pointer;
  taken.is_readonly = declared.is_const;
  taken.type = declared.type;
  taken.type_name = declared.type_name;
  taken.bytes = bytes;
  return taken;
}

// The members of a struct that the source declares, if they fill its size at their natural alignment; else none.
std::vector<Taken> fields_of(const std::string& source, const std::string& name, std::uint32_t bytes) {
  std::smatch found;
  if (name.empty() || !std::regex_search(source, found, std::regex("struct\\s+" + name + "\\s*\\{([^{}]*)\\}"))) return {};
  std::vector<Taken> fields;
  std::uint32_t end = 0;
  std::uint32_t widest = 1;
  std::istringstream body(found[1].str());
  for (std::string declaration; std::getline(body, declaration, ';');) {
    if (declaration.find_first_not_of(" \t\r\n") == std::string::npos) continue;
    if (declaration.find_first_of("[(,=:") != std::string::npos) return {};
    Taken field = taken_of(declared_parameter(declaration), 0, fields.size());
    if (!field.is_buffer && !field.type) return {};
    field.bytes = field.is_buffer ? 8 : static_cast<std::uint32_t>(bytes_of(*field.type));
    field.offset = (end + field.bytes - 1) / field.bytes * field.bytes;
    end = field.offset + field.bytes;
    widest = std::max(widest, field.bytes);
    fields.push_back(std::move(field));
  }
  return (end + widest - 1) / widest * widest == bytes ? fields : std::vector<Taken>();
}

Taken guessed_parameter(const CudaParameter& one) {
  Taken taken;
  taken.name = fmt::format("p{}", one.index);
  taken.bytes = one.bytes;
  taken.is_buffer = one.bytes == 8 && one.holds != CudaParameter::Holds::kFloat;
  return taken;
}

// So that its size is what the code's record says.
void fit(Taken& taken, const CudaParameter& record) {
  taken.bytes = record.bytes;
  if (taken.is_buffer && record.bytes != 8) taken.is_buffer = false;
  if (taken.is_buffer) return;
  const bool is_known = taken.type && bytes_of(*taken.type) == record.bytes;
  if (is_known) return;
  taken.type = std::nullopt;
  const bool is_float = record.holds == CudaParameter::Holds::kFloat;
  if (record.holds != CudaParameter::Holds::kBytes || record.bytes == 2) {
    if (record.bytes == 1) taken.type = Type::kU8;
    if (record.bytes == 2) taken.type = is_float || record.holds == CudaParameter::Holds::kBytes ? Type::kF16 : Type::kU16;
    if (record.bytes == 4) taken.type = is_float ? Type::kF32 : Type::kU32;
    if (record.bytes == 8) taken.type = is_float ? Type::kF64 : Type::kU64;
  }
  taken.is_struct = !taken.type;
}

void read_cuda(Kernel& kernel, const std::vector<DeclaredKernel>& source, const std::string& text) {
  const std::vector<CudaParameter>& records = kernel.compiled.cuda.parameters;
  const std::vector<DeclaredParameter> declared = declared_parameters(kernel.compiled.entry, source, records.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    Taken taken = declared.empty() ? guessed_parameter(records[i]) : taken_of(declared[i], records[i].bytes, i);
    fit(taken, records[i]);
    if (taken.is_struct) taken.fields = fields_of(text, taken.type_name, taken.bytes);
    kernel.takes.push_back(std::move(taken));
  }
}

std::optional<Type> type_of_bits(std::uint32_t bits, bool is_float, bool is_signed) {
  if (is_float)
    return bits == 16   ? std::optional(Type::kF16)
           : bits == 32 ? std::optional(Type::kF32)
           : bits == 64 ? std::optional(Type::kF64)
                        : std::nullopt;
  switch (bits) {
    case 8:
      return is_signed ? Type::kI8 : Type::kU8;
    case 16:
      return is_signed ? Type::kI16 : Type::kU16;
    case 32:
      return is_signed ? Type::kI32 : Type::kU32;
    case 64:
      return is_signed ? Type::kI64 : Type::kU64;
    default:
      return std::nullopt;
  }
}

// The numbers of a block: vectors, matrices and arrays as one number after another; none where one has no type that a struct
// may have.
std::vector<Taken> fields_of(const std::vector<SpirvMember>& members) {
  std::vector<Taken> fields;
  for (const SpirvMember& member : members) {
    const bool is_one = member.bytes <= 4 || member.is_address;
    const std::uint32_t step = is_one ? member.bytes : 4;
    if (member.bytes == 0 || member.bytes % step != 0 || member.bytes > 1024) return {};
    Taken field;
    field.name = identifier(member.name, "m");
    field.is_buffer = member.is_address;
    field.type = type_of_bits(8 * step, member.is_float, member.is_signed);
    field.bytes = step;
    field.count = member.bytes / step;
    field.offset = member.offset;
    if (!field.is_buffer && !field.type) return {};
    fields.push_back(std::move(field));
  }
  return fields;
}

void read_vulkan(Kernel& kernel) {
  for (const SpirvBinding& one : kernel.compiled.spirv.bindings) {
    Taken taken;
    // "buffer X { float x[]; };" has its name within, "buffer X { float data[]; } x;" behind it.
    const bool is_named = !one.name.empty() && one.name != one.block;
    taken.name = is_named              ? one.name
                 : !one.member.empty() ? one.member
                 : !one.block.empty()  ? one.block
                                       : fmt::format("b{}_{}", one.set, one.binding);
    taken.is_buffer = true;
    taken.type = type_of_bits(one.element_bits, one.element_is_float, one.element_is_signed);
    taken.is_readonly = one.is_readonly || one.is_uniform;
    taken.is_writeonly = one.is_writeonly;
    taken.is_uniform = one.is_uniform;
    taken.bytes = static_cast<std::uint32_t>(one.bytes);
    taken.least_bytes = one.bytes;
    taken.set = one.set;
    taken.place = one.binding;
    taken.stride = one.element_stride;
    if (one.is_uniform) {  // numbers, most often
      taken.fields = fields_of(one.members);
      taken.is_buffer = taken.fields.empty();
      const bool is_number =
          taken.fields.size() == 1 && taken.fields[0].count == 1 && taken.fields[0].offset == 0 && taken.fields[0].type;
      if (is_number) {
        taken.name = taken.fields[0].name;
        taken.type = taken.fields[0].type;
        taken.fields.clear();
      }
      taken.is_struct = !taken.is_buffer && !is_number;
    }
    kernel.takes.push_back(std::move(taken));
  }
  for (const SpirvMember& one : kernel.compiled.spirv.push) {
    Taken taken;
    taken.name = one.name.substr(one.name.find_last_of('.') + 1);
    taken.is_push = true;
    taken.place = one.offset;
    taken.bytes = one.bytes;
    taken.is_buffer = one.is_address;
    taken.type = taken.is_buffer ? std::nullopt : type_of_bits(8 * one.bytes, one.is_float, one.is_signed);
    taken.is_struct = !taken.is_buffer && !taken.type;  // a vector, a matrix, an array
    if (taken.is_struct) {
      taken.fields = fields_of({one});
      for (Taken& field : taken.fields) field.offset -= one.offset;
    }
    kernel.takes.push_back(std::move(taken));
  }
}

bool is_cuda(const fs::path& file) {
  return file.extension() == ".cu" || file.extension() == ".ptx" || file.extension() == ".cubin";
}

// "app::saxpy<float, 4>" of "void app::saxpy<float, 4>(float*)" or its mangled name; "" of what is no template's.
std::string instance_of(const std::string& name) {
  const std::string text = demangled(name);
  const std::size_t open = text.find('<');
  const std::size_t end = text.find(">(");
  if (open == std::string::npos || end == std::string::npos || open > end) return "";
  const std::size_t begin = text.rfind(' ', open);
  return text.substr(begin == std::string::npos ? 0 : begin + 1, end - begin);
}

// As the file names it: "saxpy", "app::saxpy<float, 4>".
std::string name_in_file(const Compiled& one) {
  const std::string instance = instance_of(one.entry);
  return instance.empty() ? bare_name(one.entry) : instance;
}

// The kernel of a file whose name has `part` in it, else the `index`-th of those there are.
Kernel kernel_of(const fs::path& file, const Target& target, const SourceOptions& options, std::size_t index,
                 const std::string& part) {
  Kernel kernel;
  std::string text = file.extension() == ".cu" ? source_text(file) : "";
  std::vector<DeclaredKernel> declared = declared_kernels(text);
  std::vector<Compiled> all;
  Step step;
  step.file = fs::absolute(file);
  step.defines = options.defines;
  step.flags = options.flags;
  for (const fs::path& include : options.include) step.include.push_back(fs::absolute(include));
  try {
    all = compile_all(step, target);
  } catch (const Error& error) {
    const auto is_template = [](const DeclaredKernel& one) { return !one.arguments.empty(); };
    const bool may_lack_instance = std::string_view(error.what()).find("has no kernel") != std::string_view::npos;
    if (!may_lack_instance || file.extension() != ".cu") throw;
    if (std::ranges::none_of(declared, is_template)) declared = declared_kernels(declaring_text(step, target));
    if (std::ranges::none_of(declared, is_template)) throw;
    // A template without an instance: its parameters as they are declared.
    const auto named = std::find_if(declared.begin(), declared.end(), [&](const DeclaredKernel& one) {
      return is_template(one) && one.name.find(part) != std::string::npos;
    });
    const DeclaredKernel& first =
        named != declared.end() ? *named : *std::find_if(declared.begin(), declared.end(), is_template);
    kernel.problem = fmt::format("{}<{}>", first.name, first.arguments);
    for (const DeclaredKernel& one : declared) {
      if (&one != &first) kernel.others.push_back(one.name);
    }
    for (std::size_t i = 0; i < first.parameters.size(); ++i) {
      Taken taken = taken_of(declared_parameter(first.parameters[i]), 4, i);
      if (!taken.is_buffer && !taken.type) taken.type = Type::kF32;
      kernel.takes.push_back(std::move(taken));
    }
    return kernel;
  }
  if (all.empty()) throw Error("{}: it has no kernel", file.string());
  if (!all[0].source.empty()) {
    text = all[0].source;
    declared = declared_kernels(text);
  }
  // In the source's order, where there is one.
  const auto place = [&](const Compiled& one) {
    const std::string name = bare_name(one.entry);
    return std::find_if(declared.begin(), declared.end(),
                        [&](const DeclaredKernel& other) { return bare_name(other.name) == name; }) -
           declared.begin();
  };
  std::stable_sort(all.begin(), all.end(), [&](const Compiled& a, const Compiled& b) { return place(a) < place(b); });
  const auto named = std::find_if(all.begin(), all.end(), [&](const Compiled& one) {
    return !part.empty() && name_in_file(one).find(part) != std::string::npos;
  });
  kernel.compiled = named != all.end() ? *named : all[std::min(index, all.size() - 1)];
  kernel.compiled.declared = declared_parameters(kernel.compiled.entry, declared, kernel.compiled.cuda.parameters.size());
  refuse(kernel.compiled, step);
  for (const Compiled& one : all) {
    if (one.entry == kernel.compiled.entry) continue;
    kernel.others.push_back(name_in_file(one));
  }
  if (kernel.compiled.kind == Compiled::Kind::kSpirv) {
    read_vulkan(kernel);
  } else {
    read_cuda(kernel, declared, text);
  }
  return kernel;
}

// A buffer, number or struct of the file, which one argument of each side may be.
struct Item {
  Taken taken;
  std::string name;
  std::size_t sides = 0;
  std::string other = {};  // what the second kernel calls it, where that is another name
};

bool are_alike(const Taken& a, const Taken& b) {
  if (a.is_buffer != b.is_buffer || a.is_struct != b.is_struct) return false;
  if (a.is_buffer) return !a.type || !b.type || bytes_of(*a.type) == bytes_of(*b.type);
  if (a.is_struct) return a.bytes == b.bytes && a.fields.size() == b.fields.size();
  return a.type && b.type && bytes_of(*a.type) == bytes_of(*b.type) && is_float(*a.type) == is_float(*b.type);
}

class Writer {
 public:
  Writer(std::vector<fs::path> files, std::vector<Kernel> kernels, fs::path folder, SourceOptions options)
      : files_(std::move(files)), kernels_(std::move(kernels)), folder_(std::move(folder)), options_(std::move(options)) {}

  std::string write() {
    for (const Kernel& kernel : kernels_) take(kernel);
    choose_outputs();
    write_head();
    for (const Item& item : items_) write_item(item);
    for (std::size_t side = 0; side < kernels_.size(); ++side) write_side(side);
    return text_;
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    text_ += fmt::format(format, std::forward<Args>(args)...) + "\n";
  }

  // The items of a kernel's parameters: those of the kernel before, by name, then by order; else new ones.
  void take(const Kernel& kernel) {
    std::vector<std::size_t> own(kernel.takes.size(), kNone);
    std::set<std::size_t> used;
    const auto pair = [&](std::size_t i, const auto& is_same) {
      for (std::size_t item = 0; item < first_of_second_; ++item) {
        if (own[i] != kNone || used.contains(item) || !are_alike(items_[item].taken, kernel.takes[i]) || !is_same(items_[item]))
          continue;
        own[i] = item;
        used.insert(item);
      }
    };
    for (std::size_t i = 0; i < own.size(); ++i)
      pair(i, [&](const Item& item) { return lower(item.name) == lower(kernel.takes[i].name); });
    for (std::size_t i = 0; i < own.size(); ++i)
      pair(i, [&](const Item& item) { return item.taken.is_readonly == kernel.takes[i].is_readonly && !item.taken.is_struct; });
    for (std::size_t i = 0; i < own.size(); ++i) pair(i, [&](const Item& item) { return !item.taken.is_struct; });
    for (std::size_t i = 0; i < own.size(); ++i) {
      const Taken& taken = kernel.takes[i];
      if (own[i] == kNone) {
        Item item = {taken, identifier(taken.name, "p"), 0};
        for (const Item& other : items_) {
          if (other.name == item.name) item.name += "_";
        }
        for (const Taken& field : taken.fields) {
          if (field.is_buffer) take_address(field);
        }
        own[i] = items_.size();
        items_.push_back(std::move(item));
      }
      Item& item = items_[own[i]];
      ++item.sides;
      if (lower(item.taken.name) != lower(taken.name)) item.other = taken.name;
      if (!item.taken.type) item.taken.type = taken.type;
      item.taken.is_readonly = item.taken.is_readonly || taken.is_readonly;
      item.taken.is_writeonly = item.taken.is_writeonly || taken.is_writeonly;
      item.taken.bytes = std::max(item.taken.bytes, taken.bytes);
      item.taken.least_bytes = std::max(item.taken.least_bytes, taken.least_bytes);
      item.taken.stride = std::max(item.taken.stride, taken.stride);
    }
    arguments_.push_back(std::move(own));
    first_of_second_ = items_.size();
  }

  // A buffer whose address stands in a struct.
  void take_address(const Taken& field) {
    const auto same = std::find_if(items_.begin(), items_.end(), [&](const Item& item) {
      return lower(item.name) == lower(field.name) && are_alike(item.taken, field);
    });
    if (same != items_.end()) {
      ++same->sides;
      return;
    }
    items_.push_back({field, identifier(field.name, "p"), 1});
  }
  std::string buffer_called(const std::string& name) const {
    for (const Item& item : items_) {
      if (item.taken.is_buffer && lower(item.name) == lower(name)) return item.name;
    }
    return name;
  }

  // What all sides take and may write; without one, the last buffer that all take.
  void choose_outputs() {
    const auto is_shared = [this](const Item& item) { return item.taken.is_buffer && item.sides == kernels_.size(); };
    const bool has_output =
        std::any_of(items_.begin(), items_.end(), [&](const Item& item) { return is_shared(item) && !item.taken.is_readonly; });
    if (has_output) return;
    const auto last = std::find_if(items_.rbegin(), items_.rend(), is_shared);
    if (last != items_.rend()) last->taken.is_readonly = false;
  }

  void write_head() {
    line("# Written from the kernels by --init. What says \"guess\" the code does not tell: make it right, then see --check.");
    std::string name;
    for (const char c : lower(files_.front().stem().string()))
      name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    line("name = \"{}\"", name);
    line("# useful_bytes = \"12 * n\"  # bytes that a launch has to move: GB/s are computed of it");
    line("\n[sizes]\nn = [65536, \"1 << 22\"]{}: elements of each buffer", kGuess);
  }

  void write_item(const Item& item) {
    const Taken& taken = item.taken;
    if (taken.is_buffer) {
      line("\n[[buffer]]\nname = \"{}\"{}", item.name, other_of(item));
      line("type = \"{}\"{}", to_string(taken.type.value_or(Type::kF32)), taken.type ? "" : kGuess);
      write_elements(taken);
      const bool is_shared = item.sides == kernels_.size();
      const std::string_view role = taken.is_readonly ? "in" : !is_shared ? "scratch" : taken.is_writeonly ? "out" : "inout";
      line("role = \"{}\"{}", role,
           taken.is_readonly || taken.is_writeonly ? "" : "  # guess: in, out, inout, or scratch, which is not compared");
      return;
    }
    if (!taken.is_struct) {
      line("\n[[scalar]]\nname = \"{}\"{}\ntype = \"{}\"", item.name, other_of(item), to_string(*taken.type));
      line("value = {}{}", value_for(item.name, *taken.type), kGuess);
      return;
    }
    if (!taken.fields.empty()) {
      line("\n[[struct]]\nname = \"{}\"\nbytes = {}\nmembers = [", item.name, taken.bytes);
      for (const Taken& field : taken.fields) {
        if (field.is_buffer) {
          line("  {{ name = \"{}\", offset = {}, address = \"{}\" }},", field.name, field.offset, buffer_called(field.name));
        } else {
          const std::string count = field.count == 1 ? "" : fmt::format(", count = {}", field.count);
          line("  {{ name = \"{}\", offset = {}, type = \"{}\"{}, value = {} }},{}", field.name, field.offset,
               to_string(*field.type), count, value_for(field.name, *field.type), kGuess);
        }
      }
      line("]");
      return;
    }
    line("\n[[struct]]\nname = \"{}\"\nbytes = {}\nmembers = [{}: {}", item.name, taken.bytes, kGuess,
         "the kernel's own members, with their types and offsets");

    const std::uint32_t step = taken.bytes % 4 == 0 ? 4 : 1;
    for (std::uint32_t offset = 0; offset < taken.bytes; offset += step) {
      line("  {{ name = \"at_{}\", type = \"{}\", value = 1 }},", offset, step == 1 ? "u8" : "u32");
    }
    line("]");
  }

  // Two names of which nothing tells that they are one thing.
  std::string other_of(const Item& item) const {
    return item.other.empty() ? "" : fmt::format("{}: {} calls it {}", kGuess, files_.back().filename().string(), item.other);
  }

  void write_elements(const Taken& taken) {
    const std::uint64_t width = bytes_of(taken.type.value_or(Type::kF32));
    const std::uint64_t many = std::max<std::uint64_t>(1, taken.stride / width);
    const std::string count = many == 1 ? "n" : fmt::format("{} * n", many);
    const std::uint64_t least = (taken.least_bytes + width - 1) / width;
    line("elements = \"{}\"{}{}", least <= many ? count : fmt::format("max({}, {})", count, least), kGuess,
         many == 1 ? "" : fmt::format(": {} bytes each", taken.stride));
  }

  static std::string value_for(const std::string& name, Type type) {
    static const std::regex counts("(.*(count|num|size|len|length|elements|total).*|n|.*_n|n_.*|n[0-9]*|N)", std::regex::icase);
    if (is_float(type)) return "1.5";
    return std::regex_match(name, counts) && bytes_of(type) >= 4 ? "\"n\"" : "1";
  }

  std::string path_of(const fs::path& file) const {
    std::error_code error;
    const fs::path relative = fs::relative(file, folder_, error);
    return quoted(error || relative.empty() ? fs::absolute(file).string() : relative.string());
  }
  static std::string quoted(const std::string& text) {
    std::string escaped;
    for (const char c : text) escaped += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    return "\"" + escaped + "\"";
  }

  void write_options() {
    std::vector<std::string> parts;
    for (const auto& [name, value] : options_.defines) parts.push_back(fmt::format("{} = {}", name, quoted(value)));
    if (!parts.empty()) line("defines = {{ {} }}", fmt::join(parts, ", "));
    parts.clear();
    for (const fs::path& include : options_.include) parts.push_back(path_of(include));
    if (!parts.empty()) line("include = [{}]", fmt::join(parts, ", "));
    parts.clear();
    for (const std::string& flag : options_.flags) parts.push_back(quoted(flag));
    if (!parts.empty()) line("flags = [{}]", fmt::join(parts, ", "));
  }

  void write_side(std::size_t side) {
    const Kernel& kernel = kernels_[side];
    const bool cuda = is_cuda(files_[side]);
    line("\n[[side]]\nfile = {}", path_of(files_[side]));
    if (files_[side].extension() == ".cu" || files_[side].extension() == ".comp") write_options();
    if (!kernel.problem.empty()) {
      line("instance = \"{}\"{}: the template's arguments{}{}", kernel.problem, kGuess,
           kernel.others.empty() ? "" : "; there are: ", fmt::join(kernel.others, ", "));
    } else if (const std::string instance = files_[side].extension() == ".cu" ? instance_of(kernel.compiled.entry) : "";
               !instance.empty()) {
      line("instance = \"{}\"{}", instance,
           kernel.others.empty() ? "" : fmt::format("  # guess; there are: {}", fmt::join(kernel.others, ", ")));
    } else if (cuda || kernel.compiled.entry != "main") {
      const std::string entry = cuda ? entry_of(kernel) : kernel.compiled.entry;
      line("entry = \"{}\"{}", entry,
           kernel.others.empty() ? "" : fmt::format("  # guess; there are: {}", fmt::join(kernel.others, ", ")));
    }
    if (cuda) {
      std::vector<std::string> names;
      for (const std::size_t item : arguments_[side]) names.push_back("\"" + items_[item].name + "\"");
      line("arguments = [{}]", fmt::join(names, ", "));
      const std::vector<std::uint32_t>& block = kernel.compiled.cuda.required_block;
      const std::uint64_t most = kernel.compiled.cuda.most_threads;
      const std::uint64_t threads = most == 0 ? 256 : std::min<std::uint64_t>(256, most);
      if (block.empty()) {
        line("block = {}{}", threads, kGuess);
      } else {
        line("block = [{}]", fmt::join(block, ", "));
      }
      line("grid = \"ceil(n / {})\"{}: a thread per element", block.empty() ? threads : block[0], kGuess);
      return;
    }
    line("arguments = [");
    for (std::size_t i = 0; i < kernel.takes.size(); ++i) {
      const Taken& taken = kernel.takes[i];
      const std::string& name = items_[arguments_[side][i]].name;
      if (taken.is_push) {
        line("  {{ name = \"{}\", push = {} }},", name, taken.place);
      } else {
        line("  {{ name = \"{}\", set = {}, binding = {}{} }},", name, taken.set, taken.place,
             taken.is_uniform ? ", as = \"uniform\"" : "");
      }
    }
    line("]");
    write_constants(kernel.compiled.spirv);
  }

  // What the description says of an entry: the mangled name only where C++ has several of one name.
  static std::string entry_of(const Kernel& kernel) {
    const std::string name = bare_name(kernel.compiled.entry);
    const bool is_alone =
        std::none_of(kernel.others.begin(), kernel.others.end(), [&](const std::string& other) { return other == name; });
    const bool is_template = demangled(kernel.compiled.entry).find('<') != std::string::npos;
    return is_alone && !is_template ? name : kernel.compiled.entry;
  }

  void write_constants(const SpirvEntry& entry) {
    std::array<std::uint32_t, 3> size = entry.local_size;
    std::vector<std::string> constants;
    std::vector<std::string> names;
    for (const SpirvConstant& one : entry.constants) {
      std::string value = fmt::format("{}", static_cast<std::int64_t>(one.value));
      if (one.is_bool) value = one.value != 0 ? "true" : "false";
      bool is_size = false;
      for (std::size_t d = 0; d < 3; ++d) {
        if (entry.local_size_ids.at(d) != one.id) continue;
        is_size = true;
        if (d == 0 && size[0] == 1) size[0] = 256;
        value = std::to_string(size.at(d));
      }
      const bool is_plain = !one.is_float && one.bits == 32;
      if (!is_plain && one.bits >= 32)
        value = fmt::format("{{ type = \"{}{}\", value = {} }}",
                            one.is_float    ? "f"
                            : one.is_signed ? "i"
                                            : "u",
                            one.bits, one.is_float ? "1.5" : value);
      if (one.bits < 32 || (!is_size && !one.is_float && one.value > (1U << 30))) continue;
      constants.push_back(fmt::format("{} = {}", one.id, value));
      names.push_back(fmt::format("{} is {}", one.id, is_size ? "the local size" : one.name.empty() ? "unnamed" : one.name));
    }
    if (!constants.empty()) line("constants = {{ {} }}{}; {}", fmt::join(constants, ", "), kGuess, fmt::join(names, ", "));
    const bool is_computed =
        std::any_of(entry.local_size.begin(), entry.local_size.end(), [](std::uint32_t one) { return one == 0; });
    if (!is_computed) line("block = [{}]", fmt::join(size, ", "));
    line("grid = \"ceil(n / {})\"{}: an invocation per element", size[0], kGuess);
  }

  static constexpr std::size_t kNone = ~std::size_t{0};

  std::vector<fs::path> files_;
  std::vector<Kernel> kernels_;
  fs::path folder_;
  SourceOptions options_;
  std::vector<Item> items_;
  std::size_t first_of_second_ = 0;
  std::vector<std::vector<std::size_t>> arguments_;  // of each side: indices of items
  std::string text_;
};

}  // namespace

std::string first_description(const std::vector<fs::path>& files, const Target& target, const fs::path& folder,
                              const SourceOptions& options) {
  if (files.empty() || files.size() > 2) throw UsageError("--init with {} files; one or two are allowed", files.size());
  std::vector<Kernel> kernels;
  std::vector<std::string> names;
  bool has_wished = false;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (has_control_character(files[i].string()))
      throw UsageError("--init: a control character in a file's name; none is allowed");
    if (!fs::is_regular_file(files[i])) throw UsageError("--init: no such file: {}", files[i].string());
    const std::string ending = files[i].extension().string();
    if (ending == ".cuh" || ending == ".glsl")
      throw UsageError("--init: {}: a header; a {} file that includes it is allowed", files[i].string(),
                       ending == ".cuh" ? ".cu" : ".comp");
    if (!is_cuda(files[i]) && ending != ".comp" && ending != ".spv")
      throw UsageError("--init: {}: the ending tells the language; allowed: .cu, .ptx, .cubin, .comp, .spv", files[i].string());
    const bool is_twice = files.size() == 2 && fs::equivalent(files[0], files[1]);
    // A file of many kernels has that one, perhaps, which the other file is called after.
    std::string part = options.kernel;
    if (part.empty() && files.size() == 2 && !is_twice) part = files[1 - i].stem().string();
    kernels.push_back(kernel_of(files[i], target, options, is_twice && i == 1 ? 1 : 0, part));
    const Kernel& kernel = kernels.back();
    const std::string name = kernel.problem.empty() ? name_in_file(kernel.compiled) : kernel.problem;
    has_wished |= name.find(options.kernel) != std::string::npos;
    names.push_back(name);
    names.insert(names.end(), kernel.others.begin(), kernel.others.end());
  }
  if (!has_wished) throw UsageError("--kernel {}: no such kernel; there: {}", options.kernel, fmt::join(names, ", "));
  return Writer(files, std::move(kernels), fs::absolute(folder), options).write();
}

}  // namespace bench::own
