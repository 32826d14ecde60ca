#include "runtimes/cri/host/child_job.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "kernel/groups/few_descriptors.h"

namespace jettison::cri {
namespace {

// Deleting the files of a pod may take minutes.
int LastForever() {
  for (;;) ::pause();
}

TEST(ChildJob, OfWhichNoHandleCanBeHadIsEndedAndNotWaitedFor) {
  auto readiness = kernel::Readiness::Create();
  ASSERT_TRUE(readiness);
  kernel::FewDescriptors few(0);
  const auto job = ChildJob::Start(**readiness, "sleep", LastForever, [](const Result<void>&) {});
  ASSERT_FALSE(job);
  EXPECT_NE(job.error().message.find("sleep"), std::string::npos) << job.error().message;
}

}  // namespace
}  // namespace jettison::cri
