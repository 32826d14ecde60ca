#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>

#include "runtimes/cri/test_bed/runtime_fixture.h"

namespace jettison::cri {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

// A pod "u" runs and writes its log; one of 100 bytes is rotated. (T: 1970-01-01)
class CriLogRotation : public CriRuntime {
 protected:
  CriLogRotation() {
    bed_.log_max_bytes = 100;
    bed_.Open();
    EXPECT_TRUE(runtime().List());
    EXPECT_TRUE(bed_.Run(SimplePod("u")));
    Write("");
    (void)bed_.calls->TakeCalls();
  }
  [[nodiscard]] std::string Folder() const { return bed_.root() + "/logs/default_pod-u_u/main"; }
  [[nodiscard]] std::vector<std::string> Names() const { return *kernel::NamesIn(Folder()); }
  [[nodiscard]] std::string Read(const std::string& name) const {
    return kernel::ReadFile(Folder() + "/" + name).value_or("nothing");
  }
  void Write(const std::string& text) { ASSERT_TRUE(kernel::WriteFile(Folder() + "/0.log", text)); }
  [[nodiscard]] bool Becomes(const std::function<bool()>& condition) {
    const auto deadline = std::chrono::steady_clock::now() + seconds(10);
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      (void)bed_.Await<PodRemoved>("nobody", milliseconds(5));
    }
    return true;
  }
  // Looks at the logs several times.
  void Pass() { (void)bed_.Await<PodRemoved>("nobody", milliseconds(50)); }
  [[nodiscard]] int Reopenings() {
    const auto calls = bed_.calls->TakeCalls();
    return static_cast<int>(std::ranges::count_if(
        calls, [](const std::string& call) { return call.starts_with("ReopenContainerLog "); }));
  }
};

TEST_F(CriLogRotation, ALogThatHasGrownIsRenamedAndOpenedAnew) {
  Write(std::string(99, 'a'));
  Pass();
  EXPECT_THAT(Names(), ElementsAre("0.log"));
  Write(std::string(100, 'b'));
  ASSERT_TRUE(Becomes([this] { return Names().size() == 2; }));
  ASSERT_TRUE(Becomes([this] { return Read("0.log").empty(); }));
  EXPECT_THAT(Names(), ElementsAre("0.log", "0.log.19700101-000140"));
  EXPECT_EQ(Read("0.log.19700101-000140"), std::string(100, 'b'));
  Pass();
  EXPECT_EQ(Reopenings(), 1);
  EXPECT_EQ(runtime().DiskOf(SimplePod("u")).containers[0].logs, Folder())
      << "the measured size includes the rotated files";
}

TEST_F(CriLogRotation, OlderFilesAreCompressedAndNoMoreKeptThanAllowed) {
  for (int i = 0; i < 4; ++i) {
    bed_.clock.Advance(seconds(1));
    const std::string before = Names().back();
    Write(std::string(200, static_cast<char>('a' + i)));
    ASSERT_TRUE(Becomes([&] { return Names().back() != before && Read("0.log").empty(); }));
  }
  EXPECT_TRUE(Becomes([this] {
    return Names() ==
           std::vector<std::string>{"0.log", "0.log.19700101-000143.gz", "0.log.19700101-000144"};
  })) << testing::PrintToString(Names());
  EXPECT_EQ(Read("0.log.19700101-000144"), std::string(200, 'd'));
  EXPECT_EQ(Read("0.log.19700101-000143.gz").substr(0, 2), "\x1f\x8b");
  EXPECT_THAT(bed_.logged, testing::IsEmpty());
}

TEST_F(CriLogRotation, WhereTheRuntimeFailsTheLogGetsItsNameBackAndThatIsSaidOnce) {
  bed_.calls->on_reopen_container_log = [](const auto&) -> Result<api::ReopenContainerLogResponse> {
    return Fail(ErrorCode::kInternal, "not today");
  };
  Write(std::string(200, 'a'));
  (void)Reopenings();
  ASSERT_TRUE(Becomes([this] { return Reopenings() > 0; }));
  ASSERT_TRUE(Becomes([this] { return Reopenings() > 0; })) << "it is tried again";
  EXPECT_TRUE(Becomes([this] { return Read("0.log") == std::string(200, 'a'); }));
  EXPECT_THAT(Names(), ElementsAre("0.log"));
  EXPECT_THAT(bed_.logged, ElementsAre(HasSubstr("not today")));
}

TEST_F(CriLogRotation, AHangingRuntimeIsAskedOnce) {
  bed_.calls->Hang();
  Write(std::string(200, 'a'));
  (void)Reopenings();
  ASSERT_TRUE(Becomes([this] { return Reopenings() == 1; }));
  Pass();
  EXPECT_EQ(Reopenings(), 0);
  EXPECT_THAT(Names(), ElementsAre("0.log.19700101-000140")) << "the container writes there";
  bed_.calls->Resume();
  bed_.calls->Deliver();
  EXPECT_THAT(Names(), ElementsAre("0.log", "0.log.19700101-000140"));
}

}  // namespace
}  // namespace jettison::cri
