#include "compile/compile.h"

#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

#include "compile/scratch.h"
#include "compile/tools.h"
#include "core/base/child.h"
#include "core/base/error.h"
#include "core/code/nvrtc.h"
#include "description/expression.h"
#include "description/values.h"

namespace bench::own {
namespace {

namespace fs = std::filesystem;

// Of a kernel whose only use is its mangled name, which holds its argument's.
constexpr const char* kTag = "own_kernel_made::tag";
constexpr std::uintmax_t kMostBytes = std::uintmax_t{1} << 28;  // of a file that is read

std::string read_text(const fs::path& file) {
  std::error_code error;
  if (const auto bytes = fs::file_size(file, error); error || bytes > kMostBytes)
    throw Error("{}: cannot be read", file.string());
  std::ifstream in(file, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (in.bad()) throw Error("{}: cannot be read", file.string());
  return text;
}

void write_text(const fs::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  if (!out.flush()) throw Error("{}: cannot be written", file.string());
}

std::vector<std::byte> content_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return text;
}

// The first line that names an error, else the first that says anything.
std::string first_error(const std::string& log) {
  std::istringstream lines(log);
  std::string first;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string::npos) continue;
    line = one_line(line.substr(begin));
    if (line.find("error") != std::string::npos || line.find("ERROR") != std::string::npos ||
        line.find("fatal") != std::string::npos)
      return line;
    if (first.empty()) first = line;
  }
  return first;
}

// Throws Error with the first of the compiler's words, and where all of them are.
[[noreturn]] void fail(const Step& step, const Target& target, const std::string& by, const ChildEnd& end) {
  const fs::path folder = target.log_folder.empty() ? fs::temp_directory_path() : target.log_folder;
  const fs::path log = folder / fmt::format("own_kernel-{}-{}.log", step.file.filename().string(), getpid());
  std::string where;
  if (!end.output.empty()) {
    std::ofstream out(log, std::ios::binary);
    out << end.output;
    if (out.flush()) where = fmt::format("; all of it: {}", log.string());
  }
  const std::string said = first_error(end.output);
  const bool is_answer = end.signal == 0 && !end.timed_out && !said.empty();
  throw Error("{}: {} {}{}{}", step.file.string(), by, is_answer ? "says: " + said : end.words(),
              is_answer || said.empty() ? "" : fmt::format(", after saying: {}", said), where);
}

std::vector<std::string> defines_of(const Step& step) {
  std::vector<std::string> all;
  for (const auto& [name, value] : step.defines) all.push_back(fmt::format("-D{}={}", name, value));
  return all;
}

bool names_standard(const std::vector<std::string>& flags) {
  return std::any_of(flags.begin(), flags.end(),
                     [](const std::string& flag) { return flag.find("-std") != std::string::npos; });
}

struct CudaCode {
  std::string cubin;
  std::string ptx;
  std::string by;
  std::string entry;        // of the instance, where one is made
  std::string source = {};  // what declares the kernels; empty: it came as code
};

CudaCode compile_by_nvcc(const Step& step, const Target& target, const Tool& nvcc) {
  const Scratch scratch;
  const std::string by = "nvcc " + nvcc.version;
  std::string source = step.file.string();
  if (!step.instance.empty()) {
    source = scratch.file("instance.cu");
    // The address of an instance makes it; a kernel named after it tells its mangled name.
    write_text(
        source,
        fmt::format("#include \"{0}\"\nnamespace own_kernel_made {{\n"
                    "template <auto* Kernel>\n__global__ void tag() {{}}\n"
                    "[[maybe_unused]] static const void* const keep[] = {{(const void*)({1}), (const void*)(tag<{1}>)}};\n}}\n",
                    step.file.string(), step.instance));
  }
  std::vector<std::string> command = {nvcc.path,
                                      "-cubin",
                                      "-arch=" + target.cuda_arch,
                                      "--keep",
                                      "--keep-dir",
                                      scratch.path().string(),
                                      "-o",
                                      scratch.file("out.cubin")};
  if (!names_standard(step.flags)) command.emplace_back("-std=c++20");
  for (const std::string& one : defines_of(step)) command.push_back(one);
  for (const fs::path& folder : step.include) command.push_back("-I" + folder.string());
  command.insert(command.end(), step.flags.begin(), step.flags.end());
  command.push_back(source);
  const ChildEnd end = run_child(command, target.limit_s);
  if (!end.ok()) fail(step, target, by, end);
  if (!fs::exists(scratch.file("out.cubin")))
    throw Error("{}: {} ended well and made no cubin: flags = [\"{}\"]?", step.file.string(), by,
                fmt::join(step.flags, "\", \""));
  CudaCode code = {
      .cubin = read_text(scratch.file("out.cubin")), .ptx = {}, .by = by, .entry = {}, .source = source_text(step.file)};
  for (const auto& kept : fs::directory_iterator(scratch.path())) {
    if (kept.path().extension() == ".ptx") code.ptx = read_text(kept.path());
    if (kept.path().string().ends_with(".cpp1.ii"))
      code.source = preprocessed_text(kept.path(), fs::path(nvcc.path).parent_path().parent_path());
  }
  return code;
}

