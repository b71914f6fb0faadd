#include "compile/check.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/base/error.h"
#include "core/base/process.h"
#include "description/expression.h"

namespace bench::own {
namespace {

// A line of two layouts: what is given, what is taken, and whether these differ.
struct Row {
  std::string given = {};
  std::string taken = {};
  bool differs = false;
};

// As text: two columns, and a mark where they differ.
std::string side_by_side(const std::string& headline, const std::vector<Row>& rows) {
  std::size_t width = std::string_view("given").size();
  for (const Row& row : rows) width = std::max(width, row.given.size());
  std::string text = headline + fmt::format("\n    {:<{}}  taken", "given", width);
  for (const Row& row : rows) {
    text += fmt::format("\n  {} {:<{}}  {}", row.differs ? "!" : " ", row.given.empty() ? "-" : row.given, width,
                        row.taken.empty() ? "-" : row.taken);
  }
  return text;
}

bool any_differs(const std::vector<Row>& rows) {
  return std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.differs; });
}

struct Layout {
  std::uint32_t bytes = 0;
  std::uint32_t alignment = 1;
  std::string type;
  CudaParameter::Holds holds = CudaParameter::Holds::kUnknown;
};

Layout layout_of(const Description& description, const Argument& argument) {
  using Holds = CudaParameter::Holds;
  if (argument.kind == Argument::Kind::kBuffer) return {8, 8, "address", Holds::kInteger};
  if (argument.kind == Argument::Kind::kStruct) {
    const Struct& one = description.structs.at(argument.index);
    return {one.bytes, one.alignment, "struct", Holds::kBytes};
  }
  const Type type = description.scalars.at(argument.index).type;
  const auto bytes = static_cast<std::uint32_t>(bytes_of(type));
  const bool is_half = type == Type::kF16 || type == Type::kBf16;  // a struct in CUDA
  return {bytes, bytes, std::string(to_string(type)),
          is_half          ? Holds::kUnknown
          : is_float(type) ? Holds::kFloat
                           : Holds::kInteger};
}

std::string_view word_for(CudaParameter::Holds holds) {
  constexpr std::array<std::string_view, 4> kTexts = {"", " (integer)", " (float)", " (struct)"};
  return kTexts.at(static_cast<std::size_t>(holds));
}

bool are_other(CudaParameter::Holds a, CudaParameter::Holds b) {
  using Holds = CudaParameter::Holds;
  return (a == Holds::kInteger && b == Holds::kFloat) || (a == Holds::kFloat && b == Holds::kInteger);
}

// Whether the step is its side's only launch.
bool is_alone(const Description& description, const Step& step) {
  return std::ranges::any_of(description.sides,
                             [&](const Side& side) { return side.steps.size() == 1 && side.steps.front().line == step.line; });
}

// A buffer that a single launch takes as a pointer to const is no output.
void check_const(const Description& description, const Step& step, const Compiled& compiled, std::size_t parameter, Row& row) {
  if (parameter >= step.arguments.size() || parameter >= compiled.declared.size()) return;
  const Argument& argument = step.arguments[parameter];
  const DeclaredParameter& declared = compiled.declared[parameter];
  if (argument.kind != Argument::Kind::kBuffer || !declared.is_pointer || !declared.is_const) return;
  if (description.buffers.at(argument.index).role != Role::kOut || !is_alone(description, step)) return;
  row.differs = true;
  row.given += ", role out";
  row.taken += fmt::format(", a pointer to const{}{}", declared.name.empty() ? "" : ": ", declared.name);
}

