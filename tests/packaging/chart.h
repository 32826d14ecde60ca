#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/model/value.h"

namespace jettison {

// Renders a chart as Helm does, as far as ours asks for it: values, the release's namespace, the
// chart's appVersion, `if`, `if not` and `end` on lines of their own. Anything else in a template
// fails the test.
class Chart {
 public:
  // `values` replace those of values.yaml, by paths ("metrics.enabled").
  Chart(std::string folder, std::map<std::string, std::string> values);

  // Every object of every template, released into a namespace.
  [[nodiscard]] std::vector<Value> Objects(const std::string& release_namespace) const;

 private:
  [[nodiscard]] std::string ValueOf(const std::string& path) const;
  [[nodiscard]] std::string Meaning(const std::string& expression) const;
  [[nodiscard]] std::string Filled(std::string line) const;
  [[nodiscard]] std::string Rendered(const std::string& text) const;

  std::string folder_;
  std::map<std::string, std::string> overridden_;
  Value defaults_;
  std::string app_version_;
  mutable std::string namespace_;
};

}  // namespace jettison
