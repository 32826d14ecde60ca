#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/value.h"

namespace jettison {

[[nodiscard]] std::string FileText(const std::string& path);

// The YAML documents of a text; what is wrong with it fails the test.
[[nodiscard]] std::vector<Value> Documents(const std::string& text, const std::string& name);

// The value at "spec.template.0.name"; null where there is none.
[[nodiscard]] const Value* At(const Value& value, std::string_view path);
// The text there; empty where there is none.
[[nodiscard]] std::string TextAt(const Value& value, std::string_view path);
// The texts of the list there.
[[nodiscard]] std::vector<std::string> TextsAt(const Value& value, std::string_view path);

// One form for values that mean the same: members in the order of their names, all on one line.
[[nodiscard]] std::string Canonical(const Value& value);

// The value as JSON on one line, members in the order of the document.
[[nodiscard]] std::string Json(const Value& value);

// Objects by "kind name".
[[nodiscard]] std::map<std::string, Value> ByName(const std::vector<Value>& objects);

}  // namespace jettison
