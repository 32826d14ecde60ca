#include "core/units/quantity.h"

#include <gtest/gtest.h>

#include <vector>

namespace jettison {
namespace {

Quantity Q(std::string_view text) {
  return Quantity::Parse(text).value();
}

constexpr std::int64_t kMost = INT64_MAX;

TEST(Quantity, AZeroLeftSideTakesTheFormOfTheRight) {
  EXPECT_EQ((Quantity() + Q("1Gi")).ToString(), "1Gi");
  EXPECT_EQ((Q("0Ki") + Q("2000")).ToString(), "2k");
  EXPECT_EQ((Q("0e3") - Q("1Gi")).ToString(), "-1Gi");
  EXPECT_EQ((Q("0") + Q("0Ei")).format(), QuantityFormat::kBinarySI);
  EXPECT_EQ((Q("1") + Q("1Gi")).format(), QuantityFormat::kDecimalSI);
}

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

TEST(Quantity, AddingOrSubtractingForgetsTheParsedText) {
  EXPECT_EQ((Q("+5") + Q("0")).ToString(), "5");
  EXPECT_EQ((Q("1.E3") - Q("0")).ToString(), "1e3");
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

TEST(Quantity, ASuffixBeyondExaIsLostAsInKubernetes136) {
  EXPECT_EQ(Q("1000E").ToString(), "1");
  EXPECT_EQ(Q("1000000000000000000000").ToString(), "1");
  EXPECT_EQ(Q("1e21").ToString(), "1e21");
}

TEST(Quantity, TheExactTextLosesNothing) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"1000E", "1e21"},
      {"-12345E", "-12345E"},
      {"100Mi", "100Mi"},
      {"0.5", "500m"},
      {"00009000000000000000000000", "9e21"}};
  for (const auto& [text, exact] : rows) {
    EXPECT_EQ(Q(text).ToExactString(), exact) << text;
    EXPECT_EQ(Q(exact), Q(text)) << text;
  }
}

}  // namespace
}  // namespace jettison
