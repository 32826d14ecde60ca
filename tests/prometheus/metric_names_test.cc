#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/names_missing.h"
#include "tests/prometheus/exposed_metrics.h"

namespace jettison {
namespace {

using testing::IsEmpty;
using testing::Not;

const std::string kSource = JETTISON_SOURCE;

// What the page says of the kubelet's that we do not have stands in docs/conformance.md.
TEST(MetricNames, ThePageHasEachOfThemAndNoOther) {
  const std::set<std::string> exposed = ExposedNames();
  const std::set<std::string> told = NamesIn(FileText(kSource + "/docs/metrics.md"));
  EXPECT_THAT(NamesMissing(exposed, told), IsEmpty()) << "docs/metrics.md lacks a metric";
  EXPECT_THAT(NamesMissing(told, exposed), IsEmpty())
      << "docs/metrics.md has a metric that is not exposed";
}

TEST(MetricNames, AlertsAskForWhatIsThere) {
  const auto names = NamesIn(FileText(kSource + "/packaging/prometheus/jettison-alerts.yaml"));
  EXPECT_THAT(names, Not(IsEmpty()));
  EXPECT_THAT(NamesMissing(names, ExposedNames()), IsEmpty());
}

TEST(MetricNames, EachQueryOfTheDashboardAsksForWhatIsThere) {
  const auto dashboard =
      nlohmann::json::parse(FileText(kSource + "/packaging/grafana/jettison.json"));
  const std::set<std::string> exposed = ExposedNames();
  std::set<int> ids;
  for (const auto& panel : dashboard.at("panels")) {
    EXPECT_TRUE(ids.insert(panel.at("id").get<int>()).second) << panel.at("title");
    if (panel.at("type") == "row") continue;
    EXPECT_FALSE(panel.at("targets").empty()) << panel.at("title");
    for (const auto& target : panel.at("targets")) {
      const auto names = NamesIn(target.at("expr").get<std::string>());
      EXPECT_THAT(names, Not(IsEmpty())) << target;
      EXPECT_THAT(NamesMissing(names, exposed), IsEmpty()) << target;
    }
  }
}

}  // namespace
}  // namespace jettison
