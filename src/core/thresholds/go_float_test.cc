#include "core/thresholds/threshold_parsing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace jettison {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(GoFloat, NumbersAreReadAsGoReadsThem) {
  struct Row {
    const char* text;
    float value;
  };
  for (const Row& row : {Row{"0", 0.0F},
                         Row{"10", 10.0F},
                         Row{"+5", 5.0F},
                         Row{"-5", -5.0F},
                         Row{".5", 0.5F},
                         Row{"5.", 5.0F},
                         Row{"1e1", 10.0F},
                         Row{"1E+1", 10.0F},
                         Row{"1e-1", 0.1F},
                         Row{"1_0", 10.0F},
                         Row{"1_23.50_0_0e+1_2", 1.235e+14F},
                         Row{"33.333", 33.333F},
                         Row{"0x1p-2", 0.25F},
                         Row{"0X1.8P1", 3.0F},
                         Row{"0x_1_0p0", 16.0F},
                         Row{"0010", 10.0F},
                         Row{"1e-50", 0.0F},
                         Row{"1e-400", 0.0F},
                         Row{"0e999999999", 0.0F},
                         Row{"0x0p999999", 0.0F},
                         Row{"3.4028234663852886e38", 3.4028234663852886e38F},
                         Row{"1e-45", 1.4e-45F},
                         Row{"16777217", 16777216.0F},
                         Row{"Inf", kInfinity},
                         Row{"-infinity", -kInfinity},
                         Row{"+INF", kInfinity}}) {
    const auto value = ParseGoFloat32(row.text);
    ASSERT_TRUE(value) << row.text;
    EXPECT_EQ(*value, row.value) << row.text;
  }
  EXPECT_TRUE(std::isnan(ParseGoFloat32("NaN").value_or(0)));
}

TEST(GoFloat, WhatGoRefusesIsAbsent) {
  for (const char* text :
       {"",     "+",       "-",     ".",     "e1",           "1e",      "1e+",  "1x",
        " 1",   "1 ",      "1.2.3", "0x",    "0x1",          "0x.p1",   "0xp1", "0x1e2",
        "1p2",  "_1",      "1_",    "1__0",  "1_.5",         "1._5",    "1e_1", "1e+_1",
        "1e1_", "0x__1p0", "1e39",  "1e400", "3.4028236e38", "0x1p128", "+nan", "-nan",
        "in",   "infin",   "++1",   "--1"}) {
    EXPECT_FALSE(ParseGoFloat32(text)) << text;
  }
}

TEST(GoFloat, ALongTextIsNoTrouble) {
  EXPECT_EQ(ParseGoFloat32("1." + std::string(10000, '0')), 1.0F);
  EXPECT_EQ(ParseGoFloat32("0." + std::string(10000, '0') + "1e-1"), 0.0F);
  EXPECT_FALSE(ParseGoFloat32(std::string(1000, '9')));
}

}  // namespace
}  // namespace jettison
