#include "tests.h"

#include <algorithm>
#include <array>

#include "core/base/error.h"

namespace litmus {
namespace {

constexpr std::uint32_t kX = 0;
constexpr std::uint32_t kY = 1;
constexpr std::uint32_t kFinalX = 1;
constexpr std::uint32_t kFinalY = 2;

Access load(std::uint32_t plane, std::uint32_t into) { return {.is_load = true, .plane = plane, .operand = into}; }
Access store(std::uint32_t plane, std::uint32_t value) { return {.is_load = false, .plane = plane, .operand = value}; }

const std::vector<Strength> kCausalStrengths = {Strength::kRelaxed, Strength::kReleaseAcquire, Strength::kFence,
                                                Strength::kFenceBlock, Strength::kFenceScBlock};
const std::vector<Strength> kTotalStrengths = {Strength::kRelaxed, Strength::kReleaseAcquire, Strength::kFence,
                                               Strength::kFenceSc, Strength::kFenceBlock,     Strength::kFenceScBlock};

// Names and shapes: J. Alglave, L. Maranget, M. Tautschnig, "Herding Cats", TOPLAS 2014.
const std::vector<Test>& all_tests() {
  static const std::vector<Test> all = {
      {.name = "mp",
       .text = "message passing: the flag is seen, the payload before it not (r0 = 1, r1 = 0)",
       .family = Family::kCausal,
       .roles = {{store(kX, 1), store(kY, 1)}, {load(kY, 0), load(kX, 1)}},
       .strengths = kCausalStrengths,
       .control = "mp"},
      {.name = "sb",
       .text = "store buffering: both loads overtake the store before them (r0 = 0, r1 = 0)",
       .family = Family::kTotal,
       .roles = {{store(kX, 1), load(kY, 0)}, {store(kY, 1), load(kX, 1)}},
       .strengths = kTotalStrengths,
       .control = "sb"},
      {.name = "lb",
       .text = "load buffering: both stores overtake the load before them (r0 = 1, r1 = 1)",
       .family = Family::kCausal,
       .roles = {{load(kX, 0), store(kY, 1)}, {load(kY, 1), store(kX, 1)}},
       .strengths = kCausalStrengths,
       .control = "lb"},
      {.name = "s",
       .text = "a store that follows what it has seen is overwritten by an older one (r0 = 1, x = 2)",
       .family = Family::kCausal,
       .roles = {{store(kX, 2), store(kY, 1)}, {load(kY, 0), store(kX, 1)}},
       .finals = kFinalX,
       .strengths = kCausalStrengths,
       .control = "s"},
      {.name = "r",
       .text = "a load overtakes the store before it, which won over another's (r0 = 0, y = 2)",
       .family = Family::kTotal,
       .roles = {{store(kX, 1), store(kY, 1)}, {store(kY, 2), load(kX, 0)}},
       .finals = kFinalY,
       .strengths = kTotalStrengths,
       .control = "r"},
      {.name = "two_plus_two_w",
       .text = "2+2W: two threads store to both words in opposite order, and each first store wins (x = 1, y = 1)",
       .family = Family::kTotal,
       .roles = {{store(kX, 1), store(kY, 2)}, {store(kY, 1), store(kX, 2)}},
       .finals = kFinalX | kFinalY,
       .strengths = kTotalStrengths,
       .control = "two_plus_two_w"},
      {.name = "iriw",
       .text = "independent reads of independent writes: two readers see two stores in opposite order (1, 0, 1, 0)",
       .family = Family::kTotal,
       .roles = {{store(kX, 1)}, {store(kY, 1)}, {load(kX, 0), load(kY, 1)}, {load(kY, 2), load(kX, 3)}},
       .first_roles = 2,
       .strengths = kTotalStrengths,
       .control = "iriw"},
      {.name = "wrc",
       .text = "write to read causality: what one thread saw is not there for a third that it told (1, 1, 0)",
       .family = Family::kCausal,
       .roles = {{store(kX, 1)}, {load(kX, 0), store(kY, 1)}, {load(kY, 1), load(kX, 2)}},
       .strengths = kCausalStrengths,
       .control = "wrc"},
      {.name = "corr",
       .text = "coherence: two loads of one word see its values in the wrong order (r0 = 1, r1 = 0)",
       .family = Family::kCoherence,
       .roles = {{store(kX, 1)}, {load(kX, 0), load(kX, 1)}},
       .strengths = {Strength::kRelaxed, Strength::kWeak, Strength::kRelaxedBlock},
       .control = "mp"},
      {.name = "coww",
       .text = "coherence: the earlier of a thread's two stores to one word wins (x = 1)",
       .family = Family::kCoherence,
       .roles = {{store(kX, 1), store(kX, 2)}, {load(kX, 0)}},
       .finals = kFinalX,
       .strengths = {Strength::kRelaxed},
       .control = "mp"},
      {.name = "cowr",
       .text = "coherence: a load misses its own thread's store before it",
       .family = Family::kCoherence,
       .roles = {{store(kX, 1), load(kX, 0)}, {store(kX, 2), load(kX, 1)}},
       .finals = kFinalX,
       .strengths = {Strength::kRelaxed},
       .control = "mp"},
      {.name = "corw",
       .text = "coherence: a load sees its own thread's store after it",
       .family = Family::kCoherence,
       .roles = {{load(kX, 0), store(kX, 1)}, {load(kX, 1), store(kX, 2)}},
       .finals = kFinalX,
       .strengths = {Strength::kRelaxed},
       .control = "mp"},
      {.name = "handoff",
       .text = "a post's producer and consumer, every look bounded: a plain payload, then a flag; stale: r0 = 1, r1 = 0",
       .family = Family::kCausal,
       .roles = {{store(kX, 1), store(kY, 1)}, {load(kY, 0), load(kX, 1)}},
       .either_first = false,
       .polls = true,
       .strengths = {Strength::kRelaxed, Strength::kReleaseAcquire},
       .control = "handoff"},
      {.name = "flag",
       .text = "a post's flag, looked at before it is set and then again, every look bounded: is it ever seen?",
       .family = Family::kVisible,
       // The first look is played before the store.
       .roles = {{load(kY, 1)}, {store(kY, 1)}, {load(kY, 0)}},
       .first_roles = 2,
       .either_first = false,
       .polls = true,
       .strengths = {Strength::kRelaxed, Strength::kRelaxedBlock},
       .control = "flag"},
  };
  return all;
}

// PTX's axioms hold for what is morally strong: accesses and fences whose scopes include each other's threads. That is all that
// block scope changes: within the block it is as good as any, beyond it it orders nothing.
// Vulkan's say that location-ordered, reads-from, from-reads and the scoped modification order form no cycle; there is no order
// of fences, so what needs one stays allowed.
const Rule kRules[] = {
    {Family::kCausal, Strength::kRelaxed, true, false, "no axiom relates accesses to two words", "no synchronizes-with"},
    {Family::kCausal, Strength::kReleaseAcquire, true, true, "Causality: release and acquire patterns synchronize",
     "synchronizes-with (atomic to atomic), then location-ordered"},
    {Family::kCausal, Strength::kFence, true, true, "Causality: release and acquire patterns of fences synchronize",
     "synchronizes-with (fence to fence), then location-ordered"},
    {Family::kCausal, Strength::kFenceBlock, true, true, "Causality: morally strong in one block",
     "synchronizes-with (fence to fence): in scope in one workgroup"},
    {Family::kCausal, Strength::kFenceBlock, false, false, "Moral strength: the scopes leave each other out",
     "synchronizes-with: the fences are not in each other's scope"},
    {Family::kCausal, Strength::kFenceScBlock, true, true, "Causality: fence.sc is an acq_rel fence too, in one block", ""},
    {Family::kCausal, Strength::kFenceScBlock, false, false, "Moral strength: the scopes leave each other out", ""},

    {Family::kTotal, Strength::kRelaxed, true, false, "no axiom relates accesses to two words", "no synchronizes-with"},
    {Family::kTotal, Strength::kReleaseAcquire, true, false, "Causality: nothing reads what would synchronize all of it",
     "synchronizes-with: nothing reads what would order all of it"},
    {Family::kTotal, Strength::kFence, true, false, "Causality: acquire-release fences have no order among themselves",
     "no order of fences: there is no sequential consistency"},
    {Family::kTotal, Strength::kFenceSc, true, true, "Fence-SC: a partial order over morally strong fence.sc, in Causality",
     ""},
    {Family::kTotal, Strength::kFenceBlock, true, false, "Causality: acquire-release fences have no order among themselves",
     "no order of fences: there is no sequential consistency"},
    {Family::kTotal, Strength::kFenceBlock, false, false, "Moral strength: the scopes leave each other out",
     "no order of fences: there is no sequential consistency"},
    {Family::kTotal, Strength::kFenceScBlock, true, true, "Fence-SC: morally strong in one block", ""},
    {Family::kTotal, Strength::kFenceScBlock, false, false, "Moral strength: the scopes leave each other out", ""},

    {Family::kCoherence, Strength::kRelaxed, true, true, "SC-per-location",
     "program order is location-ordered; no cycle with reads-from, from-reads and the modification order"},
    {Family::kCoherence, Strength::kWeak, true, false, "SC-per-location asks for moral strength, which weak accesses lack", ""},
    {Family::kCoherence, Strength::kRelaxedBlock, true, true, "SC-per-location: morally strong in one block",
     "as at device scope: mutually ordered atomics in one workgroup"},
    {Family::kCoherence, Strength::kRelaxedBlock, false, false, "SC-per-location: the scopes leave each other out",
     "a data race: atomics out of each other's scope"},

    {Family::kVisible, Strength::kRelaxed, true, false, "no order is asked for", "no order is asked for"},
    {Family::kVisible, Strength::kRelaxedBlock, true, false, "no order is asked for", "no order is asked for"},
    {Family::kVisible, Strength::kRelaxedBlock, false, false, "no order is asked for",
     "a data race: atomics out of each other's scope"},
};

bool at_block_scope(Strength strength) {
  return strength == Strength::kFenceBlock || strength == Strength::kFenceScBlock || strength == Strength::kRelaxedBlock;
}

// Memory and registers, one digit each, while the roles run.
struct State {
  std::array<std::uint32_t, LITMUS_REGISTERS> registers{};
  std::array<std::uint32_t, 2> memory{};

