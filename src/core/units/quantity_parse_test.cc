#include <gtest/gtest.h>

#include <string>

#include "core/units/quantity.h"

namespace jettison {
namespace {

std::string Canonical(std::string_view text) {
  const auto quantity = Quantity::Parse(text);
  return quantity ? quantity->ToString() : "refused: " + quantity.error().message;
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

TEST(QuantityParse, ASuffixIsKnownOrRefused) {
  for (const char* text : {"1B", "1GB", "1Gb", "1ki", "1K", "1g", "1i", "1MiB", "1e", "1E+", "1mi",
                           "1e3e3", "1e9223372036854775808", "1Ki3", "5-3"}) {
    EXPECT_FALSE(Quantity::Parse(text)) << text;
  }
  EXPECT_EQ(Quantity::Parse("1GB").error().message,
            "\"1GB\" is not a quantity: write a number and a suffix: n u m k M G T P E, "
            "Ki Mi Gi Ti Pi Ei, or an exponent such as e3");
}

TEST(QuantityParse, WhatIsFinerThanABillionthIsRoundedUp) {
  EXPECT_EQ(Canonical("0.0000000001"), "1n");
  EXPECT_EQ(Canonical("-0.1n"), "-1n");
  EXPECT_EQ(Canonical("1.0000000001"), "1000000001n");
  EXPECT_EQ(Canonical("1e-2147483648"), "1e-9");
  EXPECT_EQ(Canonical("5e-10"), "1e-9");
}

TEST(QuantityParse, OnlyABinarySuffixIsCapped) {
  EXPECT_EQ(Canonical("8Ei"), "9223372036854775807");
  EXPECT_EQ(Canonical("-100Ei"), "-9223372036854775807");
  EXPECT_EQ(Canonical("100E"), "100E");
  EXPECT_EQ(Canonical("18446744073709551616"), "18446744073709551616");
}

TEST(QuantityParse, ABinaryAmountBelowOneBecomesDecimal) {
  EXPECT_EQ(Quantity::Parse("0.0001Ki")->format(), QuantityFormat::kDecimalSI);
  EXPECT_EQ(Quantity::Parse("0.5Ki")->format(), QuantityFormat::kBinarySI);
}

TEST(QuantityParse, TheTextIsKeptWhereKubernetesKeepsIt) {
  EXPECT_EQ(Canonical("1.E3"), "1.E3");
  EXPECT_EQ(Canonical("01E"), "01E");
  EXPECT_EQ(Canonical("+5"), "+5");
  EXPECT_EQ(Canonical("+5Mi"), "+5Mi");
  EXPECT_EQ(Canonical("5e0"), "5e0");
  EXPECT_EQ(Canonical("1.5"), "1500m");
  EXPECT_EQ(Canonical("1000"), "1k");
  EXPECT_EQ(Canonical("+1024Ki"), "1Mi");
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

}  // namespace
}  // namespace jettison
