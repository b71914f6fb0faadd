// toml++ as own_kernel includes it.
#pragma once

#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_UNRELEASED_FEATURES 0
#if __has_include(<toml++/impl/preprocessor.hpp>)
#include <toml++/impl/preprocessor.hpp>
#else
#include <toml++/impl/preprocessor.h>
#endif
// It asserts some of a user's text to be right, as of "[[@]]": then it aborts, or is compiled as if it were so. Behind each
// assertion stands the check that says what is wrong.
#undef TOML_ASSERT
#define TOML_ASSERT(expr) static_assert(true)
#undef TOML_ASSERT_ASSUME
#define TOML_ASSERT_ASSUME(expr) static_assert(true)
#include <toml++/toml.h>
