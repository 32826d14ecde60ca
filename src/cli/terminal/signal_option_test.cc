#include "cli/terminal/signal_option.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/model/signal.h"

namespace jettison {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;

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
