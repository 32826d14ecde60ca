#include "tests/packaging/schema.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <regex>

#include "tests/packaging/objects.h"

namespace jettison {
namespace {

using Lines = std::vector<std::string>;

std::string TypeOf(const Value& value) {
  if (value.IsNull()) return "null";
  if (value.AsBool() != nullptr) return "boolean";
  if (value.AsString() != nullptr) return "string";
  if (value.AsList() != nullptr) return "array";
  if (value.AsMap() != nullptr) return "object";
  return value.AsNumber()->text.find_first_of(".eE") == std::string::npos ? "integer" : "number";
}

bool HasType(const Value& types, const Value& value) {
  const std::string type = TypeOf(value);
  if (types.AsString() != nullptr) return *types.AsString() == type;
  return std::ranges::count(TextsAt(types, ""), type) > 0;
}

bool IsAmong(const Value& values, const Value& value) {
  return std::ranges::count(*values.AsList(), Canonical(value),
                            [](const Value& each) { return Canonical(each); }) > 0;
}

bool Matches(const Value& pattern, const Value& value) {
  return value.AsString() == nullptr ||
         std::regex_search(*value.AsString(), std::regex(*pattern.AsString()));
}

// A limit concerns numbers alone.
double Excess(const Value& value, const Value& limit) {
  if (value.AsNumber() == nullptr) return 0;
  return std::stod(value.AsNumber()->text) - std::stod(limit.AsNumber()->text);
}

Lines OfMembers(const Value& schema, const Value& value, const std::string& path) {
  Lines faults;
  if (value.AsMap() == nullptr) return faults;
  static const Value kAnything(true);
  const Value* known = schema.Find("properties");
  const Value* others = schema.Find("additionalProperties");
  for (const auto& [key, member] : *value.AsMap()) {
    const Value* its = known == nullptr ? nullptr : known->Find(key);
    if (its == nullptr) its = others == nullptr ? &kAnything : others;
    const Lines more = SchemaFaults(*its, member, path + "." + key);
    faults.insert(faults.end(), more.begin(), more.end());
  }
  return faults;
}

using Check = std::function<bool(const Value& rule, const Value& value)>;

// Those without a check refuse nothing, or are read with the members.
const std::map<std::string, Check>& Keywords() {
  static const Check kNone = [](const Value&, const Value&) { return true; };
  static const std::map<std::string, Check> kKeywords = {
      {"$schema", kNone},
      {"title", kNone},
      {"description", kNone},
      {"properties", kNone},
      {"additionalProperties", kNone},
      {"type", HasType},
      {"enum", IsAmong},
      {"pattern", Matches},
      {"minimum", [](const Value& rule, const Value& value) { return Excess(value, rule) >= 0; }},
      {"maximum", [](const Value& rule, const Value& value) { return Excess(value, rule) <= 0; }},
  };
  return kKeywords;
}

}  // namespace

std::vector<std::string> SchemaFaults(const Value& schema, const Value& value,
                                      const std::string& path) {
  if (const bool* anything = schema.AsBool()) {
    return *anything ? Lines{} : Lines{path + ": is not allowed"};
  }
  Lines faults = OfMembers(schema, value, path);
  for (const auto& [keyword, rule] : *schema.AsMap()) {
    const auto check = Keywords().find(keyword);
    if (check == Keywords().end()) {
      ADD_FAILURE() << "this test does not know the keyword " << keyword;
    } else if (!check->second(rule, value)) {
      faults.push_back(path + ": " + keyword + " " + Canonical(rule));
    }
  }
  return faults;
}

}  // namespace jettison
