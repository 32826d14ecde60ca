#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "runtimes/process/runs/shim_order.h"

namespace jettison::process {
namespace {

using testing::HasSubstr;

Pod PodWith(SecurityContext context) {
  Pod pod;
  pod.containers.resize(1);
  pod.containers[0].name = "web";
  pod.containers[0].security_context = std::move(context);
  return pod;
}

TEST(CheckRights, AllowWhatEveryContainerGetsAnyway) {
  EXPECT_TRUE(CheckRights(PodWith({})));
  EXPECT_TRUE(CheckRights(PodWith({.run_as_user = 0,
                                   .run_as_group = 0,
                                   .privileged = true,
                                   .capabilities = {.add = {"ALL"}, .drop = {}}})));
}

TEST(CheckRights, RefuseByNameWhatWouldBeLeftOut) {
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
