#include "run/npy.h"

#include <fmt/format.h>

#include <fstream>
#include <regex>
#include <string>

#include "core/base/error.h"
#include "core/base/parse_number.h"

namespace bench::own {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

// How NumPy spells the type: byte order, kind, bytes.
std::string descr_of(Type type) {
  const std::size_t bytes = own::bytes_of(type);
  const char kind = type == Type::kBf16 ? 'u' : is_float(type) ? 'f' : own::to_string(type).starts_with('i') ? 'i' : 'u';
  return fmt::format("{}{}{}", bytes == 1 ? '|' : '<', kind, bytes);
}

// The header's dictionary, a Python literal of three keys in any order.
struct Header {
  std::string descr;
  bool fortran = false;
  std::uint64_t elements = 1;
  std::size_t dimensions = 0;
};

Header parse(const std::string& text, const std::string& name) {
  const auto find = [&](const char* pattern) {
    std::smatch found;
    if (!std::regex_search(text, found, std::regex(pattern))) throw Error("{}: its header is none of NumPy's: {}", name, text);
    return found.str(1);
  };
  Header header = {.descr = find(R"('descr'\s*:\s*'([^']*)')"),
                   .fortran = find(R"('fortran_order'\s*:\s*(True|False))") == "True"};
  const std::string shape = find(R"('shape'\s*:\s*\(([0-9,\s]*)\))");
  const std::regex number("[0-9]+");
  for (std::sregex_iterator at(shape.begin(), shape.end(), number), end; at != end; ++at) {
    const auto extent = parse_number<std::uint64_t>(at->str());
    if (!extent || __builtin_mul_overflow(header.elements, *extent, &header.elements))
      throw Error("{}: a shape of ({})", name, shape);
    ++header.dimensions;
  }
  return header;
}

}  // namespace

std::vector<std::byte> read_npy(const std::filesystem::path& file, Type type, std::uint64_t elements) {
  const std::string name = file.filename().string();
  std::ifstream in(file, std::ios::binary);
  if (!in) throw Error("{}: cannot be read", file.string());
  char start[12] = {};
  in.read(start, 10);
  if (!in || std::string_view(start, kMagic.size()) != kMagic) throw Error("{}: no .npy file", name);
  const auto byte = [&](int i) { return static_cast<std::size_t>(static_cast<unsigned char>(start[i])); };
  std::size_t length = byte(8) | byte(9) << 8;
  if (byte(6) > 1) {  // from version 2 on the length has four bytes
    in.read(start + 10, 2);
    length |= byte(10) << 16 | byte(11) << 24;
  }
  if (!in || byte(6) == 0 || byte(6) > 3 || length > (1U << 20))
    throw Error("{}: version {} of .npy with a header of {} bytes", name, byte(6), length);
  std::string text(length, ' ');
  in.read(text.data(), static_cast<std::streamsize>(length));
  if (!in) throw Error("{}: ends within its header", name);
  const Header header = parse(text, name);
  const std::string wanted = descr_of(type);
  if (header.descr != wanted) {
    throw Error("{}: holds {}; a buffer of {} wants {}", name, header.descr, own::to_string(type), wanted);
  }
  if (header.fortran && header.dimensions > 1)
    throw Error("{}: is in Fortran's order; C's is wanted (numpy.ascontiguousarray)", name);
  if (header.elements != elements) throw Error("{}: holds {} elements; the buffer has {}", name, header.elements, elements);
  std::vector<std::byte> bytes(elements * own::bytes_of(type));
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!in || in.peek() != std::ifstream::traits_type::eof())
    throw Error("{}: its size is not that of its header and {} elements", name, elements);
  return bytes;
}

}  // namespace bench::own
