#include "core/code/listing.h"

#include <gtest/gtest.h>

#include "core/code/machine_code.h"
#include "synthetic_code.h"

namespace bench {
namespace {

std::string hash_of(std::string_view text) {
  KernelCode code;
  code.text = text;
  return isa_hash(code);
}

TEST(Listing, TheAssemblyIsTheLastPartOfThatName) {
  EXPECT_EQ(assembly_of("==== NIR Shader(s)\nimpl\n==== Assembly\nBB0:\n\ts_endpgm ; bfb00000\n"),
            "BB0:\n\ts_endpgm ; bfb00000\n");
  EXPECT_EQ(assembly_of("==== NAK assembly\nexit\n==== Notes\nnone\n"), "exit");
  EXPECT_EQ(assembly_of("==== SIMD16 assembly\none\n==== SIMD32 assembly\ntwo\n"), "two\n");
  EXPECT_EQ(assembly_of("==== Assembly\n==== Notes\nnone\n"), "");
  EXPECT_EQ(assembly_of("v_add_f32"), "");
  EXPECT_EQ(assembly_of(""), "");
}

TEST(Listing, TheHashIsOfTheWordsAlone) {
  const std::string hash = isa_hash(Bytes().text("abcdefgh").view());
  EXPECT_EQ(hash_of("==== Assembly\nBB0:\n\tv_a v0, s2 ; 64636261 68676665\n"), hash);
  EXPECT_EQ(hash_of("==== Assembly\nBB7:\n\tv_a v0,  s2   ; 64636261\n\tv_b ; 68676665\n"), hash) << "not of how it is written";
  EXPECT_EQ(
      hash_of(
          "==== ACO IR\nother\n==== Assembly\n\tv_a ; 64636261 68676665\n\ts_code_end ; bf9f0000\n(then repeated 31 times)\n"),
      hash)
      << "nor of what fills the end";
  EXPECT_NE(hash_of("==== Assembly\n\tv_a ; 64636261 68676666\n"), hash);
  EXPECT_EQ(hash_of("==== Assembly\n\ts_nop 0 ; 64636261\n(then repeated 2 times)\n"),
            isa_hash(Bytes().text("abcdabcdabcd").view()));
}

TEST(Listing, WithoutWordsTheHashIsOfTheLines) {
  EXPECT_EQ(hash_of("==== NAK assembly\n  r0 = mov ur0  // delay=6\n\n"),
            hash_of("==== NAK assembly\nr0 = mov ur0  // delay=6"));
  EXPECT_NE(hash_of("==== NAK assembly\nr0 = mov ur0"), hash_of("==== NAK assembly\nr0 = mov ur1"));
  EXPECT_EQ(hash_of("==== Assembly\nb ; not words\n").size(), 12U);
}

TEST(Listing, BytesGoBeforeWhatIsListed) {
  KernelCode code;
  code.text = "==== Assembly\nx\n";
  EXPECT_NE(isa_hash(code), "");
  code.code.assign(16, std::byte{1});
  EXPECT_EQ(isa_hash(code), isa_hash(code.code));
  EXPECT_EQ(isa_hash(KernelCode()), "");
  EXPECT_EQ(hash_of("==== NIR\nno assembly\n"), "");
}

}  // namespace
}  // namespace bench
