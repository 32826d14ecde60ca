#include "agent/log.h"

#include <gtest/gtest.h>

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

TEST(Log, TextLinesAreLogfmtAndQuoteOnlyWhatNeedsIt) {
  const LogField fields[] = {{"pod", "default/web"}, {"why", "a \"b\"\n"}, {"none", ""}};
  EXPECT_EQ(FormatLine(LogFormat::kText, Instant(milliseconds(1500)), LogLevel::kInfo,
                       "pod evicted", fields),
            R"(time=1970-01-01T00:00:01.5Z level=info msg="pod evicted" pod=default/web )"
            R"(why="a \"b\"\n" none="")");
}

TEST(Log, JsonLinesAreOneObjectOfStrings) {
  const LogField fields[] = {{"k", "v\\"}};
  EXPECT_EQ(
      FormatLine(LogFormat::kJson, Instant(nanoseconds(1)), LogLevel::kError, "a\x01", fields),
      R"({"time":"1970-01-01T00:00:00Z","level":"error","msg":"a\u0001","k":"v\\"})");
}

}  // namespace
}  // namespace jettison
