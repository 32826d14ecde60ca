#include "core/units/quantity.h"

#include <gtest/gtest.h>

#include <vector>

namespace jettison {
namespace {

Quantity Q(std::string_view text) {
  return Quantity::Parse(text).value();
}

constexpr std::int64_t kMost = INT64_MAX;

TEST(Quantity, ComparesAmountsWhateverTheirForm) {
  struct Row {
    const char* a;
    const char* b;
    int order;
  };
  const std::vector<Row> rows = {
      {"1Gi", "1024Mi", 0},
      {"1G", "1Gi", -1},
      {"-1", "1", -1},
      {"0", "0Ei", 0},
      {"1e3", "1k", 0},
      {"1500m", "1.5", 0},
      {"0.5Gi", "512Mi", 0},
      {"1Pi", "1125899906842624", 0},
      {"99999999999999999999", "100E", -1},
      {"123456789012345678901234567890123456789", "123456789012345678901234567890123456790", -1},
      {"1e38", "1e37", 1},
      {"1e38", "1n", 1},
      {"-1e38", "-1n", -1},
      {"8Ei", "9223372036854775807", 0},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(Q(row.a).Compare(Q(row.b)), row.order) << row.a << " and " << row.b;
    EXPECT_EQ(Q(row.b).Compare(Q(row.a)), -row.order) << row.b << " and " << row.a;
  }
}

TEST(Quantity, ASumIsExactAndKeepsTheLeftForm) {
  struct Row {
    const char* a;
    const char* b;
    const char* sum;
    const char* difference;
  };
  const std::vector<Row> rows = {
      {"1Gi", "1Mi", "1025Mi", "1023Mi"},
      {"1Gi", "1", "1073741825", "1073741823"},
      {"1Ki", "1m", "1024001m", "1023999m"},
      {"1Mi", "1M", "2048576", "48576"},
      {"1M", "1Mi", "2048576", "-48576"},
      {"1e3", "1k", "2e3", "0"},
      {"9223372036854775807", "1", "9223372036854775808", "9223372036854775806"},
      {"99999999999999999999999999999999999998", "1", "99999999999999999999999999999999999999",
       "99999999999999999999999999999999999997"},
      {"8Ei", "8Ei", "18446744073709551614", "0"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ((Q(row.a) + Q(row.b)).ToString(), row.sum) << row.a << " + " << row.b;
    EXPECT_EQ((Q(row.a) - Q(row.b)).ToString(), row.difference) << row.a << " - " << row.b;
  }
}

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

TEST(Quantity, ValuesAreRoundedAwayFromZero) {
  EXPECT_EQ(Q("1m").Value(), 1);
  EXPECT_EQ(Q("-1m").Value(), -1);
  EXPECT_EQ(Q("1500m").Value(), 2);
  EXPECT_EQ(Q("1n").MilliValue(), 1);
  EXPECT_EQ(Q("100Mi").Value(), 104857600);
  EXPECT_EQ(Q("100m").MilliValue(), 100);
  EXPECT_EQ(Q("0.3Ki").Value(), 308);
  EXPECT_EQ(Quantity::Of(kMost).Value(), kMost);
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

TEST(Quantity, IsWrittenWithTheLargestSuffixThatLosesNothing) {
  struct Row {
    const char* text;
    const char* canonical;
  };
  const std::vector<Row> rows = {
      {"1024Mi", "1Gi"},
      {"1536Mi", "1536Mi"},
      {"1.5Gi", "1536Mi"},
      {"512", "512"},
      {"0.5Ki", "512"},
      {"1023.5Ki", "1048064"},
      {"1.0001Ki", "1024102400u"},
      {"1000000", "1M"},
      {"1000000000000000000", "1E"},
      {"12e4", "120e3"},
      {"1000e-3", "1"},
      {"100e-3", "100e-3"},
      {"-2048Ki", "-2Mi"},
      {"0.1", "100m"},
      {"10u", "10u"},
  };
  for (const Row& row : rows) EXPECT_EQ(Q(row.text).ToString(), row.canonical) << row.text;
  EXPECT_EQ(Quantity::Of(104857600).ToString(), "100Mi");
  EXPECT_EQ(Quantity::Of(1000, QuantityFormat::kDecimalSI).ToString(), "1k");
  EXPECT_EQ(Quantity::Of(1000).ToString(), "1k") << "below 1024 binary amounts are decimal";
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

TEST(Quantity, TheCanonicalTextReadsBackAsTheSameAmount) {
  for (const char* text : {"100Mi", "1.5Gi", "0.3", "-7e-3", "12345678901234567890123", "3Pi"}) {
    const Quantity quantity = Q(text) + Q("1");
    EXPECT_EQ(Q(quantity.ToString()), quantity) << text;
  }
}

}  // namespace
}  // namespace jettison
