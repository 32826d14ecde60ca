#include "codec/fleet/part_writer.h"

#include "core/fleet/fleet_fields.h"
#include "core/json/json_writer.h"

namespace jettison {

std::string PartLineOf(const FleetNode& node) {
  std::string line;
  JsonWriter json(line);
  WriteForm(node, json);
  return line;
}

bool PartWriter::Put(std::string_view line) {
  hash_.Add(line);
  hash_.Add("\n");
  return write_(line) && write_("\n");
}

bool PartWriter::Begin(const FleetManifest& manifest) {
  std::string line;
  JsonWriter json(line);
  json.Object([&] {
    json.Field("apiVersion", kPartApiVersion);
    json.Field("kind", kPartKind);
    json.Field("version", manifest.version);
    FieldWriter fields(json);
    fields("shard", manifest.shard);
    fields("options", manifest.options);
    json.Array("policies", [&] {
      for (const FleetPolicy& policy : manifest.policies) {
        json.Object([&] {
          json.Field("name", policy.name);
          json.Field("definition", policy.definition);
          json.Field("xxh128", HashOf(policy.definition));
        });
      }
    });
    json.Object("fleet", [&] {
      json.Field("recordings", manifest.fleet_recordings);
      json.Field("xxh128", manifest.fleet_hash);
    });
  });
  return Put(line);
}

bool PartWriter::Add(std::string_view line) {
  ++nodes_;
  return Put(line);
}

bool PartWriter::End() {
  std::string line;
  JsonWriter json(line);
  json.Object([&] {
    json.Object("end", [&] {
      json.Field("nodes", nodes_);
      json.Field("xxh128", hash_.Text());
    });
  });
  return write_(line) && write_("\n");
}

}  // namespace jettison