std::string cuda_difference(const Description& description, const Step& step, const Compiled& compiled) {
  const std::vector<CudaParameter>& taken = compiled.cuda.parameters;
  std::vector<Row> rows;
  std::uint32_t end = 0;
  for (std::size_t i = 0; i < std::max(step.arguments.size(), taken.size()); ++i) {
    Row row;
    if (i < taken.size())
      row.taken = fmt::format("{}: {} bytes at {}{}", i, taken[i].bytes, taken[i].offset, word_for(taken[i].holds));
    if (i < step.arguments.size()) {
      const Layout given = layout_of(description, step.arguments[i]);
      std::uint32_t offset = (end + given.alignment - 1) / given.alignment * given.alignment;
      // A struct of the kernel's may be aligned more than its members are: the driver puts it where the kernel wants it.
      const bool is_aligned_more = i < taken.size() && given.holds == CudaParameter::Holds::kBytes &&
                                   taken[i].offset > offset && taken[i].offset < offset + 128;
      if (is_aligned_more) offset = taken[i].offset;
      end = offset + given.bytes;
      row.given = fmt::format("{}: {} {}, {} bytes at {}", i, step.arguments[i].name, given.type, given.bytes, offset);
      row.differs = i >= taken.size() || given.bytes != taken[i].bytes || offset != taken[i].offset ||
                    are_other(given.holds, taken[i].holds);
    } else {
      row.differs = true;
    }
    check_const(description, step, compiled, i, row);
    rows.push_back(std::move(row));
  }
  if (any_differs(rows)) {
    return side_by_side(
        fmt::format("{} takes {} parameters of {} bytes; the arguments given are others", demangled(compiled.entry),
                    taken.size(), taken.empty() ? 0 : taken.back().offset + taken.back().bytes),
        rows);
  }
  for (const Sizes& each : description.sizes) {
    const Sizes sizes = sizes_of(step, each);
    const std::vector<std::uint32_t>& block = compiled.cuda.required_block;
    for (std::size_t d = 0; d < block.size(); ++d) {
      const std::uint64_t given = count_of(step.block.at(d), sizes, 1);
      if (given != block[d])
        return fmt::format("{} requires blocks of {}; block.{} is {}{}", demangled(compiled.entry), fmt::join(block, " x "),
                           "xyz"[d], given, with(step.block.at(d), sizes));
    }
    std::uint64_t threads = 1;
    for (const Expression& one : step.block) threads *= count_of(one, sizes, 1);
    if (compiled.cuda.most_threads != 0 && threads > compiled.cuda.most_threads)
      return fmt::format("{} allows blocks of at most {} threads (__launch_bounds__); the block has {}{}",
                         demangled(compiled.entry), compiled.cuda.most_threads, threads, with(step.block[0], sizes));
  }
  return "";
}

using Place = std::pair<std::uint32_t, std::uint32_t>;

std::uint64_t bytes_given(const Description& description, const Argument& argument) {
  if (argument.kind != Argument::Kind::kBuffer) return layout_of(description, argument).bytes;
  std::uint64_t least = ~std::uint64_t{0};
  const Buffer& buffer = description.buffers.at(argument.index);
  for (const Sizes& sizes : description.sizes)
    least = std::min(least, count_of(buffer.elements, sizes, 1) * bytes_of(buffer.type));
  return least;
}

std::string binding_difference(const Description& description, const Step& step, const Compiled& compiled) {
  std::map<Place, Row> rows;
  std::map<Place, const Argument*> given;
  for (const Argument& argument : step.arguments) {
    if (argument.as == As::kPush) continue;
    const Place place = {argument.set, argument.binding};
    given[place] = &argument;
    const char* kind = argument.as == As::kUniform ? "uniform" : "storage";
    rows[place] = {.given = fmt::format("set {}, binding {}: {} {} buffer, {} bytes", argument.set, argument.binding,
                                        argument.name, kind, bytes_given(description, argument)),
                   .taken = "",
                   .differs = true};
  }
  for (const SpirvBinding& taken : compiled.spirv.bindings) {
    const Place place = {taken.set, taken.binding};
    Row& row = rows[place];
    const std::string needs = taken.bytes == 0 ? "" : fmt::format(", {} bytes or more", taken.bytes);
    row.taken += fmt::format("{}set {}, binding {}: {} {} buffer{}", row.taken.empty() ? "" : "; ", taken.set, taken.binding,
                             taken.name, taken.is_uniform ? "uniform" : "storage", needs);
    const auto found = given.find(place);
    row.differs = found == given.end() || (found->second->as == As::kUniform) != taken.is_uniform ||
                  bytes_given(description, *found->second) < taken.bytes;
    if (row.differs || found->second->kind != Argument::Kind::kBuffer) continue;
    // A buffer that the code cannot write is no output of a single launch; one that it cannot read is no input.
    const Role role = description.buffers.at(found->second->index).role;
    const bool is_never_written = role == Role::kOut && taken.is_readonly && is_alone(description, step);
    if (!is_never_written && !(role == Role::kIn && taken.is_writeonly)) continue;
    row.differs = true;
    row.given += fmt::format(", role {}", role == Role::kIn ? "in" : "out");
    row.taken += taken.is_readonly ? ", readonly" : ", writeonly";
  }
  std::vector<Row> all;
  for (const auto& [place, row] : rows) all.push_back(row);
  return any_differs(all)
             ? side_by_side(fmt::format("entry point {}: the bindings given are not those taken", compiled.entry), all)
             : "";
}

