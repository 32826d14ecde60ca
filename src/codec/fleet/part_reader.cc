#include "codec/fleet/part_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "codec/documents/form_reader.h"
#include "codec/fleet/part_writer.h"
#include "core/fleet/fleet_fields.h"

namespace jettison {
namespace {

tl::unexpected<Error> Invalid(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message));
}

std::string TextIn(const Value& map, std::string_view key) {
  const Value* value = map.Find(key);
  const std::string* text = value == nullptr ? nullptr : value->AsString();
  return text == nullptr ? "" : *text;
}

FleetNode NodeIn(const Value& value) {
  FleetNode node{.from = {}, .to = {}};
  FormReader fields(value);
  VisitFields(fields, node);
  return node;
}

// What the sums rely on.
bool HasPolicies(const FleetNode& node, std::size_t policies) {
  const auto known = [policies](const auto& row) {
    return row.policy >= 0 && static_cast<std::uint64_t>(row.policy) < policies;
  };
  return node.policies.size() == (node.failure.empty() ? policies : 0) &&
         std::ranges::all_of(node.evictions, known) && std::ranges::all_of(node.oom_kills, known);
}

}  // namespace

Result<FleetNode> ReadPartLine(std::string_view line, JsonReader& json) {
  const auto value = json.Parse(line);
  if (!value) return Invalid(WithoutLine(value.error().message));
  return NodeIn(*value);
}

void PartReader::AddToHash(std::string_view line) {
  hash_.Add(line);
  hash_.Add("\n");
}

Result<PartItem> PartReader::Take(std::string_view line) {
  const auto value = json_.Parse(line);
  if (!value) return Invalid(WithoutLine(value.error().message));
  if (!manifest_) return TakeManifest(*value, line);
  if (const Value* end = value->Find("end")) return TakeEnd(*end);
  return TakeNode(*value, line);
}

Result<PartItem> PartReader::TakeManifest(const Value& value, std::string_view line) {
  if (TextIn(value, "kind") != kPartKind) return Invalid("this is no part of a fleet");
  const std::string version = TextIn(value, "apiVersion");
  if (version != kPartApiVersion) {
    return Fail(
        ErrorCode::kUnavailable,
        fmt::format("the part is of apiVersion {}, which is not {}", version, kPartApiVersion));
  }
  FleetManifest manifest{.version = TextIn(value, "version")};
  FormReader fields(value);
  fields("shard", manifest.shard);
  fields("options", manifest.options);
  const Value* policies = value.Find("policies");
  if (policies != nullptr && policies->AsList() != nullptr) {
    for (const Value& policy : *policies->AsList()) {
      manifest.policies.push_back(
          {.name = TextIn(policy, "name"), .definition = TextIn(policy, "definition")});
    }
  }
  if (const Value* fleet = value.Find("fleet")) {
    FormReader of_fleet(*fleet);
    of_fleet("recordings", manifest.fleet_recordings);
    of_fleet("xxh128", manifest.fleet_hash);
  }
  for (const FleetPolicy& policy : manifest.policies) {
    if (policy.definition.empty() || json_.Parse(policy.definition)) continue;
    return Invalid(fmt::format("policy \"{}\" of the part is no JSON", policy.name));
  }
  if (manifest.policies.empty() || !ParseShard(manifest.shard.Text())) {
    return Invalid("the manifest of the part has no policy, or no such shard");
  }
  manifest_ = manifest;
  last_node_.clear();
  nodes_ = 0;
  hash_ = Hash128();
  AddToHash(line);
  return manifest;
}

Result<PartItem> PartReader::TakeNode(const Value& value, std::string_view line) {
  FleetNode node = NodeIn(value);
  if (node.node.empty()) return Invalid("a line of the part names no node");
  if (nodes_ > 0 && node.node <= last_node_) {
    return Invalid(fmt::format("node {} is not in its order", node.node));
  }
  if (!manifest_->shard.Has(node.node)) {
    return Invalid(fmt::format("node {} is not of shard {}", node.node, manifest_->shard.Text()));
  }
  if (!HasPolicies(node, manifest_->policies.size())) {
    return Invalid(fmt::format("node {} has other policies than the part", node.node));
  }
  last_node_ = node.node;
  ++nodes_;
  AddToHash(line);
  return node;
}

Result<PartItem> PartReader::TakeEnd(const Value& end) {
  std::uint64_t nodes = 0;
  std::string hash;
  FormReader fields(end);
  fields("nodes", nodes);
  fields("xxh128", hash);
  if (nodes != nodes_) {
    return Invalid(fmt::format("the part has {} nodes, and {} were written", nodes_, nodes));
  }
  if (hash != hash_.Text()) return Invalid("the part is not as it was written: its hash differs");
  manifest_.reset();
  return PartEnd{};
}

}  // namespace jettison
