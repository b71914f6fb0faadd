// The reference itself: what a right product passes, and what each fault of a kernel fails.
#include "reference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <vector>

#include "core/base/error.h"

namespace {

constexpr MatrixParams kShape = {128, 192, 256, 0};
constexpr std::uint64_t kSeed = 7;
constexpr std::uint32_t kStep = 16;  // of k

// A product as a kernel makes it: the sums rounded to their type after every 16 products.
struct Made {
  Number in;
  Number sums;
  Data data = Data::kNormal;
  Layout layout = Layout::kByColumns;
  std::vector<double> c;

  Made(Number in_type, Number sums_type, Data contents = Data::kNormal, std::uint32_t left_out = kShape.k,
       Layout of_b = Layout::kByColumns)
      : in(in_type), sums(sums_type), data(contents), layout(of_b), c(std::size_t{kShape.m} * kShape.n) {
    std::vector<float> a(std::size_t{kShape.m} * kShape.k);
    std::vector<float> b(std::size_t{kShape.n} * kShape.k);
    Matrix{kSeed, Operand::kA, in, data}.values(0, a);
    Matrix{kSeed, Operand::kB, in, data}.values(0, b);
    if (layout == Layout::kByRows) {
      const std::vector<float> rows = b;
      for (std::uint32_t j = 0; j < kShape.n; ++j) {
        for (std::uint32_t k = 0; k < kShape.k; ++k) b[j * kShape.k + k] = rows[k * kShape.n + j];
      }
    }
    for (std::uint32_t i = 0; i < kShape.m; ++i) {
      for (std::uint32_t j = 0; j < kShape.n; ++j) c[i * kShape.n + j] = sum(&a[i * kShape.k], &b[j * kShape.k], left_out);
    }
  }

  double sum(const float* a, const float* b, std::uint32_t left_out) const {
    double total = 0;
    for (std::uint32_t k = 0; k < kShape.k; k += kStep) {
      if (k == left_out) continue;
      for (std::uint32_t i = k; i < k + kStep; ++i) total += static_cast<double>(a[i]) * static_cast<double>(b[i]);
      total = decode(encode(total, sums), sums);
    }
    return total;
  }

  double& at(std::uint32_t row, std::uint32_t column) { return c[row * kShape.n + column]; }