// A number in the push constants as the description gives it.
struct Piece {
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
  std::string name;
  std::string type;
  bool is_address = false;
  bool is_float = false;
};

std::vector<Piece> pieces_of(const Description& description, const Step& step) {
  std::vector<Piece> pieces;
  for (const Argument& argument : step.arguments) {
    if (argument.as != As::kPush) continue;
    if (argument.kind == Argument::Kind::kStruct) {
      for (const Member& member : description.structs.at(argument.index).members) {
        pieces.push_back({argument.push + member.offset, static_cast<std::uint32_t>(bytes_of(member.type)),
                          argument.name + "." + member.name, member.buffer ? "address" : std::string(to_string(member.type)),
                          member.buffer.has_value(), is_float(member.type)});
      }
      continue;
    }
    const Layout layout = layout_of(description, argument);
    const bool is_buffer = argument.kind == Argument::Kind::kBuffer;
    pieces.push_back({argument.push, layout.bytes, argument.name, layout.type, is_buffer,
                      !is_buffer && is_float(description.scalars.at(argument.index).type)});
  }
  std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.offset < b.offset; });
  return pieces;
}

std::string push_difference(const Description& description, const Step& step, const Compiled& compiled) {
  std::vector<Row> rows;
  std::vector<Piece> pieces = pieces_of(description, step);
  const auto text = [](const Piece& piece) {
    return fmt::format("{}: {} {}, {} bytes", piece.offset, piece.name, piece.type, piece.bytes);
  };
  for (const SpirvMember& member : compiled.spirv.push) {
    const std::string kind = member.is_address ? " address" : member.is_float ? " float" : " integer";
    Row row;
    row.taken = fmt::format("{}: {}{}, {} bytes", member.offset, member.name, kind, member.bytes);
    // What is given there: one number, or those that fill a vector, an array or a matrix.
    std::uint32_t filled = member.offset;
    std::vector<std::string> names;
    for (auto piece = pieces.begin(); piece != pieces.end();) {
      if (piece->offset < member.offset || piece->offset >= member.offset + member.bytes) {
        ++piece;
        continue;
      }
      names.push_back(text(*piece));
      const bool is_address_of_buffer = member.bytes == 8 && piece->is_address && !member.is_float;
      const bool is_alike = is_address_of_buffer ||
                            (!piece->is_address && !member.is_address && piece->is_float == member.is_float) ||
                            (member.is_address && piece->bytes == 8 && !piece->is_float);
      if (piece->offset != filled || !is_alike) row.differs = true;
      filled = piece->offset + piece->bytes;
      piece = pieces.erase(piece);
    }
    // The rows of a matrix and the elements of an array may have gaps, which nothing fills.
    if (filled != member.offset + member.bytes) row.differs = true;
    row.given = fmt::format("{}", fmt::join(names, "; "));
    rows.push_back(std::move(row));
  }
  for (const Piece& piece : pieces) rows.push_back({.given = text(piece), .taken = "", .differs = true});
  if (!any_differs(rows)) return "";
  return side_by_side(fmt::format("entry point {}: the push constants given are not those taken ({} bytes)", compiled.entry,
                                  compiled.spirv.push_bytes),
                      rows);
}

std::string type_of_constant(const SpirvConstant& constant) {
  if (constant.is_bool) return "bool";
  return fmt::format("{}{}", constant.is_float ? "f" : constant.is_signed ? "i" : "u", constant.bits);
}

std::string constants_difference(const Step& step, const Compiled& compiled) {
  std::map<std::uint32_t, Row> rows;
  for (const SpirvConstant& taken : compiled.spirv.constants)
    rows[taken.id].taken =
        fmt::format("{}: {}{}{}", taken.id, taken.name, taken.name.empty() ? "" : " ", type_of_constant(taken));
  for (const Constant& given : step.constants) {
    Row& row = rows[given.id];
    row.given = fmt::format("{}: {} = {}", given.id, to_string(given.type), given.value.text);
    const auto taken = std::find_if(compiled.spirv.constants.begin(), compiled.spirv.constants.end(),
                                    [&](const SpirvConstant& one) { return one.id == given.id; });
    row.differs = taken == compiled.spirv.constants.end() || taken->is_float != is_float(given.type) ||
                  taken->bits != 8 * bytes_of(given.type) || (given.type == Type::kBool && !taken->is_bool);
  }
  std::vector<Row> all;
  for (auto& [id, row] : rows) {
    if (row.given.empty()) row.given = fmt::format("{}: its default", id);
    all.push_back(row);
  }
  return any_differs(all)
             ? side_by_side(
                   fmt::format("entry point {}: the specialization constants given are not those taken", compiled.entry), all)
             : "";
}