  void apply(const Access& access) {
    if (access.is_load) {
      registers.at(access.operand) = memory.at(access.plane);
    } else {
      memory.at(access.plane) = access.operand;
    }
  }
  std::uint32_t outcome(const Test& test) const {
    std::uint32_t code = 0;
    for (std::uint32_t k = 0; k < LITMUS_REGISTERS; ++k) code |= registers.at(k) << 2 * k;
    for (std::uint32_t plane = 0; plane < 2; ++plane) {
      if ((test.finals >> plane & 1) != 0) code |= memory.at(plane) << 2 * (LITMUS_REGISTERS + plane);
    }
    return code;
  }
};

void interleave(const Test& test, std::vector<std::size_t>& done, const State& state, std::set<std::uint32_t>& outcomes) {
  bool finished = true;
  for (std::size_t role = 0; role < test.roles.size(); ++role) {
    if (done[role] == test.roles[role].size()) continue;
    finished = false;
    State next = state;
    next.apply(test.roles[role][done[role]]);
    ++done[role];
    interleave(test, done, next, outcomes);
    --done[role];
  }
  if (finished) outcomes.insert(state.outcome(test));
}

bool is_stored(const Test& test, std::uint32_t plane, std::uint32_t value) {
  return std::ranges::any_of(test.roles, [&](const auto& role) {
    return std::ranges::any_of(
        role, [&](const Access& access) { return !access.is_load && access.plane == plane && access.operand == value; });
  });
}

}  // namespace

std::string_view to_string(Placement placement) {
  constexpr std::string_view kNames[] = {"self", "block", "cluster", "blocks"};
  return kNames[static_cast<std::size_t>(placement)];
}

std::string_view to_string(Strength strength) {
  constexpr std::string_view kNames[] = {"relaxed",     "release_acquire", "fence", "fence_sc",
                                         "fence_block", "fence_sc_block",  "weak",  "relaxed_block"};
  return kNames[static_cast<std::size_t>(strength)];
}

bool in_vulkan(Strength strength) {
  return strength != Strength::kFenceSc && strength != Strength::kFenceScBlock && strength != Strength::kWeak;
}

std::span<const Test> tests() { return all_tests(); }

const Test& test(std::string_view name) {
  const auto found = std::ranges::find(all_tests(), name, &Test::name);
  if (found == all_tests().end()) throw bench::Error("there is no litmus test {}", name);
  return *found;
}

std::uint32_t used_digits(const Test& test) {
  std::uint32_t used = test.finals << LITMUS_REGISTERS;
  for (const auto& role : test.roles) {
    for (const Access& access : role) {
      if (access.is_load) used |= 1U << access.operand;
    }
  }
  return used;
}

std::set<std::uint32_t> sequential_outcomes(const Test& test) {
  std::set<std::uint32_t> outcomes;
  std::vector<std::size_t> done(test.roles.size());
  interleave(test, done, {}, outcomes);
  return outcomes;
}

std::uint32_t outcome_in_order(const Test& test, bool second_first) {
  State state;
  const auto play = [&](std::size_t begin, std::size_t end) {
    for (std::size_t role = begin; role < end; ++role) {
      for (const Access& access : test.roles[role]) state.apply(access);
    }
  };
  if (second_first) play(test.first_roles, test.roles.size());
  play(0, test.first_roles);
  if (!second_first) play(test.first_roles, test.roles.size());
  return state.outcome(test);
}

Classifier::Classifier(const Test& test) : test_(test), sequential_(sequential_outcomes(test)) {}

Kind Classifier::kind(std::uint32_t outcome) const {
  if (sequential_.contains(outcome)) return Kind::kSequential;
  const std::uint32_t used = used_digits(test_);
  for (std::uint32_t place = 0; place < LITMUS_REGISTERS + 2; ++place) {
    if ((used >> place & 1) == 0 && digit(outcome, place) != 0) return Kind::kImpossible;
  }
  for (const auto& role : test_.roles) {
    for (const Access& access : role) {
      if (!access.is_load) continue;
      const std::uint32_t value = digit(outcome, access.operand);
      if (value != 0 && !is_stored(test_, access.plane, value)) return Kind::kImpossible;
    }
  }
  for (std::uint32_t plane = 0; plane < 2; ++plane) {
    if ((test_.finals >> plane & 1) == 0) continue;
    if (!is_stored(test_, plane, digit(outcome, LITMUS_REGISTERS + plane))) return Kind::kImpossible;
  }
  return Kind::kWeak;
}

std::span<const Rule> rules() { return kRules; }

const Rule& rule(const Test& test, Strength strength, Placement placement) {
  const bool in_scope = !at_block_scope(strength) || placement == Placement::kBlock || placement == Placement::kSelf;
  for (const Rule& one : kRules) {
    if (one.family == test.family && one.strength == strength && one.in_scope == in_scope) return one;
  }
  throw bench::Error("no rule says whether {} with {} may be weak", test.name, to_string(strength));
}

}  // namespace litmus
