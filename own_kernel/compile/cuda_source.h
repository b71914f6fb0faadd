// Kernels as a CUDA source declares them, as far as a look at its text and at mangled names can tell: cubins record sizes
// alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "description/description.h"

namespace bench::own {

struct DeclaredParameter {
  std::string name = {};  // empty: it has none, or it cannot be told
  bool is_pointer = false;
  bool is_const = false;          // what it points to
  std::optional<Type> type = {};  // its own, or of what it points to; of a vector its elements'
  bool is_vector = false;         // float4 and the like
  bool is_table = false;          // a pointer to pointers
  std::string type_name = {};     // of what is no number: a struct's
};

struct DeclaredKernel {
  std::string name;                     // with the namespaces around it
  std::string arguments;                // of a template, guessed: "float, 4"; empty: it is none
  std::vector<std::string> parameters;  // each as it is written
};

// At most 1 MiB of a source, without its comments.
std::string source_text(const std::filesystem::path& file);

// The same of what nvcc's preprocessor makes of a source (.cpp1.ii), with what the user's own headers and macros declare.
// Headers of the system and of the toolkit are left out: those below /usr or `toolkit`.
std::string preprocessed_text(const std::filesystem::path& file, const std::filesystem::path& toolkit);

// The kernels of such a text, in its order.
std::vector<DeclaredKernel> declared_kernels(const std::string& text);

// "const float* __restrict__ x"
DeclaredParameter declared_parameter(const std::string& words);

// Of a compiled kernel, by its name in the code: the types that a mangled name has, and names (with the types, where the name
// is not mangled) of the source. Empty where neither tells.
std::vector<DeclaredParameter> declared_parameters(const std::string& entry, const std::vector<DeclaredKernel>& source,
                                                   std::size_t count);

// "saxpy" of "void app::saxpy<float, 4>(float*)" or of its mangled name.
std::string bare_name(const std::string& name);

}  // namespace bench::own