std::string local_size_difference(const Description& description, const Step& step, const Compiled& compiled) {
  if (step.block[0].text.empty()) return "";
  for (const Sizes& each : description.sizes) {
    const Sizes sizes = sizes_of(step, each);
    const SpirvEntry entry = interface_of(compiled, step, sizes);
    for (std::size_t d = 0; d < 3; ++d) {
      const std::uint64_t given = count_of(step.block.at(d), sizes, 1);
      if (given == entry.local_size.at(d)) continue;
      const auto id = entry.local_size_ids.at(d);
      return fmt::format("entry point {}: its local size is {}, and block.{} is {}{}{}", compiled.entry,
                         fmt::join(entry.local_size, " x "), "xyz"[d], given, with(step.block.at(d), sizes),
                         id ? fmt::format("; constants = {{ {} = {} }} sets it", *id, given) : "");
    }
  }
  return "";
}

// Where the file gives one name and the code has the name of another argument: perhaps these are swapped. Names decide nothing.
std::string swapped_names(const Step& step, const Compiled& compiled) {
  const auto is_given = [&](const std::string& name) {
    return !name.empty() && std::ranges::any_of(step.arguments, [&](const Argument& one) { return one.name == name; });
  };
  std::string text;
  for (std::size_t i = 0; i < step.arguments.size(); ++i) {
    const Argument& argument = step.arguments[i];
    std::vector<std::string> names;
    std::string place;
    if (argument.as == As::kParameter) {
      place = fmt::format("parameter {}", i);
      if (i < compiled.declared.size()) names = {compiled.declared[i].name};
    } else if (argument.as == As::kPush) {
      place = fmt::format("push = {}", argument.push);
      for (const SpirvMember& member : compiled.spirv.push) {
        if (member.offset == argument.push) names = {member.name};
      }
    } else {
      place = fmt::format("set {}, binding {}", argument.set, argument.binding);
      for (const SpirvBinding& taken : compiled.spirv.bindings) {
        if (taken.set == argument.set && taken.binding == argument.binding) names = {taken.name, taken.block, taken.member};
      }
    }
    if (std::ranges::find(names, argument.name) != names.end()) continue;
    const auto other = std::ranges::find_if(names, is_given);
    if (other == names.end()) continue;
    text +=
        fmt::format("{}{} is {} in the code and {} here", text.empty() ? "; swapped? " : ", ", place, *other, argument.name);
  }
  return text;
}

// Of CUDA: buffers whose elements are others than the parameter points to. Code may well read floats as float4 or as bytes, so
// it is a question; vectors are not asked about.
std::string other_elements(const Description& description, const Step& step, const Compiled& compiled) {
  std::string text;
  for (std::size_t i = 0; i < std::min(step.arguments.size(), compiled.declared.size()); ++i) {
    const Argument& argument = step.arguments[i];
    const DeclaredParameter& declared = compiled.declared[i];
    if (argument.kind != Argument::Kind::kBuffer || !declared.is_pointer || !declared.type || declared.is_vector) continue;
    const Type given = description.buffers.at(argument.index).type;
    if (bytes_of(given) == bytes_of(*declared.type) && is_float(given) == is_float(*declared.type)) continue;
    text += fmt::format("{}parameter {} points to {} in the code, and {} is {}", text.empty() ? "; another type? " : ", ", i,
                        to_string(*declared.type), argument.name, to_string(given));
  }
  return text;
}

