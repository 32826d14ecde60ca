#include "cli/terminal/option_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/model/signal.h"

namespace jettison {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;

TEST(NumberOption, AWholeNumberWithinTheRangeIsTaken) {
  const auto check = WholeNumber(1, 20);
  for (const char* text : {"1", "7", "20"}) EXPECT_EQ(check(text), "") << text;
  for (const char* text : {"", "-1", "0", "21", "1.5", "7x", "18446744073709551616"}) {
    EXPECT_EQ(check(text), std::string(text) + ": must be a whole number from 1 to 20");
  }
}

TEST(NumberOption, ANumberWithinTheRangeIsTakenAndNanIsNone) {
  const auto check = Number(0.1, 3600);
  for (const char* text : {"0.1", "1e2", "3600"}) EXPECT_EQ(check(text), "") << text;
  for (const char* text : {"", "-1", "0", "nan", "inf", "3601", "1s", "1e999"}) {
    EXPECT_EQ(check(text), std::string(text) + ": must be a number from 0.1 to 3600");
  }
}

TEST(SignalOption, TheNameOfEachSignalIsTaken) {
  for (const Signal signal : kAllSignals) {
    EXPECT_EQ(KnownSignal()(std::string(NameOf(signal))), "") << NameOf(signal);
  }
}

TEST(SignalOption, AnotherNameIsRefusedWithTheNearestAndWithAllThatAreAllowed) {
  EXPECT_THAT(KnownSignal()("memroy.available"),
              AllOf(HasSubstr("memroy.available: there is no such signal (did you mean "
                              "\"memory.available\"?); allowed: memory.available, "),
                    EndsWith(" or io.pressure.some.avg60")));
  EXPECT_THAT(KnownSignal()("x"), HasSubstr("x: there is no such signal; allowed: "));
}

}  // namespace
}  // namespace jettison