CudaCode compile_by_nvrtc(const Step& step, const Target& target) {
  const Scratch scratch;
  const std::string by = "NVRTC " + nvrtc_version();
  NvrtcSource source = {
      .text = read_text(step.file), .name = step.file.string(), .options = {}, .instance = step.instance, .wants_ptx = true};
  source.options = {"--gpu-architecture=" + target.cuda_arch, "-I" + step.file.parent_path().string()};
  if (!names_standard(step.flags)) source.options.emplace_back("--std=c++20");
  for (const fs::path& folder : step.include) source.options.push_back("-I" + folder.string());
  for (const std::string& folder : cuda_include_folders()) source.options.push_back("-I" + folder);
  for (const std::string& one : defines_of(step)) source.options.push_back(one);
  for (const std::string& flag : step.flags) {
    if (flag != "-O3") source.options.push_back(flag);  // nvcc's own word for its host compiler
  }
  const ChildEnd end = run_in_child(
      [&] {
        const NvrtcCode code = compile_with_nvrtc(source);
        write_text(scratch.file("cubin"), code.cubin);
        write_text(scratch.file("ptx"), code.ptx);
        write_text(scratch.file("entry"), code.entry);
        return std::string();
      },
      target.limit_s);
  if (!end.ok()) fail(step, target, by, end);
  return {read_text(scratch.file("cubin")), read_text(scratch.file("ptx")), by, read_text(scratch.file("entry")),
          source_text(step.file)};
}

CudaCode cuda_code_of(const Step& step, const Target& target) {
  const std::string ending = step.file.extension().string();
  if (ending == ".cubin") return {.cubin = read_text(step.file), .ptx = {}, .by = {}, .entry = {}};
  if (ending == ".ptx") return {.cubin = {}, .ptx = read_text(step.file), .by = {}, .entry = {}};
  if (const auto nvcc = find_nvcc(target)) return compile_by_nvcc(step, target, *nvcc);
  try {
    return compile_by_nvrtc(step, target);
  } catch (const Skip& skip) {
    throw Skip("{}: no nvcc on PATH, in CUDA_HOME or in /usr/local/cuda, and {}", step.file.string(), skip.what());
  }
}

// The kernels, as the cubin records them; what PTX knows of them, with it.
std::vector<CudaKernel> kernels_of(const CudaCode& code) {
  if (code.cubin.empty()) return ptx_kernels(code.ptx);
  std::vector<CudaKernel> kernels = cubin_kernels(std::as_bytes(std::span(code.cubin)));
  if (code.ptx.empty()) return kernels;
  const std::vector<CudaKernel> in_ptx = ptx_kernels(code.ptx);
  for (CudaKernel& kernel : kernels) {
    const auto same =
        std::find_if(in_ptx.begin(), in_ptx.end(), [&](const CudaKernel& one) { return one.name == kernel.name; });
    if (same == in_ptx.end()) continue;
    kernel.refused = same->refused;
    for (std::size_t i = 0; i < std::min(kernel.parameters.size(), same->parameters.size()); ++i)
      kernel.parameters[i].holds = same->parameters[i].holds;
  }
  return kernels;
}

bool is_tag(const CudaKernel& kernel) { return demangled(kernel.name).find(kTag) != std::string::npos; }

// The mangled name of the instance that the tag was made with.
std::string instance_in(const std::vector<CudaKernel>& kernels) {
  for (const CudaKernel& tag : kernels) {
    if (!is_tag(tag)) continue;
    const std::string text = demangled(tag.name);
    for (const CudaKernel& kernel : kernels) {
      if (!is_tag(kernel) && text.find(fmt::format("({})", demangled(kernel.name))) != std::string::npos) return kernel.name;
    }
  }
  return "";
}

