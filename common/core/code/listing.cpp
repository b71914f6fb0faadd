#include "core/code/listing.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/code/machine_code.h"

namespace bench {
namespace {

constexpr std::string_view kPart = "==== ";
constexpr std::size_t kMostRepeats = 1 << 16;  // a listing is what a driver says, and may say anything

std::string_view next_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  return first == std::string_view::npos ? std::string_view() : text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

bool names_assembly(std::string_view line) {
  constexpr std::string_view kWord = "assembly";
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  return std::search(line.begin(), line.end(), kWord.begin(), kWord.end(), same) != line.end();
}

// The words behind an instruction, "d6460000 04010c02"; nullopt where something else stands there, or nothing.
std::optional<std::vector<std::byte>> encoding(std::string_view line) {
  constexpr std::size_t kDigits = 8;
  const std::size_t semicolon = line.rfind(';');
  if (semicolon == std::string_view::npos) return {};
  std::string_view rest = trimmed(line.substr(semicolon + 1));
  std::vector<std::byte> bytes;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, 16);
    if (word.size() != kDigits || error != std::errc() || end != word.data() + word.size()) return {};
    for (unsigned shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<std::byte>(value >> shift & 0xffU));
    rest = trimmed(rest.substr(word.size()));
  }
  return bytes.empty() ? std::nullopt : std::optional(bytes);
}

// Of a line "(then repeated 3 times)", RADV's for an instruction that it lists once; 0 of any other.
std::size_t repeats(std::string_view line) {
  constexpr std::string_view kRepeated = "(then repeated ";
  if (!line.starts_with(kRepeated)) return 0;
  std::size_t times = 0;
  std::from_chars(line.data() + kRepeated.size(), line.data() + line.size(), times);
  return std::min(times, kMostRepeats);
}

std::vector<std::byte> listed_words(std::string_view assembly) {
  std::vector<std::byte> words;
  std::vector<std::byte> last;
  while (!assembly.empty()) {
    const std::string_view line = trimmed(next_line(assembly));
    if (const auto bytes = encoding(line)) {
      last = line.starts_with("s_code_end") ? std::vector<std::byte>() : *bytes;
      words.insert(words.end(), last.begin(), last.end());
    } else {
      for (std::size_t i = repeats(line); i > 0; --i) words.insert(words.end(), last.begin(), last.end());
    }
  }
  return words;
}

std::string lines_of(std::string_view assembly) {
  std::string lines;
  while (!assembly.empty()) {
    const std::string_view line = trimmed(next_line(assembly));
    if (!line.empty()) lines.append(line).push_back('\n');
  }
  return lines;
}

}  // namespace

std::string_view assembly_of(std::string_view text) {
  std::string_view found;
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    if (!line.starts_with(kPart) || !names_assembly(line)) continue;
    found = text.starts_with(kPart) ? std::string_view() : text.substr(0, text.find("\n==== "));
  }
  return found;
}

std::string isa_hash(const KernelCode& code) {
  if (!code.code.empty()) return isa_hash(code.code);
  const std::string_view assembly = assembly_of(code.text);
  const std::vector<std::byte> words = listed_words(assembly);
  if (!words.empty()) return isa_hash(words);
  const std::string lines = lines_of(assembly);
  return isa_hash(std::as_bytes(std::span(lines)));
}

}  // namespace bench
