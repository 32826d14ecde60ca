#include "api/overview/overview_json.h"

#include "api/overview/overview_fields.h"
#include "core/json/field_writer.h"

namespace jettison {

void WritePass(JsonWriter& json, const OverviewPass& pass) {
  WriteForm(pass, json);
}

std::string OverviewJson(const Overview& overview) {
  std::string text;
  JsonWriter json(text);
  WriteForm(overview, json);
  return text;
}

std::string OverviewJson(const Snapshot& snapshot, const OverviewOptions& options) {
  return OverviewJson(OverviewOf(snapshot, options));
}

}  // namespace jettison
