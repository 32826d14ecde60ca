#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/mounts/mount_info.h"
#include "ports/fakes/child_process.h"
#include "ports/fakes/forgotten_calls.h"

namespace jettison::kernel {
namespace {

TEST(MountCalls, AreAllThereOnAKernelThatTheTestsRunOn) {
  const MountCalls calls = ProbeMountCalls();
  EXPECT_EQ(MissingCalls(calls, true), "");
}

TEST(MountCalls, ThatTheKernelDoesNotHaveAreMissing) {
  ChildProcess child([](const auto& /*ready*/) {
    if (!ForgetCalls(SYS_openat2, SYS_mount_setattr)) ::_exit(2);
    const MountCalls calls = ProbeMountCalls();
    const bool known =
        !calls.opens_within_mount && calls.tells_mount_points && !calls.changes_attributes;
    ::_exit(known ? 0 : 1);
  });
  child.Start();
  EXPECT_EQ(WEXITSTATUS(child.Wait()), 0);
}

TEST(MountCalls, AreNamedWhereTheyAreMissing) {
  EXPECT_EQ(MissingCalls({}, true),
            "openat2(2), STATX_ATTR_MOUNT_ROOT of statx(2), mount_setattr(2)");
  const MountCalls all_but_attributes = {.opens_within_mount = true, .tells_mount_points = true};
  EXPECT_EQ(MissingCalls(all_but_attributes, true), "mount_setattr(2)");
  EXPECT_EQ(MissingCalls(all_but_attributes, false), "") << "the runtime makes the mounts";
}

}  // namespace
}  // namespace jettison::kernel