std::string summary_of(const Description& description, const Step& step, const Compiled& compiled) {
  if (compiled.kind != Compiled::Kind::kSpirv) {
    const auto& parameters = compiled.cuda.parameters;
    const auto has_name = [](const DeclaredParameter& one) { return !one.name.empty(); };
    const bool has_names = std::ranges::any_of(compiled.declared, has_name) || parameters.size() < 2;
    return fmt::format("{} parameters, {} bytes", parameters.size(),
                       parameters.empty() ? 0 : parameters.back().offset + parameters.back().bytes) +
           other_elements(description, step, compiled) + swapped_names(step, compiled) +
           (has_names ? "" : "; the parameters' names are not known: two that are swapped are not seen");
  }
  const SpirvEntry& entry = compiled.spirv;
  return fmt::format("{} bindings, {} bytes of push constants, {} of {} specialization constants given", entry.bindings.size(),
                     entry.push_bytes, step.constants.size(), entry.constants.size()) +
         swapped_names(step, compiled);
}

// "name_0" to "name_15" of one type stand in one line.
std::string layout_text(const Struct& one) {
  std::string text = fmt::format("struct {}: {} bytes, alignment {}\n", one.name, one.bytes, one.alignment);
  for (std::size_t i = 0; i < one.members.size();) {
    const Member& first = one.members[i];
    const std::string stem = first.name.ends_with("_0") ? first.name.substr(0, first.name.size() - 2) : "";
    std::size_t many = 1;
    while (!stem.empty() && i + many < one.members.size() && one.members[i + many].name == fmt::format("{}_{}", stem, many) &&
           one.members[i + many].type == first.type) {
      ++many;
    }
    const std::string name = many == 1 ? first.name : fmt::format("{} to {}", first.name, one.members[i + many - 1].name);
    text += fmt::format("  {:>4}  {} {}\n", first.offset, name, first.buffer ? "address" : std::string(to_string(first.type)));
    i += many;
  }
  return text;
}

}  // namespace

std::string layout_difference(const Description& description, const Step& step, const Compiled& compiled) {
  if (compiled.kind != Compiled::Kind::kSpirv) return cuda_difference(description, step, compiled);
  std::string text;
  for (const std::string& one : {binding_difference(description, step, compiled), push_difference(description, step, compiled),
                                 constants_difference(step, compiled), local_size_difference(description, step, compiled)}) {
    if (!one.empty()) text += (text.empty() ? "" : "\n") + one;
  }
  return text;
}

std::string doubtful_bytes(const Description& description) {
  const bool is_alone = std::ranges::all_of(description.sides, [](const Side& side) { return side.steps.size() == 1; });
  if (description.useful_bytes.text.empty() || !is_alone) return "";
  for (const Sizes& sizes : description.sizes) {
    std::uint64_t held = 0;
    for (const Buffer& buffer : description.buffers)
      held += count_of(buffer.elements, sizes, 1) * bytes_of(buffer.type) * (buffer.role == Role::kInout ? 2 : 1);
    const std::uint64_t useful = count_of(description.useful_bytes, sizes);
    if (useful > held)
      return fmt::format(
          "useful_bytes is {}{}, and all buffers hold {} (an inout counts twice): are the elements of one too few?", useful,
          with(description.useful_bytes, sizes), held);
  }
  return "";
}

CheckReport check(const Description& description, const Target& target) {
  CheckReport report;
  bool has_failed = false;
  bool has_skipped = false;
  for (const Struct& one : description.structs) report.text += layout_text(one);
  for (const Side& side : description.sides) {
    for (const Step& step : side.steps) {
      const std::string name =
          side.name == step.file.filename() ? side.name : fmt::format("{}: {}", side.name, step.file.filename().string());
      try {
        const Compiled compiled = compile(step, target);
        const std::string difference = layout_difference(description, step, compiled);
        has_failed = has_failed || !difference.empty();
        report.text += fmt::format(
            "{}, {}{}: {}\n", name, demangled(compiled.entry), compiled.by.empty() ? "" : fmt::format(" ({})", compiled.by),
            difference.empty()
                ? "agrees: " + summary_of(description, step, compiled)
                : fmt::format("differs ({}:{}): {}", description.file.filename().string(), step.line, difference));
      } catch (const Skip& skip) {
        has_skipped = true;
        report.text += fmt::format("{}: not checked: {}\n", name, skip.what());
      } catch (const Error& error) {
        has_failed = true;
        std::string_view said = error.what();
        if (const std::string path = step.file.string() + ": "; said.starts_with(path)) said.remove_prefix(path.size());
        report.text += fmt::format("{}: {}\n", name, said);
      }
    }
  }
  if (const std::string doubt = doubtful_bytes(description); !doubt.empty()) report.text += doubt + '\n';
  report.exit_code = has_failed ? kFailed : has_skipped ? kAllSkipped : kOk;
  return report;
}

}  // namespace bench::own
