#include "runtimes/process/runs/run_record.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include "kernel/files/files.h"
#include "runtimes/process/runs/shim_order.h"
#include "runtimes/process/shim/protocol.h"
#include "runtimes/process/shim/run_files.h"

namespace jettison::process {

using namespace kernel;
namespace {

using std::chrono::nanoseconds;
using testing::HasSubstr;

constexpr std::string_view kRun =
    "jettison run 1\nshim 12 345\ncontainer 13\nboot abc\ncreated 99\noom_kills 4\n";
constexpr std::string_view kExit =
    "jettison exit 1\noutcome exited\ncode 137\nsignal 9\nstarted 5\nfinished 6\n"
    "lost_log_bytes 7\n";

TEST(ParseExitRecord, ReadsWhatFormatExitRecordWrites) {
  for (const RunOutcome outcome : {RunOutcome::kExited, RunOutcome::kFailed, RunOutcome::kLost}) {
    const ExitRecord record{.outcome = outcome,
                            .code = 137,
                            .signal = 9,
                            .started = WallTime(nanoseconds(-5)),
                            .finished = WallTime(nanoseconds(6)),
                            .lost_log_bytes = 7};
    const auto parsed = ParseExitRecord(FormatExitRecord(record)).value();
    EXPECT_EQ(parsed, record);
  }
}

TEST(ParseRecords, RefuseEveryTextThatIsCutOff) {
  for (std::size_t size = 0; size < kRun.size(); ++size) {
    EXPECT_FALSE(ParseRunRecord(kRun.substr(0, size))) << size;
  }
  for (std::size_t size = 0; size < kExit.size(); ++size) {
    EXPECT_FALSE(ParseExitRecord(kExit.substr(0, size))) << size;
  }
  EXPECT_TRUE(ParseExitRecord(kExit));
}

TEST(ParseRecords, RefuseHostileText) {
  const std::string run(kRun);
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string text = run;
    return text.replace(text.find(from), from.size(), to);
  };
  for (const std::string& text :
       {run + "x", run + "\n", with("shim 12 345", "shim 12"), with("shim 12", "shim 1"),
        with("12", "-12"), with("345", "99999999999999999999"), with("run 1", "run 2"),
        with("container 13", "container 13 "), with("abc", ""), with("99", "9x")}) {
    EXPECT_FALSE(ParseRunRecord(text)) << text;
  }
}

TEST(OpenLiveProcess, KnowsAProcessByPidStartTimeAndBoot) {
  const std::string boot = *ReadBootId();
  const ProcessIdentity self{
      .pid = ::getpid(), .start_time = shim::StartTimeOfSelf(), .boot_id = boot};
  EXPECT_TRUE(*OpenLiveProcess(self, boot));
  EXPECT_FALSE(*OpenLiveProcess(self, "another boot"));
  ProcessIdentity other = self;
  other.start_time += 1;
  EXPECT_FALSE(*OpenLiveProcess(other, boot));
}

Pod PodWith(SecurityContext context) {
  Pod pod;
  pod.containers.resize(1);
  pod.containers[0].name = "web";
  pod.containers[0].security_context = std::move(context);
  return pod;
}

TEST(CheckRights, RefuseByNameWhatWouldBeLeftOut) {
  EXPECT_TRUE(CheckRights(PodWith({.run_as_user = 0,
                                   .run_as_group = 0,
                                   .privileged = true,
                                   .capabilities = {.add = {"ALL"}, .drop = {}}})));
  struct Row {
    SecurityContext context;
    const char* field;
  };
  const std::vector<Row> rows = {
      {{.run_as_user = 1}, "securityContext.runAsUser"},
      {{.run_as_group = 1}, "securityContext.runAsGroup"},
      {{.run_as_non_root = true}, "securityContext.runAsNonRoot"},
      {{.allow_privilege_escalation = false}, "securityContext.allowPrivilegeEscalation"},
      {{.read_only_root_filesystem = true}, "securityContext.readOnlyRootFilesystem"},
      {{.seccomp_profile = SeccompProfile::kRuntimeDefault}, "securityContext.seccompProfile"},
      {{.capabilities = {.add = {}, .drop = {"ALL"}}}, "securityContext.capabilities.drop"}};
  for (const Row& row : rows) {
    const auto checked = CheckRights(PodWith(row.context));
    ASSERT_FALSE(checked) << row.field;
    EXPECT_EQ(checked.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(checked.error().message, HasSubstr("container web sets " + std::string(row.field)));
  }
  Pod pod = PodWith({});
  pod.security_context.run_as_user = 1000;
  const auto checked = CheckRights(pod);
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().message, HasSubstr("the pod sets securityContext.runAsUser"));
}

}  // namespace
}  // namespace jettison::process
