// toml++ as own_kernel includes it.
#pragma once

#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_UNRELEASED_FEATURES 0
#include <toml++/toml.h>
