#include "cli/fleet/fleet_tables.h"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "codec/arrow/arrow_stream.h"

namespace jettison {
namespace {

using enum ArrowType;

ArrowStream::Metadata MetadataOf(const FleetReport& report) {
  ArrowStream::Metadata metadata = {{"jettison.version", report.manifest.version},
                                    {"jettison.recordings.xxh128", report.manifest.fleet_hash}};
  for (const FleetOption& option : report.manifest.options) {
    metadata.emplace_back("jettison.option." + option.name, option.value);
  }
  return metadata;
}

// Adds the values of a row one after the other.
class ArrowRow {
 public:
  explicit ArrowRow(ArrowStream& stream) : stream_(stream) {}

  ArrowRow& Text(std::string_view text) { return Next().AddText(text), *this; }
  // An empty one is absent.
  ArrowRow& TextOrNull(std::string_view text) {
    return text.empty() ? Next().AddNull() : Next().AddText(text), *this;
  }
  ArrowRow& Number(std::int64_t number) { return Next().AddInt64(number), *this; }
  ArrowRow& Bool(bool value) { return Next().AddBool(value), *this; }
  ArrowRow& At(Instant at) { return Next().AddInstant(at), *this; }
  ArrowRow& At(const std::optional<Instant>& at) {
    return at ? Next().AddInstant(*at) : Next().AddNull(), *this;
  }
  ArrowRow& Decimal(Int128 number) { return Next().AddDecimal(number), *this; }
  [[nodiscard]] bool End() { return stream_.EndRow(); }

 private:
  ArrowColumn& Next() { return stream_.column(next_++); }

  ArrowStream& stream_;
  std::size_t next_ = 0;
};

std::string ColumnOf(NodeConditionType type) {
  switch (type) {
    case NodeConditionType::kMemoryPressure: return "memory_pressure";
    case NodeConditionType::kDiskPressure: return "disk_pressure";
    case NodeConditionType::kPidPressure: return "pid_pressure";
    case NodeConditionType::kSystemDiskContentionPressure: return "system_disk_contention_pressure";
  }
  __builtin_unreachable();
}

const std::string& PolicyName(const FleetReport& report, std::int64_t policy) {
  return report.manifest.policies[static_cast<std::size_t>(policy)].name;
}

}  // namespace

// Sums over a fleet are wider than 64 bits; lengths of time are nanoseconds there, too.
bool WriteFleetPoliciesArrow(const FleetReport& report, const PutPiece& put) {
  std::vector<ArrowField> fields = {{"policy", kUtf8},
                                    {"evictions", kInt64},
                                    {"nodes_with_evictions", kInt64},
                                    {"oom_kills", kInt64}};
  for (const NodeConditionType type : kAllNodeConditions) {
    fields.push_back({ColumnOf(type) + "_nanoseconds", kDecimal});
  }
  fields.push_back({"kept_free_byte_seconds", kDecimal});
  fields.push_back({"pod_nanoseconds_lost", kDecimal});
  ArrowStream stream(fields, MetadataOf(report), put);
  for (std::size_t i = 0; i < report.totals.policies.size(); ++i) {
    const PolicyTotals& totals = report.totals.policies[i];
    ArrowRow row(stream);
    row.Text(report.manifest.policies[i].name)
        .Number(totals.evictions)
        .Number(totals.nodes_with_evictions)
        .Number(totals.oom_kills);
    for (const NodeConditionType type : kAllNodeConditions) {
      row.Decimal(totals.condition_nanoseconds[IndexOf(type)]);
    }
    row.Decimal(totals.kept_free_byte_seconds).Decimal(totals.pod_nanoseconds_lost);
    if (!row.End()) return false;
  }
  return stream.Finish();
}

bool WriteFleetNodesArrow(const FleetReport& report, const VisitNodes& nodes, const PutPiece& put) {
  std::vector<ArrowField> fields = {
      {"node", kUtf8},    {"from", kTimestamp, true}, {"to", kTimestamp, true},
      {"passes", kInt64}, {"pods", kInt64},           {"recorded_evictions", kInt64},
      {"policy", kUtf8},  {"evictions", kInt64},      {"oom_kills", kInt64}};
  for (const NodeConditionType type : kAllNodeConditions) {
    fields.push_back({ColumnOf(type), kDuration});
  }
  fields.push_back({"kept_free_byte_seconds", kInt64});
  fields.push_back({"pod_time_lost", kDuration});
  fields.push_back({"damaged", kBool});
  ArrowStream stream(fields, MetadataOf(report), put);
  const bool visited = nodes([&](const FleetNode& node) {
    for (std::size_t i = 0; i < node.policies.size(); ++i) {
      const PolicySums& sums = node.policies[i];
      ArrowRow row(stream);
      row.Text(node.node).At(node.from).At(node.to).Number(node.passes).Number(node.pods);
      row.Number(node.recorded_evictions).Text(report.manifest.policies[i].name);
      row.Number(sums.evictions).Number(sums.oom_kills);
      for (const NodeConditionType type : kAllNodeConditions) {
        row.Number(sums.condition_nanoseconds[IndexOf(type)]);
      }
      row.Number(sums.kept_free_byte_seconds).Number(sums.pod_nanoseconds_lost);
      if (!row.Bool(node.IsDamaged()).End()) return false;
    }
    return true;
  });
  return visited && stream.Finish();
}

bool WriteFleetEvictionsArrow(const FleetReport& report, const VisitNodes& nodes,
                              const PutPiece& put) {
  ArrowStream stream({{"node", kUtf8},
                      {"at", kTimestamp},
                      {"earliest", kTimestamp},
                      {"latest", kTimestamp},
                      {"policy", kUtf8},
                      {"pod", kUtf8},
                      {"uid", kUtf8},
                      {"signal", kUtf8, true},
                      {"limit", kUtf8, true},
                      {"kind", kUtf8, true},
                      {"available", kInt64},
                      {"line", kInt64},
                      {"held", kInt64},
                      {"as_recorded", kBool},
                      {"from_record", kBool}},
                     MetadataOf(report), put);
  const bool visited = nodes([&](const FleetNode& node) {
    for (const FleetEviction& eviction : node.evictions) {
      const bool by_signal = eviction.signal.has_value();
      ArrowRow row(stream);
      row.Text(node.node).At(eviction.at).At(eviction.earliest).At(eviction.latest);
      row.Text(PolicyName(report, eviction.policy)).Text(eviction.pod).Text(eviction.uid);
      row.TextOrNull(by_signal ? NameOf(*eviction.signal) : "").TextOrNull(eviction.limit);
      row.TextOrNull(!by_signal ? "" : (eviction.soft ? "soft" : "hard"));
      row.Number(eviction.available).Number(eviction.line).Number(eviction.held);
      if (!row.Bool(eviction.as_recorded).Bool(eviction.from_record).End()) return false;
    }
    return true;
  });
  return visited && stream.Finish();
}

}  // namespace jettison
