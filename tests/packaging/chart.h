#pragma once

#include <string>
#include <vector>

#include "core/model/value.h"

namespace jettison {

// Renders a chart as Helm does, as far as ours asks for it: `if`, `with` and `end` on lines of
// their own, and expressions (expression.h). Anything else in a template fails the test.
class Chart {
 public:
  // `values` are YAML, as those of `helm --values`: they are merged over values.yaml.
  explicit Chart(std::string folder, const std::string& values = "{}");

  // Every object of every template, released into a namespace.
  [[nodiscard]] std::vector<Value> Objects(const std::string& release_namespace) const;

 private:
  [[nodiscard]] std::string Filled(std::string line, const Value& dot) const;
  [[nodiscard]] std::string Rendered(const std::string& text, const Value& root) const;

  std::string folder_;
  Value values_;
};

}  // namespace jettison
