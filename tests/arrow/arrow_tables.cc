// arrow_tables NAME: writes a table whose values streams.test.mjs knows to standard output.

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <limits>
#include <string>
#include <string_view>

#include "cli/fleet/fleet_tables.h"
#include "codec/arrow/arrow_stream.h"

namespace jettison {
namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
const Instant kThen(std::chrono::nanoseconds(1'767'225'600'123'456'789));

bool Put(std::string_view bytes) {
  return std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size();
}

// Each third row is absent, in 40,000 rows: three batches.
bool WriteTypes(std::int64_t rows) {
  using enum ArrowType;
  ArrowStream stream({{"text", kUtf8, true},
                      {"number", kInt64, true},
                      {"flag", kBool, true},
                      {"at", kTimestamp, true},
                      {"time", kDuration, true},
                      {"sum", kDecimal, true}},
                     {{"made", "for\na \"test\""}}, Put);
  for (std::int64_t i = 0; i < rows; ++i) {
    if (i % 3 == 2) {
      for (std::size_t column = 0; column < 6; ++column) stream.column(column).AddNull();
    } else {
      stream.column(0).AddText(fmt::format("\"{}\",\n\xff é", i));
      stream.column(1).AddInt64(i % 2 == 0 ? kLargest - i : -kLargest - 1 + i);
      stream.column(2).AddBool(i % 2 == 0);
      stream.column(3).AddInstant(kThen + std::chrono::nanoseconds(i));
      stream.column(4).AddInt64(-i);
      stream.column(5).AddDecimal((i % 2 == 0 ? 1 : -1) * Int128{kLargest} * (i + 1));
    }
    if (!stream.EndRow()) return false;
  }
  return stream.Finish();
}

FleetNode SomeNode() {
  FleetNode node{.node = "no,de\n", .from = kThen, .to = {}};
  node.passes = kLargest;
  PolicySums sums{.evictions = 2, .oom_kills = 1};
  sums.condition_nanoseconds = {1, 2, 3, 4};
  sums.kept_free_byte_seconds = kLargest;
  sums.pod_nanoseconds_lost = 7;
  node.policies = {sums, sums};
  FleetEviction eviction{.at = kThen,
                         .policy = 1,
                         .pod = "default/p",
                         .uid = "u",
                         .earliest = kThen - std::chrono::nanoseconds(1),
                         .latest = kThen + std::chrono::nanoseconds(1),
                         .signal = Signal::kMemoryAvailable,
                         .soft = true,
                         .available = kLargest,
                         .line = -1,
                         .held = 5,
                         .as_recorded = true};
  node.evictions = {eviction};
  eviction.signal.reset();
  eviction.limit = "emptyDir";
  node.evictions.push_back(eviction);
  return node;
}

bool WriteTableNamed(std::string_view name) {
  const FleetNode node = SomeNode();
  FleetReport report{.manifest = {.version = "1", .options = {{"evicted", "auto"}}},
                     .totals = FleetTotals(2),
                     .missing_shards = {}};
  report.manifest.policies = {{"in force", ""}, {"p", "{}"}};
  report.totals.Add(node);
  report.totals.Add(node);
  const VisitNodes nodes = [&node](const auto& visit) { return visit(node); };
  if (name == "policies") return WriteFleetPoliciesArrow(report, Put);
  if (name == "nodes") return WriteFleetNodesArrow(report, nodes, Put);
  if (name == "evictions") return WriteFleetEvictionsArrow(report, nodes, Put);
  return name == "empty" ? WriteTypes(0) : WriteTypes(40'000);
}

}  // namespace
}  // namespace jettison

int main(int argc, char** argv) {
  return argc == 2 && jettison::WriteTableNamed(argv[1]) && std::fflush(stdout) == 0 ? 0 : 1;
}
