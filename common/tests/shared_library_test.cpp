#include "core/base/shared_library.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace bench {
namespace {

// Whether the process still has the library.
bool is_loaded() {
  void* handle = dlopen(BENCH_HOT_NVML, RTLD_NOW | RTLD_NOLOAD);
  if (handle != nullptr) dlclose(handle);
  return handle != nullptr;
}

TEST(SharedLibrary, IsTheFirstThatIsThere) {
  const SharedLibrary library({"libnobody_has_this.so", BENCH_HOT_NVML, "libm.so.6"}, SharedLibrary::AtEnd::kClose);
  ASSERT_TRUE(library);
  EXPECT_EQ(library.function<double(double)>("cos"), nullptr);
  auto* initialize = library.function<int()>("nvmlInit_v2");
  ASSERT_NE(initialize, nullptr);
  EXPECT_EQ(initialize(), 0);
}

TEST(SharedLibrary, ThatIsNotThereHasNoFunctions) {
  const SharedLibrary none({"libnobody_has_this.so"}, SharedLibrary::AtEnd::kClose);
  EXPECT_FALSE(none);
  EXPECT_EQ(none.function<int()>("nvmlInit_v2"), nullptr);
  EXPECT_FALSE(SharedLibrary());
}

TEST(SharedLibrary, IsClosedWithItsLastCopyOrStays) {
  ASSERT_FALSE(is_loaded());
  {
    SharedLibrary copy;
    { copy = SharedLibrary({BENCH_HOT_NVML}, SharedLibrary::AtEnd::kClose); }
    EXPECT_TRUE(is_loaded());
  }
  EXPECT_FALSE(is_loaded());
  { const SharedLibrary stays({BENCH_HOT_NVML}, SharedLibrary::AtEnd::kStay); }
  EXPECT_TRUE(is_loaded());
  void* handle = dlopen(BENCH_HOT_NVML, RTLD_NOW);
  dlclose(handle);
  dlclose(handle);  // for the one that stays: no other test may find it
  EXPECT_FALSE(is_loaded());
}

}  // namespace
}  // namespace bench
