// examples/decode, of a smaller layer, against a plain layer on the CPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "core/base/child.h"
#include "description/expression.h"
#include "description/read.h"
#include "description/values.h"
#include "temp_dir.h"

namespace bench::own {
namespace {

namespace fs = std::filesystem;

using Values = std::vector<double>;

constexpr std::size_t kHeadDim = 64;

// As the kernels keep it between two launches.
double rounded(Type type, double value) { return number_of(type, bytes_of_number(type, value).data()); }

Values as_halves(Values values) {
  for (double& one : values) one = rounded(Type::kF16, one);
  return values;
}

Values product(const Values& weights, const Values& in, std::size_t rows) {
  Values out(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < in.size(); ++i) out[row] += weights[row * in.size() + i] * in[i];
  }
  return out;
}

Values rms_norm(const Values& in, const Values& weight) {
  double squares = 0;
  for (const double one : in) squares += one * one;
  Values out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i)
    out[i] = in[i] / std::sqrt(squares / static_cast<double>(in.size()) + 1e-5) * weight[i];
  return as_halves(out);
}

// Softmax of the scores over all tokens at once.
Values attention(const Values& queries, const Values& keys, const Values& values, std::size_t context) {
  const std::size_t heads = queries.size() / kHeadDim;
  const std::size_t of_keys = keys.size() / context / kHeadDim;
  Values out(queries.size());
  for (std::size_t head = 0; head < heads; ++head) {
    const std::size_t cache = head / (heads / of_keys) * context * kHeadDim;
    Values weights(context);
    double sum = 0;
    for (std::size_t token = 0; token < context; ++token) {
      double score = 0;
      for (std::size_t i = 0; i < kHeadDim; ++i) score += queries[head * kHeadDim + i] * keys[cache + token * kHeadDim + i];
      weights[token] = std::exp(score / std::sqrt(kHeadDim));
      sum += weights[token];
    }
    for (std::size_t token = 0; token < context; ++token) {
      for (std::size_t i = 0; i < kHeadDim; ++i)
        out[head * kHeadDim + i] += weights[token] / sum * values[cache + token * kHeadDim + i];
    }
  }
  return as_halves(out);
}

class Decode : public testing::Test {
 protected:
  // The example with another layer: 1024 wide, 16 heads on 4 of keys, 256 tokens.
  Decode() {
    for (const auto& one : fs::directory_iterator(fs::path(BENCH_OWN_EXAMPLES) / "decode"))
      fs::copy_file(one.path(), folder_.path() / one.path().filename());
    change("decode.h", {{"HIDDEN 2048", "HIDDEN 1024"},
                        {"HEADS 32", "HEADS 16"},
                        {"KV_HEADS 8", "KV_HEADS 4"},
                        {"FFN 8192", "FFN 1024"},
                        {"CONTEXT 2048", "CONTEXT 256"},
                        {"SPLITS 16", "SPLITS 2"}});
    change("decode.toml", {{"hidden = 2048", "hidden = 1024"},
                           {"qkv_rows = 3072", "qkv_rows = 1536"},
                           {"ffn = 8192", "ffn = 1024"},
                           {"context = 2048", "context = 256"},
                           {"8 * 64 * 2048", "4 * 64 * 256"},
                           {"splits = 16", "splits = 2"},
                           {"[\"splits\", 8]", "[\"splits\", 4]"},
                           {"name = \"result\"\n", "name = \"result\"\nexpected = \"expected.npy\"\n"}});
    write_npy("expected.npy", Values(1024));
    description_ = read_description(folder_.path() / "decode.toml");
  }

