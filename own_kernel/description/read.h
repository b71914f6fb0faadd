// From a TOML file to a Description.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "description/description.h"

namespace bench::own {

// All that the file's text can tell is checked: keys, types, names, that each expression has a value with all sizes, that
// dimensions are whole and positive, that the files named exist. What a compiler must tell is for check.h.
// Throws UsageError of one line: `file:line: what was found; what is allowed`.
Description read_description(const std::filesystem::path& file);

// The same of a text; `file` is what messages call it, and where relative paths start.
Description read_description(std::string_view text, const std::filesystem::path& file);

}  // namespace bench::own
