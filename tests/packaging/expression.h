#pragma once

#include <string>
#include <string_view>

#include "core/model/value.h"

namespace jettison {

// What an expression of a template is about.
struct TemplateScope {
  Value dot;           // what paths begin at
  std::string folder;  // the chart's, for .Files.Get
};

// The value of what stands between "{{" and "}}" in a template of Helm: paths, texts, numbers,
// parentheses, pipelines, and those functions that our chart uses. Anything else fails the test,
// and so does a path that leads nowhere.
[[nodiscard]] Value Evaluated(std::string_view expression, const TemplateScope& scope);

// Whether `if` and `with` take a value for true: it is neither empty nor zero.
[[nodiscard]] bool IsTrue(const Value& value);

// A word or a number as a template shows it. Another value fails the test.
[[nodiscard]] std::string ShownInTemplate(const Value& value);

}  // namespace jettison