  static std::string text_of_file(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void change(const std::string& name, const std::vector<std::pair<std::string, std::string>>& changes) const {
    std::string text = text_of_file(folder_.path() / name);
    for (const auto& [from, to] : changes) {
      std::size_t at = text.find(from);
      EXPECT_NE(at, std::string::npos) << name << ": " << from;
      for (; at != std::string::npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
    }
    folder_.write(name, text);
  }
  // NumPy's format 1.0: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
  void write_npy(const std::string& name, const Values& values) const {
    std::string header = fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({},), }}", values.size());
    header.resize(117, ' ');
    std::string text("\x93NUMPY\x01\x00\x76\x00", 10);
    text += header + "\n";
    for (const double one : values) {
      const std::vector<std::byte> bytes = bytes_of_number(Type::kF32, one);
      text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
    folder_.write(name, text);
  }
  // What a buffer begins with.
  Values content(const std::string& name) const {
    for (std::uint32_t i = 0; i < description_.buffers.size(); ++i) {
      const Buffer& buffer = description_.buffers[i];
      if (buffer.name != name) continue;
      const std::size_t count = count_of(buffer.elements, description_.sizes[0]);
      const std::size_t width = bytes_of(buffer.type);
      std::vector<std::byte> bytes(count * width);
      if (buffer.content == Content::kFile) {
        const std::string file = text_of_file(buffer.file);
        std::memcpy(bytes.data(), file.data() + file.size() - bytes.size(), bytes.size());
      } else {
        make_content(buffer, i, 0, bytes, numbers_of(buffer, description_.sizes[0]));
      }
      Values values(count);
      for (std::size_t k = 0; k < count; ++k) values[k] = number_of(buffer.type, bytes.data() + k * width);
      return values;
    }
    ADD_FAILURE() << "no buffer " << name;
    return {};
  }

  Values layer() const {
    const std::size_t context = count_of({"context"}, description_.sizes[0]);
    const Values x = content("x");
    const Values qkv = product(content("qkv_weights"), rms_norm(x, content("attention_norm")), content("qkv").size());
    const Values turns = content("turns");
    Values keys = content("keys");
    Values values = content("values");
    Values turned = qkv;
    for (std::size_t i = 0; i < qkv.size() / 2; ++i) {
      const double cosine = turns[i % (kHeadDim / 2) * 2];
      const double sine = turns[i % (kHeadDim / 2) * 2 + 1];
      turned[2 * i] = qkv[2 * i] * cosine - qkv[2 * i + 1] * sine;
      turned[2 * i + 1] = qkv[2 * i] * sine + qkv[2 * i + 1] * cosine;
    }
    // Queries, keys, values; the cache's last token is this one.
    for (std::size_t i = 0; i < keys.size() / context; ++i) {
      const std::size_t last = (i / kHeadDim * context + context - 1) * kHeadDim + i % kHeadDim;
      keys[last] = rounded(Type::kF16, turned[x.size() + i]);
      values[last] = rounded(Type::kF16, qkv[x.size() + keys.size() / context + i]);
    }
    turned.resize(x.size());
    Values middle = product(content("out_weights"), attention(turned, keys, values, context), x.size());
    for (std::size_t i = 0; i < x.size(); ++i) middle[i] += x[i];
    const std::size_t ffn = content("activated").size();
    const Values both = product(content("gate_up_weights"), rms_norm(middle, content("ffn_norm")), 2 * ffn);
    Values activated(ffn);
    for (std::size_t i = 0; i < ffn; ++i) activated[i] = both[i] / (1 + std::exp(-both[i])) * both[ffn + i];
    Values result = product(content("down_weights"), as_halves(activated), x.size());
    for (std::size_t i = 0; i < x.size(); ++i) result[i] += middle[i];
    return result;
  }

  ChildEnd run() const {
    return run_child({BENCH_OWN_KERNEL, (folder_.path() / "decode.toml").string(), "--processes", "1", "--budget", "0.01"},
                     300);
  }

  TempDir folder_;
  Description description_;
};

// Whatever subgroups the device has: a GPU's 32, or lavapipe's 8. CUDA's side, whose compilation takes long, where there is a
// GPU.
TEST_F(Decode, BothSidesMakeWhatTheLayerIs) {
  const Values expected = layer();
  double largest = 0;
  for (const double one : expected) largest = std::max(largest, std::abs(one));
  EXPECT_GT(largest, 1);
  EXPECT_LT(largest, 10) << "the tolerance is for values of order 1";
  write_npy("expected.npy", expected);
  const std::string both = text_of_file(folder_.path() / "decode.toml");
  const std::size_t cuda = both.find("[[side]]");
  folder_.write("decode.toml", both.substr(0, cuda) + both.substr(both.find("[[side]]", cuda + 1)));
  ChildEnd end = run();
  if (end.output.find("wants subgroups of 32") != std::string::npos) {
    change("decode.toml", {{"subgroup_size = 32", "subgroup_size = 8"}});
  } else if (end.exit_code == 0) {
    folder_.write("decode.toml", both);
  }
  end = run();
  if (end.exit_code == 77) GTEST_SKIP() << end.output;
  EXPECT_EQ(end.exit_code, 0) << end.output;
  EXPECT_THAT(end.output, testing::HasSubstr("; the steps' sum: "));
  // The check can fail: one value that is otherwise than expected.
  Values wrong = expected;
  wrong[77] += 0.01;
  write_npy("expected.npy", wrong);
  end = run();
  EXPECT_EQ(end.exit_code, 1) << end.output;
  EXPECT_THAT(end.output, testing::HasSubstr("1 of 1024 elements of result differ by more than 0.004: result[77] is "));
}

TEST_F(Decode, ThePositionsTurnsAreCosinesAndSines) {
  const Values turns = content("turns");
  for (std::size_t i = 0; i < turns.size() / 2; ++i) {
    const double angle = 2047 * std::pow(500000.0, -static_cast<double>(i) / 32);
    EXPECT_NEAR(turns[2 * i], std::cos(angle), 1e-7) << i;
    EXPECT_NEAR(turns[2 * i + 1], std::sin(angle), 1e-7) << i;
  }
}

}  // namespace
}  // namespace bench::own
