#include "sources/kubernetes/objects/value_writer.h"

namespace jettison::kube {

void WriteValue(const Value& value, JsonWriter& json) {
  if (const bool* flag = value.AsBool()) {
    json.Bool(*flag);
  } else if (const Value::Number* number = value.AsNumber()) {
    json.Json(number->text);
  } else if (const std::string* text = value.AsString()) {
    json.String(*text);
  } else if (const Value::List* list = value.AsList()) {
    json.Array([&] {
      for (const Value& item : *list) WriteValue(item, json);
    });
  } else if (const Value::Map* map = value.AsMap()) {
    json.Object([&] {
      for (const auto& [name, member] : *map) {
        json.Key(name);
        WriteValue(member, json);
      }
    });
  } else {
    json.Null();
  }
}

}  // namespace jettison::kube
