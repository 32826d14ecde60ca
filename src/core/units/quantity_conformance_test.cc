#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "core/units/quantity.h"

namespace jettison {
namespace {

std::string NameOf(QuantityFormat format) {
  switch (format) {
    case QuantityFormat::kDecimalExponent: return "DecimalExponent";
    case QuantityFormat::kBinarySI: return "BinarySI";
    case QuantityFormat::kDecimalSI: return "DecimalSI";
  }
  return "none";
}

void ExpectAgreement(const nlohmann::json& record, const Quantity& quantity) {
  EXPECT_EQ(quantity.ToString(), record.at("canonical").get<std::string>());
  EXPECT_EQ(std::to_string(quantity.Value()), record.at("value").get<std::string>());
  EXPECT_EQ(std::to_string(quantity.MilliValue()), record.at("milliValue").get<std::string>());
  EXPECT_EQ(quantity.Sign(), record.at("sign").get<int>());
  EXPECT_EQ(NameOf(quantity.format()), record.at("format").get<std::string>());
  if (!record.contains("cmpWith")) return;
  const auto other = Quantity::Parse(record.at("cmpWith").get<std::string>());
  ASSERT_TRUE(other) << other.error().message;
  EXPECT_EQ(quantity.Compare(*other), record.at("cmp").get<int>());
  EXPECT_EQ((quantity + *other).ToString(), record.at("sum").get<std::string>());
  EXPECT_EQ((quantity - *other).ToString(), record.at("difference").get<std::string>());
}

TEST(QuantityConformance, EveryRecordedQuantityIsReadComparedAndAddedAsKubernetesDoes) {
  std::ifstream file(JETTISON_VECTORS "/quantities.ndjson");
  int records = 0;
  for (std::string line; std::getline(file, line); ++records) {
    const auto record = nlohmann::json::parse(line);
    SCOPED_TRACE(line);
    const auto quantity = Quantity::Parse(record.at("in").get<std::string>());
    ASSERT_EQ(quantity.has_value(), record.at("ok").get<bool>());
    if (quantity) ExpectAgreement(record, *quantity);
  }
  EXPECT_EQ(records, 1500);
}

}  // namespace
}  // namespace jettison
