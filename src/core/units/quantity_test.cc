#include "core/units/quantity.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace jettison {
namespace {

Quantity Q(std::string_view text) {
  return Quantity::Parse(text).value();
}

constexpr std::int64_t kMost = INT64_MAX;

TEST(Quantity, MayBeAddedToItself) {
  for (const char* text :
       {"1Gi", "1.5", "3Pi", "9223372036854775807", "85070591730234615865843651857942052863"}) {
    const Quantity once = Q(text);
    Quantity twice = once;
    twice += twice;
    EXPECT_EQ(twice - once, once) << text;
    twice -= twice;
    EXPECT_TRUE(twice.IsZero()) << text;
  }
}

TEST(Quantity, SumsBeyond64BitsAreExactAndEndAt128Bits) {
  Quantity sum = Quantity::Of(kMost);
  for (int i = 0; i < 60; ++i) sum += sum;
  EXPECT_EQ(sum.ToString(), "9223372036854775807Ei");
  EXPECT_LT(sum - Q("1n"), sum);
  for (int i = 0; i < 60; ++i) sum += sum;
  EXPECT_GT(sum, Q("1e38"));
  EXPECT_EQ(sum + sum, sum);
  EXPECT_EQ((Quantity() - sum - sum).Sign(), -1);
  Quantity least = Quantity::Of(INT64_MIN);
  EXPECT_EQ((Quantity() - least).Sign(), 1);
  EXPECT_EQ((Quantity::Of(0) - least) + least, Quantity());
}

TEST(Quantity, ValuesBeyond64BitsAreWhatKubernetesAnswers) {
  EXPECT_EQ(Q("16E").Value(), 0) << "multiplied digit by digit, an overflow is zero";
  EXPECT_EQ(Q("144115188075855872e3").Value(), -3458764513820540928) << "at once, it wraps";
  EXPECT_EQ(Q("8Ei").MilliValue(), -1000);
  EXPECT_EQ(Q("-8Ei").MilliValue(), 1000);
  EXPECT_EQ(Q("9223372036854775807.5").Value(), INT64_MIN) << "rounding up wraps too";
  EXPECT_EQ(Q("-74682Ti").Value(), -1496320975)
      << "unlimited digits below zero lose their high bits";
}

TEST(Quantity, NanosSaturateAtTenToThe29Units) {
  const Nanos most = Q("1e29").ToNanos();
  EXPECT_TRUE(Q("1e28").ToNanos() * 10 == most);
  for (const char* text : {"1e30", "1e38", "100000000000000000000000000000", "123456789e29"}) {
    EXPECT_TRUE(Q(text).ToNanos() == most) << text;
    EXPECT_TRUE((Quantity() - Q(text)).ToNanos() == -most) << text;
  }
  EXPECT_TRUE(Quantity::Of(kMost).ToNanos() == Nanos{kMost} * 1'000'000'000);
  EXPECT_TRUE(Q("2Pi").ToNanos() == (Nanos{1} << 51) * 1'000'000'000);
}

TEST(Quantity, ASuffixBeyondExaIsLostAsInKubernetes136ButNotInTheExactText) {
  struct Row {
    const char* text;
    const char* written;
    const char* exact;
  };
  for (const Row& row :
       {Row{"1000E", "1", "1e21"}, Row{"1e21", "1e21", "1e21"},
        Row{"1000000000000000000000", "1", "1e21"}, Row{"-12345E", "-12345E", "-12345E"},
        Row{"100Mi", "100Mi", "100Mi"}, Row{"0.5", "500m", "500m"},
        Row{"00009000000000000000000000", "9", "9e21"}}) {
    EXPECT_EQ(Q(row.text).ToString(), row.written) << row.text;
    EXPECT_EQ(Q(row.text).ToExactString(), row.exact) << row.text;
    EXPECT_EQ(Q(row.exact), Q(row.text)) << row.text;
  }
}

TEST(QuantityParse, ATextWithoutANumberIsRefusedUnlessKubernetesReadsZero) {
  for (const char* text :
       {"", " ", "Ki ", "five", ".Pi", "Ei", "0x10", "1 Gi", "--1", "1-", "1.2.3"}) {
    EXPECT_FALSE(Quantity::Parse(text)) << '"' << text << '"';
  }
  for (const char* text : {"+", "-", "000", ".", "k", ".Ki", "0Ei", "-0", "E"}) {
    const auto zero = Quantity::Parse(text);
    ASSERT_TRUE(zero) << '"' << text << '"';
    EXPECT_EQ(zero->ToString(), "0");
  }
}

TEST(QuantityParse, AnAbsurdLengthOrExponentIsRefusedAtOnce) {
  EXPECT_FALSE(Quantity::Parse("1e2147483647"));
  EXPECT_FALSE(Quantity::Parse("1e1001"));
  EXPECT_FALSE(Quantity::Parse(std::string(2000, '9')));
  EXPECT_FALSE(Quantity::Parse("2e38"));
  EXPECT_TRUE(Quantity::Parse("1e38"));
  EXPECT_TRUE(Quantity::Parse("0e1000"));
  EXPECT_LT(Quantity::Parse(std::string(2000, '9')).error().message.size(), 200U);
}

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
