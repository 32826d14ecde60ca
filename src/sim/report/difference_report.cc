#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/evaluate/evaluate.h"
#include "core/explain/explain.h"
#include "core/explanation/explanation_text.h"
#include "core/json/json_writer.h"
#include "core/text/printable.h"
#include "sim/report/report_fields.h"
#include "sim/report/report_words.h"
#include "sim/report/simulation_report.h"

namespace jettison {
namespace {

// Whether two evictions are the same: the time of one lies within the bounds of the other.
bool AreAlike(const SimulatedEviction& a, const SimulatedEviction& b) {
  return a.when.Holds(b.when.at) || b.when.Holds(a.when.at);
}

struct Difference {
  const SimulatedEviction* a = nullptr;
  const SimulatedEviction* b = nullptr;
};

std::vector<Difference> DifferencesIn(const DifferenceReport& report) {
  std::vector<Difference> differences;
  for (const Pairing& pair : report.pairs) {
    const Difference each{.a = pair.truth ? &report.a[*pair.truth] : nullptr,
                          .b = pair.said ? &report.b[*pair.said] : nullptr};
    if (each.a != nullptr && each.b != nullptr && AreAlike(*each.a, *each.b)) continue;
    differences.push_back(each);
  }
  std::ranges::stable_sort(differences, {}, [](const Difference& each) {
    return each.a != nullptr ? each.a->when.at : each.b->when.at;
  });
  return differences;
}

// The explanation of its pass, indented by four columns.
void PutExplanation(const SimulatedEviction& eviction, std::string& out) {
  const std::string text =
      TextOf(Explain(*eviction.pass, {.subject_uid = eviction.uid, .order_limit = 10}));
  std::size_t from = 0;
  while (from < text.size()) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    if (end > from) out += "    " + text.substr(from, end - from);
    out += '\n';
    from = end + 1;
  }
}

// The evictions of one side as if they had been.
std::vector<RecordedFact> AsFacts(const std::vector<SimulatedEviction>& evictions) {
  std::vector<RecordedFact> facts;
  for (const SimulatedEviction& each : evictions) {
    facts.push_back({.at = each.when.at, .uid = each.uid});
  }
  return facts;
}

// If another policy moves the eviction of a pod, it is still within this time.
constexpr Duration kOneLife = std::chrono::hours(24);

}  // namespace

std::vector<Pairing> PairsOf(const std::vector<SimulatedEviction>& a,
                             const std::vector<SimulatedEviction>& b, Duration reach) {
  std::vector<Pairing> pairs = Compare(AsFacts(a), b, reach).pairs;
  // The evictions that have no partner yet, and where they are.
  std::vector<SimulatedEviction> rest[2];
  std::vector<std::size_t> places[2];
  std::erase_if(pairs, [&](const Pairing& pair) {
    if (pair.truth && pair.said) return false;
    const std::size_t side = pair.truth ? 0 : 1;
    places[side].push_back(pair.truth ? *pair.truth : *pair.said);
    rest[side].push_back((pair.truth ? a : b)[places[side].back()]);
    return true;
  });
  for (Pairing pair : Compare(AsFacts(rest[0]), rest[1], kOneLife).pairs) {
    if (pair.truth) pair.truth = places[0][*pair.truth];
    if (pair.said) pair.said = places[1][*pair.said];
    pairs.push_back(pair);
  }
  return pairs;
}

std::vector<SimulatedEviction> WhatHappened(const RecordingFacts& facts) {
  std::vector<SimulatedEviction> evictions;
  for (const RecordedFact& fact : facts.evictions) {
    SimulatedEviction& eviction = evictions.emplace_back();
    eviction.uid = fact.uid;
    eviction.pod = fact.pod;
    eviction.when = {fact.at, fact.at, fact.at};
    eviction.signal = fact.signal;
    eviction.limit = fact.limit;
    eviction.as_recorded = true;
    eviction.pass = fact.pass;
    const auto& acted = fact.pass ? fact.pass->report.acting_for : std::nullopt;
    if (!acted) continue;
    eviction.soft = !acted->IsHard();
    if (const auto& seen = fact.pass->report.observations[acted->signal]) {
      eviction.available = seen->available;
      eviction.line = QuantityOf(acted->value, seen->capacity).Value();
    }
  }
  return evictions;
}

std::string DifferenceText(const DifferenceReport& report) {
  std::size_t explained = 0;
  const std::vector<Difference> differences = DifferencesIn(report);
  std::string out = fmt::format("DIFFERENCES\n  A  {}: {}\n  B  {}: {}\n", Printable(report.a_name),
                                CountText(report.a.size(), "eviction"), Printable(report.b_name),
                                CountText(report.b.size(), "eviction"));
  if (differences.empty()) return out + "\nThey do not differ.\n";
  for (const Difference& each : differences) {
    const std::pair<const char*, const SimulatedEviction*> sides[] = {{"A", each.a}, {"B", each.b}};
    out += fmt::format("\n{}\n", Printable((each.a != nullptr ? each.a : each.b)->pod));
    for (const auto& [name, eviction] : sides) {
      out += eviction == nullptr ? fmt::format("  {}  is not evicted\n", name)
                                 : fmt::format("  {}  {}  {}\n", name, WhenText(eviction->when),
                                               ReasonText(*eviction));
    }
    if (each.a != nullptr && each.b != nullptr) {
      const Duration later = Elapsed(each.a->when.at, each.b->when.at);
      out += fmt::format("  B is {} {}.\n", LengthText(std::chrono::abs(later)),
                         later < Duration{0} ? "earlier" : "later");
    }
    if (++explained > kMostExplained) continue;
    for (const auto& [name, eviction] : sides) {
      if (eviction == nullptr || !eviction->pass) continue;
      out += fmt::format("\n  {}:\n", name);
      PutExplanation(*eviction, out);
    }
  }
  return out;
}

std::string DifferenceJson(const DifferenceReport& report) {
  std::string out;
  JsonWriter json(out);
  const auto side = [&](std::string_view name, const SimulatedEviction* eviction) {
    if (eviction == nullptr) return;
    json.Object(name, [&] {
      WriteFields(eviction->when, json);
      json.Field("reason", ReasonText(*eviction));
      if (!eviction->pass) return;
      json.Key("explanation");
      json.Json(JsonOf(Explain(*eviction->pass, {.subject_uid = eviction->uid})));
    });
  };
  json.Object([&] {
    json.Field("a", report.a_name);
    json.Field("b", report.b_name);
    json.Objects("differences", DifferencesIn(report), [&](const Difference& each) {
      const SimulatedEviction& first = each.a != nullptr ? *each.a : *each.b;
      json.Field("pod", first.pod);
      json.Field("uid", first.uid);
      side("a", each.a);
      side("b", each.b);
    });
  });
  return out;
}

}  // namespace jettison
