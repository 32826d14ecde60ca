#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "codec/documents/json.h"
#include "core/config/read_config.h"
#include "core/thresholds/threshold_parsing.h"

// Random eviction settings and the kubelet's result for each.

namespace jettison {
namespace {

SignalSettings SettingsIn(const Value& config, std::string_view key) {
  SignalSettings settings;
  const Value* map = config.Find(key);
  if (map == nullptr) return settings;
  for (const auto& [signal, text] : *map->AsMap()) settings.emplace(signal, *text.AsString());
  return settings;
}

bool EnforcesPods(const Value& config) {
  const Value* list = config.Find("enforceNodeAllocatable");
  return list != nullptr && std::ranges::any_of(*list->AsList(), [](const Value& item) {
           return *item.AsString() == "pods";
         });
}

std::string Share(float fraction) {
  return fmt::format("{}", fraction);
}

std::string Show(const ThresholdValue& value) {
  if (const auto* amount = std::get_if<Quantity>(&value)) return amount->ToString();
  return "share " + Share(std::get<Percentage>(value).fraction);
}

std::vector<std::string> Show(const std::vector<Threshold>& thresholds) {
  std::vector<std::string> lines;
  for (const Threshold& t : thresholds) {
    lines.push_back(fmt::format("{} LessThan {} grace {} reclaim {}", NameOf(t.signal),
                                Show(t.value), FormatDuration(t.grace_period),
                                t.min_reclaim ? Show(*t.min_reclaim) : "none"));
  }
  std::ranges::sort(lines);
  return lines;
}

std::string ShowRecorded(const Value& threshold, std::string_view amount, std::string_view share) {
  if (const Value* text = threshold.Find(amount)) return *text->AsString();
  const Value* number = threshold.Find(share);
  return number == nullptr ? "none" : "share " + Share(std::stof(number->AsNumber()->text));
}

std::vector<std::string> ShowRecorded(const Value& record) {
  std::vector<std::string> lines;
  const Value* thresholds = record.Find("thresholds");
  if (thresholds == nullptr || thresholds->IsNull()) return lines;
  for (const Value& t : *thresholds->AsList()) {
    lines.push_back(fmt::format("{} {} {} grace {} reclaim {}", *t.Find("signal")->AsString(),
                                *t.Find("operator")->AsString(),
                                ShowRecorded(t, "quantity", "percentage"),
                                *t.Find("gracePeriod")->AsString(),
                                ShowRecorded(t, "minReclaimQuantity", "minReclaimPercentage")));
  }
  std::ranges::sort(lines);
  return lines;
}

// The record's settings as an equivalent KubeletConfiguration: an absent member means no setting in
// a record, but the defaults in a configuration.
Value AsConfiguration(const Value& config) {
  const auto text = [](const char* word) { return Value(std::string(word)); };
  Value::Map members = *config.AsMap();
  members.emplace_back("kind", text("KubeletConfiguration"));
  members.emplace_back("apiVersion", text("kubelet.config.k8s.io/v1beta1"));
  if (config.Find("evictionHard") == nullptr) members.emplace_back("evictionHard", Value::Map{});
  // The records are about thresholds. If they enforce reservations, they do not name the group.
  for (const char* group : {"kubeReservedCgroup", "systemReservedCgroup"}) {
    members.emplace_back(group, text("/reserved"));
  }
  if (config.Find("enforceNodeAllocatable") == nullptr) {
    members.emplace_back("enforceNodeAllocatable", Value::List{text("none")});
  }
  return Value(std::move(members));
}

TEST(ThresholdConformance, EveryRecordedSettingIsAcceptedOrRefusedAndMeansTheSame) {
  std::ifstream file(JETTISON_VECTORS "/thresholds.ndjson");
  ASSERT_TRUE(file) << "the vectors are missing";
  int records = 0;
  for (std::string line; std::getline(file, line); ++records) {
    const auto record = ParseJson(line);
    ASSERT_TRUE(record) << record.error().message;
    const Value& config = *record->Find("config");
    const ThresholdParsing parsing =
        ParseThresholds({.hard = SettingsIn(config, "evictionHard"),
                         .soft = SettingsIn(config, "evictionSoft"),
                         .soft_grace_period = SettingsIn(config, "evictionSoftGracePeriod"),
                         .minimum_reclaim = SettingsIn(config, "evictionMinimumReclaim"),
                         .enforce_pods = EnforcesPods(config)});
    const ConfigReading reading = ReadConfig({{"x.json", AsConfiguration(config)}});
    const bool accepted = *record->Find("ok")->AsBool();
    ASSERT_EQ(parsing.faults.empty(), accepted) << line;
    ASSERT_EQ(reading.faults.empty(), accepted) << line;
    if (!accepted) continue;
    ASSERT_EQ(Show(parsing.thresholds), ShowRecorded(*record)) << line;
    ASSERT_EQ(Show(reading.config.eviction.thresholds), ShowRecorded(*record)) << line;
  }
  EXPECT_GE(records, 400);
}

}  // namespace
}  // namespace jettison
