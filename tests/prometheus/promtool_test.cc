// Prometheus' own tool judges what is exposed and what is installed.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/live/program.h"
#include "tests/prometheus/exposed_metrics.h"

namespace jettison {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kPackaging = std::string(JETTISON_SOURCE) + "/packaging";

class Promtool : public testing::Test {
 protected:
  void SetUp() override {
    if (std::string(JETTISON_PROMTOOL).empty()) {
      GTEST_SKIP() << "no promtool: scripts/install-deps.sh brings it";
    }
  }
  // Its exit status; `output_` is what it said.
  int Run(const std::string& arguments) {
    Program program({"/bin/sh", "-c", Quoted(JETTISON_PROMTOOL) + " " + arguments}, {});
    const int status = program.Wait();
    output_ = program.output();
    return status;
  }
  [[nodiscard]] std::string Write(const std::string& name, const std::string& text) const {
    const std::string path = folder_.path() + "/" + name;
    std::ofstream(path) << text;
    return path;
  }

  TemporaryFolder folder_;
  std::string output_;
};

// Two names are the kubelet's own, and dashboards ask for them as they are.
TEST_F(Promtool, FindsNothingWrongButTheKubeletsOwnNames) {
  Run("check metrics < " + Write("metrics", ExposedText()));
  std::vector<std::string> complaints;
  std::istringstream lines(output_);
  for (std::string line; std::getline(lines, line);) complaints.push_back(line);
  EXPECT_THAT(complaints,
              ElementsAre("kubelet_evictions counter metrics should have \"_total\" suffix",
                          "kubelet_preemptions counter metrics should have \"_total\" suffix"));
}

TEST_F(Promtool, AlertsFireWhenTheyShouldAndOnlyThen) {
  EXPECT_EQ(Run("check rules " + Quoted(kPackaging + "/prometheus/jettison-alerts.yaml")), 0)
      << output_;
  EXPECT_EQ(Run("test rules " + Quoted(kPackaging + "/prometheus/jettison-alerts.test.yaml")), 0)
      << output_;
  EXPECT_THAT(output_, HasSubstr("SUCCESS"));
}

TEST_F(Promtool, EachAlertIsTested) {
  const std::string rules = FileText(kPackaging + "/prometheus/jettison-alerts.yaml");
  const std::string tests = FileText(kPackaging + "/prometheus/jettison-alerts.test.yaml");
  const std::regex alert("alert: (\\w+)");
  for (std::sregex_iterator it(rules.begin(), rules.end(), alert), end; it != end; ++it) {
    const std::regex fires("alertname: " + (*it)[1].str() + "\\n +exp_alerts:");
    EXPECT_TRUE(std::regex_search(tests, fires)) << (*it)[1] << " is never seen to fire";
  }
}

TEST_F(Promtool, QueriesOfTheDashboardAreValid) {
  const auto dashboard = nlohmann::json::parse(FileText(kPackaging + "/grafana/jettison.json"));
  nlohmann::json rules = nlohmann::json::array();
  const std::regex variable("\\$__(rate_interval|range)");
  for (const auto& panel : dashboard.at("panels")) {
    if (panel.at("type") == "row") continue;
    for (const auto& target : panel.at("targets")) {
      rules.push_back(
          {{"record", fmt::format("query:{}", rules.size())},
           {"expr", std::regex_replace(target.at("expr").get<std::string>(), variable, "5m")}});
    }
  }
  const nlohmann::json group = {{"name", "dashboard"}, {"rules", rules}};
  // JSON is YAML.
  const nlohmann::json file = {{"groups", nlohmann::json::array({group})}};
  EXPECT_EQ(Run("check rules " + Write("dashboard.yaml", file.dump())), 0) << output_;
  EXPECT_THAT(output_, HasSubstr(fmt::format("{} rules found", rules.size())));
}

}  // namespace
}  // namespace jettison
