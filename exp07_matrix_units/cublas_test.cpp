// What the libraries' loaders say where there is no cuBLAS. Their products need a GPU: the experiment verifies them.
#include "cublas.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace {

class NoBuffer final : public bench::Buffer {
 public:
  NoBuffer() : Buffer(4, "none") {}
};

std::string reason(const std::function<void()>& what) {
  try {
    what();
  } catch (const bench::Skip& skip) {
    return skip.what();
  }
  return "(nothing was skipped)";
}

TEST(Cublas, AMissingLibraryIsASkipThatNamesWhatWasTried) {
  const auto cublas = Cublas::make({"libcublas_none.so.1", "/nowhere/libcublas.so.2"});
  const NoBuffer buffer;
  const auto product = [&] { cublas->product(buffer, buffer, buffer, {256, 256, 256, 0}, Number::kF16, Number::kF32); };
  for (const std::string& text : {reason(product), reason([&] { cublas->version(); })}) {
    EXPECT_NE(text.find("libcublas_none.so.1, /nowhere/libcublas.so.2"), std::string::npos) << text;
  }
}

TEST(Cublas, AnotherLibraryIsASkip) {
  const auto cublas = Cublas::make({"libm.so.6"});
  EXPECT_NE(reason([&] { cublas->version(); }).find("cublasGetProperty"), std::string::npos);
}

TEST(Cublas, AProductThatItDoesNotHaveIsASkip) {
  const auto cublas = Cublas::make({"libm.so.6"});
  const NoBuffer buffer;
  const auto product = [&] { cublas->product(buffer, buffer, buffer, {256, 256, 256, 0}, Number::kE4m3, Number::kF32); };
  EXPECT_EQ(reason(product), "cublasGemmEx multiplies no e4m3 into f32");
}

TEST(CublasLt, AMissingLibraryAnotherOneAndAProductThatItDoesNotHaveAreSkips) {
  const NoBuffer buffer;
  const auto said = [&](const char* library, Number in) {
    const auto cublaslt = CublasLt::make({library});
    return reason([&] { cublaslt->product(buffer, buffer, buffer, buffer, {256, 256, 256, 0}, in, Number::kF32, 0); });
  };
  EXPECT_NE(said("/nowhere/libcublasLt.so.2", Number::kF16).find("cuBLASLt is wanted"), std::string::npos);
  EXPECT_NE(said("libm.so.6", Number::kF16).find("cublasLtMatmul is not in the one found"), std::string::npos);
  EXPECT_EQ(said("libm.so.6", Number::kE4m3), "cublasLtMatmul multiplies no e4m3 into f32");
}

}  // namespace