  // Compared in parts of an odd length, as though with sums of type `as`.
  void check(Number as) const {
    const Product product(kSeed, in, data, kShape, layout);
    Comparison comparison(product, as);
    const std::uint32_t width = bytes_of(as);
    std::vector<std::byte> bytes(c.size() * width);
    for (std::size_t i = 0; i < c.size(); ++i) {
      const std::uint32_t bits = std::isnan(c[i]) ? 0xffffffffU : encode(c[i], as);
      std::memcpy(&bytes[i * width], &bits, width);
    }
    constexpr std::size_t kPart = 10'007;
    for (std::size_t first = 0; first < c.size(); first += kPart) {
      const std::size_t count = std::min(kPart, c.size() - first);
      comparison.add(first, std::span(bytes).subspan(first * width, count * width));
    }
    comparison.finish();
  }
  void check() const { check(sums); }
};

constexpr Types kTypes[] = {{Number::kF16, Number::kF32},
                            {Number::kF16, Number::kF16},
                            {Number::kBf16, Number::kF32},
                            {Number::kS8, Number::kS32},
                            {Number::kE4m3, Number::kF32}};

class Reference : public testing::TestWithParam<Types> {
 protected:
  Made made() const { return {GetParam().in, GetParam().sums}; }
};

TEST_P(Reference, ARightProductPasses) { EXPECT_NO_THROW(made().check()); }

TEST_P(Reference, BMayLieByRows) {
  Made product(GetParam().in, GetParam().sums, Data::kNormal, kShape.k, Layout::kByRows);
  EXPECT_NO_THROW(product.check());
  product.layout = Layout::kByColumns;
  EXPECT_THROW(product.check(), bench::Error);
}

TEST_P(Reference, FewValuesPass) { EXPECT_NO_THROW(Made(GetParam().in, GetParam().sums, Data::kFew).check()); }
TEST_P(Reference, ZerosPass) { EXPECT_NO_THROW(Made(GetParam().in, GetParam().sums, Data::kZeros).check()); }

TEST_P(Reference, OneElementThatIsNotThereFails) {
  Made product = made();
  product.at(100, 7) = GetParam().sums == Number::kS32 ? -1 : std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(product.check(), bench::Error);
}

TEST_P(Reference, ATileAtAnothersPlaceFails) {
  Made product = made();
  for (std::uint32_t i = 32; i < 48; ++i) {
    for (std::uint32_t j = 64; j < 80; ++j) std::swap(product.at(i, j), product.at(i, j + 96));  // of the same rows
  }
  EXPECT_THROW(product.check(), bench::Error);
}

TEST_P(Reference, ATransposedFragmentFails) {
  Made product = made();
  for (std::uint32_t i = 0; i < 16; ++i) {
    for (std::uint32_t j = 0; j < i; ++j) std::swap(product.at(80 + i, 160 + j), product.at(80 + j, 160 + i));
  }
  EXPECT_THROW(product.check(), bench::Error);
}

TEST_P(Reference, AStepOfKLeftOutFails) {
  for (const std::uint32_t left_out : {0U, kShape.k / 2, kShape.k - kStep}) {
    EXPECT_THROW(Made(GetParam().in, GetParam().sums, Data::kNormal, left_out).check(), bench::Error) << left_out;
  }
}

TEST_P(Reference, NothingAtAllFails) {
  Made product = made();
  std::fill(product.c.begin(), product.c.end(), 0);
  EXPECT_THROW(product.check(), bench::Error);
}

INSTANTIATE_TEST_SUITE_P(AllTypes, Reference, testing::ValuesIn(kTypes), [](const auto& named) {
  return std::string(name_of(named.param.in)) + "_" + std::string(name_of(named.param.sums));
});

TEST(Reference, SumsOfAWrongTypeFail) {
  EXPECT_THROW(Made(Number::kF16, Number::kF16).check(Number::kF32), bench::Error);
  EXPECT_THROW(Made(Number::kF16, Number::kBf16).check(Number::kF32), bench::Error);
  EXPECT_THROW(Made(Number::kF16, Number::kBf16).check(Number::kF16), bench::Error);
}

TEST(Reference, APartThatNobodyAddsFails) {
  const Product product(kSeed, Number::kF16, Data::kNormal, kShape);
  EXPECT_THROW(Comparison(product, Number::kF32).finish(), bench::Error);
}

TEST(Numbers, GoThereAndBack) {
  for (const Number number : {Number::kF16, Number::kBf16, Number::kE4m3}) {
    for (std::uint32_t bits = 0; bits < 1U << (8 * bytes_of(number)); ++bits) {
      const double value = decode(bits, number);
      if (!std::isfinite(value)) continue;
      EXPECT_EQ(encode(value, number), bits) << name_of(number) << " " << bits;
    }
  }
  EXPECT_EQ(decode(encode(65504, Number::kF16), Number::kF16), 65504);
  EXPECT_EQ(decode(encode(1.0 + std::ldexp(1, -11), Number::kF16), Number::kF16), 1);  // a tie, to even
  EXPECT_EQ(decode(encode(1000, Number::kE4m3), Number::kE4m3), 448);
  EXPECT_EQ(decode(encode(-128, Number::kS8), Number::kS8), -128);
}

TEST(Inputs, AreOfTheNormalDistribution) {
  for (const Number number : {Number::kF16, Number::kBf16, Number::kE4m3}) {
    std::vector<float> values(1U << 20);
    Matrix{kSeed, Operand::kB, number, Data::kNormal}.values(0, values);
    double sum = 0;
    double squares = 0;
    for (const float value : values) {
      sum += static_cast<double>(value);
      squares += static_cast<double>(value) * static_cast<double>(value);
    }
    EXPECT_NEAR(sum / static_cast<double>(values.size()), 0, 0.01) << name_of(number);
    EXPECT_NEAR(squares / static_cast<double>(values.size()), 1, 0.02) << name_of(number);
  }
}

TEST(Inputs, AreTheSameByWordAndByValue) {
  for (const Number number : {Number::kF16, Number::kBf16, Number::kS8, Number::kE4m3}) {
    for (const Data data : {Data::kNormal, Data::kFew}) {
      const Matrix matrix = {kSeed, Operand::kA, number, data};
      std::vector<std::uint32_t> words(64);
      std::vector<float> values(words.size() * 4 / bytes_of(number));
      matrix.words(16, words);
      matrix.values(16 * 4 / bytes_of(number), values);
      for (std::size_t i = 0; i < values.size(); ++i) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, reinterpret_cast<const std::byte*>(words.data()) + i * bytes_of(number), bytes_of(number));
        EXPECT_EQ(decode(bits, number), static_cast<double>(values[i])) << name_of(number) << " " << i;
        if (data == Data::kFew && number != Number::kS8) {
          EXPECT_TRUE(values[i] == -0.5F || values[i] == 0 || values[i] == 0.5F || values[i] == 1);
        }
      }
    }
  }
}

}  // namespace
