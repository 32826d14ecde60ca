#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "kernel/groups/kept_files.h"

namespace jettison::kernel {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(KernelText, ALimitIsANumberOrMax) {
  EXPECT_EQ(*ParseMax("max\n"), std::nullopt);
  EXPECT_EQ(*ParseMax("0\n"), 0U);
  for (const char* const hostile : {"", "\n", "maximum\n", "max 1\n", "-1\n", "1.5\n"}) {
    EXPECT_FALSE(ParseMax(hostile)) << hostile;
  }
}

TEST(KernelText, ACounterIsOneNumberAndNothingElse) {
  EXPECT_EQ(*ParseCounter("0\n"), 0U);
  EXPECT_EQ(*ParseCounter("18446744073709551615"), 18446744073709551615U);
  for (const char* const hostile :
       {"", "\n", " 1\n", "1 \n", "1\n\n", "-1\n", "+1\n", "1x\n", "max\n", "0x10\n",
        "18446744073709551616\n", "99999999999999999999999999\n", "1.5\n"}) {
    const auto parsed = ParseCounter(hostile);
    ASSERT_FALSE(parsed) << hostile;
    EXPECT_EQ(parsed.error().code, ErrorCode::kInternal);
  }
}

TEST(KernelText, AProcessOutsideOfOurPidNamespaceIsLeftOut) {
  EXPECT_THAT(*ParseProcs("0\n12\n0\n"), ElementsAre(12));
  EXPECT_THAT(*ParseProcs(""), IsEmpty());
}

TEST(KernelText, AProcessIdThatKillWouldMisunderstandIsRefused) {
  for (const char* const hostile : {"-1\n", "1\n\n2\n", "1 2\n", "x\n", "4294967295\n", "\n"}) {
    EXPECT_FALSE(ParseProcs(hostile)) << hostile;
  }
}

TEST(KernelText, ARowIsFoundByItsWholeKeyOnly) {
  constexpr const char* kText = "inactive_file 7\nfile_mapped 3\nfile 42\nempty \nlast 9";
  EXPECT_EQ(*RowNumber(kText, "file"), 42U);
  EXPECT_EQ(*RowNumber(kText, "last"), 9U);
  EXPECT_EQ(FindRow(kText, "active_file"), std::nullopt);
  EXPECT_EQ(FindRow(kText, "empty"), "");
  EXPECT_FALSE(RowNumber(kText, "empty"));
  EXPECT_FALSE(RowNumber(kText, "las"));
  EXPECT_FALSE(RowNumber("", "file"));
}

TEST(KernelText, SeveralRowsAreFoundTogetherInWhateverOrder) {
  std::array<Row, 4> rows = {Row{"b"}, Row{"aa"}, Row{"a"}, Row{"none"}};
  FindRows("a 1\naa 2\nb x\na 3\n", rows);
  EXPECT_EQ(rows[0].rest, "x");
  EXPECT_EQ(rows[0].NumberIfAny(), std::nullopt);
  EXPECT_FALSE(rows[0].Number());
  EXPECT_EQ(*rows[1].Number(), 2U);
  EXPECT_EQ(*rows[2].Number(), 1U) << "the first of one key";
  EXPECT_EQ(rows[3].rest, std::nullopt);
  EXPECT_EQ(rows[3].Number().error().message, "no row none");
}

}  // namespace
}  // namespace jettison::kernel