std::string names_of(const std::vector<CudaKernel>& kernels) {
  std::vector<std::string> names;
  for (const CudaKernel& kernel : kernels) {
    if (!is_tag(kernel)) names.push_back(demangled(kernel.name));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

const CudaKernel& choose(const Step& step, const CudaCode& code, const std::vector<CudaKernel>& kernels) {
  std::string wished = step.entry;
  if (!step.instance.empty()) {
    wished = code.entry.empty() ? instance_in(kernels) : code.entry;
    if (wished.empty())
      throw Error("{}: instance {} was not found in what {} made; there: {}", step.file.string(), step.instance, code.by,
                  names_of(kernels));
  }
  std::vector<const CudaKernel*> found;
  for (const CudaKernel& kernel : kernels) {
    if (is_tag(kernel)) continue;
    const std::string text = demangled(kernel.name);
    const std::size_t begin = text.find(wished + "(");
    const bool is_named = begin != std::string::npos && (begin == 0 || text[begin - 1] == ' ' || text[begin - 1] == ':');
    if (kernel.name == wished) return kernel;
    if (wished.empty() || is_named) found.push_back(&kernel);
  }
  if (found.size() == 1) return *found[0];
  if (wished.empty())
    throw Error("{}: it has several kernels, and no entry names one; there: {}", step.file.string(), names_of(kernels));
  throw Error("{}: {} kernel is called {}; there: {}", step.file.string(), found.empty() ? "no" : "more than one", wished,
              names_of(kernels));
}

Compiled compiled_of(const CudaCode& code, const CudaKernel& kernel) {
  Compiled compiled;
  compiled.kind = code.cubin.empty() ? Compiled::Kind::kPtx : Compiled::Kind::kCubin;
  compiled.bytes = content_of(code.cubin.empty() ? code.ptx : code.cubin);
  compiled.by = code.by;
  compiled.entry = kernel.name;
  compiled.cuda = kernel;
  return compiled;
}

// The shader with the extension asked for behind its #version, and the lines' numbers as they were.
std::string asking_for_includes(const std::string& text) {
  int line = 1;
  for (std::size_t begin = 0; begin < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::size_t word = text.find_first_not_of(" \t", begin);
    if (word < end && text.compare(word, std::strlen("#version"), "#version") == 0)
      return fmt::format("{}\n#extension GL_GOOGLE_include_directive : enable\n#line {}{}", text.substr(0, end), line + 1,
                         text.substr(end));
    begin = end + 1;
  }
  return text;
}

struct SpirvCode {
  std::string bytes;
  std::string by;
};

SpirvCode spirv_code_of(const Step& step, const Target& target) {
  if (step.file.extension() == ".spv") return {read_text(step.file), ""};
  const auto glslang = find_glslang(target);
  if (!glslang) throw Skip("{}: no glslang or glslangValidator on PATH (package glslang-tools)", step.file.string());
  const Scratch scratch;
  const std::string by = "glslang " + glslang->version;
  std::vector<std::string> command = {glslang->path, "--quiet", "--target-env", target.vulkan,
                                      "-S",          "comp",    "-o",           scratch.file("out.spv")};
  // Shaders that include files and do not ask for the extension, as glslc allows: a copy asks. (-P, which would, is unknown to
  // releases before 13.)
  std::string source = step.file.string();
  if (const std::string text = read_text(step.file);
      text.find("#include") != std::string::npos && text.find("GL_GOOGLE_include_directive") == std::string::npos) {
    source = scratch.file(step.file.filename().string());
    write_text(source, asking_for_includes(text));
  }
  for (const std::string& one : defines_of(step)) command.push_back(one);
  command.push_back("-I" + step.file.parent_path().string());
  for (const fs::path& folder : step.include) command.push_back("-I" + folder.string());
  command.insert(command.end(), step.flags.begin(), step.flags.end());
  command.push_back(source);
  ChildEnd end = run_child(command, target.limit_s);
  for (std::size_t at = 0; source != step.file && (at = end.output.find(source, at)) != std::string::npos;)
    end.output.replace(at, source.size(), step.file.string());
  if (!end.ok()) fail(step, target, by, end);
  return {read_text(scratch.file("out.spv")), by};
}

std::string choose(const Step& step, const SpirvModule& module) {
  const std::vector<std::string> names = module.entries();
  if (!step.entry.empty()) return step.entry;
  if (names.size() == 1) return names[0];
  if (std::find(names.begin(), names.end(), "main") != names.end()) return "main";
  if (names.empty()) throw Error("it has no entry point of a compute shader");
  throw Error("it has several entry points, and no entry names one; there: {}", fmt::join(names, ", "));
}

// ", given in line 25", of the TOML file; "" if no argument is given there.
std::string line_given(const Step& step, const SpirvBinding& at) {
  const auto found = std::ranges::find_if(step.arguments, [&](const Argument& one) {
    return (one.as == As::kStorage || one.as == As::kUniform) && one.set == at.set && one.binding == at.binding;
  });
  return found == step.arguments.end() ? "" : fmt::format(", given in line {}", found->line);
}

std::string refused_of_shader(const Compiled& compiled, const Step& step) {
  if (!compiled.spirv.no_buffers.empty())
    return fmt::format("uses the {}: own kernels take buffers alone", compiled.spirv.no_buffers[0]);
  for (const SpirvBinding& one : compiled.spirv.bindings) {
    if (one.is_array)
      return fmt::format("uses an array of buffers at set {}, binding {}{}: own kernels take single ones", one.set, one.binding,
                         line_given(step, one));
  }
  if (!compiled.spirv.stored_address.empty())
    return fmt::format("reads the address of {} out of a buffer: own kernels give addresses in push constants alone",
                       compiled.spirv.stored_address);
  return "";
}

std::string refused_of_cuda(const Compiled& compiled) {
  if (!compiled.cuda.refused.empty()) return fmt::format("uses {}: own kernels cannot", compiled.cuda.refused[0]);
  for (std::size_t i = 0; i < compiled.declared.size(); ++i) {
    if (compiled.declared[i].is_table)
      return fmt::format("takes a pointer to pointers as parameter {}: own kernels give addresses as parameters alone", i);
  }
  return "";
}

// The same with the file's name before it.
template <class Body>
auto naming(const Step& step, Body body) {
  try {
    return body();
  } catch (const Error& error) {
    const std::string text = error.what();
    if (text.starts_with(step.file.string())) throw;
    throw Error("{}: {}", step.file.string(), text);
  }
}

}  // namespace

void refuse(const Compiled& compiled, const Step& step) {
  const bool is_shader = compiled.kind == Compiled::Kind::kSpirv;
  const std::string why = is_shader ? refused_of_shader(compiled, step) : refused_of_cuda(compiled);
  if (!why.empty()) throw Error("{}: {} {}", step.file.string(), is_shader ? compiled.entry : demangled(compiled.entry), why);
}

Compiled compile(const Step& step, const Target& target) {
  return naming(step, [&] {
    const std::string ending = step.file.extension().string();
    if (ending == ".cu" || ending == ".ptx" || ending == ".cubin") {
      const CudaCode code = cuda_code_of(step, target);
      const std::vector<CudaKernel> kernels = kernels_of(code);
      Compiled compiled = compiled_of(code, choose(step, code, kernels));
      compiled.declared = declared_parameters(compiled.entry, declared_kernels(code.source), compiled.cuda.parameters.size());
      refuse(compiled, step);
      return compiled;
    }
    const SpirvCode code = spirv_code_of(step, target);
    const SpirvModule module(std::as_bytes(std::span(code.bytes)));
    Compiled compiled;
    compiled.bytes = content_of(code.bytes);
    compiled.by = code.by;
    compiled.entry = choose(step, module);
    compiled.spirv = module.entry(compiled.entry);
    refuse(compiled, step);
    return compiled;
  });
}

std::vector<Compiled> compile_all(const Step& step, const Target& target) {
  return naming(step, [&] {
    std::vector<Compiled> all;
    const std::string ending = step.file.extension().string();
    if (ending == ".cu" || ending == ".ptx" || ending == ".cubin") {
      const CudaCode code = cuda_code_of(step, target);
      for (const CudaKernel& kernel : kernels_of(code)) all.push_back(compiled_of(code, kernel));
      for (Compiled& one : all) one.source = code.source;
      return all;
    }
    const SpirvCode code = spirv_code_of(step, target);
    const SpirvModule module(std::as_bytes(std::span(code.bytes)));
    for (const std::string& name : module.entries()) {
      Compiled compiled;
      compiled.bytes = content_of(code.bytes);
      compiled.by = code.by;
      compiled.entry = name;
      compiled.spirv = module.entry(name);
      all.push_back(std::move(compiled));
    }
    return all;
  });
}

std::string declaring_text(const Step& step, const Target& target) {
  return naming(step, [&] { return cuda_code_of(step, target).source; });
}

std::uint64_t bits_of(const Constant& constant, const Sizes& sizes) {
  std::uint64_t bits = 0;
  const std::vector<std::byte> bytes = bytes_of_number(constant.type, value_of(constant.value, sizes));
  std::memcpy(&bits, bytes.data(), bytes.size());  // little-endian, as SPIR-V here
  return bits;
}

SpirvEntry interface_of(const Compiled& compiled, const Step& step, const Sizes& sizes) {
  SpirvValues values;
  for (const Constant& constant : step.constants) values[constant.id] = bits_of(constant, sizes_of(step, sizes));
  return SpirvModule(compiled.bytes).entry(compiled.entry, values);
}

}  // namespace bench::own
