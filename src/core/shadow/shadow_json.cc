#include "core/shadow/shadow_json.h"

#include "core/json/json_writer.h"
#include "core/shadow/shadow_fields.h"

namespace jettison {

std::string ShadowJson(const ShadowView& view) {
  std::string text;
  JsonWriter json(text);
  WriteForm(view, json);
  return text;
}

}  // namespace jettison
